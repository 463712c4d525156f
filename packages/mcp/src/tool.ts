import { type Static, type TObject, type TProperties, Type } from '@sinclair/typebox'
import { type Arguments, type Get, ToolError } from './operations.ts'

/** Bytes of the structured content of a result: what an agent reads of one call. */
const MAX_RESULT_BYTES = 20_000

/** Incentives, and action steps, of one campaign in a result. */
const MAX_ENTRIES = 20

export interface ToolResult {
  /** What is given, as the output schema says. */
  structured: Record<string, unknown>
  /** What it amounts to, in one sentence. */
  sentence: string
}

export interface Tool {
  name: string
  title: string
  description: string
  input: TObject
  output: TObject
  run: (get: Get, given: Arguments) => Promise<ToolResult>
}

const NextCall = Type.Object(
  {
    tool: Type.String({ description: 'Name of the tool.' }),
    arguments: Type.Object({}, { additionalProperties: true, description: 'Its arguments, complete.' }),
    gives: Type.String({ description: 'What the call gives.' }),
  },
  { additionalProperties: false, description: 'A call that goes on.' },
)
export type NextCall = Static<typeof NextCall>

/** Schema of a result, which says with which calls to go on. */
export const resultOf = <Properties extends TProperties>(properties: Properties) =>
  Type.Object(
    {
      ...properties,
      next: Type.Array(NextCall, {
        description: 'Calls that give what was left out of this result; empty if nothing was.',
      }),
    },
    { additionalProperties: false },
  )

/** Schema of arguments; which of them a tool needs says the operation. */
export const argumentsOf = <Properties extends TProperties>(properties: Properties) =>
  Type.Object(properties, { additionalProperties: false })

const SCALARS = ['string', 'number', 'boolean']

/** @throws ToolError for an argument that the tool does not have or lacks, and for one that cannot be a parameter or is too small. */
export function checkArguments({ name, input }: Tool, given: Arguments) {
  const known = Object.keys(input.properties)
  for (const [argument, value] of Object.entries(given)) {
    // Null is absent, as some clients write it.
    if (value === null && known.includes(argument)) continue
    if (!known.includes(argument)) {
      throw new ToolError(
        `${name} has no argument ${JSON.stringify(argument.slice(0, 128))}; it has ${known.join(', ')}`,
      )
    }
    const values: unknown[] = Array.isArray(value) ? value : [value ?? '']
    if (values.some((one) => !SCALARS.includes(typeof one))) {
      throw new ToolError(`${argument} must be text, a number, true or false, or a list of those`)
    }
    if (values.some((one) => /\p{Surrogate}/u.test(String(one)))) {
      throw new ToolError(`${argument} must be well-formed Unicode, and has half of a surrogate pair`)
    }
    const minimum: unknown = input.properties[argument]?.minimum
    if (typeof minimum === 'number' && Number(value) < minimum) {
      throw new ToolError(`${argument} must be at least ${minimum}, got ${String(value).slice(0, 128)}`)
    }
  }
  const missing = (input.required ?? []).filter((argument) => given[argument] === undefined || given[argument] === null)
  if (missing.length > 0) throw new ToolError(missing.map((argument) => `${argument} is required`).join('; '))
}

/** An argument that only the tool knows: a whole number, 0 if absent. @throws ToolError */
export function toPosition(given: Arguments, name: string) {
  const value = Number(given[name] ?? 0)
  if (Number.isSafeInteger(value) && value >= 0) return value
  throw new ToolError(`${name} must be a whole number from 0 on`)
}

/** Campaign IDs as a list, also where they were given as one text; in lower case, each once. */
export const toIds = (given: Arguments) => [
  ...new Set(
    String(given.campaignId ?? '')
      .toLowerCase()
      .split(',')
      .map((id) => id.trim()),
  ),
]

/** Text of others, short enough for a result. */
export const shorten = (text: string) => (text.length > 200 ? `${text.slice(0, 199)}…` : text)

const bytesOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value))

/**
 * As many entries of a result as fit, at least one, and the calls that go on after them. They are made one after the other
 * while there is room, and each is measured once.
 * @param rest what else the result has.
 * @param callsAfter the calls that go on after these entries.
 */
export function fitEntries<Source, Entry>(
  rest: object,
  sources: readonly Source[],
  toEntry: (source: Source, index: number) => Entry,
  callsAfter: (entries: Entry[]) => NextCall[],
) {
  const made: Entry[] = []
  const room = MAX_RESULT_BYTES - bytesOf({ ...rest, campaigns: [], next: [] })
  let [shown, next, bytes] = [0, callsAfter([]), 0]
  for (const [index, source] of sources.entries()) {
    const entry = toEntry(source, index)
    bytes += bytesOf(entry) + 1
    if (index > 0 && bytes > room) break
    made.push(entry)
    const calls = callsAfter(made)
    // The last entries may need no call that goes on, and so fit where one less does not.
    if (index === 0 || bytes + bytesOf(calls) <= room) [shown, next] = [made.length, calls]
  }
  return { entries: made.slice(0, shown), next }
}

/** A campaign in a result, with a part of each of its lists. */
interface CampaignParts {
  id: string
  incentiveCount: number
  incentives: unknown[]
  actionStepCount?: number
  actionSteps?: unknown[]
}

/** Takes the part of a list that a result has. */
export type Part = <Item>(list: readonly Item[]) => Item[]

/**
 * The result with as many campaigns as fit, and of the lists of each as many entries as fit from the position `from` on.
 * Says the calls that give the other campaigns, and the other entries of these. `rest` is what else the result has.
 */
export function fitCampaigns<Source extends { id: string }, Campaign extends CampaignParts, Rest extends object>(
  { tool, given, from }: { tool: string; given: Arguments; from: number },
  sources: Source[],
  toCampaign: (source: Source, part: Part) => Campaign,
  rest: Rest,
) {
  const ids = sources.map(({ id }) => id)
  const callsAfter = (campaigns: Campaign[], end = from + MAX_ENTRIES) => {
    const others = ids.slice(campaigns.length)
    const isCut = ({ incentiveCount, actionStepCount = 0 }: Campaign) => Math.max(incentiveCount, actionStepCount) > end
    const withMore = campaigns.filter(isCut).map(({ id }) => id)
    const next: NextCall[] = []
    if (others.length > 0) {
      next.push({ tool, arguments: { ...given, campaignId: others, from }, gives: 'the other campaigns' })
    }
    if (withMore.length > 0) {
      const gives = `the lists of these campaigns after the first ${end} entries`
      next.push({ tool, arguments: { ...given, campaignId: withMore, from: end }, gives })
    }
    return next
  }
  const toEntry = (source: Source) => toCampaign(source, (list) => list.slice(from, from + MAX_ENTRIES))
  const { entries, next } = fitEntries(rest, sources, toEntry, callsAfter)
  const whole = { ...rest, campaigns: entries, next }
  const [first] = entries
  if (first === undefined || entries.length > 1 || bytesOf(whole) <= MAX_RESULT_BYTES) return whole
  const build = (count: number) => {
    const cut = { ...first, incentives: first.incentives.slice(0, count) }
    if (first.actionSteps !== undefined) cut.actionSteps = first.actionSteps.slice(0, count)
    return { ...rest, campaigns: [cut], next: callsAfter([first], from + count) }
  }
  // With `next` as it is where most is left out: its numbers have a few digits more or less.
  let [count, room] = [0, MAX_RESULT_BYTES - bytesOf(build(0)) - 8]
  while (count < MAX_ENTRIES && room >= 0) {
    const row = [first.incentives[count], first.actionSteps?.[count]]
    for (const entry of row) room -= entry === undefined ? 0 : bytesOf(entry) + 1
    if (room >= 0) count += 1
  }
  return build(Math.max(1, count))
}
