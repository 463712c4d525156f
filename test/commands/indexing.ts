import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { recording } from '../indexer/recording/recording.ts'

/** What a chain file says of a chain with the recorded contracts. */
export const chainEntry = (urls: readonly string[], more: { chainId?: number; startBlock?: number } = {}) => ({
  chainId: recording.chainId,
  rpc: urls,
  cores: recording.cores,
  openAllowLists: recording.openAllowLists,
  startBlock: recording.startBlock,
  ...more,
})

/** A chain file that is gone after the test. JSON is YAML too. */
export async function aChainFile(...chains: object[]) {
  const folder = await mkdtemp(join(tmpdir(), 'reward-campaigns-chains-'))
  const file = join(folder, 'chains.yaml')
  await writeFile(file, JSON.stringify({ chains }))
  return { file, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) }
}

/** Lines of a log. */
export const entriesOf = (stdout: string): Record<string, unknown>[] =>
  stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))

/** A port that nobody listens on now. */
export async function aFreePort() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}
