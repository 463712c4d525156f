import { isUtf8 } from 'node:buffer'
import {
  type ImportRecord,
  type LineType,
  lineTypes,
  RemovalRecord,
  recordSchemas,
  recordTypes,
} from '../ingest/records.ts'
import { incentiveTypes } from '../schemas/campaigns/incentives.ts'
import { namedSchemas } from '../schemas/named-schemas.ts'
import { DecimalAmount } from '../schemas/primitives.ts'
import {
  createValidator,
  describeFault,
  type ErrorObject,
  quote,
  type ValidateFunction,
  type Validator,
} from '../schemas/validator.ts'
import { findExcess } from './lines.ts'

/** What a line holds: a record, the removal of one, or what is wrong with it. */
export type ReadRecord =
  | { record: ImportRecord }
  | { removal: RemovalRecord }
  | { problems: { pointer: string; message: string }[] }

/** Maximum number of faults reported for one record; it can have as many as it has values. */
const MAX_PROBLEMS = 20
/** A fault may be several errors of the validator. */
const MAX_ERRORS = 10 * MAX_PROBLEMS

const NO_OBJECT = 'the line is not a JSON object: an import is NDJSON, one object a line'

/** What newcomers try, with the way to make NDJSON of it. */
const ARRAY = `${NO_OBJECT}; jq -c '.[]' makes that of an array`
const OVER_LINES = `${NO_OBJECT}; jq -c . makes that of objects over several lines`
const CSV = `${NO_OBJECT}; the guide on importing converts CSV`

const OPEN_OBJECT = 0x7b

const BYTE_ORDER_MARK = '\uFEFF'

let validator: Validator | undefined
const checks = new Map<LineType, ValidateFunction<ImportRecord | RemovalRecord>>()

/** The validator of a record type, compiled at its first record: compiling takes longer than checking thousands. */
function checkOf(type: LineType) {
  const known = checks.get(type)
  if (known !== undefined) return known
  validator ??= createValidator([...namedSchemas, DecimalAmount], { maxFaults: MAX_ERRORS })
  const schema = type === 'removal' ? RemovalRecord : recordSchemas[type]
  const check = validator.compile<ImportRecord | RemovalRecord>(schema)
  checks.set(type, check)
  return check
}

/** Reads and checks a record; addresses, hashes and campaign IDs become lower-case. Undefined for an empty line. */
export function readRecord(bytes: Buffer): ReadRecord | undefined {
  if (isArray(bytes)) return problem('', ARRAY)
  const excess = findExcess(bytes)
  if (excess !== undefined) return problem('', excess)
  if (!isUtf8(bytes)) return problem('', 'the line is not UTF-8')
  const text = bytes.toString('utf8')
  const json = text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text
  if (json.trim() === '') return undefined
  let value: unknown
  try {
    value = JSON.parse(json)
  } catch {
    return problem('', json.includes('\0') ? 'the line has NUL bytes, which no text has' : describeOther(json))
  }
  if (typeof value !== 'object' || value === null) return problem('', NO_OBJECT)
  const { type, of } = value as { type: LineType; of?: unknown }
  const unknown = findUnknown(type, 'type', lineTypes) ?? (type === 'removal' && findUnknown(of, 'of', recordTypes))
  if (unknown) return unknown
  const validate = checkOf(type)
  if (!validate(value)) return { problems: toProblems(validate.errors ?? []) }
  // Only an escape can bring NUL or half a surrogate pair into valid UTF-8; few records contain one.
  const unstorable = /\\u(0000|d[89a-f])/i.test(json) ? findUnstorableText(value, '') : undefined
  if (unstorable !== undefined) return problem(unstorable, 'has a NUL or half a surrogate pair, which cannot be stored')
  return value.type === 'removal' ? { removal: value } : checkMeaning(value)
}

/** What is wrong with a key that decides which others there are. */
const findUnknown = (given: unknown, key: string, known: readonly unknown[]) =>
  known.includes(given) ? undefined : problem(`/${key}`, describeUnknown(given, known))

