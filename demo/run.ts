import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { devNull, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { startCommand } from './commands.ts'
import { CHAIN_ID, core, openAllowList } from './contracts.ts'
import { startDemoChain } from './demo-chain.ts'
import { demoRecords } from './records.ts'
import { tokens } from './story.ts'

/*
 * A chain on this machine, the service that indexes it, and things that happen on the chain, until Ctrl-C. Then nothing
 * remains: no process, and no folder.
 */

const { values: options } = parseArgs({
  options: {
    /** Milliseconds from one block to the next. */
    period: { type: 'string', default: '2000' },
    /** Port of the service; 0: a free one. */
    port: { type: 'string', default: '3000' },
  },
})

const end = new AbortController()
const { signal } = end
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => end.abort())
// Whoever read the output has gone.
process.stdout.on('error', () => end.abort())

try {
  await run()
} catch (error) {
  // What the end has cut short has not failed.
  const reason: unknown = signal.aborted ? signal.reason : error
  if (!(reason instanceof DOMException)) {
    console.error(reason)
    process.exitCode = 1
  }
}

async function run() {
  await using folder = await createFolder()
  const settings = { DATABASE_URL: '', DATA_DIR: folder.inside('data'), SAMPLE_DATA: 'false', ENV_FILE: devNull }
  const failed = (command: string) => (code: number) => end.abort(new Error(`${command} ended with code ${code}`))

  console.log('starting a chain')
  await using chain = await startDemoChain()

  console.log('starting the service')
  let url: string | undefined
  await using _service = startCommand(
    ['serve'],
    { ...settings, PORT: options.port },
    {
      onLog(message) {
        url ??= /^Server listening at (\S+)/.exec(message)?.[1]
      },
      onEnd: failed('serve'),
    },
  )
  const ready = until(async () => (url !== undefined && (await isReady(url)) ? url : undefined))
  // Both take seconds.
  const [address] = await Promise.all([ready, chain.fill(signal)])

  let importCode: number | undefined
  const records = folder.inside('records.ndjson')
  await writeFile(records, [...demoRecords()].map((record) => `${JSON.stringify(record)}\n`).join(''))
  await using _import = startCommand(['import', records], settings, {
    onEnd(code) {
      importCode = code
      if (code !== 0) failed('import')(code)
    },
  })
  await until(() => importCode)

  const chainFile = folder.inside('chains.json')
  const prices = tokens.flatMap(({ address: token, price }) =>
    price !== undefined && 'feed' in price ? { token, feed: price.feed } : [],
  )
  const entry = {
    ...{ chainId: CHAIN_ID, rpc: [chain.url], startBlock: 0 },
    ...{ cores: [core], openAllowLists: [openAllowList], prices },
  }
  await writeFile(chainFile, JSON.stringify({ chains: [entry] }))
  await using _index = startCommand(['index', '--chains', chainFile], settings, { onEnd: failed('index') })

  console.log(welcome(address, chain.url))
  for (;;) {
    await sleep(Number(options.period), undefined, { signal })
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

async function isReady(url: string) {
  return (await fetch(`${url}/readyz`, { signal })).status === 200
}

function welcome(url: string, node: string) {
  return `
  explorer  ${url}/
  API       ${url}/reward-kit/trending?period=1h
  status    ${url}/status
  docs      ${url}/docs
  node      ${node} (chain ${CHAIN_ID})
  end       Ctrl-C
`
}
