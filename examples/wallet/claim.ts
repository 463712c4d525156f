import { createClient, type Reward, toTokens } from 'reward-campaigns-client'
import { type Address, createPublicClient, createWalletClient, custom, type EIP1193Provider, type Hex } from 'viem'

declare const window: { ethereum?: EIP1193Provider }

const service = createClient({ baseUrl: 'http://localhost:3000' })
const [list, output] = [document.createElement('ul'), document.createElement('output')]
document.body.append(list, output)

if (window.ethereum === undefined) output.textContent = 'There is no wallet in this browser.'
else await show(window.ethereum)

async function show(provider: EIP1193Provider) {
  const [account = '0x'] = await createWalletClient({ transport: custom(provider) }).requestAddresses()
  for await (const reward of service.eachReward(account, { state: 'claimable' })) {
    const { campaignName, rewardNow, metadata, transaction } = reward
    // A signature alone claims nothing.
    if (transaction === undefined) continue
    const amount = rewardNow && metadata ? `${toTokens(rewardNow, metadata.decimals)} ${metadata.symbol}` : 'a reward'
    const button = document.createElement('button')
    button.textContent = `Claim ${amount}: ${campaignName ?? 'Unnamed'}`
    button.onclick = () =>
      claim(provider, account, reward).catch((error: Error) => {
        output.textContent = error.message
      })
    list.append(document.createElement('li'))
    list.lastElementChild?.append(button)
  }
}

async function claim(provider: EIP1193Provider, account: Address, { campaignId, transaction }: Reward) {
  const transport = custom(provider)
  const [wallet, chain] = [createWalletClient({ transport }), createPublicClient({ transport })]
  const chainId = Number(campaignId.split(':')[0])
  await wallet.switchChain({ id: chainId })
  const { to, data, value = '0' } = transaction ?? {}
  const call = { account, to: to as Address, data: data as Hex, value: BigInt(value) }
  // Reverts where the claim would, before it costs gas: also where the fee of the validator is not known.
  await chain.call(call)
  const hash = await wallet.sendTransaction({ ...call, chain: null })
  output.textContent = 'Sent'
  const claims = await service.afterReceipt({ ...(await chain.waitForTransactionReceipt({ hash })), chainId })
  output.textContent = claims.length === 0 ? 'Nothing was claimed' : 'Claimed'
}
