import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { parse, stringify } from 'yaml'
import { root } from '../../setup/documents/documents.ts'

/*
 * When each alert fires, and that none does where all is well: with Prometheus' own evaluation, over series as processes make
 * them. A value for each minute: `0x5 1x5` is 0 for six minutes, then 1 for six.
 */

const PROMTOOL = '/usr/bin/promtool'
const RULES = join(root, 'ops/prometheus/alerts.yaml')
const MINUTES = 30

/** Two processes that serve and one that follows a chain, with nothing amiss. */
const healthy: Record<string, string> = {
  'up{job="reward-campaigns",instance="a"}': '1x30',
  'up{job="reward-campaigns",instance="b"}': '1x30',
  'up{job="reward-campaigns-index",instance="c"}': '1x30',
  'reward_campaigns_database_up{job="reward-campaigns",instance="a"}': '1x30',
  'reward_campaigns_database_older_timeline_total{job="reward-campaigns",instance="a"}': '0x30',
  'reward_campaigns_unhandled_errors_total{job="reward-campaigns",instance="a"}': '0x30',
  'reward_campaigns_http_request_duration_seconds_count{job="reward-campaigns",instance="a",route="/campaigns",status="200"}':
    '0+6000x30',
  'reward_campaigns_http_request_duration_seconds_bucket{job="reward-campaigns",instance="a",route="/campaigns",status="200",le="1"}':
    '0+6000x30',
  'reward_campaigns_http_request_duration_seconds_bucket{job="reward-campaigns",instance="a",route="/campaigns",status="200",le="5"}':
    '0+6000x30',
  'reward_campaigns_http_request_duration_seconds_bucket{job="reward-campaigns",instance="a",route="/campaigns",status="200",le="+Inf"}':
    '0+6000x30',
  // Waits for changes, and exports that are read slowly.
  ...Object.fromEntries(
    ['/changes', '/export/claims'].flatMap((route) =>
      ['1', '5', '+Inf'].map((le) => [
        `reward_campaigns_http_request_duration_seconds_bucket{job="reward-campaigns",instance="a",route="${route}",status="200",le="${le}"}`,
        le === '+Inf' ? '0+60x30' : '0x30',
      ]),
    ),
  ),
  'reward_campaigns_database_connections{job="reward-campaigns",instance="a",pool="queries",state="waiting"}': '0x30',
  'reward_campaigns_cache_requests_total{job="reward-campaigns",instance="a",result="stale"}': '0x30',
  'nodejs_eventloop_lag_p99_seconds{job="reward-campaigns",instance="a"}': '0.01x30',
  'process_resident_memory_bytes{job="reward-campaigns",instance="a"}': '250e6x30',
  'process_resident_memory_bytes{job="reward-campaigns-index",instance="c"}': '500e6x30',
  'reward_campaigns_rate_limited_requests_total{job="reward-campaigns",instance="a",limit="requests"}': '0x30',
  'reward_campaigns_failed_auth_total{job="reward-campaigns",instance="a"}': '0+1x30',
  'reward_campaigns_data_version_observed_timestamp_seconds{job="reward-campaigns",instance="a"}': '0x30',
  'reward_campaigns_build_info{job="reward-campaigns",instance="a",version="2.0.0"}': '1x30',
  'reward_campaigns_build_info{job="reward-campaigns-index",instance="c",version="2.0.0"}': '1x30',
  'reward_campaigns_chain_lag_seconds{job="reward-campaigns",instance="a",chain_id="8453"}': '4x30',
  'reward_campaigns_chain_rpc_requests_total{job="reward-campaigns-index",instance="c",chain_id="8453",endpoint="1"}':
    '0+60x30',
  'reward_campaigns_chain_rpc_errors_total{job="reward-campaigns-index",instance="c",chain_id="8453",endpoint="1",fault="timeout"}':
    '0+1x30',
  'reward_campaigns_chain_reorg_depth_blocks_count{job="reward-campaigns-index",instance="c",chain_id="8453"}': '0x30',
  'reward_campaigns_chain_reorg_depth_blocks_bucket{job="reward-campaigns-index",instance="c",chain_id="8453",le="20"}':
    '0x30',
  'reward_campaigns_chain_unknown_components{job="reward-campaigns-index",instance="c",chain_id="8453"}': '0x30',
  'reward_campaigns_chain_skipped_campaigns{job="reward-campaigns-index",instance="c",chain_id="8453"}': '0x30',
  'reward_campaigns_chain_orphan_claims_total{job="reward-campaigns-index",instance="c",chain_id="8453"}': '0x30',
  'reward_campaigns_chain_differences{job="reward-campaigns-index",instance="c",chain_id="8453"}': '0x30',
  'reward_campaigns_chain_proof_age_seconds{job="reward-campaigns-index",instance="c",chain_id="8453"}': '600x30',
  'reward_campaigns_chain_feed_price_age_seconds{job="reward-campaigns-index",instance="c",chain_id="8453",feed="0xf1"}':
    '1200x30',
  // Another application, whose metrics have the same names.
  'reward_campaigns_http_request_duration_seconds_count{job="shop",instance="z",route="/",status="503"}': '0+6000x30',
  'process_resident_memory_bytes{job="shop",instance="z"}': '4e9x30',
  'nodejs_eventloop_lag_p99_seconds{job="shop",instance="z"}': '3x30',
}

