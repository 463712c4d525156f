import { readFile } from 'node:fs/promises'
import { basename, extname, join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, gzip } from 'node:zlib'
import { build } from 'esbuild'
import { minify } from 'terser'
import { writeFolder } from '../../build/folders.mjs'

/*
 * Makes the files of the explorer that the service gives out: one page, its script, the one that asks wallets, and one sheet of
 * styles, all but the page also compressed. The names of scripts and styles say what is in them, so that browsers may keep them.
 */

const folder = import.meta.dirname

/**
 * @param {string} outDir where the files go; what earlier calls have made there is removed.
 * @returns paths from the root of all that it was made of.
 */
export async function buildExplorer(outDir) {
  const { outputFiles, metafile } = await build({
    absWorkingDir: join(folder, '../..'),
    entryPoints: [join(folder, 'src/explorer.tsx')],
    outdir: join(outDir, 'assets'),
    bundle: true,
    // What asks wallets is a script of its own, which the browser loads where it is wanted.
    splitting: true,
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    minify: true,
    write: false,
    metafile: true,
    format: 'esm',
    target: 'es2022',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    // Its sources, so that nothing has to be built first.
    alias: {
      'reward-campaigns-client': join(folder, '../client/src/client.ts'),
      // All that is used of it; the rest would be scripts of their own.
      'preact-iso': 'preact-iso/router',
    },
    legalComments: 'none',
    logLevel: 'error',
  })
  const template = join(folder, 'src/explorer.html')
  let page = await readFile(template, 'utf8')
  /** @type {[path: string, content: Uint8Array][]} */
  const files = []
  for (const { path, contents: built } of outputFiles) {
    const contents = extname(path) === '.js' ? await minifyScript(built) : built
    const name = `assets/${basename(path)}`
    page = page.replace(`assets/explorer${extname(path)}`, /^explorer-/.test(basename(path)) ? name : '$&')
    const [small, smaller] = await Promise.all([
      promisify(gzip)(contents, { level: 9 }),
      promisify(brotliCompress)(contents),
    ])
    files.push([name, contents], [`${name}.gz`, small], [`${name}.br`, smaller])
  }
  // Last, when all that it names is there.
  files.push(['explorer.html', Buffer.from(page)])
  await writeFolder(outDir, files)
  return [...Object.keys(metafile.inputs), 'packages/explorer/src/explorer.html']
}

/** What esbuild has made, smaller: compressed by 3 %, which is 1.6 kB of the first page. It is the same program, so its name stays. */
async function minifyScript(/** @type {Uint8Array} */ script) {
  const { code = '' } = await minify(Buffer.from(script).toString(), { module: true })
  return Buffer.from(code)
}
