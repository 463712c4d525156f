import { decodeFunctionData, parseAbi } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ListEligibilityResponse } from '../../../src/features/eligibility/eligibility-schemas.ts'
import type { ListRewardsResponse } from '../../../src/features/rewards/reward-schemas.ts'
import type { CampaignRecord } from '../../../src/ingest/campaign-records.ts'
import { parseCsv } from '../../setup/data/csv.ts'
import { aPayload, claimCall } from '../../setup/data/payloads.ts'
import { aCampaign, aClaim, anAddress, anErc20Incentive, aToken } from '../../setup/records.ts'
import { type BorrowedTestApp, borrowTestApp } from '../../setup/test-app.ts'

type IncentiveRecord = CampaignRecord['incentives'][number]

let api: BorrowedTestApp
beforeAll(async () => {
  api = await borrowTestApp()
  await api.save(aToken({ address: asset, decimals: 6, priceUsd: '2.5' }), aToken({ address: peg, priceUsd: '1000' }))
})
afterAll(() => api[Symbol.asyncDispose]())

const [asset, peg] = [anAddress('paid in'), anAddress('said in')]
const criteria = {
  criteriaType: 0 as const,
  signature: '0xa9059cbb',
  fieldIndex: 3,
  targetContract: anAddress('criteria'),
}
const half = String(5n * 10n ** 17n)
const share = { asset, criteria, limit: '100000000' }

const signatureOf = (campaign: { id: string }, claimant: string, signature: string, incentiveId = 0) => ({
  ...{ type: 'claimSignature' as const, campaignId: campaign.id, incentiveId, claimant, signature },
  referrer: anAddress('referrer'),
})

async function rewardsOf(user: string, query = ''): Promise<ListRewardsResponse> {
  const response = await api.get(`/users/${user}/rewards${query}`)
  expect(response.statusCode, response.body).toBe(200)
  return response.json()
}

async function incentiveOf(user: string, campaignId: string) {
  const { campaigns } = (
    await api.get(`/eligibility?user=${user}&campaignId=${campaignId}`)
  ).json<ListEligibilityResponse>()
  return campaigns[0]?.incentives[0]
}

const toName = ({ type, ...of }: IncentiveRecord) =>
  `${type} ${JSON.stringify({ reward: of.reward, maxReward: of.maxReward })}`

/** A variant, the amount that is signed, and what a claim pays. */
const paid: [
  incentive: IncentiveRecord,
  signed: bigint,
  rewardNow: string | undefined,
  rewardNowUsd: string | undefined,
][] = [
  [{ ...anErc20Incentive(asset), reward: '3' }, 77n, '3', '0.000008'],
  [{ type: 'PointsIncentive', venue: peg, selector: '0x40c10f19', reward: '30', limit: '40' }, 77n, '30', undefined],
  [{ type: 'AllowListIncentive', allowListAddress: peg, limit: '10' }, 77n, undefined, undefined],
  [{ type: 'ERC20VariableIncentive', asset, reward: '0', limit: '1000000' }, 1000n, '1000', '0.0025'],
  [{ type: 'ERC20VariableIncentive', asset, reward: half, limit: '1000000' }, 1001n, '500', '0.00125'],
  [{ type: 'ERC20VariableCriteriaIncentive', ...share, reward: half, maxReward: '400' }, 1001n, '400', '0.001'],
  [{ type: 'ERC20VariableCriteriaIncentive', ...share, reward: '0', maxReward: '0' }, 1001n, '1001', '0.002503'],
  [{ type: 'ERC20PeggedIncentive', asset, peg, reward: half, limit: '1000000' }, 1001n, '1001', '0.002503'],
  [
    { type: 'ERC20PeggedVariableCriteriaIncentive', ...share, peg, reward: half, maxReward: '300' },
    1001n,
    '300',
    '0.00075',
  ],
]

test.each(paid.map((row) => [toName(row[0]), ...row] as const))(
  '%s pays what its contract pays of the signed amount, in rewards and in eligibility',
  async (_, incentive, signed, rewardNow, rewardNowUsd) => {
    const campaign = aCampaign({ incentives: [incentive], endTime: '2100-01-01T00:00:00Z' })
    const user = anAddress(campaign.id)
    await api.save(campaign, signatureOf(campaign, user, aPayload(signed)))
    const { rewards, claimable, claimableUsd } = await rewardsOf(user)
    const [entry] = rewards
    expect(entry).toMatchObject({ verdict: 'claimable', claimUntil: '2100-01-01T00:00:00.000Z' })
    expect([entry?.rewardNow, entry?.rewardNowUsd]).toEqual([rewardNow, rewardNowUsd])
    const isToken = 'asset' in incentive
    expect(claimable).toMatchObject(
      isToken ? [{ chainId: 8453, asset, rewards: 1, amount: rewardNow, amountUsd: rewardNowUsd }] : [],
    )
    expect(claimableUsd).toBe(isToken ? rewardNowUsd : '0')
    expect(await incentiveOf(user, campaign.id)).toMatchObject(rewardNow === undefined ? {} : { rewardNow })
    // A signature alone does not say the amount.
    const bare = anAddress(`bare ${campaign.id}`)
    await api.save(signatureOf(campaign, bare, `0x${'3'.repeat(130)}`))
    const isFixed = /^(ERC20|Points)Incentive$/.test(incentive.type)
    expect((await rewardsOf(bare)).rewards[0]?.rewardNow).toBe(isFixed ? rewardNow : undefined)
  },
)

