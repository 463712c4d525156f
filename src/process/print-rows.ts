import type { CheckedFinding } from '../schemas/check-findings.ts'

/* How commands print rows: a table for people, NDJSON for programs. Stored text cannot control the terminal. */

type Cell = string | number | boolean | null

/** Columns wide enough for their content, under their names; `-` for an empty cell. */
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

/** Characters that control a terminal, or reorder or hide text, are not printed. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu

export const toPrintable = (text: string) => text.replace(UNSEEN, '?')

export const toJsonLine = (value: object) =>
  `${JSON.stringify(value).replace(UNSEEN, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)}\n`

function toCell(value: Cell) {
  if (value === null || value === '') return '-'
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  return toPrintable(String(value))
}

/** Prints a line for each check; the process ends with 1 if one has failed, and with 0 for warnings only. */
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
