import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ListEligibilityResponse } from '../../../src/features/eligibility/eligibility-schemas.ts'
import { openIngest } from '../../../src/ingest/batches.ts'
import type { ImportRecord } from '../../../src/ingest/records.ts'
import { randomStep } from '../../setup/data/batches.ts'
import { createRandom } from '../../setup/data/random-records.ts'
import { createSigners, setValidators } from '../../setup/data/signed-payloads.ts'
import { createTestDatabase } from '../../setup/database.ts'
import { aCampaign, aClaim, aHash, anAccessList, anAddress, anErc20Incentive } from '../../setup/records.ts'
import { firstOf, repeated } from '../../setup/repetitions.ts'
import type { QueryText } from '../../setup/second-opinion/second-opinion.ts'
import { eligibilityQuery, expectedEligibility } from '../../setup/second-opinion/second-opinion-eligibility.ts'
import { vocabularyOf } from '../../setup/second-opinion/second-opinion-queries.ts'
import { type BorrowedTestApp, borrowTestApp, startTestApp } from '../../setup/test-app.ts'

async function eligibility(api: BorrowedTestApp, query: QueryText): Promise<ListEligibilityResponse> {
  const response = await api.get(`/eligibility?${new URLSearchParams(query)}`)
  expect(response.statusCode, response.body).toBe(200)
  return response.json()
}

const aClaimable = (parts = {}) => aCampaign({ incentives: [anErc20Incentive(anAddress('asset'))], ...parts })
const aVariable = (parts = {}) =>
  aCampaign({
    incentives: [{ type: 'ERC20VariableIncentive', asset: anAddress('asset'), reward: '1', limit: '1000' }],
    ...parts,
  })
const aSignature = (campaign: { id: string }, claimant: string, signature = '0xab') => ({
  type: 'claimSignature' as const,
  ...{ campaignId: campaign.id, incentiveId: 0, claimant, signature },
  referrer: anAddress('referrer'),
})

let shared: BorrowedTestApp
beforeAll(async () => {
  shared = await borrowTestApp()
})
afterAll(() => shared[Symbol.asyncDispose]())

/** The verdict on the only incentive of a campaign, with the codes of its reasons. */
async function verdictOn(campaign: { id: string }, user: string) {
  const { campaigns } = await eligibility(shared, { user, campaignId: campaign.id })
  const [{ incentives, ...whole } = { incentives: [], verdict: undefined }] = campaigns
  expect(whole.verdict).toBe(incentives[0]?.verdict)
  return [incentives[0]?.verdict, ...(incentives[0]?.reasons ?? []).map(({ code }) => code)]
}

test.each(firstOf([51, 52]))(
  'verdicts and reasons are what the records say after batches and withdrawals, kept or not, in both of two processes: seed %i',
  async (seed) => {
    const random = createRandom(seed)
    await using database = await createTestDatabase()
    await using keeping = await startTestApp({}, database)
    await using making = await startTestApp({ RESPONSE_CACHE_MB: '0' }, database)
    const ingest = await openIngest(database.url)
    await using _closing = { [Symbol.asyncDispose]: () => ingest.close() }
    const base = 1_772_366_400
    const signers = await createSigners()
    let records: readonly ImportRecord[] = []
    let queries: QueryText[] = []
    const seen = new Set<string>()
    for (let round = 0; round < repeated(4, 6); round++) {
      const step = randomStep(records, base, random, signers.toSigned)
      records = step.records
      const validators = signers.validatorsOf(records)
      await setValidators(database, validators)
      await ingest.apply(step.batch)
      const words = vocabularyOf(records)
      queries = [
        ...random.some(queries, repeated(0.5, 0.8)),
        ...Array.from({ length: repeated(7, 12) }, () => eligibilityQuery(words, random)),
      ]
      // Starts and ends lie an hour and a day around the base.
      for (const offset of [0, 0.5]) {
        const now = new Date((base + round * 1800 + offset) * 1000)
        for (const api of [keeping, making]) api.setNow(now)
        for (const query of queries) {
          const expected = expectedEligibility(records, query, now, validators)
          const about = `seed ${seed}, round ${round}, ${query.user} ${query.campaignId}`
          const responses = await Promise.all([keeping, making].map((api) => eligibility(api, query)))
          expect(responses, about).toEqual([expected, expected])
          for (const { verdict, incentives } of expected.campaigns) {
            seen.add(verdict)
            for (const { reasons } of incentives) for (const { code } of reasons) seen.add(code)
          }
        }
      }
    }
    expect([...seen].sort()).toEqual(
      [
        ...['claimable', 'admitted', 'unknown', 'blocked'],
        ...['not-started', 'ended', 'max-participants-reached', 'incentive-spent', 'on-deny-list', 'not-on-allow-list'],
        ...['list-unknown', 'already-claimed', 'claimed-before', 'signature-missing', 'reward-exceeds-budget'],
        ...['claim-window-closed', 'proof-outdated', 'claim-fee-unknown', 'signature-invalid'],
      ].sort(),
    )
    expect(keeping.counts.cacheResults.hit).toBeGreaterThan(repeated(20, 50))
  },
)

