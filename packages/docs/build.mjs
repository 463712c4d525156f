import { join } from 'node:path'
import { build } from 'esbuild'
import { writeFolder } from '../../build/folders.mjs'

/*
 * Makes the pages of the documentation that the service gives out, of the committed OpenAPI document and of Markdown.
 */

const root = join(import.meta.dirname, '../..')

/**
 * @param {string} outDir where the files go; what earlier calls have made there is removed.
 * @returns paths from the root of all that it was made of.
 */
export async function buildDocs(outDir) {
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    entryPoints: ['packages/docs/src/pages.ts'],
    bundle: true,
    write: false,
    metafile: true,
    platform: 'node',
    format: 'esm',
    target: 'node20.19',
    logLevel: 'error',
  })
  const code = Buffer.from(outputFiles[0]?.contents ?? []).toString('base64')
  /** @type {typeof import('./src/pages.ts')} */
  const { makeFolders } = await import(`data:text/javascript;base64,${code}`)
  const { pages, sources } = await makeFolders(root, await bundleSearch())
  await writeFolder(outDir, pages)
  return [...Object.keys(metafile.inputs), ...sources]
}

/**
 * What the pages search with: a script of its own, which a browser loads when somebody searches. It is made of what makes the
 * index.
 */
export async function bundleSearch() {
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: ['packages/docs/src/search/search-index.ts'],
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    target: 'es2022',
    legalComments: 'none',
    logLevel: 'error',
  })
  return Buffer.from(outputFiles[0]?.contents ?? []).toString()
}
