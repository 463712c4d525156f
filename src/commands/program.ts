import { Command, Option } from 'commander'
import { OperatorError } from '../operator-error.ts'
import { printFindings, toPrintable } from '../process/print-rows.ts'
import { ending, handleSignals } from '../process/shutdown.ts'
import { version } from '../schemas/version.ts'
import { toBaseUrl, toCount, toInstant, toRequestPath } from './arguments.ts'
import type { DoctorOptions } from './doctor.ts'
import type { ExportOptions } from './export/export.ts'
import type { MigrateOptions } from './migrate.ts'
import type { SampleCommandOptions } from './sample.ts'
import type { NotifyOptions } from './services/notify.ts'
import type { NewToken } from './token.ts'

/*
 * Each command loads what it needs when it is run: all of it takes longer to be loaded than most commands to run.
 */

const readSettings = async () => (await import('../config.ts')).readSettings()

const program = new Command('reward-campaigns')
  .description('Read-only HTTP API over on-chain reward campaigns. Settings come from the environment.')
  .version(version)
  .showHelpAfterError()

program
  .command('serve')
  .description('serve the API until SIGTERM')
  .action(async () => (await import('./services/serve.ts')).serve(await readSettings()))

program
  .command('migrate')
  .description('migrate the schema of the database')
  .option('--serving-role <role>', 'grant this role the read access that `serve` needs, and revoke anything else')
  .option('--dry-run', 'list what would be applied and the tables that it locks; change nothing')
  .action(async (options: MigrateOptions) => (await import('./migrate.ts')).migrate(await readSettings(), options))

program
  .command('import')
  .description('import NDJSON files in one transaction; "-" is standard input, gzip is unpacked')
  .argument('<file...>')
  .option('--dry-run', 'validate only, write nothing')
  .option('--json', 'print the summary or the errors as NDJSON')
  .action(async (files: string[], options: { dryRun?: boolean; json?: boolean }) =>
    (await import('./import.ts')).importFiles(await readSettings(), files, options),
  )

program
  .command('export')
  .description('copy all records to files in a folder; again: append what has changed since')
  .argument('<folder>')
  .addOption(new Option('--format <format>', 'form of the files').choices(['ndjson', 'csv']).default('ndjson'))
  .option('--follow', 'go on until SIGTERM')
  .action(async (folder: string, options: ExportOptions) =>
    (await import('./export/export.ts')).exportToFolder(await readSettings(), folder, options),
  )

program
  .command('index')
  .description('index chains until SIGTERM')
  .option('--chains <file>', 'chain file, in YAML or JSON')
  .option('--once', 'exit when each chain has reached the head it had at the start')
  .option('--prove', 'with --chains: compare the counters of contracts with what is stored, mend, and exit')
  .option('--check', 'with --chains: ask the endpoints what indexing needs, and exit; writes nothing')
  .option('--status', 'show the indexing status of each chain')
  .option('--json', 'with --status, --prove or --check: print NDJSON')
  .action(index)

program
  .command('notify')
  .description('send each change to a URL as a Standard Webhook, in order and at least once, until SIGTERM')
  .requiredOption('--to <url>', 'receiver; https unless it is on this machine')
  .requiredOption('--secret-file <file>', 'file with the secret of the signatures, whsec_…')
  .option('--kind <kind...>', 'only these kinds of changes, and reset')
  .option('--from <cursor>', 'begin after this cursor of changes; default: now')
  .option('--cursor-file <file>', 'where it is kept how far it has come; default: <secret file>.cursor')
  .action(async (options: NotifyOptions) =>
    (await import('./services/notify.ts')).notify(await readSettings(), options),
  )

program
  .command('sample')
  .description('print sample data as NDJSON')
  .option('--campaigns <number>', 'number of campaigns', toCount, 1000)
  .option('--claims <number>', 'number of claims', toCount, 20_000)
  .option('--seed <number>', 'the same seed and --now give the same data', toCount, 1)
  .option('--now <instant>', 'when the data ends; default: the last full ten minutes of the clock', toInstant)
  .action(async (options: SampleCommandOptions) => (await import('./sample.ts')).sample(options))

program
  .command('openapi')
  .description('print the OpenAPI document')
  .option(
    '--output <file...>',
    'write to files; format by ending: .json, .yaml, .http (requests for editors), .postman_collection.json',
  )
  .action(async (options: { output?: string[] }) =>
    (await import('./write-openapi.ts')).writeOpenApi(await readSettings(), options),
  )

const token = program.command('token').description('issue, list and revoke tokens for the protected operations')

token
  .command('create')
  .description('print the secret of a new token, once')
  .requiredOption('--user <userId>', 'user whose data the token grants access to')
  .option('--address <address>', "the user's address, for the profile")
  .option('--admin', 'grant access to the data of every user')
  .option('--expires <when>', '30s, 15m, 12h, 90d or an ISO 8601 time; default: never')
  .option('--name <name>', 'note on the purpose of the token')
  .action(async (options: NewToken) => (await import('./token.ts')).createToken(await readSettings(), options))

