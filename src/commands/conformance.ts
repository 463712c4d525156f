import { examineDeployment } from 'reward-campaigns-conformance'
import { printFindings } from '../process/print-rows.ts'

/** `conformance`: checks from outside which promises a deployment keeps. Writes nothing, needs no settings. */
export async function conformance(baseUrl: string, { token, json = false }: { token?: string; json?: boolean }) {
  printFindings(await examineDeployment({ baseUrl, token }), { json })
}
