import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { beforeAll, expect, test } from 'vitest'
import { resolveReferences } from '../../../packages/example-requests/src/resolve-references.ts'
import { incentiveTypes } from '../../../src/schemas/campaigns/incentives.ts'
import { CLI } from '../../setup/servers/processes.ts'

/*
 * A census over the OpenAPI document that the service generates: anyone who adds an operation or a field finds out here
 * what is missing from its contract.
 */

/** All operations there are; a new one is added here on purpose. */
const OPERATIONS = [
  'exportCampaigns',
  'exportClaims',
  'exportPrices',
  'exportTokens',
  'getCampaign',
  'getLimits',
  'getPrices',
  'getStatus',
  'getUserProfile',
  'listAccessLists',
  'listActivity',
  'listCampaigns',
  'listChanges',
  'listClaims',
  'listContracts',
  'listEligibility',
  'listOutlooks',
  'listRewards',
  'listTokens',
  'listTrendingCampaigns',
]

/** Query parameters that have to be given. */
const REQUIRED = ['getPrices token', 'listEligibility user', 'listEligibility campaignId', 'listOutlooks campaignId']

/** Those that need a token. */
const PROTECTED = ['/campaigns/accesslists', '/users/profile']

const root = join(import.meta.dirname, '../../..')

interface Schema {
  $ref?: string
  type?: string | string[]
  description?: string
  const?: unknown
  enum?: unknown[]
  'x-enum-varnames'?: string[]
  discriminator?: { propertyName: string }
  required?: string[]
  format?: string
  pattern?: string
  maxLength?: number
  maxItems?: number
  items?: Schema
  properties?: Record<string, Schema>
  additionalProperties?: Schema | boolean
  patternProperties?: Record<string, Schema>
  anyOf?: Schema[]
  oneOf?: Schema[]
  allOf?: Schema[]
}
interface Parameter {
  name: string
  in: string
  required?: boolean
  description?: string
  schema: Schema
}
interface RawResponse {
  description?: string
  headers?: Record<string, { description?: string; schema: Schema }>
  content?: Record<string, { schema: Schema; example?: unknown; examples?: Record<string, { value?: unknown }> }>
}
interface Operation {
  operationId?: string
  summary?: string
  description?: string
  tags?: string[]
  parameters?: Parameter[]
  security?: unknown[]
  servers?: { url: string }[]
  responses: Record<string, RawResponse>
}
interface Document {
  openapi: string
  info: { version: string }
  tags: { name: string; description?: string }[]
  paths: Record<string, Record<string, Operation>>
  components: {
    schemas: Record<string, Schema>
    parameters: Record<string, Parameter>
    responses: Record<string, RawResponse>
    headers: Record<string, object>
    examples: Record<string, object>
    securitySchemes: Record<string, unknown>
  }
}

/** As it is published. */
let published: Document
let document: Document
let operations: { path: string; method: string; operation: Operation }[]

beforeAll(async () => {
  published = await generate({})
  document = resolveReferences(published)
  operations = operationsOf(document)
})

test('the committed document is the generated one', async () => {
  const committed: unknown = JSON.parse(await readFile(join(root, 'openapi.json'), 'utf8'))
  expect(committed, 'run `npm run generate`').toEqual(published)
})

test('the committed requests for editors and API tools are made of the document', async () => {
  const names = ['reward-campaigns.http', 'reward-campaigns.postman_collection.json']
  const folder = await mkdtemp(join(tmpdir(), 'reward-campaigns-collections-'))
  try {
    const made = names.map((name) => join(folder, name))
    await promisify(execFile)(process.execPath, [CLI, 'openapi', '--output', ...made], { cwd: root, env: {} })
    for (const [index, name] of names.entries()) {
      const committed = await readFile(join(root, 'docs/collections', name), 'utf8')
      expect(committed, 'run `npm run generate`').toBe(await readFile(made[index] ?? '', 'utf8'))
    }
  } finally {
    await rm(folder, { recursive: true })
  }
})

