import { ASCII_LOCALE_ADVICE, describeAsciiLocale, readAsciiLocale } from '../database/database-locale.ts'
import { type AppliedChanges, listPendingChanges, migrateDatabase } from '../database/migrate-database.ts'
import { openDatabaseAccess } from '../process/database-access.ts'
import { toTable } from '../process/print-rows.ts'
import type { Settings } from '../settings.ts'

export interface MigrateOptions {
  servingRole?: string
  dryRun?: boolean
}

/** `migrate`: brings the schema of the database up to date, and lets a role read it. */
export async function migrate(settings: Settings, { servingRole, dryRun = false }: MigrateOptions) {
  const access = await openDatabaseAccess(settings)
  try {
    if (dryRun) {
      process.stdout.write(await describePending(access.url))
      return
    }
    const applied = await migrateDatabase(access.url, {
      servingRole,
      onWait: () => process.stderr.write('another process migrates the database, waiting\n'),
      onBlocked: (reason) => process.stderr.write(`${reason}\n`),
    })
    process.stdout.write(`the schema is current; ${describe(applied)}\n`)
    const locale = await readAsciiLocale(access.url)
    if (locale !== undefined) process.stderr.write(`${describeAsciiLocale(locale)}; ${ASCII_LOCALE_ADVICE}\n`)
    if (servingRole !== undefined)
      process.stdout.write(`the role ${servingRole} has the rights that \`serve\` needs, and no others\n`)
  } finally {
    await access.close()
  }
}

function describe({ migrations, objects }: AppliedChanges) {
  const parts = [
    ...(migrations > 0 ? [countOf(migrations, 'migration')] : []),
    ...(objects.length > 0
      ? [countOf(objects.length, 'function, view or trigger', 'functions, views and triggers')]
      : []),
  ]
  if (parts.length === 0) return 'nothing to do'
  return `${parts.join(' and ')} ${migrations + objects.length === 1 ? 'was' : 'were'} applied`
}

const countOf = (count: number, one: string, many = `${one}s`) => `${count} ${count === 1 ? one : many}`

/** The changes to apply, and what others cannot read or write meanwhile. */
async function describePending(url: string) {
  const pending = await listPendingChanges(url)
  if (pending.length === 0) return 'the schema is current; nothing to do\n'
  const list = (names: string[]) => (names.length === 0 ? null : names.join(', '))
  return toTable(
    ['migration', 'blocksReading', 'blocksWriting'],
    pending.map(({ name, blocksReading, blocksWriting }) => ({
      migration: name,
      blocksReading: list(blocksReading),
      blocksWriting: list(blocksWriting),
    })),
  )
}
