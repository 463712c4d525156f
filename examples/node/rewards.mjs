import { createClient, toTokens } from 'reward-campaigns-client'

const [baseUrl = 'http://localhost:3000', count = '3'] = process.argv.slice(2)
const client = createClient({ baseUrl })
let shown = 0

// Asks for one page after the other, as long as somebody wants more.
for await (const { id, incentives } of client.eachCampaign({ chainId: 8453, pageSize: 20 })) {
  for (const incentive of incentives) {
    // The type of an incentive determines which keys it has.
    if (incentive.type !== 'ERC20Incentive' || !incentive.metadata) continue
    const { decimals, symbol } = incentive.metadata
    const reward = `${toTokens(incentive.reward, decimals)} ${symbol}`
    console.log(`${id} pays ${reward} for each of ${incentive.limit} claims left`)
    shown += 1
  }
  if (shown >= Number(count)) break
}
