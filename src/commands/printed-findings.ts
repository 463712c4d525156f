import type { CheckedFinding } from '../schemas/findings.ts'
import { toJsonLine, toTable } from './printed-rows.ts'

/** Prints a line for each check; the process ends with 1 where one has failed, and with 0 for mere warnings. */
export function printFindings(findings: readonly CheckedFinding[], options: { json?: boolean }) {
  process.stdout.write(
    options.json
      ? findings.map(({ check, state, found, advice }) => toJsonLine({ check, state, found, advice })).join('')
      : toTable(
          ['check', 'state', 'found'],
          findings.map(({ check, state, found, advice }) => ({
            check,
            state,
            found: advice === null ? found : `${found}: ${advice}`,
          })),
        ),
  )
  if (findings.some(({ state }) => state === 'failed')) process.exitCode = 1
}
