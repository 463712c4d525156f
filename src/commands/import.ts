import { statSync } from 'node:fs'
import { SingleBar } from 'cli-progress'
import { type ImportSummary, importRecords } from '../import/importer.ts'
import { requireReadable, toFileSource } from '../import/sources.ts'
import { lineTypes } from '../ingest/records.ts'
import { ImportFaultsError, type ValidationErrors } from '../ingest/validation-errors.ts'
import { withCurrentSchema } from '../process/database-access.ts'
import type { Settings } from '../settings.ts'

export interface ImportCommandOptions {
  json?: boolean
  dryRun?: boolean
}

/** `import`: loads NDJSON files in one transaction, with progress on a terminal, and prints a summary. */
export async function importFiles(settings: Settings, files: string[], options: ImportCommandOptions) {
  await requireReadable(files)
  const progress = createProgress(files)
  const onNotice = (text: string) => {
    progress.stop()
    process.stderr.write(`${text}\n`)
  }
  try {
    const summary = await withCurrentSchema(settings, (url) => {
      const sources = files.map((file, index) => toFileSource(file, (bytes) => progress.onBytes(index, bytes)))
      const isDryRun = options.dryRun ?? false
      return importRecords(url, sources, { isDryRun, onProgress: progress.onRecords, onNotice })
    })
    progress.stop()
    process.stdout.write(options.json ? summaryAsJson(summary) : summaryAsText(summary, options.dryRun ?? false))
  } catch (error) {
    if (!options.json || !(error instanceof ImportFaultsError)) throw error
    process.stdout.write(faultsAsJson(error.faults))
    process.exitCode = 1
  } finally {
    progress.stop()
  }
}

/** A progress bar on a terminal: share of the files, records, records a second. Nothing elsewhere. */
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

const toNdjson = (lines: object[]) => lines.map((line) => `${JSON.stringify(line)}\n`).join('')

const summaryAsJson = ({ records, hiddenCampaigns, missingTokens }: ImportSummary) =>
  toNdjson([
    ...lineTypes.map((type) => ({ type, records: records[type] })),
    { type: 'whitelist', hiddenCampaigns, missingTokens },
  ])

const faultsAsJson = ({ reported, ...total }: ValidationErrors) =>
  toNdjson([...reported.map((fault) => ({ type: 'fault', ...fault })), { type: 'faults', ...total }])

function summaryAsText({ records, hiddenCampaigns, missingTokens }: ImportSummary, isDryRun: boolean) {
  const counts = lineTypes.filter((type) => records[type] > 0).map((type) => `  ${type}: ${records[type]}`)
  const lines = [
    isDryRun ? 'Checked, nothing was written:' : 'Imported:',
    ...(counts.length > 0 ? counts : ['  no records']),
  ]
  if (hiddenCampaigns > 0) {
    const tokens = missingTokens.length === 1 ? 'This token is' : 'These tokens are'
    lines.push(
      `${campaignCount(hiddenCampaigns)} ${hiddenCampaigns === 1 ? 'is' : 'are'} hidden by the default tokenWhitelist=true. ${tokens} not known and whitelisted:`,
    )
    for (const { token, campaigns } of missingTokens) lines.push(`  ${token} (${campaignCount(campaigns)})`)
  }
  return `${lines.join('\n')}\n`
}

const campaignCount = (count: number) => `${count} ${count === 1 ? 'campaign' : 'campaigns'}`
