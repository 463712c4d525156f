/*
 * What the documentation does by itself: copying, trying operations, searching. Without it, everything can be read.
 */

/** @typedef {typeof import('./src/search/search-index.ts')} SearchScript */
/** @typedef {ReturnType<SearchScript['openIndex']>} Find */

const TOKEN = 'reward-campaigns-token'

/** Where the service is for this browser: a proxy may have it below a path. */
const ROOT = new URL('..', import.meta.url)

/**
 * @template {Element} T
 * @param {string} selector
 * @param {new () => T} type
 * @param {ParentNode} [within]
 */
function find(selector, type, within = document) {
  const found = within.querySelector(selector)
  return found instanceof type ? found : undefined
}

/** @param {string} name @param {string} text @param {string} [kind] */
function element(name, text, kind = '') {
  const made = document.createElement(name)
  made.textContent = text
  made.className = kind
  return made
}

/* The list of pages on small screens. */

const contents = find('#contents', HTMLElement)
const menu = find('.menu', HTMLButtonElement)
menu?.addEventListener('click', () => {
  const isOpen = document.body.classList.toggle('contents-open')
  menu.setAttribute('aria-expanded', String(isOpen))
})
contents?.addEventListener('click', ({ target }) => {
  if (!(target instanceof HTMLAnchorElement)) return
  document.body.classList.remove('contents-open')
  menu?.setAttribute('aria-expanded', 'false')
})

/* Links into what is folded. */

function unfold() {
  const target = targetOf(location.hash.slice(1))
  for (let place = target?.closest('details'); place; place = place.parentElement?.closest('details')) place.open = true
  target?.scrollIntoView()
}
/** A link can be written by anybody, also so that it cannot be decoded. @param {string} hash */
function targetOf(hash) {
  try {
    return document.getElementById(decodeURIComponent(hash))
  } catch {
    return null
  }
}
addEventListener('hashchange', () => {
  unfold()
  follow()
})
if (location.hash !== '') unfold()

/* The list of pages shows where one is. */

function follow() {
  const target = targetOf(location.hash.slice(1))
  const section = target?.closest('section')
  const ids = [target?.id, section?.id, section?.getAttribute('aria-labelledby')]
  const links = [...(contents?.querySelectorAll('a') ?? [])].filter(({ hash }) => hash !== '')
  for (const link of links) {
    const isHere = link.pathname === location.pathname && ids.includes(decodeURIComponent(link.hash.slice(1)))
    if (isHere) link.setAttribute('aria-current', 'location')
    else link.removeAttribute('aria-current')
  }
  reveal(contents?.querySelector('[aria-current="location"]') ?? contents?.querySelector('[aria-current]'))
}
/** Scrolls the list alone. @param {Element | null | undefined} link */
function reveal(link) {
  if (!contents || !link) return
  const [place, seen] = [link.getBoundingClientRect(), contents.getBoundingClientRect()]
  if (place.top < seen.top || place.bottom > seen.bottom) contents.scrollTop += place.top - seen.top - seen.height / 3
}
follow()

/* Copying. */

document.addEventListener('click', async ({ target }) => {
  const button = target instanceof Element ? target.closest('button') : null
  if (button?.classList.contains('copy')) await copy(button)
  const filled = document.getElementById(button?.dataset.fills ?? '')
  if (filled instanceof HTMLInputElement || filled instanceof HTMLSelectElement) {
    filled.value = button?.dataset.example ?? ''
    filled.dispatchEvent(new Event('input', { bubbles: true }))
  }
})

/** @param {HTMLButtonElement} button */
async function copy(button) {
  const kind = button.dataset.copies
  const code = find('code', HTMLElement, button.closest('.code') ?? button.closest('.tried') ?? button)
  const text = code?.textContent ?? ''
  const label = button.textContent
  try {
    await navigator.clipboard.writeText(kind === 'console' ? typedIn(text) : text)
    button.textContent = 'Copied'
  } catch {
    button.textContent = 'Not allowed'
  }
  setTimeout(() => {
    button.textContent = label
  }, 1500)
}

