import { ASCII_LOCALE_ADVICE, readAsciiLocale, tellAsciiLocale } from '../database/database-locale.ts'
import { migrateDatabase } from '../database/migrations.ts'
import { grantServing } from '../database/serving-role.ts'
import type { Settings } from '../settings.ts'
import { openDatabaseAccess } from './database-access.ts'

/** `migrate`: brings the schema of the database up to date, and lets a role read what is in it. */
export async function migrate(settings: Settings, options: { servingRole?: string }) {
  const access = await openDatabaseAccess(settings)
  try {
    const applied = await migrateDatabase(access.url, () =>
      process.stderr.write('another process is migrating the database, waiting for it\n'),
    )
    const { servingRole } = options
    if (servingRole !== undefined) await grantServing(access.url, servingRole)
    process.stdout.write(`the schema is current; ${describe(applied)}\n`)
    const locale = await readAsciiLocale(access.url)
    if (locale !== undefined) process.stderr.write(`${tellAsciiLocale(locale)}; ${ASCII_LOCALE_ADVICE}\n`)
    if (servingRole !== undefined)
      process.stdout.write(`the role ${servingRole} has what \`serve\` needs, and no more\n`)
  } finally {
    await access.close()
  }
}

function describe(applied: number) {
  if (applied === 0) return 'nothing had to be done'
  return applied === 1 ? '1 migration was applied' : `${applied} migrations were applied`
}
