import { expect, test } from 'vitest'
import type { ListEligibilityResponse } from '../../../src/features/eligibility/eligibility-schemas.ts'
import type { ListRewardsResponse } from '../../../src/features/rewards/reward-schemas.ts'
import { openIndexed } from '../../indexer/indexed.ts'
import { playedRecording } from '../../indexer/recording/played-recording.ts'
import { recordedClaims } from '../../indexer/recording/recorded-claims.ts'
import { recording } from '../../indexer/recording/recording.ts'
import { startScriptedNode } from '../../indexer/simulation/scripted-node.ts'
import { aCampaign, anAddress, anErc20Incentive } from '../../setup/records.ts'
import { type BorrowedTestApp, startTestApp } from '../../setup/test-app.ts'

/** A claim on an incentive that one address may claim again, whose validator counts no claims. */
const [claim] = recordedClaims.filter(({ campaignId }) => campaignId.endsWith(':2'))
if (claim === undefined) throw new TypeError('nobody has claimed on campaign 2')
const { campaignId, claimant, incentiveIndex } = claim

/** With a digit of the signature changed, which comes behind its length. */
const forge = (payload: string): `0x${string}` =>
  `0x${payload.slice(2).replace(/(0{62}41)(.)/, (_, length, digit) => length + (digit === '0' ? '1' : '0'))}`

const toSignature = ({
  campaignId,
  incentiveIndex,
  claimant,
  referrer,
  signature,
}: Omit<typeof claim, 'validator'>) => ({
  type: 'claimSignature' as const,
  ...{ campaignId, incentiveId: incentiveIndex, claimant, referrer, signature },
})
const recorded = (parts: Partial<typeof claim> = {}) => toSignature({ ...claim, ...parts })
const forged = forge(claim.signature)

/** The app beside an indexer that has read all of the recording. */
async function startIndexedApp() {
  const api = await startTestApp()
  await using node = await startScriptedNode(playedRecording(recording.blocks.at(-1)?.number ?? 0))
  await using index = await openIndexed(api.database.url, node.url)
  await index.settle()
  // A deny list, whose members no chain tells.
  await api.save({ type: 'campaignMetadata', id: campaignId, allowListAddresses: [] })
  return api
}

/** The verdict on the incentive, and the codes of its reasons, in both operations that say them. */
async function verdictOn(api: BorrowedTestApp, user = claimant, id = campaignId, index = incentiveIndex) {
  const { campaigns }: ListEligibilityResponse = (await api.get(`/eligibility?user=${user}&campaignId=${id}`)).json()
  const { rewards }: ListRewardsResponse = (await api.get(`/users/${user}/rewards?pageSize=100`)).json()
  const here = campaigns[0]?.incentives.find((each) => each.incentiveIndex === index)
  const there = rewards.find((each) => each.campaignId === id && each.incentiveIndex === index)
  expect(there?.reasons).toEqual(here?.reasons)
  expect(there?.verdict).toBe(here?.verdict)
  expect(there?.transaction).toEqual(here?.transaction)
  const codes = here?.reasons.map(({ code }) => code)
  return { verdict: here?.verdict, codes, hasTransaction: here?.transaction !== undefined }
}

const claimableOf = async (api: BorrowedTestApp, user: string) => {
  const { rewards }: ListRewardsResponse = (await api.get(`/users/${user}/rewards?state=claimable`)).json()
  return rewards.map(({ campaignId, incentiveIndex }) => [campaignId, incentiveIndex])
}

test('on an indexed chain a payload is claimable only if the signer that it names has signed it for this address', async () => {
  await using api = await startIndexedApp()
  await api.save(recorded())
  expect(await verdictOn(api)).toEqual({ verdict: 'claimable', codes: ['claimed-before'], hasTransaction: true })
  expect(await claimableOf(api, claimant)).toEqual([[campaignId, incentiveIndex]])

  await api.save(recorded({ signature: forged }))
  const refused = { verdict: 'blocked', codes: ['claimed-before', 'signature-invalid'], hasTransaction: false }
  expect(await verdictOn(api)).toEqual(refused)
  expect(await claimableOf(api, claimant)).toEqual([])

  // Of somebody else's payload, which was not signed for this address.
  const other = anAddress('other')
  await api.save(recorded({ claimant: other }))
  expect(await verdictOn(api, other)).toEqual({ ...refused, codes: ['signature-invalid'] })

  await api.save(recorded())
  expect(await verdictOn(api), 'again').toMatchObject({ verdict: 'claimable' })
})

test('all recorded payloads are signed as their validators ask, and the reason stands behind all others', async () => {
  await using api = await startIndexedApp()
  await api.save(...recordedClaims.map((one) => toSignature(one)))
  for (const { campaignId, claimant, incentiveIndex } of recordedClaims) {
    const { codes } = await verdictOn(api, claimant, campaignId, incentiveIndex)
    expect(codes, campaignId).not.toContain('signature-invalid')
  }
  const [first] = recordedClaims
  if (first === undefined) throw new TypeError('nobody has claimed')
  await api.save(toSignature({ ...first, signature: forge(first.signature) }))
  const { codes } = await verdictOn(api, first.claimant, first.campaignId, first.incentiveIndex)
  expect(codes?.slice(-2)).toEqual(['already-claimed', 'signature-invalid'])
})

test('nothing is judged without the whole payload, and where the kind of the validator is unknown', async () => {
  await using api = await startIndexedApp()
  await api.save(recorded({ signature: `0x${'ab'.repeat(65)}` }))
  expect(await verdictOn(api)).toEqual({ verdict: 'claimable', codes: ['claimed-before'], hasTransaction: false })

  await api.save(recorded({ signature: forged }))
  await api.database.query(`update followed_campaigns set origin = (origin::jsonb || '{"validatorKind":null}')::json`)
  // With the next revision.
  await api.save(recorded({ signature: `0x${forged.slice(2)}00` }))
  expect(await verdictOn(api)).toEqual({ verdict: 'claimable', codes: ['claimed-before'], hasTransaction: true })

  // On an imported campaign, whatever it allows.
  const imported = aCampaign({
    id: `10:0x${'ab'.repeat(20)}:7`,
    incentives: [anErc20Incentive(anAddress('asset'))],
    maxClaimsPerClaimant: 'unlimited',
  })
  await api.save(imported, recorded({ campaignId: imported.id, incentiveIndex: 0, signature: forged }))
  expect(await verdictOn(api, claimant, imported.id, 0)).toEqual({
    verdict: 'claimable',
    codes: [],
    hasTransaction: true,
  })
})
