import { operationsOf } from '../../http/openapi/document-transforms.ts'
import type { OperationLimits } from './limits-schemas.ts'

/** The parts of the OpenAPI document that are read here. */
interface Document {
  components?: { schemas?: Record<string, Schema> }
}
interface Operation {
  operationId?: string
  parameters?: { name: string; schema: Schema }[]
  responses?: { 200?: { content?: Record<string, { schema: Schema }> } }
}
interface Schema {
  $ref?: string
  type?: string | string[]
  default?: unknown
  enum?: readonly unknown[]
  maxItems?: number
  properties?: Record<string, Schema>
}

/** The limits of all operations, read from their schemas; they are defined nowhere else. */
export function toOperationLimits(document: object): OperationLimits[] {
  const { components } = document as Document
  return operationsOf<Operation>(document).map(({ operationId = '', parameters = [], responses }) => {
    const { schema } = responses?.[200]?.content?.['application/json'] ?? {}
    const response = components?.schemas?.[schema?.$ref?.split('/').at(-1) ?? '']
    const pageSize = parameters.find(({ name }) => name === 'pageSize')?.schema.default
    return {
      operationId,
      // A response with a name for its list contains no other list.
      maxItems: operationId.startsWith('list') ? maxEntriesOf(response) : null,
      defaultPageSize: typeof pageSize === 'number' ? pageSize : null,
      lists: parameters.flatMap(({ name, schema: { maxItems } }) =>
        maxItems === undefined ? [] : [{ parameter: name, maxItems: maxItems }],
      ),
      windows: parameters.flatMap(toWindows),
    }
  })
}

const maxEntriesOf = (response: Schema | undefined) =>
  [response, ...Object.values(response?.properties ?? {})].find((schema) => schema?.maxItems !== undefined)?.maxItems ??
  null

const UNIT_SECONDS: Readonly<Record<string, number>> = { h: 3600, d: 86_400, w: 604_800 }

/** The name of a window by its length, such as `24h`. */
function toWindows({ name, schema }: { name: string; schema: Schema }): OperationLimits['windows'] {
  return (schema.enum ?? []).flatMap((value) => {
    const [, count, unit = ''] = /^([0-9]+)([hdw])$/.exec(String(value)) ?? []
    if (count === undefined) return []
    const seconds = Number(count) * (UNIT_SECONDS[unit] ?? 0)
    return [{ parameter: name, value: String(value), seconds, isDefault: value === schema.default }]
  })
}
