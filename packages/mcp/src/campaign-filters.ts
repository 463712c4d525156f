import { type TSchema, Type } from '@sinclair/typebox'

/*
 * Arguments that are parameters of the operations, in few words. What they may be, the operations check.
 */

const text = (description: string) => Type.Optional(Type.String({ description }))

/** Of this or any of these. */
export const some = <Item extends TSchema>(item: Item, description: string, maxItems = 100) =>
  Type.Optional(Type.Array(item, { description, maxItems }))

const aChain = { minimum: 1 }

export const chains = some(Type.Integer(aChain), 'Only on these chains (8453 is Base).')

export const campaignId = Type.Array(Type.String(), {
  description: 'Campaign IDs, as `<chainId>:<campaignCoreAddress>:<identifier>`; other tools return them as `id`.',
  maxItems: 50,
})

export const user = Type.String({ description: 'Address of the account, 0x and 40 hexadecimal digits.' })

export const pageSize = (description: string, preset: number) =>
  Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: preset, description }))

/** Filters that the list and trending have in common. */
export const filters = {
  chainId: Type.Optional(Type.Integer({ ...aChain, description: 'Only on this chain (8453 is Base).' })),
  rewardToken: some(Type.String(), 'Only campaigns that pay one of these tokens, each as `<chain>:<address>`.'),
  tokens: some(
    Type.String(),
    'Only campaigns that pay one of these tokens or whose action deals in it, each as `<chain>:<address>`.',
  ),
  targetContract: text('Only campaigns whose action is on this contract; needs `chainId`.'),
  owner: text('Only campaigns of this owner.'),
  distributionChannel: some(Type.String(), 'Only campaigns of these distribution channels.'),
  tokenWhitelist: Type.Optional(
    Type.Boolean({ default: true, description: '`false`: also campaigns that pay tokens which are not whitelisted.' }),
  ),
}