/** Of a terminal's text, the commands. @param {string} text */
function typedIn(text) {
  const commands = []
  let goesOn = false
  for (const line of text.split('\n')) {
    if (line.startsWith('$ ')) commands.push(line.slice(2))
    else if (goesOn) commands.push(line)
    goesOn = (goesOn || line.startsWith('$ ')) && line.endsWith('\\')
  }
  return commands.join('\n')
}

/* The token. */

const token = find('#token', HTMLInputElement)
if (token) {
  token.value = sessionStorage.getItem(TOKEN) ?? ''
  token.addEventListener('input', () => sessionStorage.setItem(TOKEN, token.value.trim()))
  token.form?.addEventListener('submit', (event) => event.preventDefault())
  token.form?.addEventListener('reset', () => sessionStorage.removeItem(TOKEN))
}

/** Where operations are; without an address of their own, where the pages are. @param {string} base */
function toBaseUrl(base) {
  return (base === '/' ? ROOT : new URL(base, location.href)).href.replace(/\/$/, '')
}

/* The language of requests. */

const LANGUAGE = 'reward-campaigns-language'
let language = localStorage.getItem(LANGUAGE) ?? 'curl'

/** @param {string} wanted */
function choose(wanted) {
  language = wanted
  for (const button of document.querySelectorAll('button[data-language]')) {
    button.setAttribute('aria-pressed', String(button instanceof HTMLElement && button.dataset.language === language))
  }
  for (const block of document.querySelectorAll('[data-shown-in]')) {
    if (block instanceof HTMLElement) block.hidden = block.dataset.shownIn !== language
  }
  for (const form of document.querySelectorAll('form.operation')) if (form instanceof HTMLFormElement) show(form)
}
document.addEventListener('click', ({ target }) => {
  const wanted =
    target instanceof HTMLElement && target.closest('p')?.classList.contains('languages') && target.dataset.language
  if (!wanted) return
  localStorage.setItem(LANGUAGE, wanted)
  choose(wanted)
})

/* Examples are sent to this service. */

for (const block of document.querySelectorAll('.code')) {
  if (!(block instanceof HTMLElement)) continue
  const origin = toBaseUrl(block.dataset.base ?? '/')
  const texts = document.createTreeWalker(block, NodeFilter.SHOW_TEXT)
  while (texts.nextNode()) {
    const { currentNode } = texts
    currentNode.nodeValue = currentNode.nodeValue?.replace(/(http:\/\/)?localhost:3000/g, origin) ?? null
  }
}

/* Trying operations. */

for (const form of document.querySelectorAll('form.operation')) {
  if (!(form instanceof HTMLFormElement)) continue
  form.addEventListener('input', () => show(form))
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    void send(form)
  })
}
choose(language === 'fetch' || language === 'client' ? language : 'curl')

/** The request of an operation in the chosen language. @param {HTMLFormElement} form */
function show(form) {
  const request = find('.request', HTMLElement, form)
  const write = language === 'fetch' ? toFetch : language === 'client' ? toClient : toCurl
  if (request) request.textContent = write(form)
}

/** What is filled in. @param {HTMLFormElement} form */
function toRequest(form) {
  const { path = '', base = '/' } = form.dataset
  let filled = path
  const query = []
  /** @type {[name: string, value: string][]} */
  const values = []
  /** @type {Record<string, string>} */
  const headers = {}
  for (const field of form.elements) {
    if (!(field instanceof HTMLInputElement || field instanceof HTMLSelectElement)) continue
    const { value } = field
    const { name = '' } = field.dataset
    // What separates lists and parts of IDs stays readable.
    const written = encodeURIComponent(value).replaceAll('%2C', ',').replaceAll('%3A', ':').replaceAll("'", '%27')
    if (value !== '' && field.dataset.in !== 'header') values.push([name, value])
    // A shell reads braces, so that what is not filled in is shown by an example.
    const example = find(`[data-fills="${field.id}"]`, HTMLElement, form)?.dataset.example
    if (field.dataset.in === 'path') filled = filled.replace(`{${name}}`, written || (example ?? `{${name}}`))
    else if (value !== '' && field.dataset.in === 'header') headers[name] = value
    else if (value !== '') query.push(`${name}=${written}`)
  }
  const origin = toBaseUrl(base)
  return { url: `${origin}${filled}${query.length > 0 ? '?' : ''}${query.join('&')}`, headers, origin, values }
}

