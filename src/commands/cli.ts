#!/usr/bin/env node
import '../process/node-version.ts'
import { Command, InvalidArgumentError, Option } from 'commander'
import { ConfigurationError, readSettings } from '../config.ts'
import { explainFailure, SchemaBehindError } from '../database/connection/database-errors.ts'
import { ServingRoleError } from '../database/serving-role.ts'
import { EmbeddedServerError } from '../embedded/embedded-error.ts'
import { version } from '../http/openapi.ts'
import { ImportFailedError } from '../import/import-failures.ts'
import { UnreadableFileError } from '../import/sources.ts'
import { FollowingError } from '../indexer/chain-events.ts'
import { ImportFaultsError } from '../ingest/validation-errors.ts'
import { toPrintable } from '../process/print-rows.ts'
import { ending, handleSignals } from '../process/shutdown.ts'
import { conformance, toBaseUrl } from './conformance.ts'
import { type DoctorOptions, doctor } from './doctor.ts'
import { explain, toRequestPath } from './explain.ts'
import { ExportFolderError } from './export/copied-files.ts'
import { type ExportOptions, exportToFolder } from './export/export-folder.ts'
import { importFiles } from './import.ts'
import { type MigrateOptions, migrate } from './migrate.ts'
import { rebuildDatabase } from './rebuild.ts'
import { sample } from './sample.ts'
import { printIndexStatus } from './services/index-status.ts'
import { serve } from './services/serve.ts'
import { createToken, listTokens, type NewToken, revokeToken, TokenError } from './token.ts'
import { writeOpenApi } from './write-openapi.ts'

/** Errors whose message says all that the operator needs. */
const plainErrors = [
  ConfigurationError,
  ExportFolderError,
  EmbeddedServerError,
  ImportFaultsError,
  ImportFailedError,
  SchemaBehindError,
  UnreadableFileError,
  TokenError,
  ServingRoleError,
  FollowingError,
]

const program = new Command('reward-campaigns')
  .description('Read-only HTTP API over on-chain reward campaigns. Settings come from the environment.')
  .version(version)
  .showHelpAfterError()

program
  .command('serve')
  .description('serve the API until SIGTERM')
  .action(() => serve(readSettings()))

program
  .command('migrate')
  .description('migrate the schema of the database')
  .option('--serving-role <role>', 'grant this role the read access that `serve` needs, and revoke anything else')
  .option('--dry-run', 'list pending migrations and the tables that each one locks; change nothing')
  .action((options: MigrateOptions) => migrate(readSettings(), options))

program
  .command('import')
  .description('import NDJSON files in one transaction; "-" is standard input, gzip is unpacked')
  .argument('<file...>')
  .option('--dry-run', 'validate only, write nothing')
  .option('--json', 'print the summary or the errors as NDJSON')
  .action((files: string[], options: { dryRun?: boolean; json?: boolean }) =>
    importFiles(readSettings(), files, options),
  )

program
  .command('export')
  .description('copy all records to files in a folder; again: append what has changed since')
  .argument('<folder>')
  .addOption(new Option('--format <format>', 'form of the files').choices(['ndjson', 'csv']).default('ndjson'))
  .option('--follow', 'go on until SIGTERM')
  .action((folder: string, options: ExportOptions) => exportToFolder(readSettings(), folder, options))

program
  .command('index')
  .description('index chains until SIGTERM')
  .option('--chains <file>', 'chain file, in YAML or JSON')
  .option('--once', 'exit when each chain has reached the head it had at the start')
  .option('--status', 'show the indexing status of each chain')
  .option('--json', 'with --status: print NDJSON')
  .action(index)

program
  .command('sample')
  .description('print sample data as NDJSON')
  .option('--campaigns <number>', 'number of campaigns', toCount, 1000)
  .option('--claims <number>', 'number of claims', toCount, 20_000)
  .option('--seed <number>', 'the same seed gives the same data', toCount, 1)
  .action(sample)

program
  .command('openapi')
  .description('print the OpenAPI document')
  .option(
    '--output <file...>',
    'write to files; format by ending: .json, .yaml, .http (requests for editors), .postman_collection.json',
  )
  .action((options: { output?: string[] }) => writeOpenApi(readSettings(), options))

