import { defineConfig } from 'orval'

export default defineConfig({
  rewardCampaigns: {
    input: '../../openapi.json',
    output: {
      target: 'generated/orval/reward-campaigns.ts',
      client: 'fetch',
      baseUrl: 'http://localhost:3000',
    },
  },
})
