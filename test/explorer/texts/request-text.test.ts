import { expect, test } from 'vitest'
import {
  asClientCode,
  asCurl,
  type RequestMade,
  requestPath,
} from '../../../packages/explorer/src/requests/request-text.ts'

const ORIGIN = 'https://rewards.example'
const CONTRACTS: RequestMade = {
  method: 'listContracts',
  path: '/explore/contracts',
  query: { sortBy: 'total-spend', timeRange: undefined, chainIds: [8453, 10], page: 2 },
}

test('a request is a path with the query that was asked, as a command line, and as code', () => {
  expect(requestPath(CONTRACTS)).toBe('/explore/contracts?sortBy=total-spend&chainIds=8453,10&page=2')
  expect(asCurl(CONTRACTS, ORIGIN)).toBe(
    "curl 'https://rewards.example/explore/contracts?sortBy=total-spend&chainIds=8453,10&page=2'",
  )
  expect(asClientCode(CONTRACTS, ORIGIN)).toBe(`import { createClient } from 'reward-campaigns-client'

const client = createClient({ baseUrl: 'https://rewards.example' })
const response = await client.listContracts({ sortBy: 'total-spend', chainIds: [8453, 10], page: 2 })
console.log(response)
`)
})

test('a campaign is asked for by its ID', () => {
  const request: RequestMade = { method: 'getCampaign', path: '/campaigns/1:0xab:7', id: '1:0xab:7' }
  expect(asCurl(request, ORIGIN)).toBe("curl 'https://rewards.example/campaigns/1:0xab:7'")
  expect(asClientCode(request, ORIGIN)).toContain("await client.getCampaign('1:0xab:7')\n")
})

test('no value ends its quotes', () => {
  const request: RequestMade = {
    method: 'listCampaigns',
    path: '/campaigns',
    query: { autocampaignId: `'; rm -rf "~" #\\\n&a=b` },
  }
  expect(asCurl(request, ORIGIN)).toBe(
    "curl 'https://rewards.example/campaigns?autocampaignId=%27%3B%20rm%20-rf%20%22~%22%20%23%5C%0A%26a%3Db'",
  )
  const [, literal = ''] = /autocampaignId: ('.*') \}/.exec(asClientCode(request, ORIGIN)) ?? []
  expect(new Function(`return ${literal}`)()).toBe(request.query?.autocampaignId)
})
