import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect, test } from 'vitest'
import { resolveReferences } from '../../../packages/example-requests/src/resolve-references.ts'
import { recordSchemas } from '../../../src/ingest/records.ts'
import { namedSchemas } from '../../../src/schemas/named-schemas.ts'
import { Settings } from '../../../src/settings.ts'

interface Document {
  components: { schemas: Record<string, object> }
  paths: Record<string, { get: { parameters?: { schema: object }[] } }>
}

/** The service itself does not look at its schemas when it starts. */
test('every schema is one as JSON Schema 2020-12 has them', async () => {
  const document: Document = resolveReferences(
    JSON.parse(await readFile(join(import.meta.dirname, '../../../openapi.json'), 'utf8')),
  )
  const published = [
    ...Object.values(document.components.schemas),
    ...Object.values(document.paths).flatMap(({ get }) => (get.parameters ?? []).map(({ schema }) => schema)),
  ]
  expect(published.length).toBeGreaterThan(40)
  const ajv = new Ajv2020({ strict: false })
  const isSchema = (schema: object) => ajv.validateSchema(JSON.parse(JSON.stringify(schema)))
  expect(isSchema({ type: 'text' })).toBe(false)
  for (const schema of [Settings, ...namedSchemas, ...Object.values(recordSchemas), ...published]) {
    expect(isSchema(schema), JSON.stringify(schema)).toBe(true)
  }
})
