import { type Static, type TObject, type TProperties, Type } from '@sinclair/typebox'
import { type Arguments, type Get, ToolError } from './operations.ts'

/** Bytes of the structured content of a result: what an agent reads of one call. */
const MAX_RESULT_BYTES = 20_000

/** Incentives of one campaign in a result. */
const MAX_INCENTIVES = 20

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
    arguments: Type.Record(Type.String(), Type.Unknown(), { description: 'Its arguments, complete.' }),
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

/** @throws ToolError for an argument that the tool does not have, and for one that cannot be a parameter. */
export function checkArguments({ name, input }: Tool, given: Arguments) {
  const known = Object.keys(input.properties)
  for (const [argument, value] of Object.entries(given)) {
    if (!known.includes(argument)) {
      throw new ToolError(
        `${name} has no argument ${JSON.stringify(argument.slice(0, 128))}; it has ${known.join(', ')}`,
      )
    }
    const values: unknown[] = Array.isArray(value) ? value : [value ?? '']
    if (values.some((one) => !SCALARS.includes(typeof one))) {
      throw new ToolError(`${argument} must be text, a number, true or false, or a list of those`)
    }
  }
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

/** The result with as many of its entries as fit, at least one. */
export function fit<Result extends object>(count: number, build: (shown: number) => Result) {
  let shown = count
  while (shown > 1 && isTooLong(build(shown))) shown -= 1
  return build(shown)
}

/**
 * The result with as many campaigns as fit, and of each as many incentives from the position `from` on. Says the calls that
 * give the other campaigns, and the other incentives of these.
 */
export function fitCampaigns<Campaign extends { id: string; incentives: unknown[] }>(
  { tool, given, from }: { tool: string; given: Arguments; from: number },
  campaigns: Campaign[],
) {
  const build = (shown: number, perCampaign: number) => {
    const end = from + perCampaign
    const idsOf = (some: Campaign[]) => some.map(({ id }) => id)
    const others = idsOf(campaigns.slice(shown))
    const withMore = idsOf(campaigns.slice(0, shown).filter(({ incentives }) => incentives.length > end))
    const next: NextCall[] = []
    if (others.length > 0) {
      next.push({ tool, arguments: { ...given, campaignId: others }, gives: `the other ${others.length} campaigns` })
    }
    if (withMore.length > 0) {
      const gives = `their incentives from index ${end} on`
      next.push({ tool, arguments: { ...given, campaignId: withMore, from: end }, gives })
    }
    return {
      campaigns: campaigns
        .slice(0, shown)
        .map((campaign) => ({ ...campaign, incentives: campaign.incentives.slice(from, end) })),
      next,
    }
  }
  let perCampaign = MAX_INCENTIVES
  let shown = fit(campaigns.length, (some) => build(some, perCampaign))
  while (perCampaign > 1 && isTooLong(shown)) {
    perCampaign = Math.ceil(perCampaign / 2)
    shown = build(1, perCampaign)
  }
  return shown
}
