import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { batchSteps } from '../../src/ingest/batch-steps.ts'

/*
 * What is written in SQL below the TypeScript is hard to follow: a value gets lost where it becomes text. So there is to be no more
 * of it than there is, unless somebody decides that here. It says nothing about how good it is.
 */

const sources = join(import.meta.dirname, '../../src')

async function readSql() {
  const files = (await readdir(sources, { recursive: true })).filter((file) => file.endsWith('.sql'))
  expect(files.length).toBeGreaterThan(5)
  return (await Promise.all(files.map((file) => readFile(join(sources, file), 'utf8')))).join('\n')
}

const countIn = (text: string, pattern: RegExp) => text.match(pattern)?.length ?? 0

test('there are no more functions, views and settings of the planner than there were', async () => {
  const text = await readSql()
  expect({
    functions: countIn(text, /^create or replace function /gm),
    views: countIn(text, /^create or replace view /gm),
    plannerSettings: countIn(text, /^set (enable_|plan_cache_mode|max_parallel|jit|work_mem)/gm),
  }).toEqual({ functions: 26, views: 3, plannerSettings: 26 })
})

// Its working tables are counted where they are created, in ingest/batch-sizes.test.ts.
test('a batch has no more steps than it had', () => {
  expect(batchSteps.length).toBe(92)
})
