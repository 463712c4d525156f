import type { CheckedFinding } from '../schemas/findings.ts'

/*
 * How commands print rows: a table for people, NDJSON for programs. What others have written acts on no terminal.
 */

type Cell = string | number | boolean | null

/** Columns wide enough for what is in them, under their names; `-` where there is nothing. */
export function toTable<Name extends string>(names: readonly Name[], rows: readonly Record<Name, Cell>[]) {
  const lines: string[][] = [[...names], ...rows.map((row) => names.map((name) => toCell(row[name])))]
  const widths = names.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)))
  return lines
    .map(
      (line) =>
        `${line
          .map((cell, column) => cell.padEnd(widths[column] ?? 0))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('')
}

/** Characters that act on a terminal, or reorder or hide what stands there, do not reach it from a name. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu

export const toPrintable = (text: string) => text.replace(UNSEEN, '?')

export const toJsonLine = (value: object) =>
  `${JSON.stringify(value).replace(UNSEEN, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)}\n`

function toCell(value: Cell) {
  if (value === null || value === '') return '-'
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  return toPrintable(String(value))
}

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
