import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parser } from '@prometheus-io/lezer-promql'
import { beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { exposedMetrics } from '../../setup/documents/registers.ts'
import { startTestApp } from '../../setup/test-app.ts'

/*
 * The dashboard and the alert rules in `ops/`: each of their queries is PromQL, about metrics and labels that there are.
 */

interface Rule {
  alert: string
  expr: string
  for?: string
  labels: { severity: string }
  annotations: { summary: string; action: string }
}
interface Panel {
  id: number
  type: string
  title: string
  description?: string
  gridPos: { h: number; w: number; x: number; y: number }
  targets?: { refId: string; expr: string; legendFormat: string }[]
}
interface Dashboard {
  uid: string
  templating: { list: { name: string; query: unknown }[] }
  panels: Panel[]
}

const read = (path: string) => readFile(join(import.meta.dirname, '../../../ops', path), 'utf8')
const { groups }: { groups: { name: string; rules: Rule[] }[] } = parse(await read('prometheus/alerts.yaml'))
const dashboard: Dashboard = JSON.parse(await read('grafana/dashboard.json'))
const rules = groups.flatMap((group) => group.rules)
const panels = dashboard.panels.filter(({ type }) => type !== 'row')

/** The labels of each name that is exposed; Prometheus adds `instance` and `job`, and says itself what is `up`. */
const labels = new Map<string, Set<string>>([['up', new Set(['instance', 'job'])]])

beforeAll(async () => {
  await using api = await startTestApp()
  const { serve, index } = exposedMetrics(api)
  for (const metric of [...serve, ...index]) {
    const added = [...metric.labels, 'instance', 'job']
    const series = metric.type === 'histogram' ? ['_bucket', '_sum', '_count'] : ['']
    for (const suffix of series)
      labels.set(metric.name + suffix, new Set(suffix === '_bucket' ? [...added, 'le'] : added))
  }
})

/** The metrics of a query with the labels that are matched, and the labels that are grouped by. Throws where it is not PromQL. */
function namesIn(query: string) {
  const metrics: { metric: string; matched: string[] }[] = []
  const grouped: string[] = []
  parser.parse(query).iterate({
    enter(node) {
      const { type, name, from, to } = node
      const text = query.slice(from, to)
      if (type.isError) throw new Error(`not PromQL at ${from}: ${query}`)
      if (name === 'Identifier' && node.matchContext(['VectorSelector'])) metrics.push({ metric: text, matched: [] })
      if (name !== 'LabelName') return
      if (node.matchContext(['GroupingLabels'])) grouped.push(text)
      else metrics.at(-1)?.matched.push(text)
    },
  })
  return { metrics, grouped }
}

function expectExposed(query: string, about: string) {
  const { metrics, grouped } = namesIn(query)
  expect(metrics.length, about).toBeGreaterThan(0)
  for (const { metric, matched } of metrics) {
    const known = [...(labels.get(metric) ?? [])]
    expect(known, `${about}: ${metric} is not exposed`).not.toEqual([])
    expect(known, `${about}: ${metric}`).toEqual(expect.arrayContaining([...matched, ...grouped]))
  }
}

test('what is no PromQL, and a metric or a label that is not there, is found', () => {
  expect(() => expectExposed('sum(rate(reward_campaigns_database_up[5m])', 'open')).toThrow('not PromQL')
  expect(() => expectExposed('database_down == 0', 'unknown')).toThrow('database_down is not exposed')
  expect(() => expectExposed('reward_campaigns_http_request_duration_seconds > 1', 'histogram')).toThrow(
    'is not exposed',
  )
  expect(() => expectExposed('sum by (chain) (reward_campaigns_chain_lag_seconds)', 'label')).toThrow(
    'reward_campaigns_chain_lag_seconds',
  )
  expect(() =>
    expectExposed(
      'reward_campaigns_database_up{limit="a"} + rate(reward_campaigns_rate_limited_requests_total[1m])',
      'matcher',
    ),
  ).toThrow('reward_campaigns_database_up')
  expectExposed('sum by (chain_id) (reward_campaigns_chain_lag_seconds{instance="a"}) > 1', 'right')
})

describe('an alert', () => {
  test('asks for what is exposed', () => {
    expect(rules.length).toBeGreaterThan(10)
    for (const { alert, expr } of rules) expectExposed(expr, alert)
  })

  test('is about the jobs of the scrape configuration alone', async () => {
    const { scrape_configs: jobs }: { scrape_configs: { job_name: string }[] } = parse(
      await read('prometheus/prometheus.yaml'),
    )
    expect(jobs.map(({ job_name: name }) => name)).toEqual(['reward-campaigns', 'reward-campaigns-index'])
    for (const { alert, expr } of rules) {
      for (const { metric, matched } of namesIn(expr).metrics) expect(matched, `${alert}: ${metric}`).toContain('job')
      for (const [, job] of expr.matchAll(/job=~?"([^"]*)"/g)) {
        expect(['reward-campaigns', 'reward-campaigns-index', 'reward-campaigns(-index)?'], alert).toContain(job)
      }
    }
  })

  test('has a name of its own, a severity, and sentences on what it means and what to do', () => {
    const names = rules.map(({ alert }) => alert)
    expect(new Set(names).size).toBe(names.length)
    for (const { alert, labels, annotations, for: duration = '1m' } of rules) {
      expect(alert).toMatch(/^([A-Z][a-z]+)+$/)
      expect(['page', 'ticket'], alert).toContain(labels.severity)
      expect(duration, alert).toMatch(/^\d+[smh]$/)
      expect(Object.keys(annotations), alert).toEqual(['summary', 'action'])
      for (const sentence of Object.values(annotations)) expect(sentence, alert).toMatch(/^[A-Z].{20,}\.$/)
    }
  })

  test('stands in the guide, if it wakes somebody up', async () => {
    const guide = await readFile(join(import.meta.dirname, '../../../docs/guides/monitoring.md'), 'utf8')
    for (const { alert, labels } of rules) if (labels.severity === 'page') expect(guide).toContain(`\`${alert}\``)
  })
})

