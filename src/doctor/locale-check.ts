import { ASCII_LOCALE_ADVICE, findAsciiLocale, tellAsciiLocale } from '../database/database-locale.ts'
import type { Ask } from '../database/snapshot.ts'
import { type Finding, ok, warning } from '../schemas/findings.ts'

/** Whether the locale of the database covers letters beyond ASCII. */
export async function examineLocale(ask: Ask): Promise<Finding> {
  const locale = await findAsciiLocale(ask)
  return locale === undefined
    ? ok('the locale of the database covers letters beyond ASCII')
    : warning(tellAsciiLocale(locale), ASCII_LOCALE_ADVICE)
}