test('each reason says the fact that proves it, and all that hold are there, in order', async () => {
  const user = anAddress('blocked in every way')
  const campaign = aClaimable({
    startTime: '2100-01-01T00:00:00Z',
    endTime: '2020-01-01T00:00:00Z',
    maxParticipants: '1',
    incentives: [anErc20Incentive(anAddress('asset'), { limit: '0' })],
    allowList: { owner: user, contractAddress: user, type: 'SimpleDenyList', addresses: [user] },
  })
  const times = ['1760000000', '1760000001', '1760000001']
  const claims = times.map((blockTimestamp, index) =>
    aClaim(campaign, { claimant: user, blockTimestamp, txHash: aHash('one of two'), logIndex: index }),
  )
  await shared.save(campaign, ...claims)
  expect(await eligibility(shared, { user, campaignId: campaign.id })).toEqual({
    user,
    campaigns: [
      {
        id: campaign.id,
        verdict: 'blocked',
        incentives: [
          {
            incentiveIndex: 0,
            type: 'ERC20Incentive',
            verdict: 'blocked',
            reasons: [
              { code: 'not-started', at: '2100-01-01T00:00:00.000Z' },
              { code: 'ended', at: '2020-01-01T00:00:00.000Z' },
              { code: 'max-participants-reached', maxParticipants: '1' },
              { code: 'incentive-spent' },
              { code: 'on-deny-list', listType: 'SimpleDenyList' },
              { code: 'already-claimed', txHash: aHash('one of two'), at: '2025-10-09T08:53:21.000Z', allowed: 1 },
              { code: 'signature-missing' },
            ],
          },
        ],
      },
    ],
    unknownCampaigns: [],
  })
})

test('campaigns come in the order of their IDs, known or not', async () => {
  const [core, other] = [anAddress('core'), anAddress('other core')].sort() as [string, string]
  const ids = [`9:${other}:5`, `10:${core}:9`, `10:${core}:10`, `10:${other}:1`]
  await shared.save(...ids.map((id) => aClaimable({ id })))
  const missing = ids.map((id) => `${id}77`)
  const user = anAddress('user')
  const body = await eligibility(shared, { user, campaignId: [...missing, ...ids].toReversed().join(',') })
  expect(body.campaigns.map(({ id }) => id)).toEqual(ids)
  expect(body.unknownCampaigns).toEqual(missing)
})

describe('a second claim', () => {
  test.each([
    [null, ['unknown', 'claimed-before', 'signature-missing']],
    ['unlimited', ['admitted', 'claimed-before', 'signature-missing']],
    [2, ['admitted', 'claimed-before', 'signature-missing']],
    [1, ['blocked', 'already-claimed', 'signature-missing']],
  ] as const)('of a variant that allows several, with a limit of %s', async (maxClaimsPerClaimant, expected) => {
    const campaign = aVariable({ maxClaimsPerClaimant })
    const user = anAddress('claims again')
    await shared.save(campaign, aClaim(campaign, { claimant: user }))
    expect(await verdictOn(campaign, user)).toEqual(expected)
    expect(await verdictOn(campaign, anAddress('never claimed'))).toEqual(['admitted', 'signature-missing'])
  })

  test('of a variant that pays once is blocked, whatever the validator allows', async () => {
    const campaign = aClaimable({ maxClaimsPerClaimant: 'unlimited' })
    const user = anAddress('claims once')
    await shared.save(campaign, aClaim(campaign, { claimant: user }), aSignature(campaign, user))
    expect(await verdictOn(campaign, user)).toEqual(['blocked', 'already-claimed'])
  })
})

