import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, gzip } from 'node:zlib'
import { build } from 'esbuild'

/*
 * Makes the files of the explorer that the service gives out: one page, one script and one sheet of styles, each also
 * compressed. The names of script and styles say what is in them, so that browsers may keep them.
 */

const folder = import.meta.dirname

/**
 * @param {string} outDir where the files go; what earlier calls have made there is removed.
 * @returns paths from the root of all that it was made of, and how many bytes go over the wire in all.
 */
export async function buildExplorer(outDir) {
  const { outputFiles, metafile } = await build({
    absWorkingDir: join(folder, '../..'),
    entryPoints: [join(folder, 'src/explorer.tsx')],
    outdir: join(outDir, 'assets'),
    bundle: true,
    minify: true,
    write: false,
    metafile: true,
    format: 'esm',
    target: 'es2022',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    // Its sources, so that nothing has to be built first.
    alias: { 'reward-campaigns-client': join(folder, '../client/src/client.ts') },
    legalComments: 'none',
    logLevel: 'error',
  })
  const template = join(folder, 'src/explorer.html')
  let page = await readFile(template, 'utf8')
  /** @type {[path: string, content: Uint8Array][]} */
  const files = []
  for (const { path, contents } of outputFiles) {
    const kind = path.endsWith('.css') ? 'css' : 'js'
    const name = `assets/explorer-${createHash('sha256').update(contents).digest('hex').slice(0, 12)}.${kind}`
    page = page.replace(`assets/explorer.${kind}`, name)
    files.push([name, contents])
  }
  // Last, when all that it names is there.
  files.push(['explorer.html', Buffer.from(page)])
  let bytes = 0
  for (const [name, content] of files) bytes += await writeCompressed(join(outDir, name), content)
  const kept = new Set(files.map(([name]) => name.replace('assets/', '')))
  for (const other of await readdir(join(outDir, 'assets'))) {
    if (!kept.has(other.replace(/\.(br|gz)$/, ''))) await rm(join(outDir, 'assets', other), { force: true })
  }
  return { inputs: [...Object.keys(metafile.inputs), 'packages/explorer/src/explorer.html'], bytes }
}

/** @returns bytes of the smallest. @param {string} path @param {Uint8Array} content */
async function writeCompressed(path, content) {
  await mkdir(dirname(path), { recursive: true })
  const [small, smaller] = await Promise.all([
    promisify(gzip)(content, { level: 9 }),
    promisify(brotliCompress)(content),
  ])
  for (const [ending, bytes] of /** @type {[string, Uint8Array][]} */ ([
    ['.gz', small],
    ['.br', smaller],
    ['', content],
  ])) {
    // Whoever reads it meanwhile, another start among them, finds all or nothing.
    const unfinished = join(dirname(path), '..', `unfinished-${process.pid}`)
    await writeFile(unfinished, bytes)
    await rename(unfinished, path + ending)
  }
  return smaller.length
}
