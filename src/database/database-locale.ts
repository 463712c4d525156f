import { withClient } from './connection/open-database.ts'

type Query = <Row extends object>(sql: string) => Promise<Row[]>

/**
 * The locale of a database if it knows no letters beyond ASCII, else undefined. No response depends on it; queries that
 * operators write themselves do.
 */
export async function findAsciiLocale(query: Query): Promise<string | undefined> {
  // The names of its columns depend on the version.
  const [row] = await query<{ locale: string; isAscii: boolean }>(
    `select coalesce(to_jsonb(own) ->> 'datlocale', to_jsonb(own) ->> 'daticulocale', own.datctype) as locale,
      lower(U&'\\00C4\\0416') <> U&'\\00E4\\0436' as "isAscii"
    from pg_database own where datname = current_database()`,
  )
  return row?.isAscii ? row.locale : undefined
}

/** The same, for the database at a URL. */
export const readAsciiLocale = (url: string) =>
  withClient(url, 'reward-campaigns migrate', (client) =>
    findAsciiLocale(async <Row extends object>(sql: string) => (await client.query<Row>(sql)).rows),
  )

/** The warning about such a locale. */
export const describeAsciiLocale = (locale: string) =>
  `the locale of the database, ${locale}, knows no letters beyond ASCII: the service compares them all the same, but \`lower\`, \`upper\` and \`ilike\` in queries of your own do not`

/** What to do about it. */
export const ASCII_LOCALE_ADVICE =
  "leave it, or move the data into a database that was made with `create database … template template0 locale 'C.UTF-8'`"
