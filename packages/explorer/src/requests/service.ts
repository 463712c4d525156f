import { createClient } from 'reward-campaigns-client'
import { servicePath } from '../navigation/service-path.ts'
import { recordAge } from './staleness.ts'

/**
 * The service that these pages come from. It is asked again each time, with the tags of the responses that are known; what a
 * page cannot have now it says, and asks again by itself.
 */
export const client = createClient({ baseUrl: servicePath('/'), retries: 0, fetch: send })

/** The same, which waits up to a minute for a block that is not there yet: each request waits 2 seconds, and 1 for the next. */
export const patientClient = createClient({ baseUrl: servicePath('/'), retries: 20, memoryBytes: 0, fetch: send })

async function send(request: Request): Promise<Response> {
  // Who names a tag is not answered by the browser; the others would be, with what is up to half a minute old.
  const response = await fetch(request, request.headers.has('if-none-match') ? {} : { cache: 'no-cache' })
  recordAge(response)
  return response
}
