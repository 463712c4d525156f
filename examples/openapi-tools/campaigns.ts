import { listCampaigns } from './generated/orval/reward-campaigns.ts'

const { status, data } = await listCampaigns({ tokens: process.argv.slice(2), pageSize: 5 })
if (status !== 200) throw new Error(status === 304 ? 'nothing has changed' : data.error)

for (const { id, incentives } of data.campaigns) {
  for (const incentive of incentives) {
    // The type of an incentive tells which keys it has.
    console.log(id, incentive.type === 'ERC20Incentive' ? `${incentive.reward} of ${incentive.asset}` : incentive.type)
  }
}