test('the document has the version of the package', async () => {
  const { version }: { version: string } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
  expect(document.info.version).toBe(version)
  expect(document.openapi).toMatch(/^3\.1\./)
})

test('the document has exactly the operations it should have', () => {
  expect(operations.map(({ operation }) => operation.operationId).sort()).toEqual(OPERATIONS)
})

test('every operation says what it is, where it is served and whether it needs a token', () => {
  const tags = document.tags.map(({ name }) => name)
  for (const { path, method, operation } of operations) {
    const name = `${method} ${path}`
    expect(method, name).toBe('get')
    expect(operation.summary, name).toMatch(/\S/)
    expect(operation.description, name).toMatch(/\.$/)
    expect(operation.tags?.length, name).toBeGreaterThan(0)
    for (const tag of operation.tags ?? []) expect(tags, name).toContain(tag)
    expect(operation.servers?.length, name).toBe(1)
    expect(operation.security, name).toBeDefined()
  }
  for (const tag of document.tags) expect(tag.description, tag.name).toMatch(/\S/)
})

test('exactly the protected operations need a token, and each surface has its own server', async () => {
  const settings = { PUBLIC_BASE_URL: 'https://api.example/v2', STAGING_BASE_URL: 'https://staging.example/v2' }
  const deployed = await generate(settings)
  expect(operations.map(({ path }) => path)).toEqual(expect.arrayContaining(PROTECTED))
  for (const { path, operation } of operationsOf(resolveReferences(deployed))) {
    const isProtected = PROTECTED.includes(path)
    expect(operation.security, path).toEqual(isProtected ? [{ bearerToken: [] }] : [])
    const url = isProtected ? settings.STAGING_BASE_URL : settings.PUBLIC_BASE_URL
    expect(operation.servers, path).toEqual([{ url }])
  }
  const scheme = { type: 'http', scheme: 'bearer', description: expect.stringMatching(/\S/) }
  expect(deployed.components.securitySchemes).toEqual({ bearerToken: scheme })
})

test('a surface that is not served is not in the document', async () => {
  const [publicOnly, stagingOnly] = await Promise.all([
    generate({ SURFACES: 'public' }),
    generate({ SURFACES: 'staging' }),
  ])
  const isProtected = (path: string) => PROTECTED.includes(path)
  const paths = Object.keys(document.paths)
  expect(Object.keys(publicOnly.paths).sort()).toEqual(paths.filter((path) => !isProtected(path)).sort())
  expect(Object.keys(stagingOnly.paths).sort()).toEqual(paths.filter(isProtected).sort())
})

test.each([{}, { SURFACES: 'public' }, { SURFACES: 'staging' }, { ADDRESS_LOOKUPS: 'false' }, { MCP: 'false' }])(
  'the document has what the served operations need, and nothing else: %o',
  async (settings: Record<string, string>) => {
    const served = (await generate(settings)) as unknown as {
      components: Record<string, object>
      tags: { name: string }[]
    }
    const { components, ...rest } = served
    const isNeeded = (kind: string, name: string, text: string) =>
      kind === 'securitySchemes' ? text.includes(`"${name}":[]`) : text.includes(`"#/components/${kind}/${name}"`)
    const needed = [JSON.stringify(rest)]
    const waiting = new Map(
      Object.entries(components).flatMap(([kind, entries]) =>
        Object.entries(entries).map(([name, component]) => [`${kind} ${name}`, JSON.stringify(component)]),
      ),
    )
    let found: string[]
    do {
      found = [...waiting.keys()].filter((key) => {
        const [kind = '', name = ''] = key.split(' ')
        return needed.some((text) => isNeeded(kind, name, text))
      })
      for (const key of found) {
        needed.push(waiting.get(key) ?? '')
        waiting.delete(key)
      }
    } while (found.length > 0)
    expect([...waiting.keys()]).toEqual([])
    for (const { name } of served.tags) expect(JSON.stringify(rest)).toContain(`"tags":["${name}"]`)
    // What it refers to is there.
    for (const [, kind = '', name = ''] of needed.join().matchAll(/"#\/components\/(\w+)\/([^"]+)"/g)) {
      expect(Object.keys(components[kind] ?? {})).toContain(name)
    }
    if (settings.SURFACES === 'public')
      expect(needed.join()).not.toMatch(/AccessListItem|ListAccessLists|UserProfile|bearerToken/)
    if (settings.SURFACES === 'staging') expect(needed.join()).not.toMatch(/"Campaign(ListItem|Detail)?"|"Change"/)
    if (settings.ADDRESS_LOOKUPS === 'false')
      expect(needed.join()).not.toMatch(/ListRewards|ListEligibility|"RewardTotal"/)
  },
)

