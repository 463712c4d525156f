import {
  type EmbeddedServer,
  EmbeddedServerError,
  type EmbeddedServerOptions,
  findBinaries,
  openEmbeddedServer,
} from 'reward-campaigns-embedded-postgres'
import { OperatorError } from '../operator-error.ts'

/** Its name in the embedded server. */
const DATABASE = 'reward_campaigns'

/**
 * Requires the programs of the embedded server.
 * @throws OperatorError if they are not installed, as in the image.
 */
export const requireEmbedded = () => forOperator(findBinaries())

/**
 * Uses the embedded server of a data folder, with the database of the service; it is created if there is none.
 * @throws OperatorError if no server can run on the folder.
 */
export async function openEmbeddedDatabase(
  dataFolder: string,
  options: Omit<EmbeddedServerOptions, 'database'> = {},
): Promise<EmbeddedServer> {
  const { url, close } = await forOperator(openEmbeddedServer(dataFolder, { ...options, database: DATABASE }))
  return { url, close: () => forOperator(close()) }
}

const forOperator = <T>(work: Promise<T>): Promise<T> =>
  work.catch((error: unknown) => {
    throw error instanceof EmbeddedServerError ? new OperatorError(explain(error), { cause: error }) : error
  })

/** What is wrong, with the settings that help. */
function explain({ message, problem }: EmbeddedServerError) {
  if (problem === 'not-installed')
    return `DATABASE_URL is not set, and ${message}: set it to the connection string of a PostgreSQL`
  if (problem === 'incomplete') return `${message}, or set DATABASE_URL`
  if (problem === 'other-account')
    return `${message}: run the service as the account that made it, or set another DATA_DIR`
  return message
}
