import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

const folder = join(import.meta.dirname, '../../docs/guides')

export interface Guide {
  title: string
  /** What it is good for: its first paragraph. */
  summary: string
  url: string
}

/** The guides, by name; none where they are not installed. */
export async function readGuides(): Promise<Guide[]> {
  const files = await readdir(folder).catch(() => [])
  const names = files.filter((file) => file.endsWith('.md')).map((file) => file.slice(0, -'.md'.length))
  return Promise.all(
    names.sort().map(async (name) => {
      const [title = '', summary = ''] = (await readFile(join(folder, `${name}.md`), 'utf8')).split(/\n\s*\n/)
      return {
        title: title.replace(/^#\s+/, ''),
        summary: summary.replaceAll('\n', ' ').trim(),
        url: `/docs/guides/${name}`,
      }
    }),
  )
}
