import { html, type Markup } from '../../../strict-http/src/markup.ts'
import type { ApiDocument, Schema } from '../content/api-document.ts'
import { inline } from './markdown.ts'

const PREFIX = '#/components/schemas/'

/**
 * Shows the schemas of a document: properties in a list, schemas of their own as links to the page that has them all or, where
 * wanted, unfolded.
 */
export function createSchemaPieces({ components: { schemas } }: ApiDocument, page: '' | '/docs') {
  const resolve = (schema: Schema) => {
    const name = schema.$ref?.slice(PREFIX.length)
    return { name, schema: name === undefined ? schema : (schemas[name] ?? schema) }
  }
  /** Shown under the union that they are variants of. */
  const variants = new Set(
    Object.values(schemas).flatMap(({ oneOf = [] }) => oneOf.flatMap((variant) => resolve(variant).name ?? [])),
  )

  /** What a value is, in words: `list of Address`, `integer or null`. */
  function typeOf(schema: Schema): Markup {
    const { name } = resolve(schema)
    if (name !== undefined) return html`<a href="${page}#schema-${name}">${name}</a>`
    if (schema.anyOf !== undefined) {
      return joined(
        schema.anyOf
          .map(typeOf)
          .filter((type, index, all) => all.findIndex(({ text }) => text === type.text) === index),
        ' or ',
      )
    }
    if (schema.type === 'array' && schema.items !== undefined) return html`list of ${typeOf(schema.items)}`
    if (typeof schema.additionalProperties === 'object') return html`map to ${typeOf(schema.additionalProperties)}`
    return html`${[schema.type ?? 'any'].flat().join(' or ')}`
  }

  /** The values that there may be. */
  function valuesOf(schema: Schema): Markup | undefined {
    const [{ enum: values } = {}] = [schema, ...(schema.anyOf ?? [])]
      .map((part) => resolve(part).schema)
      .filter((part) => part.enum)
    if (values === undefined) return undefined
    const shown = values.map((value) => html`<code>${String(value)}</code>`)
    return html`<p class="values">${joined(shown, ', ')}</p>`
  }

  /** What is inside a value: in the entries of its list, or in its only other form but `null`. */
  function insideOf(schema: Schema): { name: string | undefined; schema: Schema } {
    const resolved = resolve(schema)
    const inner = resolved.schema.items ?? resolved.schema.anyOf?.find(({ type }) => type !== 'null')
    return inner === undefined ? resolved : insideOf(inner)
  }

  function property(name: string, schema: Schema, isRequired: boolean, depth: number): Markup {
    const { name: insideName, schema: inside } = insideOf(schema)
    // What has no name has no other place; unions stay in theirs, where links to their variants lead.
    const isUnfolded = inside.properties !== undefined && (depth > 0 || insideName === undefined)
    return html`<li>
<p><code class="name">${name}</code> <span class="type">${typeOf(schema)}${isRequired ? '' : ', may be absent'}</span></p>
<div class="about">${about(schema)}${valuesOf(schema)}${isUnfolded && html`<details><summary>What is in ${insideName ?? 'it'}</summary>${body(inside, depth - 1)}</details>`}</div>
</li>`
  }

  /** The description of the place, else of what stands there. */
  const about = (schema: Schema) => {
    const text = schema.description ?? resolve(schema).schema.description
    return text === undefined ? undefined : html`<p>${inline(text)}</p>`
  }

  /** The properties of an object, the variants of a union, or the rule of a plain value. */
  function body(schema: Schema, depth: number): Markup {
    if (schema.oneOf !== undefined) return union(schema)
    if (schema.properties === undefined) return html`${plain(schema)}`
    const required = new Set(schema.required)
    return html`<ul class="properties">${Object.entries(schema.properties).map(([name, inner]) => property(name, inner, required.has(name), depth))}</ul>`
  }

  function union({ oneOf = [], discriminator }: Schema): Markup {
    const list = oneOf.map((variant) => {
      const { name = '', schema } = resolve(variant)
      return html`<details class="variant" id="schema-${name}"><summary><code>"${name}"</code> <span class="type">${inline(schema.description)}</span></summary>${body(schema, 0)}</details>`
    })
    return html`<p>One of these, by <code>${discriminator?.propertyName ?? 'type'}</code>:</p>${list}`
  }

  function plain(schema: Schema) {
    const rules = [
      schema.type !== undefined && html`<li>${typeOf(schema)}</li>`,
      schema.pattern !== undefined && html`<li>matches <code>${schema.pattern}</code></li>`,
      schema.examples !== undefined && html`<li>such as <code>${schema.examples.map(String).join(', ')}</code></li>`,
    ]
    return [valuesOf(schema), html`<ul>${rules}</ul>`]
  }

  return {
    typeOf,
    valuesOf,
    /** The schema of a response, unfolded as far as one usually looks. */
    response: (schema: Schema) =>
      html`<p class="type">${typeOf(schema)}</p>${about(schema)}${body(insideOf(schema).schema, 1)}`,
    /** Each schema, folded; the variants of a union are in that of the union. */
    all: () =>
      Object.entries(schemas)
        .filter(([name]) => !variants.has(name))
        .map(
          ([name, schema]) =>
            html`<details class="schema" id="schema-${name}"><summary><h3>${name}</h3></summary><p>${inline(schema.description)}</p>${body(schema.type === 'array' ? insideOf(schema).schema : schema, 0)}</details>`,
        ),
  }
}

function joined(pieces: Markup[], separator: string): Markup {
  return html`${pieces.map((piece, index) => (index === 0 ? piece : html`${separator}${piece}`))}`
}