function describeUnknown(given: unknown, known: readonly unknown[]) {
  const expected = `one of ${known.join(', ')}`
  return given === undefined ? `is required, ${expected}` : `must be ${expected}, got ${quote(given)}`
}

/** What is wrong with a line that is no JSON. */
function describeOther(text: string) {
  if (text.trim() === '{') return OVER_LINES
  return /^[^{"]*[,;\t]/.test(text) ? CSV : NO_OBJECT
}

/** Found without parsing the line, since an array of all records exceeds every limit. */
const isArray = (bytes: Buffer) => bytes[0] !== OPEN_OBJECT && /^\uFEFF?\s*\[/.test(bytes.toString('utf8', 0, 64))

/** Rules that a schema cannot express. */
function checkMeaning(record: ImportRecord): ReadRecord {
  if (record.type === 'campaign' || record.type === 'campaignMetadata') {
    const [, , identifier = ''] = record.id.split(':')
    if (BigInt(identifier) >= 2n ** 256n) return problem('/id', 'has an identifier of 2^256 or more')
  }
  if (record.type === 'campaign') {
    const { allowList, incentives, incentivePositions: positions } = record
    const isAscending = positions?.every((position, index) => index === 0 || position > Number(positions[index - 1]))
    if (positions && (positions.length !== incentives.length || !isAscending)) {
      return problem('/incentivePositions', 'must have an index for each incentive, ascending')
    }
    if (allowList?.accessListId !== undefined && allowList.type !== 'OffchainAccessList') {
      return problem('/allowList/accessListId', 'is only for an OffchainAccessList')
    }
  }
  if (record.type === 'tokenPrice' && Date.parse(record.at) > Date.now()) return problem('/at', 'is in the future')
  return { record }
}

const problem = (pointer: string, message: string): ReadRecord => ({ problems: [{ pointer, message }] })

/** One fault for each pointer, without those that only repeat a fault further in. */
function toProblems(errors: ErrorObject[]) {
  const problems = new Map<string, string>()
  for (const error of errors) {
    if (error.keyword === 'anyOf' || error.keyword === 'oneOf') continue
    if (error.keyword === 'type' && error.params.type === 'null' && errors.length > 1) continue
    const pointer = pointerOf(error)
    // Describing a fault takes long if the value is large, and a large object can have many faults of its own.
    if (!problems.has(pointer)) problems.set(pointer, describeProblem(error))
    if (problems.size === MAX_PROBLEMS) break
  }
  return [...problems].map(([pointer, message]) => ({ pointer, message }))
}

/** A key that is missing or unknown, or decides which others there are, is reported at its own path. */
function pointerOf({ keyword, instancePath, params }: ErrorObject): string {
  if (keyword === 'required') return instancePath + toToken(params.missingProperty)
  if (keyword === 'additionalProperties') return instancePath + toToken(params.additionalProperty)
  if (keyword === 'discriminator') return instancePath + toToken(params.tag)
  return instancePath
}

function describeProblem(error: ErrorObject) {
  if (error.keyword === 'required') return 'is required'
  if (error.keyword === 'additionalProperties') return 'is an unknown key'
  // That of a removal has been checked before: only incentives are left.
  if (error.keyword === 'discriminator') return describeUnknown(error.params.tagValue, incentiveTypes)
  return describeFault(error)
}

/** A key as part of a JSON pointer (RFC 6901). */
const toToken = (key: string) => `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`

function findUnstorableText(value: unknown, pointer: string): string | undefined {
  if (typeof value === 'string') return value.includes('\0') || !value.isWellFormed() ? pointer : undefined
  if (typeof value !== 'object' || value === null) return undefined
  for (const [key, part] of Object.entries(value)) {
    const found = findUnstorableText(key, pointer) ?? findUnstorableText(part, pointer + toToken(key))
    if (found !== undefined) return found
  }
  return undefined
}