const token = program.command('token').description('issue, list and revoke tokens for the protected operations')

token
  .command('create')
  .description('print the secret of a new token, once')
  .requiredOption('--user <userId>', 'user whose data the token grants access to')
  .option('--address <address>', "the user's address, for the profile")
  .option('--admin', 'grant access to the data of every user')
  .option('--expires <when>', '30s, 15m, 12h, 90d or an ISO 8601 time; default: never')
  .option('--name <name>', 'note on the purpose of the token')
  .action((options: NewToken) => createToken(readSettings(), options))

token
  .command('list')
  .description('list all tokens, without their secrets')
  .option('--json', 'print them as NDJSON')
  .action((options: { json?: boolean }) => listTokens(readSettings(), options))

token
  .command('revoke')
  .description('revoke a token')
  .argument('<id>', 'ID from `token list`')
  .action((id: string) => revokeToken(readSettings(), id))

program
  .command('doctor')
  .description('check the health of the database (read-only)')
  .option('--all', 'compare all derived data with the facts, not a sample')
  .option('--serving-role <role>', 'check the rights of this role instead of the connected one')
  .option('--json', 'print the results as NDJSON')
  .action((options: DoctorOptions) => doctor(readSettings(), options))

program
  .command('explain')
  .description('print the SQL that a request runs, with plans and times (read-only)')
  .argument('<url>', "path and query of the request, such as '/campaigns?pageSize=10'", toRequestPath)
  .option('--token <token>', 'send this bearer token')
  .action((url: string, options: { token?: string }) => explain(readSettings(), url, options))

program
  .command('rebuild')
  .description('recompute all derived data and restore missing schema objects; readers continue, imports wait')
  .action(() => rebuildDatabase(readSettings()))

program
  .command('conformance')
  .description('run black-box checks against a deployment, for a minute at most')
  .argument('<url>', 'base URL of the operations', toBaseUrl)
  .option('--token <token>', 'check the protected operations with this token')
  .option('--json', 'print the results as NDJSON')
  .action(conformance)

interface IndexArguments {
  chains?: string
  once?: boolean
  status?: boolean
  json?: boolean
}

async function index({ chains, once = false, status = false, json = false }: IndexArguments) {
  if ((chains === undefined) !== status) program.error('error: index needs --chains FILE, or --status')
  if (chains === undefined ? once : json) program.error('error: --once goes with --chains, and --json with --status')
  if (chains === undefined) return printIndexStatus(readSettings(), { json })
  // What reads chains takes its time to be loaded, and no other command needs it.
  const { indexChains } = await import('./services/index-chains.ts')
  await indexChains(readSettings(), { chains, once })
}

function toCount(text: string) {
  if (!/^[0-9]{1,9}$/.test(text)) throw new InvalidArgumentError('must be a whole number from 0 to 999999999')
  return Number(text)
}

program.hook('preAction', (_program, command) => {
  // What goes on until it is ended does so in its own way.
  if (command.name() === 'serve' || (command.name() === 'index' && command.opts().chains !== undefined)) return
  const isFollowing = command.name() === 'export' && command.opts().follow === true
  handleSignals({
    timeoutMs: 10_000,
    toExitCode: (signalCode) => (isFollowing ? 0 : signalCode),
    onError: report,
  })
})

try {
  if (process.argv.length === 2) program.error('error: a command is missing')
  await program.parseAsync()
} catch (error) {
  // What is cut short because the process ends has not failed.
  if (!ending.aborted) {
    report(error)
    process.exitCode = 1
  }
}

/** Each line of it as it may be printed: the names of files and roles in it are not ours. */
function report(error: unknown) {
  const lines = String(toText(error)).split('\n')
  process.stderr.write(`${lines.map(toPrintable).join('\n')}\n`)
}

/** A stack only for what should not happen. */
function toText(error: unknown) {
  if (!(error instanceof Error)) return String(error)
  if (plainErrors.some((kind) => error instanceof kind)) return error.message
  return explainFailure(error) ?? error.stack
}