const of = (pattern: string) => Object.keys(healthy).filter((series) => series.startsWith(pattern))
const series = (pattern: string, values: string) => Object.fromEntries(of(pattern).map((name) => [name, values]))

/** What makes each alert fire, beside what is healthy, and what else fires with it. */
const cases: { alert: string; series: Record<string, string>; also?: string[]; minutes?: number }[] = [
  { alert: 'ServiceAbsent', series: series('up{job="reward-campaigns",', '1x5 0x24'), also: ['ProcessGone'] },
  { alert: 'ProcessGone', series: series('up{job="reward-campaigns",instance="b"', '1x5 0x24') },
  { alert: 'ProcessGone', series: series('up{job="reward-campaigns-index"', '1x5 0x24') },
  { alert: 'DatabaseUnreachable', series: series('reward_campaigns_database_up', '1x5 0x24') },
  { alert: 'OldPrimary', series: series('reward_campaigns_database_older_timeline_total', '0x25 1x4') },
  { alert: 'UnhandledErrors', series: series('reward_campaigns_unhandled_errors_total', '0x25 1x4') },
  {
    alert: 'RequestsRefused',
    series: {
      'reward_campaigns_http_request_duration_seconds_count{job="reward-campaigns",instance="a",route="/campaigns",status="503"}':
        '0+120x30',
    },
  },
  {
    alert: 'ResponsesSlow',
    series: series(of('reward_campaigns_http_request_duration_seconds_bucket')[0] ?? '', '0+5000x30'),
  },
  { alert: 'ConnectionsWaiting', series: series('reward_campaigns_database_connections', '0x20 3x9') },
  { alert: 'StaleResponses', series: series('reward_campaigns_cache_requests_total', '0+10x30') },
  { alert: 'EventLoopLate', series: series('nodejs_eventloop_lag_p99_seconds{job="reward-campaigns"', '0.9x30') },
  // Below what ends the process: 512 MiB of serve, 1 GiB of index.
  { alert: 'MemoryHigh', series: series('process_resident_memory_bytes{job="reward-campaigns",', '500e6x30') },
  { alert: 'MemoryHigh', series: series('process_resident_memory_bytes{job="reward-campaigns-index"', '1000e6x30') },
  { alert: 'ClientsLimited', series: series('reward_campaigns_rate_limited_requests_total', '0+3000x30') },
  { alert: 'TokensTried', series: series('reward_campaigns_failed_auth_total', '0+200x30') },
  { alert: 'DataUnchanged', series: series('reward_campaigns_data_version_observed_timestamp_seconds', '-86400x30') },
  {
    alert: 'VersionsDiffer',
    series: { 'reward_campaigns_build_info{job="reward-campaigns",instance="b",version="1.9.0"}': '1x90' },
    minutes: 90,
  },
  { alert: 'ChainBehind', series: series('reward_campaigns_chain_lag_seconds', '400x30') },
  { alert: 'EndpointFailing', series: series('reward_campaigns_chain_rpc_errors_total', '0+50x30') },
  { alert: 'DeepReorganisation', series: series('reward_campaigns_chain_reorg_depth_blocks_count', '0x25 1x4') },
  { alert: 'UnknownComponents', series: series('reward_campaigns_chain_unknown_components', '0x25 2x4') },
  { alert: 'CampaignsSkipped', series: series('reward_campaigns_chain_skipped_campaigns', '0x5 1x24') },
  { alert: 'ChainDiffers', series: series('reward_campaigns_chain_differences', '0x5 1x40'), minutes: 45 },
  { alert: 'ChainNotProven', series: series('reward_campaigns_chain_proof_age_seconds', '8000x30') },
  { alert: 'OrphanClaims', series: series('reward_campaigns_chain_orphan_claims_total', '0x25 1x4') },
  { alert: 'FeedPriceOld', series: series('reward_campaigns_chain_feed_price_age_seconds', '100000x30') },
]