test('nothing is deprecated, as the guide to versions says: what is needs the headers that it promises', async () => {
  const isDocumented = (await readFile(join(root, 'docs/guides/versions.md'), 'utf8')).includes(
    'Nothing is deprecated today.',
  )
  const isSo = !/"deprecated":\s*true/.test(JSON.stringify(document))
  expect({ isDocumented, isSo }).toEqual({ isDocumented: true, isSo: true })
})

test('every operation declares its failures', () => {
  for (const { path, operation } of operations) {
    const expected = ['200', '400', '405', '414', '429', '431', '500', '503']
    // An address that is not known has no rewards, but is none the less one.
    if (path === '/campaigns/{id}' || path === '/users/profile') expected.push('404')
    if (PROTECTED.includes(path)) expected.push('401', '403')
    const declared = Object.keys(operation.responses)
    expect(declared, operation.operationId).toEqual(expect.arrayContaining(expected))
    if (!PROTECTED.includes(path)) for (const status of ['401', '403']) expect(declared).not.toContain(status)
    for (const status of declared.filter((one) => one >= '400')) {
      const { description, content } = operation.responses[status] ?? {}
      expect(description, `${operation.operationId} ${status}`).toMatch(/\S/)
      expect(content?.['application/json']?.schema, `${operation.operationId} ${status}`).toEqual({
        $ref: '#/components/schemas/Error',
      })
    }
  }
})

test('every operation has an example that its schema accepts', () => {
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  addFormats.default(ajv)
  ajv.addSchema({ $id: 'document', ...document })
  for (const { operation, path } of operations) {
    const { content } = operation.responses['200'] ?? {}
    if (path.startsWith('/export/')) {
      const texts = ['application/x-ndjson', 'text/csv'].flatMap((type) =>
        Object.values(content?.[type]?.examples ?? {}),
      )
      expect(texts.map(({ value }) => typeof value)).toEqual(['string', 'string'])
      continue
    }
    const { schema, examples, example } = operation.responses['200']?.content?.['application/json'] ?? {}
    const values = [
      ...Object.values(examples ?? {}).map(({ value }) => value),
      ...(example === undefined ? [] : [example]),
    ]
    expect(values.length, operation.operationId).toBeGreaterThan(0)
    const validate = ajv.compile({ $ref: `document${schema?.$ref}` })
    for (const value of values) {
      validate(value)
      expect(validate.errors ?? [], operation.operationId).toEqual([])
    }
  }
})

test('every object that is answered is closed, so that an example shows nothing undeclared', () => {
  const open = Object.entries(document.components.schemas)
    .filter(([, schema]) => schema.properties !== undefined && schema.additionalProperties !== false)
    .map(([name]) => name)
  expect(open).toEqual([])
})

test('every parameter, header, component and property has a description', () => {
  const silent = [
    ...operations.flatMap(({ operation }) => [
      ...(operation.parameters ?? [])
        .filter(({ description, schema }) => !description && !schema.description)
        .map(({ name }) => `${operation.operationId}: ${name}`),
      ...Object.values(operation.responses).flatMap(({ headers = {} }) =>
        Object.entries(headers)
          .filter(([, { description }]) => !description)
          .map(([name]) => `${operation.operationId}: ${name}`),
      ),
    ]),
    ...Object.entries(document.components.schemas).flatMap(([name, schema]) => [
      // What an enumeration is of says who refers to it.
      ...(schema.description || schema.enum ? [] : [name]),
      ...propertiesBelow(schema, name)
        .filter(([, property]) => !property.description)
        .map(([at]) => at),
    ]),
  ]
  expect(silent).toEqual([])
})

