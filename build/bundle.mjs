import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { areUnchanged, noteInputs } from './inputs.mjs'

/*
 * Makes one file of the command line and of the packages that it uses. Node.js takes a second and a half to find, read
 * and understand 1,500 files of TypeScript and packages, and a fifth of a second for this one.
 */

const root = join(import.meta.dirname, '..')

const CACHE = '.cache/start'

/** Pages, by which it is known whether any are there. */
const PAGES = ['../explorer/explorer.html', '../docs/public/docs.html']

/**
 * What the command line finds in bundles beside its own, which are read only where they are needed. They have in them what
 * nobody else needs, and what is needed for building only.
 */
const APART = [
  { name: 'traces', entryPoint: 'src/observability/traces.ts', imported: /\/observability\/traces\.ts$/ },
  { name: 'mcp', entryPoint: 'packages/mcp/src/mcp.ts', imported: /^reward-campaigns-mcp$/ },
]

/**
 * @param {string} entryPoint
 * @param {string} outfile path from the root, as many folders below it as the sources that look for files, so that it finds them.
 * @param {import('esbuild').BuildOptions} [options]
 * @returns what it was made of: paths from the root.
 */
export async function bundle(entryPoint, outfile, options = {}) {
  // Loaded only where something is to be made.
  const { build } = await import('esbuild')
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: [entryPoint],
    outfile,
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
    ...options,
    metafile: true,
    logLevel: 'error',
  })
  return Object.keys(metafile.inputs)
}

/**
 * @param {string} stem of the names of all bundles
 * @returns {import('esbuild').Plugin}
 */
const apart = (stem) => ({
  name: 'apart',
  setup(build) {
    for (const { name, imported } of APART) {
      build.onResolve({ filter: imported }, () => ({ path: `./${stem}.${name}.js`, external: true }))
    }
  },
})

/**
 * Makes the command line, the bundles beside it and, in the folders `explorer` and `docs` beside that of the command line, the pages
 * that it serves.
 *
 * @param {string} outfile path from the root, two folders below it.
 * @returns what they were made of: paths from the root.
 */
export async function bundleWithPages(outfile) {
  const { buildExplorer } = await import('../packages/explorer/build.mjs')
  const { buildDocs } = await import('../packages/docs/build.mjs')
  const stem = outfile.replace(/\.js$/, '')
  const inputs = await Promise.all([
    bundle('src/commands/cli.ts', outfile, { plugins: [apart(basename(stem))] }),
    // Of their packages the modules are taken, of which most can be left out.
    ...APART.map(({ name, entryPoint }) =>
      bundle(entryPoint, `${stem}.${name}.js`, { mainFields: ['module', 'main'] }),
    ),
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
  const startedAt = Date.now()
  const name = `cli-${startedAt}-${process.pid}.js`
  await mkdir(inCache(''), { recursive: true })
  const inputs = noteInputs(await bundleWithPages(`${CACHE}/${name}`), startedAt)
  if (inputs !== undefined) {
    const unfinished = inCache(`${name}.record`)
    await writeFile(unfinished, JSON.stringify({ name, inputs }))
    await rename(unfinished, inCache('record.json'))
  }
  await removeOthers(name)
  return toUrl(name)
}

/** @returns {Promise<{ name: string, inputs: { path: string, state: string }[] } | undefined>} */
const readRecord = () => readFile(inCache('record.json'), 'utf8').then(JSON.parse, () => undefined)

/** @param {string} name */
const inCache = (name) => join(root, CACHE, name)

/** @param {string} name */
const toUrl = (name) => pathToFileURL(inCache(name)).href

/** Removes what earlier calls have made, unless another process is about to load it. @param {string} name */
async function removeOthers(name) {
  const others = (await readdir(inCache(''))).filter(
    (other) => other.startsWith('cli-') && !other.startsWith(name.slice(0, -'js'.length)),
  )
  const isOld = (/** @type {string} */ other) => Number(other.split('-')[1]) < Date.now() - 60_000
  await Promise.all(others.filter(isOld).map((other) => rm(inCache(other), { force: true })))
}
