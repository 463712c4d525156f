/**
 * Example values of parameters in the document. They match something in the sample data of an empty embedded database,
 * each alone and all of an operation together: most belong to one campaign there.
 */
export const parameterExamples = {
  campaignId: '8453:0xea11a7937809b8585e63b12cc86bf91a72a5b08a:528',
  budgetAccount: '0xb0374fbeea6580f3e8fac48d47721a6e0f1a79f6',
  owner: '0x674338f3004117ab6eec51c99c1e3f897395780a',
  autocampaignId: 'auto-uniswap-5',
  chainId: 8453,
  targetContract: '0xd0b53d9277642d899df5c87a3966a349a798f224',
  token: '8453:0x833589fcd6edb6e08f4c7c32d4f71b54bda02913',
  distributionChannel: 'worldcoin',
  actionType: 'swap',
  otherActionType: 'mint',
  claimant: '0x5702a4b167abe267ea5ef7278e930d252140fe4b',
  /** A claimant of the campaign. */
  paidClaimant: '0x1e31e1736b8aa34e5228153bb17db71754a3102c',
  /** A transaction in which that claimant was paid. */
  paidTransaction: '0x2ed5b4740a79a15d9318d6b4da8a5cc91fd5e3abc6404dc230d6789d279834cf',
  /** For followed chains only. */
  minimumBlock: '8453:38401005',
  accessListsOf: 'user-1',
  wordsOfAccessList: 'early collect',
}