token
  .command('list')
  .description('list all tokens, without their secrets')
  .option('--json', 'print them as NDJSON')
  .action(async (options: { json?: boolean }) => (await import('./token.ts')).listTokens(await readSettings(), options))

token
  .command('revoke')
  .description('revoke a token')
  .argument('<id>', 'ID from `token list`')
  .action(async (id: string) => (await import('./token.ts')).revokeToken(await readSettings(), id))

program
  .command('doctor')
  .description('check the health of the database (read-only)')
  .option('--all', 'compare all derived data with the facts, not a sample')
  .option('--serving-role <role>', 'check the rights of this role instead of the connected one')
  .option('--json', 'print the results as NDJSON')
  .action(async (options: DoctorOptions) => (await import('./doctor.ts')).doctor(await readSettings(), options))

program
  .command('explain')
  .description('print the SQL that a request runs, with plans and times (read-only)')
  .argument('<url>', "path and query of the request, such as '/campaigns?pageSize=10'", toRequestPath)
  .option('--token <token>', 'send this bearer token')
  .action(async (url: string, options: { token?: string }) =>
    (await import('./explain.ts')).explain(await readSettings(), url, options),
  )

program
  .command('rebuild')
  .description('recompute all derived data and restore missing schema objects; readers continue, imports wait')
  .action(async () => (await import('./rebuild.ts')).rebuildDatabase(await readSettings()))

program
  .command('conformance')
  .description('run black-box checks against a deployment, for a minute at most')
  .argument('<url>', 'base URL of the operations', toBaseUrl)
  .option('--token <token>', 'check the protected operations with this token')
  .option('--json', 'print the results as NDJSON')
  .action(async (baseUrl: string, { token, json = false }: { token?: string; json?: boolean }) => {
    const { examineDeployment } = await import('reward-campaigns-conformance')
    printFindings(await examineDeployment({ baseUrl, token }), { json })
  })

program
  .command('mcp')
  .description('serve tools for agents (Model Context Protocol) on standard input and output, over a deployment')
  .argument('<url>', 'base URL of the operations', toBaseUrl)
  .action(async (url: string) => (await import('./services/mcp.ts')).mcp(url))

type IndexOptions = {
  chains?: string
  once?: boolean
  prove?: boolean
  check?: boolean
  status?: boolean
  json?: boolean
}

async function index(options: IndexOptions) {
  const { chains, once = false, prove = false, check = false, status = false, json = false } = options
  if ((chains === undefined) !== status) program.error('error: index needs --chains FILE, or --status')
  const modes = [once, prove, check].filter(Boolean).length
  if (modes > (chains === undefined ? 0 : 1) || (json && !status && !prove && !check)) {
    program.error(
      'error: one of --once, --prove and --check goes with --chains, and --json with --status, --prove or --check',
    )
  }
  if (chains === undefined) {
    const { printIndexStatus } = await import('./services/index-status.ts')
    return printIndexStatus(await readSettings(), { json })
  }
  if (check) {
    const { checkChains } = await import('./services/check-chains.ts')
    return checkChains({ chains, json })
  }
  if (prove) {
    const { proveChains } = await import('./services/prove-chains.ts')
    return proveChains(await readSettings(), { chains, json })
  }
  const { indexChains } = await import('./services/index-chains.ts')
  await indexChains(await readSettings(), { chains, once })
}

program.hook('preAction', async (_program, command) => {
  // What goes on until it is ended does so in its own way.
  const isService =
    ['serve', 'notify'].includes(command.name()) ||
    (command.name() === 'index' &&
      command.opts().chains !== undefined &&
      !command.opts().prove &&
      !command.opts().check)
  if (isService) return
  // The reader has gone, as `head` does: the rest is for none.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
  })
  const isFollowing = command.name() === 'export' && command.opts().follow === true
  handleSignals({
    timeoutMs: 10_000,
    toExitCode: (signalCode) => (isFollowing ? 0 : signalCode),
    onError: await loadReport(),
  })
})

try {
  if (process.argv.length === 2) program.error('error: a command is missing')
  await program.parseAsync()
} catch (error) {
  // What is cut short because the process ends has not failed.
  if (!ending.aborted) {
    const report = await loadReport()
    report(error)
    process.exitCode = 1
  }
}

/** How errors are written, with a stack only if they are unexpected: each line as it may be printed, for the names of files and roles in it are not ours. */
async function loadReport() {
  const { explainDenial, explainFailure } = await import('../database/connection/database-errors.ts')
  const explain = (error: unknown) => {
    if (!(error instanceof Error)) return String(error)
    if (error instanceof OperatorError) return error.message
    // The file system says what it refuses, with the name of the file.
    const isAboutFile = 'syscall' in error && 'path' in error
    return explainFailure(error) ?? explainDenial(error) ?? (isAboutFile ? error.message : error.stack)
  }
  return (error: unknown) => {
    const lines = String(explain(error)).split('\n')
    process.stderr.write(`${lines.map(toPrintable).join('\n')}\n`)
  }
}
