import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { devNull, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { readSettings } from '../src/config.ts'
import { OperatorError } from '../src/operator-error.ts'
import { startCommand } from './commands.ts'
import { CHAIN_ID, core, openAllowList } from './contracts.ts'
import { startDemoChain } from './demo-chain.ts'
import { offeredId, offerRecord, proofRecord, settledId, wallet } from './offer.ts'
import { demoRecords } from './records.ts'
import { tokens } from './story.ts'
import { manager } from './time-based.ts'

/*
 * A chain on this machine, the service that indexes it, and things that happen on the chain, until Ctrl-C. Then nothing
 * remains: no process, and no folder.
 */

const HELP = `Usage: npm run demo -- [options]

Options:
  --port <number>    port of the service; 0: a free one; default: PORT, of the environment or .env, else 3000
  --period <number>  milliseconds from one block to the next; default: 2000
  --help             show this help
`

const end = new AbortController()
const { signal } = end
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => end.abort())
// Whoever read the output has gone.
process.stdout.on('error', () => end.abort())

try {
  const options = readOptions()
  if (options === undefined) process.stdout.write(HELP)
  else await run(options)
} catch (error) {
  // What the end has cut short has not failed.
  const reason: unknown = signal.aborted ? signal.reason : error
  if (!(reason instanceof DOMException)) {
    console.error(reason instanceof OperatorError ? reason.message : reason)
    process.exitCode = 1
  }
}

interface Options {
  port: number
  periodMs: number
}

/** Undefined where help is asked for. @throws OperatorError */
function readOptions(): Options | undefined {
  const { port, period, help } = parseOptions()
  if (help) return undefined
  return {
    port: port === undefined ? readSettings().PORT : toNumber(port, '--port', 65_535),
    periodMs: toNumber(period, '--period', 3_600_000),
  }
}

function parseOptions() {
  const text = { type: 'string' } as const
  try {
    return parseArgs({
      options: {
        port: text,
        period: { ...text, default: '2000' },
        help: { type: 'boolean', short: 'h', default: false },
      },
    }).values
  } catch (error) {
    // It says what is wrong with which option.
    throw new OperatorError(`error: ${error instanceof Error ? error.message : error}\n\n${HELP.trimEnd()}`, {
      cause: error,
    })
  }
}

function toNumber(text: string, option: string, most: number) {
  if (/^[0-9]{1,9}$/.test(text) && Number(text) <= most) return Number(text)
  throw new OperatorError(`error: ${option} must be a whole number from 0 to ${most}, got ${JSON.stringify(text)}`)
}

async function run(options: Options) {
  await using folder = await createFolder()
  const settings = { DATABASE_URL: '', DATA_DIR: folder.inside('data'), SAMPLE_DATA: 'false', ENV_FILE: devNull }
  const failed = (command: string) => (code: number) =>
    end.abort(new OperatorError(`${command} ended with code ${code}`))

  async function importRecords(records: readonly object[]) {
    const file = folder.inside('records.ndjson')
    await writeFile(file, records.map((record) => `${JSON.stringify(record)}\n`).join(''))
    let code: number | undefined
    await using _import = startCommand(['import', file], settings, {
      onEnd(endCode) {
        code = endCode
        if (endCode !== 0) failed('import')(endCode)
      },
    })
    await until(() => code)
  }

  console.log('starting a chain')
  await using chain = await startDemoChain()

  console.log('starting the service')
  let url: string | undefined
  await using _service = startCommand(
    ['serve'],
    { ...settings, PORT: String(options.port) },
    {
      onLog(message) {
        url ??= /^Server listening at (\S+)/.exec(message)?.[1]
      },
      onEnd: failed('serve'),
    },
  )
  const ready = until(async () => (url !== undefined && (await isFound(`${url}/readyz`)) ? url : undefined))
  // Both take seconds.
  const [address] = await Promise.all([ready, chain.fill(signal)])

  await importRecords([...demoRecords()])

  const chainFile = folder.inside('chains.json')
  const prices = tokens.flatMap(({ address: token, price }) =>
    price !== undefined && 'feed' in price ? { token, feed: price.feed } : [],
  )
  const entry = {
    ...{ chainId: CHAIN_ID, rpc: [chain.url], startBlock: 0 },
    ...{ cores: [core], timeBasedManagers: [manager], openAllowLists: [openAllowList], prices },
  }
  await writeFile(chainFile, JSON.stringify({ chains: [entry] }))
  await using _index = startCommand(
    ['index', '--chains', chainFile],
    // The service has the port.
    { ...settings, METRICS_PORT: '' },
    { onEnd: failed('index') },
  )

  // Of campaigns that are known.
  for (const id of [offeredId, settledId]) {
    await until(async () => (await isFound(`${address}/campaigns/${id}`)) || undefined)
  }
  await importRecords([offerRecord, proofRecord])

  console.log(welcome(address, chain.url))
  for (;;) {
    await sleep(options.periodMs, undefined, { signal })
    const { block, withdrawn, happened } = await chain.advance()
    const before = withdrawn > 0 ? [`reorganisation of ${withdrawn} blocks`] : []
    console.log(`block ${block}: ${[...before, ...happened].join(', ')}`)
  }
}

async function createFolder() {
  const path = await mkdtemp(join(tmpdir(), 'reward-campaigns-demo-'))
  return {
    inside: (name: string) => join(path, name),
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }),
  }
}

/** Looks again and again until there is something. @throws as soon as the demo is to end. */
async function until<Value>(look: () => Promise<Value | undefined> | Value | undefined): Promise<Value> {
  for (;;) {
    const value = await look()
    if (value !== undefined) return value
    await sleep(50, undefined, { signal })
  }
}

async function isFound(url: string) {
  const { ok, body } = await fetch(url, { signal })
  // What is not read listens to the signal.
  await body?.cancel()
  return ok
}

function welcome(url: string, node: string) {
  return `
  explorer  ${url}/
  rewards   ${url}/explorer/users/${wallet}
  API       ${url}/reward-kit/trending?period=1h
  status    ${url}/status
  docs      ${url}/docs
  node      ${node} (chain ${CHAIN_ID})
  end       Ctrl-C
`
}