/** Text as it is written in code. @param {string} text */
function literal(text) {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
}

/** @param {HTMLFormElement} form */
function toFetch(form) {
  const { url, headers } = toRequest(form)
  const given = Object.entries(headers).map(([name, value]) => `${literal(name)}: ${literal(value)}`)
  if (form.dataset.protected === 'true') given.push("Authorization: 'Bearer ' + token")
  const options = given.length > 0 ? `, { headers: { ${given.join(', ')} } }` : ''
  return `const response = await fetch(${literal(url)}${options})\nconsole.log(await response.${form.dataset.reads}())`
}

/** Headers are the client's own business, and long texts are not. @param {HTMLFormElement} form */
function toClient(form) {
  if (form.dataset.reads === 'text') return `// The client leaves this to fetch.\n${toFetch(form)}`
  const { origin, values } = toRequest(form)
  const { path = '', operation = '', protected: isProtected } = form.dataset
  /** @param {string} name */
  const isInPath = (name) => path.includes(`{${name}}`)
  const ids = values.filter(([name]) => isInPath(name)).map(([, value]) => literal(value))
  const query = values
    .filter(([name]) => !isInPath(name))
    .map(([name, value]) => `${name}: ${toValue(form, name, value)}`)
  const given = [...ids, ...(query.length > 0 ? [`{ ${query.join(', ')} }`] : [])].join(', ')
  return [
    `import { createClient } from 'reward-campaigns-client'`,
    `const client = createClient({ baseUrl: ${literal(origin)}${isProtected === 'true' ? ', token' : ''} })`,
    `console.log(await client.${operation}(${given}))`,
  ].join('\n')
}

/** A value of the query as the client takes it. @param {HTMLFormElement} form @param {string} name @param {string} value */
function toValue(form, name, value) {
  const kind = find(`[data-name="${name}"]`, HTMLElement, form)?.dataset.kind
  if (kind === 'texts')
    return `[${value
      .split(',')
      .map((entry) => literal(entry.trim()))
      .join(', ')}]`
  if (kind === 'numbers' && /^[0-9, ]+$/.test(value)) return `[${value}]`
  return kind === 'literal' && /^(?:true|false|null|[0-9]+)$/.test(value) ? value : literal(value)
}

/** @param {HTMLFormElement} form */
function toCurl(form) {
  const { url, headers } = toRequest(form)
  const quoted = Object.entries(headers).map(([name, value]) => ` -H '${name}: ${value.replaceAll("'", "'\\''")}'`)
  const bearer = form.dataset.protected === 'true' ? ' -H "Authorization: Bearer $TOKEN"' : ''
  return `curl -s '${url}'${quoted.join('')}${bearer}`
}

