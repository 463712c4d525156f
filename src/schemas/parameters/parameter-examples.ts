/**
 * Example values of parameters in the document. They match something in the sample data of an empty embedded database,
 * each alone and all of an operation together: most belong to one campaign there.
 */
export const parameterExamples = {
  campaignId: '8453:0xea11a7937809b8585e63b12cc86bf91a72a5b08a:735',
  budgetAccount: '0x57a17464ce4315b7fb0fa2b287edf29a19c8ed66',
  owner: '0x06336e95e7661a463e7ec800e79f3355eb6bf24a',
  autocampaignId: 'auto-uniswap-7',
  chainId: 8453,
  targetContract: '0xd0b53d9277642d899df5c87a3966a349a798f224',
  token: '8453:0x833589fcd6edb6e08f4c7c32d4f71b54bda02913',
  distributionChannel: 'base-app',
  actionType: 'swap',
  otherActionType: 'mint',
  claimant: '0x1ed08f5f7ed154e19d18f21e6b7f4a8402033aaa',
  /** A claimant of the campaign. */
  paidClaimant: '0xb678bccc3d0135248d4b72899bf4de41345618b5',
  /** For followed chains only. */
  minimumBlock: '8453:38401005',
  accessListsOf: 'user-1',
  wordsOfAccessList: 'early collect',
}
