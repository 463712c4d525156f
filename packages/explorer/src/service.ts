import { createClient } from 'reward-campaigns-client'

/** The service that these pages come from. It is asked anew each time, with the tags of the answers that are known. */
export const client = createClient({ baseUrl: '/' })
