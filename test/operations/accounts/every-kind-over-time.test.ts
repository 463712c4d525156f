import { expect, test } from 'vitest'
import type { CampaignRecord } from '../../../src/ingest/campaign-records.ts'
import type { ImportRecord } from '../../../src/ingest/records.ts'
import { incentiveTypes } from '../../../src/schemas/campaigns/incentives.ts'
import { fieldsBySchema } from '../../setup/data/fields-by-schema.ts'
import { aPayload } from '../../setup/data/payloads.ts'
import { payloadsOf, setValidators, validatorKinds } from '../../setup/data/signed-payloads.ts'
import {
  aCampaign,
  aClaim,
  aClaimProof,
  anAddress,
  anErc20Incentive,
  aTimeBasedIncentive,
  aToken,
} from '../../setup/records.ts'
import type { Validator } from '../../setup/second-opinion/second-opinion.ts'
import { expectedEligibility } from '../../setup/second-opinion/second-opinion-eligibility.ts'
import { expectedOutlooks } from '../../setup/second-opinion/second-opinion-outlook.ts'
import { isToken, payoutOf } from '../../setup/second-opinion/second-opinion-payouts.ts'
import { expectedRewards } from '../../setup/second-opinion/second-opinion-rewards.ts'
import { startTestApp } from '../../setup/test-app.ts'

type IncentiveRecord = CampaignRecord['incentives'][number]

const START = Date.parse('2026-06-01T12:00:00Z') / 1000
const HOUR = 3600
const user = anAddress('who waits')
const [asset, peg] = [anAddress('paid in'), anAddress('said in')]
const AMOUNT = 1000n
const half = String(5n * 10n ** 17n)

const criteria = { criteriaType: 0, signature: '0xa9059cbb', fieldIndex: 3, targetContract: anAddress('criteria') }
/** The signed amount, a half of it and its double; capped, at just so much, and not. */
const shares = ['0', half, String(2n * 10n ** 18n)].flatMap((reward) =>
  ['0', '300', '500', '100000'].map((maxReward) => ({ asset, criteria, limit: '5000', reward, maxReward })),
)
const inPeg = shares.map((share) => ({ ...share, peg }))
const V2 = { criteria: { ...criteria, valueType: 0 } }
const auction = { type: 'CGDAIncentive', asset, initialReward: '100', rewardDecay: '5', rewardBoost: '7' }

/** Each kind, with each figure that what it pays depends on. */
const ownIncentives: IncentiveRecord[] = [
  ...[
    { strategy: 0, reward: '100', limit: '4' },
    { strategy: 0, reward: '3', limit: '1000' },
    { strategy: 1, reward: '500', limit: '9' },
  ].map((parts) => anErc20Incentive(asset, parts)),
  ...[
    { totalBudget: '120' },
    { totalBudget: '7000' },
    { totalBudget: '7000', rewardDecay: '99', rewardBoost: '3600' },
  ].map((parts) => ({ ...auction, ...parts })),
  { type: 'PointsIncentive', venue: peg, selector: '0x40c10f19', reward: '30', limit: '4' },
  { type: 'AllowListIncentive', allowListAddress: peg, limit: '4' },
  ...['0', half].map((reward) => ({ type: 'ERC20VariableIncentive', asset, reward, limit: '2500' })),
  ...shares.map((share) => ({ type: 'ERC20VariableCriteriaIncentive', ...share })),
  ...shares.map((share) => ({ type: 'ERC20VariableCriteriaIncentiveV2', ...share, ...V2 })),
  { type: 'ERC20PeggedIncentive', asset, peg, reward: '77', limit: '2500' },
  ...inPeg.map((share) => ({ type: 'ERC20PeggedVariableCriteriaIncentive', ...share })),
  ...inPeg.map((share) => ({ type: 'ERC20PeggedVariableCriteriaIncentiveV2', ...share, ...V2 })),
  aTimeBasedIncentive(asset),
  aTimeBasedIncentive(asset, { openEnded: true, committed: '40', emissionRate: '7000000000000' }),
  aTimeBasedIncentive(asset, { claimUntil: new Date((START + 20 * HOUR) * 1000).toISOString() }),
]

const ownTypes = ownIncentives.map(({ type }) => type)
/** Those and the kinds that have no figures of their own here, as their schema has them. */
const incentives: IncentiveRecord[] = [
  ...ownIncentives,
  ...incentiveTypes
    .filter((type) => !ownTypes.includes(type))
    .map((type) => ({
      ...{ type, ...fieldsBySchema(type, () => peg) },
      ...(isToken({ type }) && { asset, remainingBalance: '5000' }),
    })),
]