describe('a list', () => {
  const user = anAddress('listed')
  const others = [anAddress('another')]
  const listed = (type: string, more: object) =>
    aClaimable({ allowList: { owner: user, contractAddress: user, type, ...more } })

  test.each([
    ['SimpleAllowList', {}, 'list-unknown'],
    ['SimpleAllowList', { addresses: null }, 'list-unknown'],
    ['SimpleAllowList', { addresses: [] }, 'not-on-allow-list'],
    ['SimpleAllowList', { addresses: others }, 'not-on-allow-list'],
    ['SimpleAllowList', { addresses: [user] }, undefined],
    ['SimpleDenyList', { addresses: null }, 'list-unknown'],
    ['SimpleDenyList', { addresses: [] }, undefined],
    ['SimpleDenyList', { addresses: [user] }, 'on-deny-list'],
    ['OpenAllowList', { addresses: null }, undefined],
    ['OffchainAccessList', { addresses: null }, 'list-unknown'],
    ['OffchainAccessList', { accessListId: 'with the user' }, undefined],
    ['OffchainAccessList', { accessListId: 'without the user' }, 'not-on-allow-list'],
  ])('%s with %o: %s', async (type, more, code) => {
    const campaign = listed(type, more)
    await shared.save(
      anAccessList({ id: 'with the user', members: [user] }),
      anAccessList({ id: 'without the user', members: [] }),
      campaign,
    )
    const { campaigns } = await eligibility(shared, { user, campaignId: campaign.id })
    const reasons = campaigns[0]?.incentives[0]?.reasons.slice(0, -1)
    expect(reasons).toEqual(code === undefined ? [] : [{ code, listType: type }])
    expect(campaigns[0]?.verdict).toBe(
      code === undefined ? 'admitted' : code === 'list-unknown' ? 'unknown' : 'blocked',
    )
  })

  test('that a chain names allows and denies as far as the lists are recorded', async () => {
    await using api = await borrowTestApp()
    const lists = [
      anAccessList({ id: 'allowed', members: [user] }),
      anAccessList({ id: 'empty', members: [] }),
      anAccessList({ id: 'denied', members: [user] }),
    ]
    const campaign = listed('OffchainAccessList', {})
    await api.save(...lists, campaign)
    const codes = async (allowed: string[], denied: string[]) => {
      await api.database.query('update allow_lists set allowed_list_ids = $1, denied_list_ids = $2', [allowed, denied])
      const { campaigns } = await eligibility(api, { user, campaignId: campaign.id })
      return campaigns[0]?.incentives[0]?.reasons.slice(0, -1).map(({ code }) => code)
    }
    expect(await codes(['allowed'], [])).toEqual([])
    expect(await codes(['empty', 'allowed', 'not here'], ['empty'])).toEqual([])
    expect(await codes(['empty'], [])).toEqual(['not-on-allow-list'])
    expect(await codes(['empty', 'not here'], [])).toEqual(['list-unknown'])
    expect(await codes([], [])).toEqual(['list-unknown'])
    expect(await codes([], ['denied', 'not here'])).toEqual(['on-deny-list'])
    expect(await codes(['allowed'], ['empty', 'not here'])).toEqual(['list-unknown'])
    expect(await codes(['empty'], ['denied'])).toEqual(['on-deny-list', 'not-on-allow-list'])
  })

  test('of unknown kind has none', async () => {
    await using api = await borrowTestApp()
    const campaign = aClaimable()
    await api.save(campaign)
    await api.database.query(
      `insert into followed_chains (chain_id, cores, start_block, is_back_filling, back_filled_to) values (8453, '{}', 0, true, 0)`,
    )
    await api.database.query(
      `insert into unknown_components (chain_id, campaign_id, kind, contract, position) values (8453, $1, 'allowList', $2, -1)`,
      [campaign.id, user],
    )
    const { campaigns } = await eligibility(api, { user, campaignId: campaign.id })
    expect(campaigns[0]).toMatchObject({
      verdict: 'unknown',
      incentives: [{ reasons: [{ code: 'list-unknown', listType: null }, { code: 'signature-missing' }] }],
    })
  })
})