test('a raffle pays nothing now, but says what is drawn among how many', async () => {
  const campaign = aCampaign({ incentives: [{ ...anErc20Incentive(asset), strategy: 1, reward: '500', limit: '1' }] })
  const user = anAddress('who draws lots')
  await api.save(campaign, aClaim(campaign, { amount: '0' }), signatureOf(campaign, user, aPayload(0n)))
  const { rewards, claimable } = await rewardsOf(user)
  expect(rewards[0]).toMatchObject({ verdict: 'claimable', raffle: { reward: '500', entries: '1' } })
  expect(rewards[0]).not.toHaveProperty('rewardNow')
  expect(claimable).toEqual([])
})

test('more than is left is refused, whether it is signed or fixed; not beside a spent incentive', async () => {
  const poor = aCampaign({ incentives: [{ type: 'ERC20VariableIncentive', asset, reward: '0', limit: '1000' }] })
  const fixed = aCampaign({
    incentives: [{ ...anErc20Incentive(asset), reward: '100', limit: '10', remainingBalance: '99' }],
  })
  const spent = aCampaign({
    incentives: [{ ...anErc20Incentive(asset), reward: '100', limit: '10', remainingBalance: '0' }],
  })
  const user = anAddress('who asks for too much')
  await api.save(poor, fixed, spent, signatureOf(poor, user, aPayload(1001n)))
  const refused = { verdict: 'blocked', reasons: [{ code: 'reward-exceeds-budget', budgetLeft: '1000' }] }
  const { rewards, claimable } = await rewardsOf(user)
  expect(rewards).toMatchObject([refused])
  expect(rewards[0]).not.toHaveProperty('rewardNow')
  expect(claimable).toEqual([])
  expect((await rewardsOf(user, '?state=claimable')).rewards).toEqual([])
  const reasons = [{ code: 'reward-exceeds-budget', budgetLeft: '99' }, { code: 'signature-missing' }]
  expect(await incentiveOf(user, fixed.id)).toMatchObject({ verdict: 'blocked', reasons })
  const codes = (await incentiveOf(user, spent.id))?.reasons.map(({ code }) => code)
  expect(codes).toEqual(['incentive-spent', 'signature-missing'])
  await api.save(signatureOf(poor, user, aPayload(1000n)))
  expect((await rewardsOf(user)).rewards).toMatchObject([
    { verdict: 'claimable', rewardNow: '1000', budgetLeft: '1000' },
  ])
})

test('what can be claimed is of all pages, whatever the state, and of the chosen chains', async () => {
  const user = anAddress('of many pages')
  const own = [1, 2, 3].map((nth) =>
    aCampaign({
      id: `${nth === 3 ? 10 : 8453}:${anAddress('core')}:${nth}`,
      incentives: [anErc20Incentive(asset, { reward: '2' })],
    }),
  )
  await api.save(...own, ...own.map((campaign) => signatureOf(campaign, user, aPayload(0n))))
  const here = { chainId: 8453, asset, rewards: 2, amount: '4', amountUsd: '0.00001' }
  const there = { chainId: 10, asset, metadata: null, rewards: 1, amount: '2', amountUsd: null }
  for (const query of ['', '?pageSize=1', '?pageSize=0', '?state=claimed', '?state=claimable&pageSize=1']) {
    const { claimable, claimableUsd } = await rewardsOf(user, query)
    expect({ claimable, claimableUsd }, query).toMatchObject({ claimable: [there, here], claimableUsd: '0.00001' })
  }
  expect((await rewardsOf(user, '?chainId=10')).claimable).toEqual([there])
  expect((await rewardsOf(user, '?chainId=10')).claimableUsd).toBe('0')
})

const multicall = parseAbi([
  'struct Call { address target; bool allowFailure; uint256 value; bytes callData; }',
  'function aggregate3Value(Call[] calls) payable returns ((bool success, bytes returnData)[] results)',
])

