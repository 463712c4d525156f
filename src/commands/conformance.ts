import { examineDeployment } from 'reward-campaigns-conformance'
import { printFindings } from '../process/print-rows.ts'

/** `conformance`: asks a deployment from outside which of its promises it keeps. Writes nothing, needs no settings. */
export async function conformance(baseUrl: string, { token, json = false }: { token?: string; json?: boolean }) {
  printFindings(await examineDeployment({ baseUrl, token }), { json })
}