test('a campaign without incentives is judged by its own facts', async () => {
  const user = anAddress('user')
  const campaigns = [aCampaign(), aCampaign({ endTime: '2020-01-01T00:00:00Z' })]
  await shared.save(...campaigns)
  const body = await eligibility(shared, { user, campaignId: campaigns.map(({ id }) => id).join(',') })
  expect(body.campaigns.map(({ verdict, incentives }) => [verdict, incentives])).toEqual([
    ['admitted', []],
    ['blocked', []],
  ])
})

test('a signature that is a whole payload comes with the call that claims', async () => {
  const { encodeAbiParameters, parseAbiParameters } = await import('viem/utils')
  const [user, campaign, plain] = [anAddress('signed for'), aClaimable(), aClaimable()]
  const validatorData = encodeAbiParameters(
    parseAbiParameters([
      'Signed signed',
      'struct Signed { address signer; bytes signature; uint8 incentiveQuantity; }',
    ]),
    [{ signer: `0x${'1'.repeat(40)}`, signature: `0x${'2'.repeat(130)}`, incentiveQuantity: 1 }],
  )
  const payload = encodeAbiParameters(
    parseAbiParameters(['Payload payload', 'struct Payload { bytes validatorData; bytes incentiveData; }']),
    [{ validatorData, incentiveData: `0x${'0'.repeat(64)}` }],
  )
  await shared.save(
    campaign,
    plain,
    aSignature(campaign, user, payload),
    aSignature(plain, user, `0x${'3'.repeat(130)}`),
  )
  const { campaigns } = await eligibility(shared, { user, campaignId: `${campaign.id},${plain.id}` })
  expect(campaigns[0]?.incentives[0]).toMatchObject({
    verdict: 'claimable',
    reasons: [],
    signature: payload,
    referrer: anAddress('referrer'),
    transaction: { to: campaign.id.split(':')[1], data: expect.stringMatching(/^0x730f9c57/) },
  })
  expect(campaigns[1]?.incentives[0]).toMatchObject({ verdict: 'claimable', signature: `0x${'3'.repeat(130)}` })
  expect(campaigns[1]?.incentives[0]).not.toHaveProperty('transaction')
})

describe('what is kept', () => {
  test('a claim on another campaign voids nothing, one of somebody else on this one is told, and decides at last', async () => {
    await using api = await startTestApp()
    const [user, campaign] = [anAddress('who polls'), aClaimable({ maxParticipants: '3' })]
    const query = { user, campaignId: campaign.id }
    await api.save(campaign)
    const verdict = async () => (await eligibility(api, query)).campaigns[0]?.verdict
    expect(await verdict()).toBe('admitted')
    const { miss: made } = api.counts.cacheResults
    const other = aClaimable()
    await api.save(other, aClaim(other))
    expect(await verdict()).toBe('admitted')
    expect(api.counts.cacheResults.miss).toBe(made)
    await api.save(aClaim(campaign), aClaim(campaign))
    expect(await verdict()).toBe('admitted')
    // The last that may.
    await api.save(aClaim(campaign))
    expect(await verdict()).toBe('blocked')
  })

  test('own claims, own signatures, lists and the clock change it', async () => {
    await using api = await borrowTestApp()
    const user = anAddress('who polls')
    const list = anAccessList({ id: 'a list', members: [user] })
    const campaign = aVariable({
      ...{ endTime: '2030-01-01T00:00:00Z', maxClaimsPerClaimant: 2 },
      allowList: { owner: user, contractAddress: user, type: 'OffchainAccessList', accessListId: 'a list' },
    })
    await api.save(list, campaign)
    const codes = async () => {
      const { campaigns } = await eligibility(api, { user, campaignId: campaign.id })
      return [campaigns[0]?.verdict, ...(campaigns[0]?.incentives[0]?.reasons.map(({ code }) => code) ?? [])]
    }
    expect(await codes()).toEqual(['admitted', 'signature-missing'])
    await api.save(aSignature(campaign, user))
    expect(await codes()).toEqual(['claimable'])
    await api.save(aClaim(campaign, { claimant: user }))
    expect(await codes()).toEqual(['claimable', 'claimed-before'])
    await api.save({ ...list, members: [] })
    expect(await codes()).toEqual(['blocked', 'not-on-allow-list', 'claimed-before'])
    api.setNow(new Date('2030-01-01T00:00:00Z'))
    expect(await codes()).toEqual(['blocked', 'ended', 'not-on-allow-list', 'claimed-before'])
  })
})