/** One campaign each; some end while time passes. */
const campaigns = incentives.map((incentive, nth) =>
  aCampaign({
    ...{ id: `${nth % 2 === 0 ? 8453 : 10}:${anAddress('core')}:${nth}`, incentives: [incentive] },
    ...{
      blockTimestamp: String(START - 2 * HOUR),
      maxClaimsPerClaimant: ([null, 2, 'unlimited'] as const)[nth % 3] ?? null,
    },
    ...(nth % 7 === 0 && { endTime: new Date((START + 26 * HOUR) * 1000).toISOString() }),
  }),
)

/** Validators of each kind, and of none; what the user has of them, some of it changed. */
async function signAll() {
  const validators = new Map<string, Validator>()
  const signed: ImportRecord[] = []
  for (const [nth, { id, incentives }] of campaigns.entries()) {
    if (incentives[0]?.type === 'TimeBasedIncentive') continue
    const kind = validatorKinds[nth % 8]
    let of: readonly string[] = [aPayload(AMOUNT)]
    if (kind !== undefined) {
      const { right, wrong } = await payloadsOf(
        { validatorKind: kind, campaignId: id, claimant: user, amount: AMOUNT },
        nth,
      )
      of = nth % 6 === 1 ? wrong : right
      const takesFee = kind.startsWith('Payable')
      const claimFee = takesFee && nth % 3 > 0 ? String(10 ** 14 + nth) : undefined
      const hasSigned = (claimant: string, payload: string) => claimant === user && right.some((one) => one === payload)
      validators.set(id, { kind, takesFee, claimFee, hasSigned })
    }
    const signature = of[nth % of.length] ?? ''
    const referrer = anAddress('referrer')
    signed.push({ type: 'claimSignature', campaignId: id, incentiveId: 0, claimant: user, signature, referrer })
  }
  return { validators, signed }
}

test('a payload of each kind of validator is claimable as it was signed, and with any part changed it is not', async () => {
  await using api = await startTestApp()
  const validators = new Map<string, Validator>()
  const records: ImportRecord[] = [aToken({ address: asset, decimals: 6 })]
  for (const [nth, validatorKind] of validatorKinds.entries()) {
    for (let variant = 0; ; variant += 1) {
      const campaign = aCampaign({ incentives: [anErc20Incentive(asset)] })
      const of = { validatorKind, campaignId: campaign.id, claimant: user, amount: AMOUNT }
      const { right, wrong } = await payloadsOf(of, 40 * nth + variant)
      const signature = [...right, ...wrong][variant]
      if (signature === undefined) break
      records.push(campaign, {
        ...{ type: 'claimSignature', campaignId: campaign.id, incentiveId: 0, claimant: user, signature },
        referrer: anAddress('referrer'),
      })
      const hasSigned = () => right.includes(signature)
      validators.set(campaign.id, { kind: validatorKind, takesFee: false, claimFee: '7', hasSigned })
    }
  }
  await setValidators(api.database, validators)
  await api.save(...records)
  const ids = [...validators.keys()]
  const verdicts: string[] = []
  for (const campaignId of [ids.slice(0, 40), ids.slice(40)].map((some) => some.join())) {
    const expected = expectedEligibility(records, { user, campaignId }, new Date(), validators)
    const { campaigns } = (await api.get(`/eligibility?user=${user}&campaignId=${campaignId}`)).json()
    const short = ({ id, incentives }: (typeof expected.campaigns)[number]) => [
      id,
      incentives[0]?.verdict,
      incentives[0]?.reasons,
    ]
    expect(campaigns.map(short)).toEqual(expected.campaigns.map(short))
    verdicts.push(...expected.campaigns.map(({ verdict }) => verdict))
  }
  expect(verdicts.filter((verdict) => verdict === 'claimable')).toHaveLength(9)
  expect(verdicts.filter((verdict) => verdict === 'blocked').length).toBeGreaterThan(50)
})

/** What others claim in an hour, and now and then the user. */
const claimsOf = (hour: number) =>
  campaigns.flatMap((campaign, nth) => {
    const blockTimestamp = String(START + hour * HOUR - 60)
    const amount = nth === 2 ? '0' : String((37 * (nth + hour)) % 900)
    const others = (nth + hour) % 3 === 0 ? [] : [aClaim(campaign, { amount, blockTimestamp })]
    return hour === 9 && nth % 4 === 1
      ? [...others, aClaim(campaign, { claimant: user, amount, blockTimestamp })]
      : others
  })

