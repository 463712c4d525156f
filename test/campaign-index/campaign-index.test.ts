import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  CampaignIndex,
  type FormerValues,
  type IndexSearch,
  type WalkPlace,
} from '../../src/read-models/campaign-index/campaign-index.ts'
import type { IndexedCampaign } from '../../src/read-models/campaign-index/slots/campaign-slots.ts'
import { repeated } from '../setup/repetitions.ts'
import { aCampaign, drawnCampaigns, drawnChanges, drawnSearches } from './drawn-campaigns.ts'
import { naivePage } from './naive-index.ts'

const runs = { numRuns: repeated(60, 3000) }

type Changes = ReadonlyMap<number, IndexedCampaign | undefined>

/** The campaigns of an index, beside it. */
function follow(campaigns: readonly IndexedCampaign[]) {
  const index = new CampaignIndex()
  index.apply(campaigns)
  const known = new Map(campaigns.map((campaign) => [campaign.key, campaign]))
  return {
    index,
    known,
    apply(changes: Changes) {
      const written = [...changes.values()].filter((campaign) => campaign !== undefined)
      const removed = [...changes].flatMap(([key, campaign]) => (campaign === undefined ? [key] : []))
      index.apply(written, removed)
      for (const { key, ...campaign } of written) known.set(key, { key, ...campaign })
      for (const key of removed) known.delete(key)
    },
  }
}

function expectToAgree(index: CampaignIndex, campaigns: readonly IndexedCampaign[], searches: readonly IndexSearch[]) {
  expect(index.size).toBe(campaigns.length)
  for (const search of searches) {
    const { total, keys, facets } = naivePage(campaigns, search)
    expect(index.page(search)).toEqual({ total, keys, facets, place: null })
  }
}

test('a page, its total and the counts beside it are those of a look at every campaign', () => {
  fc.assert(
    fc.property(drawnCampaigns(), drawnSearches, (campaigns, searches) => {
      expectToAgree(follow(campaigns).index, campaigns, searches)
    }),
    runs,
  )
})

test('an index that has followed changes answers as one that is loaded anew', () => {
  fc.assert(
    fc.property(drawnCampaigns(), drawnChanges, drawnSearches, (campaigns, batches, searches) => {
      const { index, known, apply } = follow(campaigns)
      for (const changes of batches) {
        apply(changes)
        expectToAgree(index, [...known.values()], searches.slice(0, 1))
      }
      const loaded = new CampaignIndex(known.size)
      loaded.apply([...known.values()].reverse())
      expectToAgree(index, [...known.values()], searches)
      expectToAgree(loaded, [...known.values()], searches)
    }),
    runs,
  )
})

test('a walk comes by each campaign once, in the order of its beginning, whatever changes meanwhile', () => {
  fc.assert(
    fc.property(drawnCampaigns(120), drawnChanges, drawnSearches, (campaigns, batches, [search]) => {
      const { index, known, apply } = follow(campaigns)
      const former = new Map<number, FormerValues>()
      const newest = index.newestKey
      const walked: number[] = []
      let place: WalkPlace | undefined
      for (const batch of [...batches, ...Array.from({ length: 60 }, () => new Map())]) {
        const walk = { newest, place, former }
        const found = index.page({ ...(search as IndexSearch), limit: 7, offset: 0, walk })
        const all = [...known.values()]
        const due = naivePage(all, search as IndexSearch, former)
        expect(found.total).toBe(due.total)
        // What is still to come: not what has come, and nothing that came before and has only begun to pass.
        const last = walked.at(-1)
        walked.push(...found.keys)
        const order = due.all.filter((key) => key <= newest)
        expect(found.keys.every((key) => order.includes(key))).toBe(true)
        if (last === undefined || order.includes(last)) {
          const start = last === undefined ? 0 : order.indexOf(last) + 1
          expect(found.keys).toEqual(order.slice(start, start + 7))
          expect(found.place === null).toBe(start + 7 >= order.length)
        }
        if (found.place === null) break
        place = found.place
        for (const [key, campaign] of batch) {
          const was = known.get(key)
          if (was !== undefined && campaign !== undefined && !former.has(key)) former.set(key, was)
        }
        apply(batch)
      }
      expect(new Set(walked).size).toBe(walked.length)
      expect(place === undefined || walked.length > 0).toBe(true)
    }),
    runs,
  )
})

test('there is room for more campaigns than an index was made for', () => {
  const campaigns = Array.from({ length: 5000 }, (_, key) => aCampaign(key, key * 7919))
  const { index, known, apply } = follow(campaigns.slice(0, 3))
  for (let start = 3; start < campaigns.length; start += 500) {
    apply(new Map(campaigns.slice(start, start + 500).map((campaign) => [campaign.key, campaign])))
  }
  const searches = fc.sample(drawnSearches, { numRuns: 3, seed: 1 }).flat()
  expectToAgree(index, [...known.values()], searches)
  apply(new Map(campaigns.slice(0, 4990).map(({ key }) => [key, undefined])))
  expectToAgree(index, [...known.values()], searches)
})

test('active campaigns that have a value are counted', () => {
  fc.assert(
    fc.property(drawnCampaigns(), (campaigns) => {
      const { index } = follow(campaigns)
      const search: IndexSearch = { groups: [], activity: 'only', instant: 25, limit: 0, offset: 0 }
      const [tokens] = naivePage(campaigns, {
        ...search,
        facets: [{ kind: 'token', own: undefined }],
        facetSize: 99,
      }).facets
      expect(index.countActive('token', 25)).toEqual(new Map(tokens?.values.map(({ value, count }) => [value, count])))
    }),
    runs,
  )
})
