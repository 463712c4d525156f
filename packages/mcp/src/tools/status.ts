import { Type } from '@sinclair/typebox'
import type { ResponseOf } from 'reward-campaigns-client'
import { argumentsOf, fitEntries, type NextCall, resultOf, type Tool, toPosition } from '../tool.ts'

const textOrNull = (description: string) => Type.Union([Type.String(), Type.Null()], { description })

const Chain = Type.Object(
  {
    chainId: Type.Integer(),
    state: Type.String({ description: '`back-filling`, `following` or `behind`.' }),
    asOfBlock: textOrNull('The newest block whose effects are known.'),
    asOfTime: textOrNull('Its time.'),
    lagSeconds: Type.Union([Type.Integer(), Type.Null()], { description: 'Seconds since then.' }),
  },
  { additionalProperties: false },
)

export const status: Tool = {
  name: 'status',
  title: 'How fresh the data is',
  description: 'Says up to which block the service knows each chain that it follows.',
  input: argumentsOf({
    from: Type.Optional(Type.Integer({ minimum: 0, default: 0, description: 'How many chains to leave out.' })),
  }),
  output: resultOf({ chains: Type.Array(Chain), version: Type.String({ description: 'Version of the service.' }) }),
  async run(get, given) {
    const from = toPosition(given, 'from')
    const { chains, version } = await get<ResponseOf<'getStatus'>>('/status')
    const toEntry = ({ chainId, state, asOfBlock, asOfTime, lagSeconds }: (typeof chains)[number]) => ({
      chainId,
      state,
      asOfBlock,
      asOfTime,
      lagSeconds,
    })
    const { entries, next } = fitEntries({ version }, chains.slice(from), toEntry, (shown) => {
      const end = from + shown.length
      const more: NextCall = { tool: status.name, arguments: { from: end }, gives: 'the next chains' }
      return end < chains.length ? [more] : []
    })
    const structured = { chains: entries, version, next }
    const late = chains.filter(({ state }) => state !== 'following').length
    const sentence = `${chains.length} chains are followed, ${late} of them not up to date; version ${version}.`
    return { structured, sentence }
  },
}
