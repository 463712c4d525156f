import { stemmer } from 'stemmer'

/** Words of queries that say nothing about a subject. */
const STOP_WORDS = new Set(
  (
    'a about am an and any are as at be been but by can cannot could did do does doing done for from got had has have ' +
    'having how i if in into is it its like many may me mean means much my need of on one onto or our over own please s said say says should so some t tell than that the ' +
    'their them then there these they this through to up us use used using want was we were what when where which ' +
    'while who whose why will with would you your'
  ).split(' '),
)

/** What people type, and the words that the pages have for it. */
const SYNONYMS: Readonly<Record<string, string>> = {
  absent: 'missing',
  alert: 'monitoring notify changes webhook',
  apikey: 'api key',
  appear: 'missing',
  apr: 'outlook pace',
  apy: 'outlook pace',
  auth: 'token bearer protected',
  authentication: 'token bearer protected',
  bearer: 'protected',
  caddy: 'proxies',
  compatibility: 'versions',
  compatible: 'versions',
  core: 'processes',
  create: 'get',
  cron: 'timer',
  delete: 'removing removal',
  downtime: 'upgrade losing',
  duplicate: 'once',
  eligible: 'verdicts eligibility',
  env: 'settings',
  environment: 'settings',
  etag: 'caching',
  everything: 'all',
  excel: 'spreadsheet statement',
  gdpr: 'privacy',
  get: 'create',
  hidden: 'missing',
  hide: 'missing',
  historical: 'past',
  hook: 'webhook',
  https: 'tls proxies',
  ignored: 'missing',
  indexed: 'supported',
  instance: 'processes',
  iterate: 'read everything once',
  k8s: 'kubernetes',
  latency: 'lag',
  live: 'changes stream',
  llm: 'agents',
  local: 'machine demo',
  login: 'bearer authentication protected',
  make: 'create get',
  migrate: 'move restore',
  missing: 'shown',
  move: 'restore new server',
  multiple: 'several',
  network: 'chain',
  notification: 'webhook changes',
  notify: 'webhook changes',
  old: 'freshness age',
  pagination: 'paging',
  postgres: 'postgresql',
  push: 'webhook changes',
  realtime: 'changes stream following',
  rename: 'metadata name',
  replica: 'processes instances',
  scroll: 'paging',
  semver: 'versions',
  slow: 'monitoring',
  ssl: 'tls',
  stability: 'versions',
  stale: 'freshness caching',
  stream: 'changes following',
  subpath: 'prefix below path',
  subscribe: 'changes webhook stream following',
  supported: 'indexed',
  swagger: 'openapi generated clients',
  throttle: 'limits',
  too: '429',
  traefik: 'proxies',
  typescript: 'client',
  update: 'changes',
  usd: 'dollars',
  websocket: 'stream changes',
  wei: 'amounts base units',
}

/** The words of a text; names such as `DATABASE_URL` are one. */
export const wordsOf = (text: string) => text.split(/[^\p{L}\p{M}\p{N}_]+/u).filter((word) => word !== '')

/** `paging`, `pages` and `paged` are one word. */
const toStem = (word: string) => stemmer(word.toLowerCase())

const synonyms = new Map(
  Object.entries(SYNONYMS).map(([word, others]): [string, string[]] => [toStem(word), others.split(' ').map(toStem)]),
)

/** The terms of a word on a page: its stem, and those of the words in a name such as `showActiveOnly`. */
export function toTerms(word: string): string[] {
  const parts = word.match(/\p{Lu}?\p{Ll}+|\p{Lu}+(?!\p{Ll})|\p{N}+/gu) ?? []
  return [...new Set([word, ...(parts.length > 1 ? parts : [])].map(toStem))]
}

export interface QueryTerms {
  /** What was typed; the last one may be the beginning of a word. */
  typed: string[]
  /** What else the pages may call it. */
  others: string[]
}

/** The terms of what somebody types. Where all words are stop words, they count. */
export function toQueryTerms(query: string): QueryTerms {
  const words = wordsOf(query.replace(/\breal[ -]time\b/gi, 'realtime'))
  const subjects = words.filter((word) => !STOP_WORDS.has(word.toLowerCase()))
  const typed = (subjects.length > 0 ? subjects : words).map(toStem)
  return { typed, others: typed.flatMap((term) => synonyms.get(term) ?? []).filter((term) => !typed.includes(term)) }
}