test('what a property refers to does not speak for it: each says what the value is of', () => {
  const copied = Object.entries(document.components.schemas).flatMap(([name, schema]) =>
    propertiesBelow(schema, name)
      .filter(([, { $ref, description }]) => $ref && description === targetOf($ref)?.description)
      .map(([at]) => at),
  )
  expect(copied).toEqual([])
})

/** What numbers count, in the words of descriptions. */
const UNITS =
  /base units|basis points|percent|US dollars|wei|seconds|days|Unix|18 decimals|decimals of|points|number|index|claims|campaigns|users|blocks?\b|bytes|entries|requests|holders|score|chain ID|0 \w+ \(/i

test('every property that is a number, or a number as text, says its unit', () => {
  const numeric = new Set(['BaseUnits', 'TotalAmount', 'UsdAmount', 'BlockTimestamp'])
  const isNumeric = ({ $ref, type, anyOf }: Schema): boolean =>
    numeric.has($ref?.split('/').at(-1) ?? '') ||
    [type].flat().some((one) => one === 'number' || one === 'integer') ||
    (anyOf ?? []).some(isNumeric)
  const found = Object.entries(document.components.schemas).flatMap(([name, schema]) =>
    propertiesBelow(schema, name).filter(([, property]) => isNumeric(property)),
  )
  expect(found.length).toBeGreaterThan(100)
  expect(found.filter(([, { description = '' }]) => !UNITS.test(description)).map(([at]) => at)).toEqual([])
})

test('no enumeration holds null, which generators of clients cannot name', () => {
  const holding = rootSchemas().flatMap(([name, schema]) =>
    schemasBelow(schema, name)
      .filter(([, part]) => part.enum?.includes(null))
      .map(([at]) => at),
  )
  expect(holding).toEqual([])
})

test('every free string and every array has a bound', () => {
  const unbounded = rootSchemas().flatMap(([name, schema]) =>
    schemasBelow(schema, name)
      .filter(([, part]) => !isBounded(part))
      .map(([at]) => at),
  )
  expect(unbounded).toEqual([])
})

test('every schema says what type it is of, or what it is made of', () => {
  const untyped = rootSchemas().flatMap(([name, schema]) =>
    schemasBelow(schema, name)
      .filter(([, { type, $ref, anyOf, oneOf }]) => (type ?? $ref ?? anyOf ?? oneOf) === undefined)
      .map(([at]) => at),
  )
  expect(untyped).toEqual([])
})

test('numbers that stand for something have their names, and others are accepted where they are served', () => {
  const enumerations = Object.entries(document.components.schemas).flatMap(([name, schema]) =>
    propertiesBelow(schema, name).flatMap(([at, property]) =>
      [property, ...(property.anyOf ?? [])]
        .map((part) => ({ ...part, ...targetOf(part.$ref ?? '') }))
        .filter(({ enum: values = [] }) => values.some((value) => typeof value === 'number'))
        .map((part) => ({ at, part, isOpen: property.anyOf?.some((other) => !other.enum) === true })),
    ),
  )
  const open = ['ActionStepParameters.filterType', 'ActionStepParameters.fieldType', 'ERC20Incentive.strategy']
  const closed = ['Criteria.criteriaType', 'CriteriaWithValueType.criteriaType', 'CriteriaWithValueType.valueType']
  expect(enumerations.map(({ at }) => at).sort()).toEqual([...open, ...closed].sort())
  for (const { at, part, isOpen } of enumerations) {
    expect(part['x-enum-varnames']?.length, at).toBe(part.enum?.length)
    for (const name of part['x-enum-varnames'] ?? []) expect(name, at).toMatch(/^[A-Z][A-Z_]*$/)
    expect(isOpen, at).toBe(open.includes(at))
  }
})

test('incentives are told apart by their type', () => {
  const { Incentive, ...schemas } = document.components.schemas
  expect(Incentive?.discriminator).toEqual({ propertyName: 'type' })
  const names = (Incentive?.oneOf ?? []).map(({ $ref }) => $ref?.split('/').at(-1) ?? '')
  expect(names).toEqual([...incentiveTypes])
  for (const name of names) {
    expect(schemas[name]?.properties?.type).toMatchObject({ type: 'string', enum: [name] })
    expect(schemas[name]?.required).toContain('type')
  }
})

test('every reference leads to a component, and every component is referred to', () => {
  const text = JSON.stringify(published)
  const referred = [...text.matchAll(/"\$ref":"#\/components\/([^"]+)"/g)].map(([, name]) => name)
  const { securitySchemes: _, ...components } = published.components
  const named = Object.entries(components).flatMap(([kind, all]) => Object.keys(all).map((name) => `${kind}/${name}`))
  expect([...new Set(referred)].sort()).toEqual(named.sort())
})

/** A reference is half as long: what is shorter says little twice. */
const LONG_ENOUGH = 100

test('whatever can be a component, occurs several times and is longer than a reference is one', () => {
  const places = new Map<string, string[]>()
  const look = (kind: string, place: string, value: object) => {
    const text = `${kind} ${JSON.stringify(value, (_, part) => inOrder(part))}`
    if (text.length > LONG_ENOUGH + kind.length) places.set(text, [...(places.get(text) ?? []), place])
  }
  const lookAtSchema = (place: string, schema: Schema) => {
    // Each place says itself what its value is of.
    const { description: _, ...rules } = schema
    if (rules.$ref === undefined) look('schema', place, rules)
    for (const [name, part] of partsOf(schema)) lookAtSchema(`${place} ${name}`, part)
  }
  const { schemas, parameters, responses, headers, examples } = published.components
  for (const [name, schema] of Object.entries(schemas)) lookAtSchema(name, schema)
  const ofOperations = operationsOf(published).map(({ operation }) => operation)
  const named = (operation: Operation, key: string | number) => `${operation.operationId} ${key}`
  for (const [place, parameter] of [
    ...Object.entries(parameters),
    ...ofOperations.flatMap((operation) =>
      Object.entries(operation.parameters ?? []).map(([key, value]) => [named(operation, key), value] as const),
    ),
  ]) {
    look('parameter', place, parameter)
    if (parameter.schema !== undefined) lookAtSchema(place, parameter.schema)
  }
  const allResponses = [
    ...Object.entries(responses),
    ...ofOperations.flatMap((operation) =>
      Object.entries(operation.responses).map(([key, value]) => [named(operation, key), value] as const),
    ),
  ]
  for (const [place, response] of allResponses) {
    look('response', place, response)
    for (const [name, header] of Object.entries(response.headers ?? {})) look('header', `${place} ${name}`, header)
    for (const { schema, examples = {} } of Object.values(response.content ?? {})) {
      if (schema !== undefined) lookAtSchema(place, schema)
      for (const [name, example] of Object.entries(examples)) look('example', `${place} ${name}`, example)
    }
  }
  for (const [name, header] of Object.entries(headers)) look('header', name, header)
  for (const [name, example] of Object.entries(examples)) look('example', name, example)
  expect(places.size).toBeGreaterThan(100)
  expect([...places].filter(([, all]) => all.length > 1)).toEqual([])
})

test('what objects have in common is in a schema that they include', () => {
  const objects = Object.entries(published.components.schemas).map(([name, { properties = {} }]) => ({
    name,
    properties: Object.entries(properties).map((property) => JSON.stringify(property)),
  }))
  const alike = objects.flatMap((one, index) =>
    objects.slice(index + 1).flatMap((other) => {
      const common = one.properties.filter((property) => other.properties.includes(property))
      return common.join().length > 5 * LONG_ENOUGH ? [`${one.name} and ${other.name}: ${common}`] : []
    }),
  )
  expect(alike).toEqual([])
})

/** The schemas in a schema. */
const partsOf = ({ properties = {}, items, anyOf = [], oneOf = [], allOf = [] }: Schema): [string, Schema][] => [
  ...Object.entries(properties),
  ...(items === undefined ? [] : [['items', items] as [string, Schema]]),
  ...[anyOf, oneOf, allOf].flatMap((schemas) =>
    schemas.map((schema, index): [string, Schema] => [String(index), schema]),
  ),
]

/** The same however its keys are ordered. */
const inOrder = (value: unknown) =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
    : value

test('every enumeration is a component', () => {
  const { schemas } = published.components
  const others = Object.entries(schemas).map(([name, { enum: _, ...schema }]) => [name, schema])
  const rest = { ...published, components: { ...published.components, schemas: Object.fromEntries(others) } }
  expect(JSON.stringify(rest).match(/.{0,80}"enum":\[[^\],]+,.{0,80}/g)).toBe(null)
})

test('no parameter with a default is required', () => {
  for (const { operation } of operations) {
    for (const { name, in: place, required } of operation.parameters ?? []) {
      expect(required === true, `${operation.operationId}: ${name}`).toBe(
        place === 'path' || REQUIRED.includes(`${operation.operationId} ${name}`),
      )
    }
  }
})

/** The document that the command prints with these settings and no others. */
async function generate(env: Record<string, string>): Promise<Document> {
  const { stdout } = await promisify(execFile)(process.execPath, [CLI, 'openapi'], {
    cwd: root,
    env,
    maxBuffer: 64 * 1024 * 1024,
  })
  return JSON.parse(stdout)
}

const operationsOf = ({ paths }: Document) =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  )

