import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { areUnchanged, noteInputs } from './inputs.mjs'

/*
 * Bundles the command line with the packages that it uses: one file, and beside it those that it imports only when a command
 * needs them. Node.js takes a second and a half to find, read and understand 1,500 files of TypeScript and packages, and a
 * tenth of a second for the bundle.
 */

const root = join(import.meta.dirname, '..')

const CACHE = '.cache/start'

/** Bundles that are kept there. */
const MAX_KEPT = 5

/** Pages, by which it is known whether any are there. */
const PAGES = ['../explorer/explorer.html', '../docs/public/docs.html']

/**
 * Makes a bundle, and removes what an earlier one of the same name has left.
 *
 * @param {string} entryPoint
 * @param {string} outfile path from the root, as many folders below it as the sources that look for files, so that it finds them.
 * What is imported dynamically stands beside it, under names that begin with its own.
 * @returns what it was made of: paths from the root.
 */
export async function bundle(entryPoint, outfile) {
  // Loaded only where something is to be made.
  const { build } = await import('esbuild')
  const [outdir, stem] = [dirname(outfile), basename(outfile, '.js')]
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: { [stem]: entryPoint },
    outdir,
    splitting: true,
    chunkNames: `${stem}.[name].[hash]`,
    // Of modules, what nobody imports can be left out.
    mainFields: ['module', 'main'],
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20.19',
    // Reads files of its own, in a thread of its own.
    external: ['pino-pretty'],
    banner: {
      js: [
        "import { createRequire as createRequireOfBundle } from 'node:module'",
        'const require = createRequireOfBundle(import.meta.url)',
        'const { filename: __filename, dirname: __dirname } = import.meta',
        // As Node.js 21 has it: pg looks for it, and where it is not there, has Node.js 20 load all of its `fetch`.
        "globalThis.navigator ??= { userAgent: 'Node.js' }",
      ].join('\n'),
    },
    // Less to read by a third; names and the lines of a stack stay readable.
    minifyWhitespace: true,
    lineLimit: 160,
    sourcemap: 'linked',
    metafile: true,
    logLevel: 'error',
  })
  for (const name of await readdir(join(root, outdir))) {
    if (name.startsWith(`${stem}.`) && !(`${outdir}/${name}` in metafile.outputs))
      await rm(join(root, outdir, name), { force: true })
  }
  return Object.keys(metafile.inputs)
}

/**
 * Makes the command line and, in the folders `explorer` and `docs` beside that of the command line, the pages that it serves.
 *
 * @param {string} outfile path from the root, two folders below it.
 * @returns what they were made of: paths from the root.
 */
export async function bundleWithPages(outfile) {
  const { buildExplorer } = await import('../packages/explorer/build.mjs')
  const { buildDocs } = await import('../packages/docs/build.mjs')
  const inputs = await Promise.all([
    bundle('src/commands/cli.ts', outfile),
    buildExplorer(join(root, outfile, '../../explorer')),
    buildDocs(join(root, outfile, '../../docs')),
  ])
  // Its process would stay as long as the service, which may be for months.
  await (await import('esbuild')).stop()
  return [...new Set(inputs.flat())]
}

/** The URL of a bundle of the sources as they are now: the one that is there, or where anything differs a new one. */
export async function freshBundle() {
  const known = await readRecord()
  const arePagesThere = PAGES.every((path) => existsSync(inCache(path)))
  if (known !== undefined && arePagesThere && areUnchanged(known.inputs)) return toUrl(known.name)
  // It takes seconds, in which a person would see nothing.
  if (process.stderr.isTTY)
    process.stderr.write('building the service and its pages, as after each change of the sources\n')
  const startedAt = Date.now()
  const name = `cli-${startedAt}-${process.pid}.js`
  await mkdir(inCache(''), { recursive: true })
  const inputs = noteInputs(await bundleWithPages(`${CACHE}/${name}`), startedAt)
  if (inputs !== undefined) {
    const unfinished = inCache(`${name}.record`)
    await writeFile(unfinished, JSON.stringify({ name, inputs }))
    await rename(unfinished, inCache('record.json'))
  }
  await removeOld()
  return toUrl(name)
}

/** @returns {Promise<{ name: string, inputs: { path: string, state: string }[] } | undefined>} */
const readRecord = () => readFile(inCache('record.json'), 'utf8').then(JSON.parse, () => undefined)

/** @param {string} name */
const inCache = (name) => join(root, CACHE, name)

/** @param {string} name */
const toUrl = (name) => pathToFileURL(inCache(name)).href

/** Removes the oldest bundles. A process that runs another one may still import more of it. */
async function removeOld() {
  const names = await readdir(inCache(''))
  const stems = names.flatMap((name) => /^(cli-\d+-\d+)\.js$/.exec(name)?.[1] ?? []).sort()
  const old = stems.slice(0, -MAX_KEPT).map((stem) => `${stem}.`)
  const removed = names.filter((name) => old.some((start) => name.startsWith(start)))
  await Promise.all(removed.map((name) => rm(inCache(name), { force: true })))
}
