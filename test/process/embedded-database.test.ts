import { chown } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { OperatorError } from '../../src/operator-error.ts'
import { openEmbeddedDatabase } from '../../src/process/embedded-database.ts'
import { aDataFolder } from '../setup/servers/data-folder.ts'

// Only root can give files to another account.
test.skipIf(process.getuid?.() !== 0)(
  'a folder of another account is refused with the setting that helps',
  async () => {
    await using data = await aDataFolder()
    await chown(join(data.folder, 'password'), 12_345, 12_345)
    const error = await openEmbeddedDatabase(data.folder).catch((error: unknown) => error)
    expect(error).toBeInstanceOf(OperatorError)
    expect(error).toHaveProperty(
      'message',
      `${data.folder}/password belongs to account 12345 and not to 0: run the service as the account that made it, or set another DATA_DIR`,
    )
  },
)
