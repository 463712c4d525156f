import type { Markup } from '../../../strict-http/src/markup.ts'
import { paragraphs } from './markdown.ts'

/** The page that says more about a subject of the overview. */
const PAGES: Readonly<Record<string, string>> = {
  Amounts: '/docs/guides/amounts',
  Addresses: '/docs/guides/first-request#request-one-campaign-by-its-id',
  Lists: '/docs/guides/paging',
  Errors: '/docs/guides/errors',
  Freshness: '/docs/guides/caching',
}

/** What holds for all operations: the description of the document, with links in its table of subjects. */
export const overview = (description = ''): Markup =>
  paragraphs(
    description.replace(/^\| (\w+) \|/gm, (start, subject: string) =>
      PAGES[subject] === undefined ? start : `| [${subject}](${PAGES[subject]}) |`,
    ),
  )
