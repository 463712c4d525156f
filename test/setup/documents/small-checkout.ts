import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * Leaves of a copy of the checkout one operation, one guide and no tools for agents: what is made of the others takes most
 * of a build, and most tests of builds count on none of them.
 */
export async function shrinkCheckout(folder: string) {
  const file = join(folder, 'openapi.json')
  const document = JSON.parse(await readFile(file, 'utf8'))
  await writeFile(file, JSON.stringify({ ...document, paths: { '/campaigns': document.paths['/campaigns'] } }, null, 2))
  const guides = await readdir(join(folder, 'docs/guides'))
  const others = guides.filter((name) => name !== 'paging.md')
  await Promise.all(others.map((name) => rm(join(folder, 'docs/guides', name))))
  await writeFile(join(folder, 'packages/mcp/src/mcp.ts'), 'export {}\n')
}
