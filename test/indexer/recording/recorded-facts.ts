/*
 * What the recording means, as literals: addresses as the recorded logs have them, amounts from the story of the
 * recording. Amounts in whole tokens are written as multiples: 10n ** 18n is one.
 */

export const recordedCore = '0x0bcbbb9fb9f3dcbedcd95f02da6c501e61467533'
const campaignId = (index: number) => `8453:${recordedCore}:${index}`

const firstUser = '0xc8ae36a5af7fc1da1f79ba916182f618559a16df'
const secondUser = '0x6c9d747c4ad6a650a7b2012c081a5abb8be3277b'
const owner = '0x82b1fb6ce06131cf321bf32843e32c04a02c9051'
const budget = '0xf81d69cdbf13aae109a308c54e9139d8805f14eb'
const news = '0xe20e3784fdcced1afa700ab25418a510b8b0dac3'
const harborDollar = '0x37000133ea2d0095ba6ab5853a2500b01177f4ac'
const dollar = '0x6e59f867f23dd210010e844cf7eb2d8d54d39a8f'
const points = '0x08f0d942b8b7e069fc02a682daaa79417827fbad'
const target = '0xb744f2638728505a11be93de7686f0aa5578e48d'
const transfer = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'

/** Hundredths of a token of 18 decimals. */
const hundredths = (count: number) => String(BigInt(count) * 10n ** 16n)
const tokens = (count: number) => hundredths(100 * count)

export const recordedTokens = [
  { address: news, decimals: 18, name: 'Newsworthy Reward', symbol: 'NEWS' },
  { address: harborDollar, decimals: 6, name: 'Harbor Dollar', symbol: 'HUSD' },
  { address: dollar, decimals: 6, name: 'USD Coin', symbol: 'USDC' },
  { address: points, decimals: 18, name: 'Loyalty Points', symbol: 'PTS' },
].map((token) => ({ type: 'token' as const, chainId: 8453, imageUri: '', ...token }))

const calledByEvent = { chainId: 8453, signature: transfer, signatureName: '', signatureType: 'event' as const }
const isFirstUser = { filterType: 0, fieldType: 1, fieldIndex: 1, filterData: firstUser }
const transferStep = { ...calledByEvent, actionType: 0, targetContract: target, parameters: isFirstUser }
const mintStep = {
  ...transferStep,
  signature: '0x0000000000000000000000000000000000000000000000000000000040c10f19',
  signatureType: 'function' as const,
}
const sender = { ...calledByEvent, targetContract: target, targetContractName: '', fieldIndex: 0 }
const amountOfTransfer = { criteriaType: 0, signature: transfer, fieldIndex: 2, targetContract: target }
const wadOfTransfer = { ...amountOfTransfer, valueType: 1 }

interface ExpectedFact {
  action: string
  validator: string
  txHash: string
  block: number
  timestamp: string
  list: string
  listType?: string
  protocolFee?: string
  maxParticipants?: string
  steps?: (typeof transferStep | typeof mintStep)[]
  incentives: { contract: string; record: Record<string, unknown> & { type: string } }[]
  accessLists?: { allowed: string[]; denied: string[] }
}

