import { ASCII_LOCALE_ADVICE, describeAsciiLocale, findAsciiLocale } from '../database/database-locale.ts'
import type { Query } from '../database/snapshot.ts'
import { type Finding, ok, warning } from '../schemas/check-findings.ts'

/** Whether the locale of the database covers letters beyond ASCII. */
export async function examineLocale(query: Query): Promise<Finding> {
  const locale = await findAsciiLocale(query)
  return locale === undefined
    ? ok('the locale of the database covers letters beyond ASCII')
    : warning(describeAsciiLocale(locale), ASCII_LOCALE_ADVICE)
}
