import { openEmbeddedServer } from '../../src/embedded-postgres.ts'

/*
 * A process that uses the server of a folder, and says so, until it is killed.
 */

const [, , folder = '', database = ''] = process.argv
const { url } = await openEmbeddedServer(folder, { database })
process.stdout.write(`${url}\n`)
setInterval(() => undefined, 60_000)
