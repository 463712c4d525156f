import type { RecordKind } from '../../database/records/record-sources.ts'

interface ExportExample {
  ndjson: string
  csv: string
}

const campaign = {
  type: 'campaign',
  id: '8453:0xea11a7937809b8585e63b12cc86bf91a72a5b08a:1657',
  action: '0x6685aaca2edb9205f5b8ef2a614ceb88fc55b132',
  campaignName: 'Swap on Base',
  '…': '…',
}
const claim = {
  type: 'claim',
  campaignId: '8453:0xea11a7937809b8585e63b12cc86bf91a72a5b08a:1657',
  incentiveIndex: 0,
  claimant: '0x1ed08f5f7ed154e19d18f21e6b7f4a8402033aaa',
  amount: '2500000',
  '…': '…',
}
const token = {
  type: 'token',
  chainId: 8453,
  address: '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913',
  decimals: 6,
  name: 'USD Coin',
  '…': '…',
}
const price = {
  type: 'tokenPrice',
  chainId: 8453,
  address: '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913',
  at: '2026-01-31T12:00:00.000Z',
  priceUsd: '0.9998',
}

const exampleOf = ({ type, ...record }: { type: string }): ExportExample => ({
  ndjson: `${JSON.stringify({ type, ...record })}\n`,
  csv: `${Object.keys(record).join()}\r\n${Object.values(record).join()}\r\n`,
})

export const exportExamples: Record<RecordKind, ExportExample> = {
  campaigns: exampleOf(campaign),
  claims: exampleOf(claim),
  tokens: exampleOf(token),
  prices: exampleOf(price),
}
