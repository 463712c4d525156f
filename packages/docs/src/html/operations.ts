import { STATUS_CODES } from 'node:http'
import { html, Markup } from '../../../strict-http/src/markup.ts'
import {
  type ApiResponse,
  contentOf,
  isProtected,
  linesOf,
  type Parameter,
  type Schema,
  type ServedOperation,
} from '../content/api-document.ts'
import { codeBlock, jsonBlock } from './code.ts'
import { inline } from './markdown.ts'
import { languageChoice } from './quickstart.ts'
import type { createSchemaPieces } from './schemas.ts'

type SchemaPieces = ReturnType<typeof createSchemaPieces>

/** The page of an operation alone. */
export const operationUrl = ({ operationId }: ServedOperation) => `/docs/operations/${operationId}`

/**
 * One operation: what it says and answers, with fields for its parameters and a place for what comes of trying it. On a page
 * of its own its title is that of the page.
 */
export function operationSection(operation: ServedOperation, schemas: SchemaPieces, isAlone: boolean): Markup {
  const { operationId, summary, description, path, parameters = [], responses, servers } = operation
  const [success] = Object.entries(responses).filter(([status]) => status.startsWith('2'))
  const { schema, example, others: moreExamples = [] } = success === undefined ? {} : contentOf(success[1])
  const lines = linesOf(operation)
  const [level, part] = (isAlone ? ['h1', 'h2'] : ['h3', 'h4']).map((name) => new Markup(name))
  const others = Object.entries(responses).filter(([status]) => status !== success?.[0])
  return html`<section id="${operationId}" aria-labelledby="${operationId}-title">
<${level} id="${operationId}-title">${isAlone ? summary : html`<a class="anchor" href="#${operationId}">${summary}</a>`}</${level}>
<p class="route"><span class="method">GET</span> <code>${path}</code>${!isAlone && html` <a class="alone" href="${operationUrl(operation)}">own page</a>`}</p>
<p>${inline(description)}${isProtected(operation) && html` Needs a token: see <a href="#authorize">Authorize</a>.`}</p>
<form class="operation" data-path="${path}" data-operation="${operationId}" data-base="${servers?.[0]?.url ?? '/'}" data-protected="${String(isProtected(operation))}" data-reads="${lines === undefined ? 'json' : 'text'}">
<div class="asked">
${parameters.length > 0 && html`<${part}>Parameters</${part}><ul class="parameters">${inOrder(parameters).map((parameter) => parameterItem(operationId, parameter, schemas))}</ul>`}
</div>
<div class="tried">
${languageChoice}
<div class="code"><pre><code class="request">GET ${path}</code></pre></div>
<p class="actions"><button type="submit">Send</button> <button type="button" class="copy" data-copies="request">Copy</button></p>
<p class="status" role="status"></p>
<div class="outcome"></div>
${example !== undefined && html`<details open class="example-response"><summary>Example response</summary>${jsonBlock(example)}</details>`}
${lines !== undefined && html`<details open class="example-response"><summary>Example response</summary>${codeBlock(String(lines), 'json')}</details>`}
${moreExamples.map(({ summary, value }) => html`<details class="example-response"><summary>${inline(summary)}</summary>${jsonBlock(value)}</details>`)}
</div>
<div class="answered">
<${part}>Response</${part}>
${schema !== undefined && schemas.response(schema)}
<details><summary>Other responses: ${others.map(([status]) => status).join(', ')}</summary><ul class="answers">${others.map(([status, response]) => responseItem(status, response))}</ul></details>
<details><summary>Response headers</summary><ul class="properties">${headerItems(responses)}</ul></details>
</div>
</form>
</section>`
}

/** Those of the path first, for there is no request without them; headers last. */
const inOrder = (parameters: Parameter[]) =>
  (['path', 'query', 'header'] as const).flatMap((wanted) =>
    parameters.filter(({ in: location }) => location === wanted),
  )

function parameterItem(operationId: string, parameter: Parameter, { typeOf }: SchemaPieces): Markup {
  const { name, in: location, schema, required, description, example } = parameter
  const id = `${operationId}-${name}`
  const shown = [example].flat().map(String).join(',')
  return html`<li>
<p><label class="name" for="${id}">${name}</label> <span class="type">${typeOf(schema)}${limits(schema)}${location === 'query' ? '' : `, in the ${location}`}${required && ', required'}</span></p>
<div class="about">
<p id="${id}-about">${inline(description)}</p>
<p class="field">${field(id, parameter)} ${example !== undefined && html`<button type="button" class="example" data-fills="${id}" data-example="${shown}"><span>Example: </span><code>${shown}</code></button>`}</p>
</div>
</li>`
}

/**
 * What is entered into stays empty until somebody does: an empty field is no parameter. Without a `name`, for a field of
 * that name would hide the `id` of its form.
 */
function field(id: string, { name, in: location, schema, required }: Parameter): Markup {
  const values =
    schema.enum ?? (schema.type === 'boolean' || [schema.type].flat().includes('boolean') ? [true, false] : undefined)
  const attributes = html`id="${id}" data-name="${name}" data-in="${location}" data-kind="${kindOf(schema)}" aria-describedby="${id}-about"${required && html` required`}`
  if (values === undefined) {
    const isNumber = [schema.type].flat().includes('integer')
    return html`<input ${attributes} autocomplete="off" spellcheck="false" placeholder="${schema.default === undefined ? '' : String(schema.default)}"${isNumber && html` class="short"`}>`
  }
  const unset = schema.default === undefined ? '–' : `– (${String(schema.default)})`
  return html`<select ${attributes}><option value="">${unset}</option>${values.map((value) => html`<option>${String(value)}</option>`)}</select>`
}

/** How a value of a parameter is written in code. */
function kindOf({ type, items }: Schema): 'texts' | 'numbers' | 'literal' | 'text' {
  const types = [type].flat()
  if (types.includes('array')) return items?.type === 'integer' ? 'numbers' : 'texts'
  return types.includes('integer') || types.includes('boolean') ? 'literal' : 'text'
}

function limits({ minimum, maximum, maxItems, default: preset }: Schema): string {
  // What no number reaches is no limit worth reading.
  const isBounded = maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER
  return [
    isBounded && `, ${minimum ?? 0} to ${maximum}`,
    maxItems !== undefined && `, at most ${maxItems}`,
    preset !== undefined && `, ${String(preset)} if absent`,
  ]
    .filter(Boolean)
    .join('')
}

function responseItem(status: string, response: ApiResponse): Markup {
  const { example } = contentOf(response)
  return html`<li><p><strong>${status} ${STATUS_CODES[status]}</strong></p><p>${inline(response.description)}</p>${example !== undefined && html`<pre><code>${JSON.stringify(example)}</code></pre>`}</li>`
}

/** Each header once, with the statuses that it comes with where that is not all. */
function headerItems(responses: Record<string, ApiResponse>): Markup[] {
  const statuses = new Map<string, { description: string | undefined; on: string[] }>()
  for (const [status, { headers = {} }] of Object.entries(responses)) {
    for (const [name, { description }] of Object.entries(headers)) {
      const known = statuses.get(name) ?? { description, on: [] }
      statuses.set(name, { ...known, on: [...known.on, status] })
    }
  }
  const all = Object.keys(responses).length
  return [...statuses].map(
    ([name, { description, on }]) =>
      html`<li><p><code class="name">${name}</code> <span class="type">${on.length === all ? 'always' : on.join(', ')}</span></p><div class="about"><p>${inline(description)}</p></div></li>`,
  )
}