test('one transaction claims all that can be claimed on a chain, at most 50 at once, whatever the page and the state', async () => {
  const user = anAddress('who claims all')
  const incentives = Array.from({ length: 26 }, () => anErc20Incentive(asset))
  const own = [1, 2, 3].map((nth) =>
    aCampaign({ id: `${nth === 3 ? 10 : 8453}:${anAddress('all')}:${nth}`, incentives }),
  )
  const bare = aCampaign({ incentives: [anErc20Incentive(asset)] })
  await api.save(bare, ...own.toReversed(), signatureOf(bare, user, '0xab'))
  const signatures = own.flatMap((campaign) =>
    incentives.map((_, index) => signatureOf(campaign, user, aPayload(BigInt(index)), index)),
  )
  await api.save(...signatures.toReversed())
  expect(await rewardsOf(user)).not.toHaveProperty('claimTransactions')
  const places = (nth: number) =>
    incentives.map((_, index) => ({ campaignId: own[nth]?.id ?? '', incentiveIndex: index }))
  const here = [...places(0), ...places(1)]
  for (const query of ['pageSize=3', 'state=claimed', 'state=claimable&pageSize=0']) {
    const { claimTransactions = [] } = await rewardsOf(user, `?claimTransactions=true&${query}`)
    expect(claimTransactions.map(({ data: _, ...rest }) => rest)).toEqual(
      [
        { chainId: 10, rewards: places(2) },
        { chainId: 8453, rewards: here.slice(0, 50) },
        { chainId: 8453, rewards: here.slice(50) },
      ].map((part) => ({ ...part, to: '0xca11bde05977b3631167028862be2a173976ca11', value: '0' })),
    )
    for (const { data, rewards } of claimTransactions) {
      expect(data).toMatch(/^0x174dea71/)
      const { args } = decodeFunctionData({ abi: multicall, data: data as `0x${string}` })
      expect(args[0].map((call) => ({ ...call, target: call.target.toLowerCase() }))).toEqual(
        rewards.map(({ campaignId, incentiveIndex }) => {
          const call = claimCall(
            campaignId,
            incentiveIndex,
            user,
            anAddress('referrer'),
            aPayload(BigInt(incentiveIndex)),
          )
          return { target: call.to, allowFailure: true, value: 0n, callData: call.data }
        }),
      )
    }
  }
  expect((await rewardsOf(user, '?claimTransactions=true&chainId=10')).claimTransactions).toHaveLength(1)
  expect((await rewardsOf(anAddress('without any'), '?claimTransactions=true')).claimTransactions).toEqual([])
})

test('a statement of rewards has what can be claimed and what was, with amounts in whole tokens', async () => {
  const user = anAddress('who files taxes')
  const campaign = aCampaign({
    ...{ campaignName: '=Sum', endTime: '2100-01-01T00:00:00Z' },
    incentives: [
      anErc20Incentive(asset, { reward: '1500000' }),
      { type: 'PointsIncentive', venue: peg, selector: '0x40c10f19', reward: '30', limit: '40' },
    ],
  })
  const claim = aClaim(campaign, { claimant: user, incentiveIndex: 1, amount: '30', blockTimestamp: '1760000000' })
  await api.save(campaign, claim, signatureOf(campaign, user, aPayload(0n)))
  const { body, headers } = await api.get(`/users/${user}/rewards?format=csv`)
  expect(headers['content-type']).toBe('text/csv; charset=utf-8; header=present')
  expect(headers['content-disposition']).toBe(`attachment; filename="rewards-${user}.csv"`)
  const [names, ...rows] = parseCsv(body)
  expect(names?.join()).toBe(
    'campaignId,campaignName,chainId,incentiveIndex,incentiveType,verdict,asset,symbol,claims,claimedAmount,claimedAmountInTokens,claimedAmountUsd,rewardNow,rewardNowInTokens,rewardNowUsd,claimUntil,lastClaimedAt,lastTxHash',
  )
  const of = [campaign.id, "'=Sum", '8453']
  expect(rows).toEqual([
    [
      ...of,
      '0',
      'ERC20Incentive',
      'claimable',
      asset,
      'TEST',
      '0',
      '0',
      '0',
      '0',
      '1500000',
      '1.5',
      '3.75',
      '2100-01-01T00:00:00.000Z',
      '',
      '',
    ],
    [
      ...of,
      '1',
      'PointsIncentive',
      'blocked',
      '',
      '',
      '1',
      '30',
      '30',
      '',
      '',
      '',
      '',
      '',
      '2025-10-09T08:53:20.000Z',
      claim.txHash,
    ],
  ])
  const part = await api.get(`/users/${user}/rewards?pageSize=1`, { accept: 'text/csv' })
  const next = await api.get(`/users/${user}/rewards${/<(.*)>/.exec(String(part.headers.link))?.[1]}`)
  expect([...parseCsv(part.body).slice(1), ...parseCsv(next.body).slice(1)]).toEqual(rows)
})
