import { describe, expect, test } from 'vitest'
import type { ImportRecord } from '../../src/ingest/records.ts'
import type { TestDatabase } from '../setup/database.ts'
import { contentOf } from '../setup/stored-content.ts'
import { startTestApp, type TestApp } from '../setup/test-app.ts'
import { openIndexed } from './indexed.ts'
import { playedRecording } from './played-recording.ts'
import { recordedCampaigns, recordedClaims, recordedTokens } from './recorded-facts.ts'
import { recording } from './recording.ts'
import { startScriptedNode } from './scripted-node.ts'

const END = recording.blocks.at(-1)?.number ?? 0
const endOfRecording = new Date(1000 * (recording.blocks.at(-1)?.timestamp ?? 0))

/** What the public operations say of everything. */
async function answersOf(api: TestApp) {
  api.setNow(endOfRecording)
  const urls = [
    '/campaigns?pageSize=100&tokenWhitelist=false',
    '/campaigns?pageSize=100&tokenWhitelist=false&sortBy=active',
    ...recordedCampaigns.map(({ record }) => `/campaigns/${record.id}`),
    '/reward-kit/trending?period=24h&tokenWhitelist=false',
    '/explore/contracts?pageSize=100',
  ]
  return Promise.all(urls.map(async (url) => (await api.get(url)).json()))
}

/** What is stored of campaigns, claims and tokens, and all that is derived from them. */
async function factsOf(database: TestDatabase) {
  const { followed_chains, followed_blocks, followed_campaigns, allow_lists, ...facts } = await contentOf(database)
  return facts
}

/** The same facts, brought by an operator. */
const importedFacts: ImportRecord[] = [
  ...recordedTokens,
  ...recordedCampaigns.map(({ record }) => record as ImportRecord),
  ...recordedClaims.map(({ blockNumber, ...claim }) => ({
    type: 'claim' as const,
    ...claim,
    blockTimestamp: String(recording.blocks.find(({ number }) => number === blockNumber)?.timestamp),
  })),
]

describe('the recording', () => {
  test('when it has been followed, answers are as if its facts had been imported', async () => {
    await using indexed = await startTestApp()
    await using imported = await startTestApp()
    await using node = await startScriptedNode(playedRecording(END - 20))
    await using index = await openIndexed(indexed.database.url, node.url)
    await index.settle()
    await imported.save(...importedFacts)
    expect(await answersOf(indexed)).toEqual(await answersOf(imported))
    expect(await factsOf(indexed.database)).toEqual(await factsOf(imported.database))
  })
})
