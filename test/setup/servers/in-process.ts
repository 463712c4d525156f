import { vi } from 'vitest'
import { OperatorError } from '../../../src/operator-error.ts'
import type { Result } from './processes.ts'

/**
 * What a command prints and how it ends, without the third of a second that a process takes to begin. One at a time, and
 * none that reads standard input or waits for signals.
 */
export async function runInProcess(command: () => Promise<unknown>): Promise<Result> {
  const result: Result = { code: 0, signal: null, stdout: '', stderr: '' }
  const spies = (['stdout', 'stderr'] as const).map((name) =>
    vi.spyOn(process[name], 'write').mockImplementation((text) => {
      result[name] += text
      return true
    }),
  )
  const { exitCode } = process
  process.exitCode = 0
  try {
    await command()
    result.code = Number(process.exitCode)
  } catch (error) {
    // As cli.ts says it.
    if (!(error instanceof OperatorError)) throw error
    result.stderr += `${error.message}\n`
    result.code = 1
  } finally {
    process.exitCode = exitCode
    for (const spy of spies) spy.mockRestore()
  }
  return result
}
