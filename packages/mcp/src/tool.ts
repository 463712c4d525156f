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

export const isTooLong = (structured: object) => Buffer.byteLength(JSON.stringify(structured)) > MAX_RESULT_BYTES

/**
 * The result with as many of its entries as fit, at least one. Tries 1, 2, 4 … and then between the last two: so little more is
 * measured than what is given, and that a few times.
 */
export function fit<Result extends object>(count: number, build: (shown: number) => Result) {
  let result = build(Math.min(count, 1))
  let [fits, tooMany] = [1, count + 1]
  while (tooMany - fits > 1) {
    const shown = tooMany > count ? Math.min(2 * fits, count) : Math.floor((fits + tooMany) / 2)
    const larger = build(shown)
    if (isTooLong(larger)) tooMany = shown
    else [fits, result] = [shown, larger]
  }
  return result
}

/** Lists of a campaign of which a result has a part. */
interface CampaignParts {
  id: string
  incentives: unknown[]
  actionSteps?: unknown[]
}

/**
 * The result with as many campaigns as fit, and of the lists of each as many entries as fit from the position `from` on.
 * Says the calls that give the other campaigns, and the other entries of these. `rest` is what else the result has.
 */
export function fitCampaigns<Campaign extends CampaignParts, Rest extends object>(
  { tool, given, from }: { tool: string; given: Arguments; from: number },
  campaigns: Campaign[],
  rest: Rest,
) {
  const build = (shown: number, maxEntries: number) => {
    const end = from + maxEntries
    const isCut = ({ incentives, actionSteps = [] }: Campaign) => Math.max(incentives.length, actionSteps.length) > end
    const shownCampaigns = campaigns.slice(0, shown)
    const others = campaigns.slice(shown).map(({ id }) => id)
    const withMore = shownCampaigns.filter(isCut).map(({ id }) => id)
    const next: NextCall[] = []
    if (others.length > 0) {
      next.push({ tool, arguments: { ...given, campaignId: others, from }, gives: 'the other campaigns' })
    }
    if (withMore.length > 0) {
      const gives = `the lists of these campaigns after the first ${end} entries`
      next.push({ tool, arguments: { ...given, campaignId: withMore, from: end }, gives })
    }
    const shorten = ({ incentives, actionSteps, ...campaign }: Campaign) => ({
      ...campaign,
      incentives: incentives.slice(from, end),
      ...(actionSteps === undefined ? {} : { actionSteps: actionSteps.slice(from, end) }),
    })
    return { ...rest, campaigns: shownCampaigns.map(shorten), next }
  }
  let maxEntries = MAX_ENTRIES
  let result = fit(campaigns.length, (shown) => build(shown, maxEntries))
  while (maxEntries > 1 && isTooLong(result)) {
    maxEntries = Math.ceil(maxEntries / 2)
    result = build(1, maxEntries)
  }
  return result
}