/** In which ways an incentive says what is paid. */
function waysOf(incentive: IncentiveRecord | undefined, said: object): string[] {
  const { rewardNow, raffle, exhaustsAt }: { rewardNow?: string; raffle?: object; exhaustsAt?: string } = said
  const { type, reward, maxReward }: Record<string, unknown> = incentive ?? {}
  return [
    ...(raffle === undefined ? [] : ['raffle']),
    ...(exhaustsAt === undefined ? [] : [`${type} has a pace`]),
    ...(rewardNow === undefined ? [] : [`${type} pays`]),
    ...(rewardNow !== undefined && maxReward !== undefined
      ? [
          `${type} pays a ${reward === '0' ? 'signed amount' : 'share'}, ${rewardNow === maxReward ? 'capped' : 'whole'}`,
        ]
      : []),
  ]
}

test('what each kind of incentive pays, is worth and has left is what its contract says, hour after hour', async () => {
  await using api = await startTestApp()
  const { validators, signed } = await signAll()
  await setValidators(api.database, validators)
  const timeBased = campaigns.filter(({ incentives }) => incentives[0]?.type === 'TimeBasedIncentive')
  const proofs = timeBased.map((campaign) => aClaimProof(campaign, user, { cumulativeAmount: '900' }))
  const tokens = [
    aToken({ address: asset, decimals: 6, priceUsd: '2.345' }),
    aToken({ chainId: 10, address: asset, decimals: 6, priceUsd: '2.5' }),
    aToken({ address: peg, priceUsd: '1000' }),
  ]
  let records: ImportRecord[] = [...tokens, ...campaigns, ...signed, ...proofs]
  await api.save(...records)
  const ids = campaigns.map(({ id }) => id)
  const halves = [ids.slice(0, 40), ids.slice(40)].map((some) => some.join())
  const seen = new Set<string>()
  const paidByAuctions = new Set<unknown>()
  for (const hour of [0, 1, 2, 9, 10, 21, 25, 27, 51]) {
    const claims = claimsOf(hour)
    records = [...records, ...claims]
    await api.save(...claims)
    const now = new Date((START + hour * HOUR) * 1000 + 400)
    api.setNow(now)
    for (const campaignId of halves) {
      const eligibility = (await api.get(`/eligibility?user=${user}&campaignId=${campaignId}`)).json()
      const expected = expectedEligibility(records, { user, campaignId }, now, validators)
      expect(eligibility, `hour ${hour}`).toEqual(expected)
      for (const { id, incentives: said } of expected.campaigns) {
        const nth = ids.indexOf(id)
        for (const one of said) {
          for (const { code } of one.reasons) seen.add(code)
          for (const way of waysOf(incentives[nth], one)) seen.add(way)
          const { rewardNow }: Record<string, unknown> = one
          if (one.type === 'CGDAIncentive' && rewardNow !== undefined) paidByAuctions.add(rewardNow)
        }
      }
      const outlook = (await api.get(`/outlook?campaignId=${campaignId}`)).json()
      expect(outlook, `hour ${hour}`).toEqual(expectedOutlooks(records, { campaignId }, now))
    }
    const query = { claimTransactions: 'true' }
    const {
      nextCursor,
      user: _,
      ...rewards
    } = (await api.get(`/users/${user}/rewards?pageSize=100&claimTransactions=true`)).json()
    const expected = expectedRewards(records, { user, query }, now, validators)
    expect(rewards, `hour ${hour}`).toEqual(expected)
    expect(nextCursor).toBeNull()
    if (expected.claimTransactions?.some(({ value }) => value !== '0')) seen.add('fees')
  }
  const paying = incentiveTypes.filter((type) => payoutOf({ type }).pays !== 'place')
  const paced = paying.filter((type) => isToken({ type }))
  const shared = new Set(incentives.flatMap(({ type, maxReward }) => (maxReward === undefined ? [] : [type])))
  expect([...seen].sort()).toEqual(
    [
      ...paying.map((type) => `${type} pays`),
      ...paced.map((type) => `${type} has a pace`),
      ...[...shared].flatMap((type) =>
        ['signed amount, capped', 'signed amount, whole', 'share, capped', 'share, whole'].map(
          (way) => `${type} pays a ${way}`,
        ),
      ),
      ...['raffle', 'fees', 'ended', 'claim-window-closed', 'incentive-spent', 'reward-exceeds-budget'],
      ...['already-claimed', 'claimed-before', 'claim-fee-unknown', 'signature-invalid'],
    ].sort(),
  )
  expect(shared.size).toBe(4)
  expect(paidByAuctions.size).toBeGreaterThan(4)
})