const expectedFacts: ExpectedFact[] = [
  {
    action: '0x5b8cc36f3b9755f3bb41b161afd3abf4def0532b',
    validator: '0xe702d1c369bd36bf3c0ef5548da6ddceacff7b7f',
    txHash: '0xe0333241c3993bba8ca401cd7a98be21bbf6fb36287ae8b21181a5766aeb69e3',
    block: 38400001,
    timestamp: '1795168802',
    list: '0x6988e8faba39fb685a7dd75c58c44bcb36fe6951',
    listType: 'OpenAllowList',
    maxParticipants: '10',
    steps: [transferStep, mintStep],
    incentives: [
      {
        // 10 claims, 4 more by topping up, 3 less by clawing back: 11, of which 2 were claimed.
        contract: '0x54b2a6b315724b4bac9e5bdc3f04474288c367c5',
        record: {
          type: 'ERC20Incentive',
          asset: news,
          strategy: 0,
          reward: tokens(1),
          limit: '9',
          totalClaims: '2',
          remainingBalance: tokens(9),
        },
      },
    ],
  },
  {
    action: '0xd53b1e45c211d4c43a6a114f19bd640ec8e4f0df',
    validator: '0xa4846d67f1d069754499da7e697721fc731f704f',
    txHash: '0xc26be3f0478f1cebe7a31638f63c3b85b375c3bb10d5fa156d59638a45a53963',
    block: 38400008,
    timestamp: '1795168816',
    list: '0xb1c7add5c1103d12daf49d0e5f284c3cd217dbd8',
    incentives: [
      {
        // 100 entries, of which there were 2; the draw paid all there was.
        contract: '0xcd2ab48932a832d198000d76acfc5af4bf5c675e',
        record: {
          type: 'ERC20Incentive',
          asset: news,
          strategy: 1,
          reward: tokens(5),
          limit: '98',
          totalClaims: '2',
          remainingBalance: '0',
        },
      },
    ],
  },
  {
    action: '0xf8b1c166f033e73a399f29039455420a682682f6',
    validator: '0xe48522d83273207366c49406f83a18625a27630b',
    txHash: '0xe57db7f2e99fe5032f461aab1dd89091ab93ce1cff4dadce30ec5add8d492728',
    block: 38400015,
    timestamp: '1795168830',
    list: '0x0629f34c4ec07186b452946682c8604c43777e58',
    incentives: [
      {
        // 10 tokens, 2 more, 1 less; 3 were claimed.
        contract: '0x507174fe7d29c9d2b26ae8ab02e02841d3a1aa2f',
        record: {
          type: 'ERC20VariableIncentive',
          asset: news,
          reward: '0',
          limit: tokens(11),
          totalClaims: '1',
          totalAmountClaimed: tokens(3),
          remainingBalance: tokens(8),
        },
      },
      {
        contract: '0xa45c9b170f713ade2a26502106efaeda59db9582',
        record: {
          type: 'ERC20VariableIncentive',
          asset: news,
          reward: hundredths(50),
          limit: tokens(10),
          totalClaims: '1',
          totalAmountClaimed: tokens(1),
          remainingBalance: tokens(9),
        },
      },
    ],
  },
  {
    action: '0x9df491a6f49018a90f2842fc20315ee15386d714',
    validator: '0xef4f833eaa6a89142f8cd095e47af429ffab9963',
    txHash: '0xbf45a8903a8af617be8d3df7f23aa2b708a80786e0e145c1b0728437036c2866',
    block: 38400023,
    timestamp: '1795168846',
    list: '0x36bfa931e43b51f9d76bbd133536a19d479546e1',
    incentives: [
      {
        contract: '0xfe55ccd7f23905244529b34b45931495d91a796b',
        record: {
          type: 'ERC20VariableCriteriaIncentive',
          asset: news,
          reward: hundredths(10),
          maxReward: hundredths(25),
          criteria: amountOfTransfer,
          limit: tokens(5),
          totalClaims: '1',
          totalAmountClaimed: hundredths(25),
          remainingBalance: hundredths(475),
        },
      },
      {
        contract: '0x7709110068bd13d9bbe4c696bd1ebb26ad0a0f38',
        record: {
          type: 'ERC20VariableCriteriaIncentiveV2',
          asset: news,
          reward: '0',
          maxReward: tokens(1),
          criteria: wadOfTransfer,
          limit: tokens(5),
          totalClaims: '1',
          totalAmountClaimed: '333333333333333333',
          remainingBalance: '4666666666666666667',
        },
      },
    ],
  },
  {
    action: '0xadb1be5a5f6a89d93341800f3348606095b6efc5',
    validator: '0x33a7cb1523695e0fd8bc4a9bffeab685abb0ceff',
    txHash: '0x3d96f411860083d3d530cb233b8101b69ac1e3688e3d1b7ad48a762763aff4f5',
    block: 38400033,
    timestamp: '1795168866',
    list: '0x41db6bb4b3fb2735bceec4c61bfcd8f8ea835c6e',
    incentives: [
      {
        // Its total budget stays what it was when 4.0 are clawed back.
        contract: '0xe45361263ceadee6b3254b93d6562061aef85ae4',
        record: {
          type: 'CGDAIncentive',
          asset: news,
          initialReward: tokens(1),
          rewardDecay: hundredths(10),
          rewardBoost: hundredths(20),
          totalBudget: tokens(20),
          auction: { lastClaimAt: '1795170678', reward: '900666666666666666', balance: '13999111111111111112' },
        },
      },
    ],
  },
  {
    action: '0xd5cd3a4ffebf4df7fd8e79e523ab05118d5dda00',
    validator: '0xd0404aa5e6ba999c1a4cdbb4b90a599140907150',
    txHash: '0x7e1d39456896ddeab677f3eba7ec968f3c4f8fc79e35c0879c445c04f055735a',
    block: 38400943,
    timestamp: '1795170686',
    list: '0xaf13cc9912966050550e7ab7b33ef69df9af37fa',
    incentives: [
      {
        contract: '0x8e167ab7a33cde552b6ae9525213c3608fec2f97',
        record: { type: 'PointsIncentive', venue: points, selector: '0x867904b4', reward: '50', limit: '3' },
      },
      {
        contract: '0x3c8177d8ce60cd0d22a2e201dbb1dc32d4db48a9',
        record: {
          type: 'AllowListIncentive',
          allowListAddress: '0x9c6406be44017d95f0679b0aab2546fe89ceb55c',
          limit: '2',
        },
      },
    ],
  },
  {
    action: '0xa949e755fd92dadf19461afd7cc46aca93bd685a',
    validator: '0x570f14c80516fdeba310c872d38055f048a6184f',
    txHash: '0x7e1555a59d38232b5fa803b191bfae7a69a99873463e238d048ada23cee0ad70',
    block: 38400956,
    timestamp: '1795170712',
    list: '0xde777377c5aa06a3e0da4cec0c57363842ba9fa9',
    incentives: [
      {
        contract: '0x8617ca8a0d67fa50420c4398a86622698162c62d',
        record: {
          type: 'ERC20PeggedIncentive',
          asset: news,
          peg: dollar,
          reward: '2000000',
          limit: tokens(10),
          totalClaims: '1',
          totalAmountClaimed: tokens(1),
          remainingBalance: tokens(9),
        },
      },
      {
        contract: '0x0fde6ec192ebb75194b8d0be069cb3e8ccd3034a',
        record: {
          type: 'ERC20PeggedVariableCriteriaIncentive',
          asset: news,
          peg: dollar,
          reward: hundredths(10),
          maxReward: tokens(1),
          criteria: amountOfTransfer,
          limit: tokens(10),
          totalClaims: '1',
          totalAmountClaimed: hundredths(10),
          remainingBalance: hundredths(990),
        },
      },
      {
        contract: '0x94659e5dacb464dcebc8d23eedad3950148f1b08',
        record: {
          type: 'ERC20PeggedVariableCriteriaIncentiveV2',
          asset: news,
          peg: dollar,
          reward: '0',
          maxReward: '0',
          criteria: wadOfTransfer,
          limit: tokens(10),
          totalClaims: '1',
          totalAmountClaimed: '142857142857142857',
          remainingBalance: '9857142857142857143',
        },
      },
    ],
  },
  {
    action: '0xc93d52888dfec75c5c26eee633b7d086e975518f',
    validator: '0xcf2a54c866a6d3a94b8a73cb2b1c04d195f54cb5',
    txHash: '0xecfa3c16fd92a6fd0425305c3b84d98c817aa30ffde824e8a93c285ec4ffc341',
    block: 38400969,
    timestamp: '1795170738',
    list: '0x0ae468e812db4f5cf5418a3b8b8e265bf6e3437b',
    listType: 'SimpleAllowList',
    // The fee of the core, 1000, and 250 of its own.
    protocolFee: '1250',
    incentives: [
      {
        contract: '0xca8dfd23545ec3a121cf4be221a0d42884001559',
        record: {
          type: 'ERC20Incentive',
          asset: harborDollar,
          strategy: 0,
          reward: '2500000',
          limit: '3',
          totalClaims: '2',
          remainingBalance: '7500000',
        },
      },
      {
        // Added when the campaign had long been there.
        contract: '0x72c2816af9bdeb6f6123b07db8af72598e7e0ece',
        record: {
          type: 'ERC20Incentive',
          asset: news,
          strategy: 0,
          reward: tokens(2),
          limit: '2',
          totalClaims: '1',
          remainingBalance: tokens(4),
        },
      },
    ],
  },
  {
    action: '0xe9d1deb11c430d5f51f9a565a7ddc823388d413e',
    validator: '0x7a51fb2d197cd6342561f0f7e76fdc9db168c413',
    txHash: '0x13ea32d053388d1fc0386fa91d0580e00463a60c2263d61716c89e3ef52543dc',
    block: 38400984,
    timestamp: '1795170768',
    list: '0xcd8e64825a31065b9c39f0b043df7063a3456957',
    incentives: [
      {
        contract: '0xcd2e29af2213ab64597a29d26487eb93bd8940f1',
        record: {
          type: 'ERC20Incentive',
          asset: news,
          strategy: 0,
          reward: tokens(1),
          limit: '5',
          totalClaims: '0',
          remainingBalance: tokens(5),
        },
      },
    ],
  },
  {
    action: '0xbb1c0eb30b5ecd6b45e20fc652707c584874bf92',
    validator: '0xd19a32c207bb133062dbc73549c3bfc864aed833',
    txHash: '0x94803b095a8f9e47cc9cbce93a2c7d9bc4807ffbfac077c56972e0cfae3b2ae7',
    block: 38400987,
    timestamp: '1795170774',
    list: '0xc5714e5af043b7860cd6dd64341a09ca259c386d',
    listType: 'OffchainAccessList',
    accessLists: { allowed: ['list-1'], denied: ['list-2'] },
    incentives: [
      {
        contract: '0x8af5e427e8d897eda2447a2a82856d131d005420',
        record: {
          type: 'ERC20Incentive',
          asset: news,
          strategy: 0,
          reward: tokens(1),
          limit: '5',
          totalClaims: '0',
          remainingBalance: tokens(5),
        },
      },
    ],
  },
]

