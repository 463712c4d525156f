import { statSync } from 'node:fs'
import { SingleBar } from 'cli-progress'
import type { Settings } from '../config.ts'
import { type ImportSummary, importRecords } from '../import/importer.ts'
import { recordTypes } from '../import/records.ts'
import { toFileSource } from '../import/sources.ts'
import { withCurrentSchema } from './database-access.ts'

export interface ImportOptions {
  json?: boolean
  dryRun?: boolean
}

/** `import`: loads NDJSON files in one transaction, with progress on a terminal, and says what came of it. */
export async function importFiles(settings: Settings, files: string[], options: ImportOptions) {
  const progress = createProgress(files)
  try {
    const summary = await withCurrentSchema(settings, (url) => {
      const sources = files.map((file, index) => toFileSource(file, (bytes) => progress.onBytes(index, bytes)))
      return importRecords(url, sources, { isDryRun: options.dryRun ?? false, onProgress: progress.onRecords })
    })
    progress.stop()
    process.stdout.write(options.json ? toJsonLines(summary) : toText(summary, options.dryRun ?? false))
  } finally {
    progress.stop()
  }
}

/** A bar on a terminal: share of the files, records, records a second. Nothing elsewhere. */
function createProgress(files: string[]) {
  const bar = new SingleBar({
    format: '{bar} {percentage} % · {records} records · {speed}/s',
    noTTYOutput: false,
    stream: process.stderr,
  })
  const sizes = files.map((file) => (file === '-' ? 0 : (statSync(file, { throwIfNoEntry: false })?.size ?? 0)))
  const read = files.map(() => 0)
  const start = performance.now()
  if (process.stderr.isTTY) bar.start(Math.max(1, sum(sizes)), 0, { records: 0, speed: 0 })
  return {
    onBytes(index: number, bytes: number) {
      read[index] = bytes
    },
    onRecords(records: number) {
      const seconds = (performance.now() - start) / 1000
      bar.update(sum(read), { records, speed: Math.round(records / seconds) })
    },
    stop: () => bar.stop(),
  }
}

const sum = (numbers: number[]) => numbers.reduce((total, number) => total + number, 0)

const toJsonLines = ({ records, hiddenCampaigns, missingTokens }: ImportSummary) =>
  [
    ...recordTypes.map((type) => ({ type, records: records[type] })),
    { type: 'whitelist', hiddenCampaigns, missingTokens },
  ]
    .map((line) => `${JSON.stringify(line)}\n`)
    .join('')

function toText({ records, hiddenCampaigns, missingTokens }: ImportSummary, isDryRun: boolean) {
  const counts = recordTypes.filter((type) => records[type] > 0).map((type) => `  ${type}: ${records[type]}`)
  const lines = [
    isDryRun ? 'Checked, nothing was written:' : 'Imported:',
    ...(counts.length > 0 ? counts : ['  no records']),
  ]
  if (hiddenCampaigns > 0) {
    lines.push(
      `${hiddenCampaigns} campaigns are hidden by the default tokenWhitelist=true. These tokens are not known and whitelisted:`,
    )
    for (const { token, campaigns } of missingTokens) lines.push(`  ${token} (${campaigns} campaigns)`)
  }
  return `${lines.join('\n')}\n`
}
