import { InvalidArgumentError } from 'commander'
import { examineDeployment } from 'reward-campaigns-conformance'
import { printFindings } from '../process/print-rows.ts'

/** `conformance`: checks from outside which promises a deployment keeps. Writes nothing, needs no settings. */
export async function conformance(baseUrl: string, { token, json = false }: { token?: string; json?: boolean }) {
  printFindings(await examineDeployment({ baseUrl, token }), { json })
}

/** @throws InvalidArgumentError */
export function toBaseUrl(text: string) {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new InvalidArgumentError('must be the http or https URL below which the operations are')
  }
  if (url.search !== '' || url.hash !== '') throw new InvalidArgumentError('must have neither a query nor a fragment')
  return url.href
}
