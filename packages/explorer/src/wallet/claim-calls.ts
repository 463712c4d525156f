import type { Reward } from 'reward-campaigns-client'
import { client } from '../requests/service.ts'
import { chainName } from '../texts/chain-names.ts'
import type { Call } from './wallet.ts'

/** The transaction that claims a reward, if there is one. Only what a validator has signed may cost a fee, which it knows. */
export async function toCalls({ campaignId, transaction, signature }: Reward): Promise<Call[]> {
  if (transaction === undefined) return []
  const chainId = Number(campaignId.split(':')[0])
  const isFree = signature === undefined
  const validator = isFree ? undefined : (await client.getCampaign(campaignId, { fields: ['validator'] })).validator
  return [{ ...transaction, chainId, chainName: chainName(chainId), value: '0', validator, isMulticall: false }]
}

/** The transactions that claim all that an account can claim without a fee. @throws if there is none. */
export async function toCallsForAll(user: string): Promise<Call[]> {
  const transactions = await client.claimTransactions(user)
  if (transactions.length === 0) throw new Error('There is nothing that can be claimed together: claim one by one.')
  return transactions.map(({ chainId, to, data, value }) => ({
    ...{ chainId, to, data, value, chainName: chainName(chainId) },
    ...{ validator: undefined, isMulticall: true },
  }))
}
