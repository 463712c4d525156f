import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { gatherLines } from '../../src/observability/log-output.ts'
import { NodeProcess } from '../setup/servers/processes.ts'

test('the lines of one turn of the event loop are written together, in their order', async () => {
  const written: string[] = []
  const output = gatherLines((lines) => written.push(lines))
  output.write('one\n')
  output.write('two\n')
  expect(written).toEqual([])
  await nextTurn()
  expect(written).toEqual(['one\ntwo\n'])
  output.write('three\n')
  output.flushSync()
  expect(written).toEqual(['one\ntwo\n', 'three\n'])
  await nextTurn()
  expect(written).toHaveLength(2)
})

test('what is logged last is written, however the process ends', async () => {
  for (const [end, code] of [
    ['process.exit(3)', 3],
    ["throw new Error('unhandled error')", 1],
  ] as const) {
    const lines =
      "import { openLogOutput } from './src/observability/log-output.ts'; openLogOutput().write('the last\\n');"
    await using ending = new NodeProcess(['--input-type=module', '--eval', `${lines} ${end}`])
    expect(await ending.ended, end).toMatchObject({ code, stdout: 'the last\n' })
  }
})
