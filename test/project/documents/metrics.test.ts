import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { root, withLines } from '../../setup/documents/documents.ts'
import { type ExposedMetric, exposedMetrics } from '../../setup/documents/registers.ts'
import { startTestApp } from '../../setup/test-app.ts'

/*
 * What operators are told of metrics is compared with what the processes expose.
 */

let exposed: { serve: ExposedMetric[]; index: ExposedMetric[] }

beforeAll(async () => {
  await using api = await startTestApp()
  exposed = exposedMetrics(api)
})

test('the reference lists exactly the metrics of each process, with their labels and help', async () => {
  const names = [...new Set([...exposed.serve, ...exposed.index].map(({ name }) => name))]
  const expected = names
    .filter((name) => !/^(process|nodejs)_/.test(name))
    .map((name) => {
      const of = (['serve', 'index'] as const).filter((process) => exposed[process].some((one) => one.name === name))
      const [{ help, labels, type } = { help: '', labels: [], type: '' }, ...same] = of.flatMap((process) =>
        exposed[process].filter((one) => one.name === name),
      )
      for (const other of same) expect(other, name).toEqual({ name, help, labels, type })
      const code = (words: readonly string[]) => words.map((word) => `\`${word}\``).join(', ') || '–'
      return `| \`${name}\` | ${code(labels)} | ${code(of)} | ${help} |`
    })
  expect(expected.length).toBeGreaterThan(15)
  const path = 'docs/reference/metrics.md'
  const head = ['| metric | labels | of | help |', '| --- | --- | --- | --- |']
  await expect(withLines(path, 'metrics', [...head, ...expected])).toMatchFileSnapshot(join(root, path))
})

test('metrics have names as Prometheus wants them', () => {
  for (const { name, help } of [...exposed.serve, ...exposed.index]) {
    expect(name).toMatch(/^[a-z][a-z0-9_]*[a-z0-9]$/)
    expect(help, name).toMatch(/^[A-Z]/)
  }
})