/** The ten campaigns at the end of the recording. */
export const recordedCampaigns = expectedFacts.map((campaign, index) => ({
  record: {
    type: 'campaign' as const,
    id: campaignId(index),
    campaignIndex: String(index),
    action: campaign.action,
    budget,
    owner,
    validator: campaign.validator,
    txHash: campaign.txHash,
    blockTimestamp: campaign.timestamp,
    createdAtBlockchainNumbers: { 8453: String(campaign.block) },
    protocolFee: campaign.protocolFee ?? '1000',
    maxParticipants: campaign.maxParticipants ?? '100',
    // All validators are signers of the second form, which count no claims.
    maxClaimsPerClaimant: 'unlimited' as const,
    incentives: campaign.incentives.map(({ record }) => record),
    actionSteps: campaign.steps ?? [transferStep],
    actionClaimant: sender,
    allowList: {
      owner,
      contractAddress: campaign.list,
      type: campaign.listType ?? 'SimpleDenyList',
      addresses: null,
    },
  },
  incentives: campaign.incentives.map(({ contract }, position) => ({ position, contract })),
  accessLists: campaign.accessLists ?? null,
  unknown: [],
}))

/** Campaign, incentive, claimant, amount, transaction, log index and block of each claim, in order. */
export const recordedClaims = (
  [
    [0, 0, firstUser, tokens(1), '0xd7c4d3be47c971d633c60c5b015f72acea20044d60ed5ef88ce4aceb3de7988b', 4, 38400004],
    [0, 0, secondUser, tokens(1), '0x0c52558d2e4a7a177774ac05d6a64f9cf33f263c5a04f775ad0c32af54ab9552', 6, 38400006],
    [1, 0, firstUser, '0', '0xbc57dae97fa3d6c68c07ff9497b1d0c0cc807e7a935a7ca90dd884c920c2424a', 1, 38400011],
    [1, 0, secondUser, '0', '0x426a36ab622a97cf8ad109086cbcb40a235e0fd54a643270fbc2caea95a189f9', 1, 38400012],
    [2, 0, firstUser, tokens(3), '0xeda8c4bdcd86b52fbeddf2a7a19bcc096bc7b23a242a80a4dcade4057465623d', 4, 38400019],
    [2, 1, firstUser, tokens(1), '0xfd74a47cce4b94880a9da9c17378d37ecfb9f91c997e75f7df50aed20e39c734', 4, 38400021],
    [
      3,
      0,
      firstUser,
      hundredths(25),
      '0x3c98773b8f2f31671829df83480c4a7cbec0094f7111c9964f537e15212c0472',
      4,
      38400027,
    ],
    [
      3,
      1,
      secondUser,
      '333333333333333333',
      '0x0c76852603b7ffc75e96867719980700b6b7e439483641dadd7e71bf9e4d472d',
      4,
      38400030,
    ],
    [
      4,
      0,
      firstUser,
      '1000222222222222222',
      '0x2aaec15129b333401670eddbfe60adf7f259848aa1e13243ded76b69e89c0406',
      4,
      38400035,
    ],
    [
      4,
      0,
      secondUser,
      '1000666666666666666',
      '0x3a4e90a64febaeb570963d2076df0e143f111e21069fb984e6948a4d44ff78cc',
      4,
      38400939,
    ],
    [5, 0, firstUser, '50', '0x2a236f7606376d13c31b30429f9c3c67bfec9e8e6b502e29f360e16562fe40dc', 2, 38400951],
    [5, 1, secondUser, '0', '0x2e53f24f0aa49a84a6d286339e7b49527781a1ade7888ccd41118bd1f8e02f84', 0, 38400952],
    [6, 0, firstUser, tokens(1), '0x1195ba99befd4be542680bedf3379fa108026715c055b1cd78d854df7c286fe4', 4, 38400959],
    [
      6,
      1,
      secondUser,
      hundredths(10),
      '0x609dc756d537e50756701fcb6a2351b5d4c35d0a88a3c599056f11ceaeb3d5c9',
      4,
      38400963,
    ],
    [
      6,
      2,
      secondUser,
      '142857142857142857',
      '0xee1cf2acb062e88ede16a5c194cbeb37360718bf2759ee84e5d120d54a7b5e59',
      4,
      38400965,
    ],
    [7, 0, firstUser, '2500000', '0x3d58ae049a8ebe91221bf0bd3483a33a3d6600ee5b672e089e7311dbabe36d06', 4, 38400972],
    [7, 0, secondUser, '2500000', '0xe9a2eff728942e2b8a31260b50e36b5c1e823f58675e5e1a96a7a8978e1204ef', 4, 38400980],
    [7, 1, secondUser, tokens(2), '0x3b1601cb4a5ef6d31d6a15fc34791a27091247cff3e3ba4ac221267633e8a116', 4, 38401003],
  ] as const
).map(([campaign, incentiveIndex, claimant, amount, txHash, logIndex, blockNumber]) => ({
  campaignId: campaignId(campaign),
  incentiveIndex,
  claimant,
  amount,
  txHash,
  logIndex,
  blockNumber,
}))