interface Case {
  series: Record<string, string>
  /** Of the alerts that fire at the end. */
  names: string[]
  minutes?: number | undefined
}

/** All in one run of promtool. @throws with what it says where others fire. */
async function expectFiring(cases: Case[]) {
  const folder = await mkdtemp(join(tmpdir(), 'reward-campaigns-alerts-'))
  const file = join(folder, 'test.yaml')
  const tests = cases.map(({ series: given, names, minutes = MINUTES }) => ({
    name: names.join() || 'nothing',
    interval: '1m',
    input_series: Object.entries({ ...healthy, ...given }).map(([series, values]) => ({
      series,
      values: values.replace(/x30$/, `x${minutes}`),
    })),
    promql_expr_test: [
      {
        expr: 'group by (alertname) (ALERTS{alertstate="firing"})',
        eval_time: `${minutes - 1}m`,
        exp_samples: names.map((name) => ({ labels: `{alertname="${name}"}`, value: 1 })),
      },
    ],
  }))
  await writeFile(file, stringify({ rule_files: [RULES], evaluation_interval: '1m', tests }))
  try {
    await promisify(execFile)(PROMTOOL, ['test', 'rules', file])
  } catch (error) {
    throw new Error(Object(error).stderr + Object(error).stdout)
  } finally {
    await rm(folder, { recursive: true })
  }
}

const isThere = existsSync(PROMTOOL)
describe.skipIf(!isThere)(`alerts${isThere ? '' : `, without promtool at ${PROMTOOL}`}`, () => {
  test('the rules and the scrape configuration are what Prometheus reads', async () => {
    await promisify(execFile)(PROMTOOL, ['check', 'config', join(root, 'ops/prometheus/prometheus.yaml')])
  })

  test('none fires where all is well, whatever another application does', () =>
    expectFiring([{ series: {}, names: [] }]))

  test('each fires where it should, and no other with it', async () => {
    for (const { series: given } of cases) expect(given).not.toEqual({})
    await expectFiring(
      cases.map(({ alert, also = [], series, minutes }) => ({ series, names: [alert, ...also].sort(), minutes })),
    )
  })

  test('each rule has a case', async () => {
    const { groups }: { groups: { rules: { alert: string }[] }[] } = parse(await readFile(RULES, 'utf8'))
    const alerts = groups.flatMap(({ rules }) => rules.map(({ alert }) => alert))
    expect([...new Set(cases.map(({ alert }) => alert))].sort()).toEqual(alerts.sort())
  })
})
