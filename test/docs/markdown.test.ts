import { expect, test } from 'vitest'
import { inline, toArticle } from '../../packages/docs/src/html/markdown.ts'

const render = (markdown: string) => toArticle(`# Title\n\n${markdown}`, () => undefined).body.text

test('a title, the first paragraph that is no picture and the sections are told, without marks', () => {
  const { title, summary, sections } = toArticle(
    '# One `guide`\n\n![A picture](a.png)\n\nSays **what** it is.\n\n## First & foremost\n\n- a\n- b\n\n## First & foremost\n\n| c |\n| --- |\n| d |\n',
    () => undefined,
  )
  expect({ title, summary }).toEqual({ title: 'One guide', summary: 'Says what it is.' })
  expect(sections.map(({ id, text }) => ({ id, text: text.trim().replace(/\s+/g, ' ') }))).toEqual([
    { id: 'one-guide', text: 'Says what it is.' },
    { id: 'first--foremost', text: 'a b' },
    { id: 'first--foremost-1', text: 'c d' },
  ])
})

test('the passages of a section are its paragraphs, items and rows: no code, and of a table no header', () => {
  const { sections } = toArticle(
    '# One\n\n```sh\nls\n```\n\nSays it.\n\n- x\n- y\n\n## Two\n\n| a | b |\n| - | - |\n| c | d |\n| e | f |',
    () => undefined,
  )
  expect(sections.map(({ passages }) => passages)).toEqual([
    ['Says it.', 'x', 'y'],
    ['c: d', 'e: f'],
  ])
})

test('terms of a table can be linked to', () => {
  const markdown = '# Words\n\n| term | meaning |\n| - | - |\n| base unit | the *smallest* one |'
  const { terms, body } = toArticle(markdown, () => undefined)
  expect(terms).toEqual([
    { id: 'term-base-unit', title: 'base unit', text: 'the smallest one', passages: ['the smallest one'] },
  ])
  expect(body.text).toContain('<tr id="term-base-unit"><td>base unit</td>')
})

test('pictures, which only a checkout has, are left out with their captions', () => {
  expect(render('![Alone](a.png)\n\nA ![small](b.png) one\n\n![Two](a.png)![of them](b.png)')).toBe(
    '<h1 id="title">Title</h1>\n<p>A  one</p>\n',
  )
})

test('what has no title is refused', () => {
  expect(() => toArticle('', () => undefined)).toThrow('the Markdown has no title')
})

test('headings have the IDs that they have on GitHub', () => {
  expect(render("## What's `minBlock`, really? ##\n### 429\n## Größe_2")).toBe(
    '<h1 id="title">Title</h1>\n' +
      '<h2 id="whats-minblock-really"><a class="anchor" href="#whats-minblock-really">What&#39;s <code>minBlock</code>, really?</a></h2>\n' +
      '<h3 id="429"><a class="anchor" href="#429">429</a></h3>\n' +
      '<h2 id="größe_2"><a class="anchor" href="#größe_2">Größe_2</a></h2>\n',
  )
})

test('no HTML of a file becomes HTML of a page', () => {
  const body = render(
    '<script>alert(1)</script>\n\n<!-- seen by nobody -->\n\na <img src=x onerror=alert(1)> b\n\n```html\n<b>\n```\n\n`<i>`\n\n![<u>](x.png)\n',
  )
  expect(body).not.toMatch(/<(?:script|img|b|i|u)\b|seen by nobody/)
  expect(body).toContain('&lt;script&gt;alert(1)&lt;/script&gt;')
})

test('links lead where they are resolved to, and where that is nowhere are plain words', () => {
  const links: string[] = []
  const { body } = toArticle('# T\n\n[a](b.md#c "d") [e](../f.ts)', (link) => {
    links.push(link)
    return link.startsWith('b') ? '/docs/b?"&#c' : undefined
  })
  expect(links).toEqual(['b.md#c', '../f.ts'])
  expect(body.text).toContain('<p><a href="/docs/b?&quot;&amp;#c">a</a> e</p>')
})

test('code is shown as it is, with what stands out in it marked', () => {
  const code = (language: string, text: string) =>
    /<code>(.*)<\/code>/s.exec(render(`\`\`\`${language}\n${text}\n\`\`\``))?.[1]
  expect(code('json', '{"a": "b\\"<", "c": [true, 1]}')).toBe(
    '{<span class="key">&quot;a&quot;</span>: <span class="string">&quot;b\\&quot;&lt;&quot;</span>, ' +
      '<span class="key">&quot;c&quot;</span>: [<span class="word">true</span>, 1]}',
  )
  expect(code('console', "$ echo 'x' # say it\nx#y")).toBe(
    '<span class="prompt">$ </span>echo <span class="string">&#39;x&#39;</span> <span class="comment"># say it</span>\nx#y',
  )
  expect(code('console', '{"a":"\\"b\\""}')).toBe(
    '{<span class="string">&quot;a&quot;</span>:<span class="string">&quot;\\&quot;b\\&quot;&quot;</span>}',
  )
  expect(code('js', "const url = 'http://x' // where")).toBe(
    '<span class="word">const</span> url = <span class="string">&#39;http://x&#39;</span> <span class="comment">// where</span>',
  )
  expect(code('', 'const "a" # b')).toBe('const &quot;a&quot; # b')
})

test('descriptions of the document are lines of Markdown', () => {
  expect(inline('`<a>` and **b** < c').text).toBe('<code>&lt;a&gt;</code> and <strong>b</strong> &lt; c')
  expect(inline(undefined).text).toBe('')
})
