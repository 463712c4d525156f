import { type Claim, walk } from './account-checks.ts'
import { type Operation, toJson } from './contract.ts'
import type { HttpClient, HttpResponse } from './http-client.ts'
import { campaigns, readPage } from './listings.ts'
import { findClaimant } from './reward-checks.ts'

/** Campaigns of which it is asked why they are not listed. */
const MAX_EXPLAINED = 3

/** Campaigns in trending at most. */
const MAX_TRENDING = 100

/** Rows of a statement that are compared. */
const ROWS = 50

type Entry = Record<string, unknown> & { metadata?: { symbol: string; decimals: number } | null }

/** The columns in their order. */
const CLAIM_COLUMNS = [
  ...['at', 'chainId', 'campaignId', 'campaignName', 'claimant', 'incentiveIndex', 'incentiveType', 'asset'],
  ...['symbol', 'amount', 'amountInTokens', 'amountUsd', 'txHash', 'logIndex'],
]
const REWARD_COLUMNS = [
  ...['campaignId', 'campaignName', 'chainId', 'incentiveIndex', 'incentiveType', 'verdict', 'asset', 'symbol'],
  ...['claims', 'claimedAmount', 'claimedAmountInTokens', 'claimedAmountUsd', 'rewardNow', 'rewardNowInTokens'],
  ...['rewardNowUsd', 'claimUntil', 'lastClaimedAt', 'lastTxHash'],
]

/** Those that are made of several keys of the JSON; all others have what the key of their name has. */
const MADE = ['at', 'chainId', 'symbol', 'amountInTokens', 'claimedAmountInTokens', 'rewardNowInTokens']

/** What an auction pays changes every second. */
const OF_THE_MOMENT = ['rewardNow', 'rewardNowUsd']

/** Claims by transaction, statements, and why a campaign is not listed. */
export async function findStatementViolations(http: HttpClient, operations: readonly Operation[]): Promise<string[]> {
  const hasLookups = operations.some(({ path }) => path === '/users/{address}/rewards')
  const claimant = hasLookups ? await findClaimant(http) : undefined
  const violations = await Promise.all([
    findTransactionViolations(http),
    compareStatement(http, '/claims?', 'claims', { columns: CLAIM_COLUMNS, amounts: ['amount'] }),
    claimant === undefined
      ? []
      : compareStatement(http, `/users/${claimant}/rewards?`, 'rewards', {
          columns: REWARD_COLUMNS,
          amounts: ['claimedAmount', 'rewardNow'],
        }),
    findExplanationViolations(http),
    findTrendingExplanationViolations(http),
  ])
  return violations.flat()
}

async function findTransactionViolations(http: HttpClient) {
  const newest: Claim[] = Object(toJson((await http.send('/claims?pageSize=100')).text)).claims ?? []
  const hashes = [...new Set([newest[0], newest.at(-1)].flatMap((claim) => claim?.txHash ?? []))]
  if (hashes.length === 0) return []
  const { entries } = await walk<Claim>(http, `/claims?txHash=${hashes.join()}`, 'claims')
  const keyOf = ({ campaignId, txHash, logIndex }: Claim) => `${campaignId.split(':')[0]} ${txHash} ${logIndex}`
  const found = new Set(entries.map(keyOf))
  const checks: [holds: boolean, violation: string][] = [
    [entries.every(({ txHash }) => hashes.includes(txHash)), 'returns claims of other transactions'],
    [
      newest.every((claim) => !hashes.includes(claim.txHash) || found.has(keyOf(claim))),
      'does not return all claims of a transaction',
    ],
  ]
  return checks.filter(([holds]) => !holds).map(([, violation]) => `/claims: txHash ${violation}`)
}

/** The rows of a text by RFC 4180, as objects of their columns. */
function readCsv(text: string) {
  const rows: string[][] = []
  let row: string[] = []
  for (const [, cell = '', end = ''] of text.matchAll(/("(?:[^"]|"")*"|[^",\r\n]*)(,|\r\n)/g)) {
    row.push(cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell)
    if (end === ',') continue
    rows.push(row)
    row = []
  }
  const [names = [], ...others] = rows
  return {
    names,
    rows: others.map((cells): Row => Object.fromEntries(names.map((name, index) => [name, cells[index] ?? '']))),
  }
}

type Row = Record<string, string>

/** A text as a statement has it: one that a spreadsheet would take for a formula is led by an apostrophe. */
const toCell = (value: unknown) => String(value ?? '').replace(/^[=+\-@\t\r]/, "'$&")

/** Whole tokens as base units; undefined where they have more decimals than the token. */
function toBaseUnits(tokens: string, decimals: number) {
  const [whole = '', fraction = ''] = tokens.split('.')
  return fraction.length > decimals ? undefined : BigInt(whole + fraction.padEnd(decimals, '0'))
}