/** The schemas of components, parameters, headers and answers. */
const rootSchemas = (): [string, Schema][] => [
  ...Object.entries(document.components.schemas),
  ...operations.flatMap(({ operation }) => [
    ...(operation.parameters ?? []).map(({ name, schema }): [string, Schema] => [
      `${operation.operationId}: ${name}`,
      schema,
    ]),
    ...Object.entries(operation.responses).flatMap(([status, { headers = {}, content = {} }]) => [
      ...Object.entries(headers).map(([name, { schema }]): [string, Schema] => [
        `${operation.operationId} ${status}: ${name}`,
        schema,
      ]),
      ...Object.values(content).map(({ schema }): [string, Schema] => [`${operation.operationId} ${status}`, schema]),
    ]),
  ]),
]

const targetOf = ($ref: string) => document.components.schemas[$ref.split('/').at(-1) ?? '']

function isBounded(schema: Schema) {
  if (schema.const !== undefined || schema.enum !== undefined) return true
  const types = [schema.type].flat()
  if (types.includes('array') && schema.maxItems === undefined) return false
  return (
    !types.includes('string') || [schema.maxLength, schema.pattern, schema.format].some((rule) => rule !== undefined)
  )
}

function propertiesBelow(schema: Schema, at: string): [string, Schema][] {
  return schemasBelow(schema, at).flatMap(([name, part]) =>
    Object.entries(part.properties ?? {}).map(([key, property]): [string, Schema] => [`${name}.${key}`, property]),
  )
}

/** A schema and everything that stands in it; what it refers to stands elsewhere. */
function schemasBelow(schema: Schema, at: string): [string, Schema][] {
  const parts: [string, Schema | boolean | undefined][] = [
    [`${at}[]`, schema.items],
    [`${at}.*`, schema.additionalProperties],
    ...Object.entries({ ...schema.properties, ...schema.patternProperties }).map(([key, part]): [string, Schema] => [
      `${at}.${key}`,
      part,
    ]),
    ...[...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])].map((part): [string, Schema] => [
      at,
      part,
    ]),
  ]
  return [[at, schema], ...parts.flatMap(([name, part]) => (typeof part === 'object' ? schemasBelow(part, name) : []))]
}
