import { checkChain } from '../../indexer/check-endpoints.ts'
import { printFindings } from '../../process/print-rows.ts'
import { ending } from '../../process/shutdown.ts'
import { readChainFile } from './index-chains.ts'

/** `index --check`: asks the endpoints of a chain file what following needs. Uses no database. Ends with 1 if a check has failed. */
export async function checkChains({ chains: file, json }: { chains: string; json: boolean }) {
  const chains = await readChainFile(file)
  const findings = await Promise.all(chains.map((chain) => checkChain(chain, ending)))
  printFindings(findings.flat(), { json })
}