describe('the dashboard', () => {
  test('asks for what is exposed, whatever is chosen', () => {
    const queries = panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => ({ title, expr })))
    expect(queries.length).toBeGreaterThan(20)
    for (const { title, expr } of queries) {
      for (const [, variable] of expr.matchAll(/\$\{?(\w+)/g)) {
        expect(['__rate_interval', ...dashboard.templating.list.map(({ name }) => name)], title).toContain(variable)
      }
      expectExposed(expr.replaceAll('$__rate_interval', '5m'), title)
    }
    expect(JSON.stringify(dashboard.templating)).toContain('label_values(reward_campaigns_database_up, instance)')
  })

  test('says of each panel what it shows, and no panel covers another', () => {
    const cells = new Set<string>()
    for (const { id, title, description, gridPos } of panels) {
      expect(description, title).toMatch(/^[A-Z].{10,}\.$/)
      expect(
        dashboard.panels.filter((other) => other.id === id),
        title,
      ).toHaveLength(1)
      for (let x = gridPos.x; x < gridPos.x + gridPos.w; x += 1) {
        for (let y = gridPos.y; y < gridPos.y + gridPos.h; y += 1) {
          expect(cells.has(`${x} ${y}`), title).toBe(false)
          cells.add(`${x} ${y}`)
        }
      }
      expect(gridPos.x + gridPos.w, title).toBeLessThanOrEqual(24)
    }
  })

  test('shows each metric of ours', () => {
    const shown = panels.flatMap(({ targets = [] }) =>
      targets.flatMap(({ expr }) =>
        namesIn(expr.replaceAll('$__rate_interval', '5m')).metrics.map(({ metric }) => metric),
      ),
    )
    const ours = [...labels.keys()].filter((name) => !/^up$|^(process|nodejs)_|_(bucket|sum|count)$/.test(name))
    expect(ours.filter((name) => !shown.includes(name))).toEqual([])
  })
})