/** @param {HTMLFormElement} form */
async function send(form) {
  const [status, outcome] = [find('.status', HTMLElement, form), find('.outcome', HTMLElement, form)]
  if (!status || !outcome) return
  const missing = [...form.elements].find((field) => field instanceof HTMLInputElement && !field.checkValidity())
  if (missing instanceof HTMLInputElement) return missing.focus()
  const { url, headers } = toRequest(form)
  const secret = form.dataset.protected === 'true' ? sessionStorage.getItem(TOKEN) : null
  if (secret) headers.Authorization = `Bearer ${secret}`
  outcome.replaceChildren()
  status.className = 'status'
  status.textContent = 'Waiting for the answer …'
  const startedAt = performance.now()
  try {
    const response = await fetch(url, { headers, credentials: 'omit', cache: 'no-store' })
    const text = await response.text()
    const milliseconds = Math.round(performance.now() - startedAt)
    status.classList.add(response.status < 400 ? 'good' : 'bad')
    status.replaceChildren(element('strong', `${response.status} ${response.statusText}`), ` in ${milliseconds} ms`)
    outcome.replaceChildren(...(text === '' ? [] : [toBody(text)]), toHeaders(response))
  } catch (error) {
    status.classList.add('bad')
    status.textContent = `There was no answer: ${error}`
  }
}

/** @param {string} text */
function toBody(text) {
  const body = element('pre', toReadable(text), 'body')
  body.tabIndex = 0
  body.setAttribute('role', 'group')
  body.setAttribute('aria-label', 'Body of the answer')
  return body
}

/** @param {Response} answer */
function toHeaders({ headers }) {
  const folded = document.createElement('details')
  const lines = [...headers].map(([name, value]) => `${name}: ${value}`)
  folded.append(element('summary', 'Headers'), element('pre', lines.join('\n')))
  return folded
}

/** @param {string} text */
function toReadable(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}

/* Searching. */

const MAX_FOUND = 12
/** Of these, as much is shown as may answer. */
const ANSWERS = 3
const search = find('#search', HTMLInputElement)
const found = find('#found', HTMLElement)
/** @type {Promise<Find> | undefined} */
let finding

search?.addEventListener('focus', () => {
  finding ??= loadSearch()
})
search?.addEventListener('input', () => void showFound())
search?.addEventListener('keydown', ({ key }) => {
  const [first] = found?.querySelectorAll('a') ?? []
  if (key === 'Enter') first?.click()
})
document.addEventListener('keydown', (event) => {
  const isTyping = event.target instanceof HTMLInputElement || event.target instanceof HTMLSelectElement
  if (event.key === 'Escape') closeFound()
  if (event.key !== '/' || isTyping) return
  event.preventDefault()
  search?.focus()
})
found?.addEventListener('click', ({ target }) => {
  if (target instanceof Element && target.closest('a')) closeFound()
})
for (const kind of ['click', 'focusin']) {
  document.addEventListener(kind, ({ target }) => {
    if (target instanceof Element && !target.closest('search')) closeFound()
  })
}

function closeFound() {
  if (found) found.hidden = true
}

/** What cannot be had now is asked for again with the next letter. @returns {Promise<Find>} */
async function loadSearch() {
  try {
    /** @type {[SearchScript, Response]} */
    const [{ openIndex }, response] = await Promise.all([
      import(new URL('docs/search.js', ROOT).href),
      fetch(new URL('docs/search.json', ROOT)),
    ])
    if (response.ok) return openIndex(await response.text())
  } catch {
    // The service is away.
  }
  finding = undefined
  return () => []
}

async function showFound() {
  finding ??= loadSearch()
  const find = await finding
  if (!search || !found) return
  // What is there by now: more may have been typed meanwhile.
  const ranked = find(search.value)
  const links = ranked.slice(0, MAX_FOUND).map(({ url, title, of, excerpt }, rank) => {
    const link = document.createElement('a')
    link.href = new URL(url.slice(1), ROOT).href
    link.append(
      element('strong', title),
      element('span', of),
      element('span', excerpt(rank < ANSWERS ? 300 : 100), 'excerpt'),
    )
    const item = document.createElement('li')
    item.append(link)
    return item
  })
  found.hidden = search.value.trim() === ''
  found.querySelector('ul')?.replaceChildren(...links)
  const count = found.querySelector('p')
  if (count)
    count.textContent =
      ranked.length > MAX_FOUND ? `The best ${MAX_FOUND} of ${ranked.length} places` : `${ranked.length} places`
}
