import { listCampaigns } from './generated/orval/reward-campaigns.ts'

const { status, data } = await listCampaigns({ tokens: process.argv.slice(2), pageSize: 5 })
if (status === 304) throw new Error('nothing has changed')
if (status !== 200) throw new Error('error' in data ? data.error : data.detail)

for (const { id, incentives } of data.campaigns) {
  for (const incentive of incentives) {
    // The type of an incentive determines which keys it has.
    console.log(id, incentive.type === 'ERC20Incentive' ? `${incentive.reward} of ${incentive.asset}` : incentive.type)
  }
}
