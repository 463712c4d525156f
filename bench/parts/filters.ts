import { openIngest } from '../../src/ingest/batches.ts'
import type { CampaignRecord } from '../../src/ingest/records.ts'
import { aNewCampaign } from '../block-batches.ts'
import { withDatabaseBeside } from '../facts-database.ts'
import { medianOf, toText } from '../figures.ts'
import { findPopular } from '../known-facts.ts'
import type { Part, PartContext } from '../part.ts'
import { type AskedFor, listQuestions } from '../questions.ts'
import { startService } from '../service.ts'
import { createAsker, worstOf } from '../single-questions.ts'
import { withdraw } from '../withdrawal.ts'
import { CACHE_MEGABYTES } from './repeated.ts'

const FEW_CAMPAIGNS = 10_000
const FEW_CLAIMS = 100_000

const ROUNDS = 5
/** What takes longer is asked in one round only. */
const LONG_MS = 300
/** No round begins later than this. */
const LIMIT_MS = 240_000

const PAGE_MS = 2

/** Any filter and any pair, on few campaigns and on many. */
export const filters: Part = {
  limitMinutes: 12,
  targets: {
    page: {
      what: 'any single filter or pair, also with showActiveOnly: the page',
      unit: 'ms PostgreSQL CPU',
      rule: 'at most',
      limit: PAGE_MS,
    },
    ratio: {
      what: `the page among all campaigns against ${FEW_CAMPAIGNS.toLocaleString('en-US')}`,
      unit: '×',
      rule: 'at most',
      limit: 1.5,
    },
    single: {
      what: 'its exact total, a single filter, asked for the first time since it could have changed',
      unit: 'ms PostgreSQL CPU',
      rule: 'at most',
      limit: 5,
    },
    pair: {
      what: 'its exact total, a pair, asked for the first time since it could have changed',
      unit: 'ms PostgreSQL CPU',
      rule: 'at most',
      limit: 60,
    },
    again: {
      what: 'its exact total, asked for again',
      unit: 'ms PostgreSQL CPU (the version of the data is still asked for)',
      rule: 'at most',
      limit: 0.3,
    },
  },
  async *measure(context) {
    const few = await withDatabaseBeside(context.facts.url, FEW_CAMPAIGNS, FEW_CLAIMS, (url) => askAll(context, url))
    context.say(
      `the same among ${FEW_CAMPAIGNS} campaigns: ${worstOf(few.map(({ name, page }) => ({ name, ms: page }))).note}`,
    )
    const many = await askAll(context, context.facts.url)
    const of = (figure: 'page' | 'first' | 'again', filters?: number) =>
      worstOf(
        many
          .filter((question) => filters === undefined || question.filters === filters)
          .map((question) => ({ name: question.name, ms: question[figure] })),
      )
    yield { target: 'page', ...of('page') }
    const ratios = many
      .map(({ name, page }, index) => ({ name, ratio: page / (few[index]?.page ?? Number.NaN) }))
      .sort((one, other) => other.ratio - one.ratio)
    const hardest = ratios.slice(0, 3).map(({ name, ratio }) => `${name} ${toText(ratio)} ×`)
    yield {
      target: 'ratio',
      value: ratios[0]?.ratio ?? Number.NaN,
      note: `median ${toText(medianOf(ratios.map(({ ratio }) => ratio)))} ×; worst: ${hardest.join('; ')}`,
    }
    yield { target: 'single', ...of('first', 1) }
    yield { target: 'pair', ...of('first', 2) }
    yield { target: 'again', ...of('again') }
  },
}

interface Asked extends AskedFor {
  page: number
  first: number
  again: number
}

/**
 * Each round, a campaign comes that matches every question. Then each is asked for its total alone, for that again with
 * other words, and for a page that nobody has asked for; so no answer is one that was kept.
 */
async function askAll(context: PartContext, databaseUrl: string): Promise<Asked[]> {
  const popular = await findPopular(databaseUrl)
  await using service = await startService(context, databaseUrl, CACHE_MEGABYTES)
  const ask = createAsker(context, service)
  const ingest = await openIngest(databaseUrl)
  const campaigns: CampaignRecord[] = []
  const asked = listQuestions(popular).map((question) => ({
    question,
    page: [] as number[],
    first: [] as number[],
    again: [] as number[],
  }))
  try {
    const end = Date.now() + LIMIT_MS
    // The first round makes plans and fills memories.
    for (let round = 0; round <= ROUNDS && (round < 2 || Date.now() < end); round += 1) {
      const campaign = aNewCampaign({ ...popular, chainId: popular.target.chainId, token: popular.token.address })
      await ingest.apply({ records: [campaign] })
      campaigns.push(campaign)
      for (const { question, page, first, again } of asked) {
        if ([...page, ...first].some((ms) => ms > LONG_MS)) continue
        const path = `/campaigns?${question.query}&pageSize=`
        const times = [
          await ask(`${path}0`),
          await ask(`${path}0&page=${2 + round}`),
          await ask(`${path}${10 + round}`),
        ]
        if (round === 0) continue
        for (const [index, list] of [first, again, page].entries()) list.push(times[index] ?? Number.NaN)
      }
      context.say(`round ${round} of ${ROUNDS} of ${asked.length} questions`)
    }
  } finally {
    await withdraw(ingest, { claims: [], campaigns })
    await ingest.close()
  }
  return asked.map(({ question, page, first, again }) => ({
    ...question,
    ...{ page: medianOf(page), first: medianOf(first), again: medianOf(again) },
  }))
}