async function compareStatement(
  http: HttpClient,
  path: string,
  name: string,
  { columns, amounts }: { columns: readonly string[]; amounts: readonly string[] },
) {
  const [json, csv] = await Promise.all([
    http.send(`${path}pageSize=${ROWS}`),
    http.send(`${path}pageSize=${ROWS}&format=csv`),
  ])
  const entries: Entry[] = Object(toJson(json.text))[name] ?? []
  const { names, rows } = readCsv(csv.text)
  const isEqual = (row: Row, entry: Entry = {}) =>
    columns
      .filter((column) => !MADE.includes(column))
      .filter((column) => entry.incentiveType !== 'CGDAIncentive' || !OF_THE_MOMENT.includes(column))
      .every((column) => row[column] === toCell(entry[column])) &&
    row.symbol === toCell(entry.metadata?.symbol) &&
    row.chainId === String(entry.campaignId).split(':')[0] &&
    (entry.blockTimestamp === undefined || Date.parse(row.at ?? '') === 1000 * Number(entry.blockTimestamp))
  /** Each row by itself: its amounts are those of one instant. */
  const isWhole = (row: Row, { metadata }: Entry = {}) =>
    amounts.every((amount) => {
      const [baseUnits = '', tokens = ''] = [row[amount], row[`${amount}InTokens`]]
      if (!metadata || baseUnits === '') return true
      return tokens !== '' && toBaseUnits(tokens, metadata.decimals) === BigInt(baseUnits)
    })
  const checks: [holds: boolean, violation: string][] = [
    [isDownload(csv), 'is no download of text/csv'],
    [names.join() === columns.join(), 'has other columns, or in another order'],
    [rows.length === entries.length, 'has another number of rows than the JSON has entries'],
    [rows.every((row, index) => isEqual(row, entries[index])), 'says something else than the JSON'],
    [rows.every((row, index) => isWhole(row, entries[index])), 'has other amounts in whole tokens than in base units'],
  ]
  return checks.filter(([holds]) => !holds).map(([, violation]) => `the statement of ${name} ${violation}`)
}

const isDownload = ({ headers }: HttpResponse) =>
  /^text\/csv\b/.test(headers.get('content-type') ?? '') &&
  /^attachment; filename="[^":]+\.csv"$/.test(headers.get('content-disposition') ?? '')

interface Explained {
  isKnown: boolean
  isListed: boolean
  failed: { parameter: string }[]
}

/** In trending too, which has at most 100 campaigns: one that it lists, and one that it does not. */
async function findTrendingExplanationViolations(http: HttpClient) {
  const path = '/reward-kit/trending?tokenWhitelist=false'
  const listed = await listTrending(http, path)
  const { entries } = await readPage(http, campaigns, 'tokenWhitelist=false&pageSize=100')
  const chosen = [listed.ids[0], entries.find(({ id }) => !listed.ids.includes(id))?.id]
  const violations = await Promise.all(
    chosen.map(async (id) => {
      if (id === undefined) return []
      const { ids, explained } = await listTrending(http, `${path}&explain=${id}`)
      const isListed = ids.includes(id)
      const checks: [holds: boolean, violation: string][] = [
        [
          // Some that pass may be cut off.
          explained?.isListed === isListed || (!isListed && ids.length >= MAX_TRENDING),
          'says otherwise than the list whether a campaign is in it',
        ],
        [explained?.isListed === (explained?.failed.length === 0), 'names no filter that a campaign fails'],
      ]
      return checks.filter(([holds]) => !holds).map(([, violation]) => `/reward-kit/trending: explain ${violation}`)
    }),
  )
  return [...new Set(violations.flat())]
}

/** Those that are listed, and what is explained beside them. */
async function listTrending({ send }: HttpClient, path: string) {
  const { trendingCampaigns = [], explained } = Object(toJson((await send(path)).text))
  const ids: string[] = trendingCampaigns.map(({ id }: { id: string }) => id)
  return { ids, explained: explained as Explained | undefined }
}

/** What `explain` says of a campaign is what the list does. */
async function findExplanationViolations(http: HttpClient) {
  const { entries } = await readPage(http, campaigns, 'tokenWhitelist=false&pageSize=100')
  const inactive = entries.find(({ isActive }) => !isActive)
  const chosen = [...new Set([...(inactive ? [inactive] : []), ...entries])].slice(0, MAX_EXPLAINED)
  const filters = 'showActiveOnly=true'
  const { text } = await http.send(`/campaigns?${filters}&pageSize=1`)
  const violations = await Promise.all(
    chosen.map(async ({ id }) => {
      const [response, own] = await Promise.all([
        http.send(`/campaigns?${filters}&pageSize=1&explain=${id}`),
        readPage(http, campaigns, `${filters}&campaignId=${id}&pageSize=0`),
      ])
      const { explained, ...rest }: { explained?: Explained } = Object(toJson(response.text))
      const checks: [holds: boolean, violation: string][] = [
        [explained?.isKnown === true, 'does not know a campaign that is listed'],
        [explained?.isListed === (own.total === 1), 'says otherwise than the list whether a campaign is in it'],
        [explained?.isListed === (explained?.failed.length === 0), 'names no filter that a campaign fails'],
        [JSON.stringify(rest) === JSON.stringify(toJson(text)), 'changes the list'],
      ]
      return checks.filter(([holds]) => !holds).map(([, violation]) => `/campaigns: explain ${violation}`)
    }),
  )
  return [...new Set(violations.flat())]
}
