/**
 * What the document shows as examples of parameters. They find something in the sample data that an empty embedded
 * database is filled with, each by itself and all of an operation's together: most are those of one campaign there.
 */
export const parameterExamples = {
  campaignId: '10:0x4faf2485c49f3c3984e68eb9fc80adaa32bd3dd2:988',
  budgetAccount: '0x33e45ca0649611a844c19fa1eb469acd12ff2b1c',
  owner: '0x48b5104699c3e74a380a7bbea272c4871abfb7d5',
  autocampaignId: 'auto-paraswap-9',
  chainId: 10,
  targetContract: '0xdef171fe48cf0115b1d80b88dc8eab59176fee57',
  token: '10:0x4200000000000000000000000000000000000042',
  distributionChannel: 'base-app',
  actionType: 'swap',
  otherActionType: 'mint',
  claimant: '0xcbd8a8c4a4b94c92df9fcd9e7323dc0db93512c2',
  /** Only of chains that are followed. */
  minimumBlock: '8453:38401005',
  accessListsOf: 'user-1',
  wordsOfAccessList: 'early collect',
}
