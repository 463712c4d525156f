import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import openapiTS, { astToString, COMMENT_HEADER } from 'openapi-typescript'
import { tsImport } from 'tsx/esm/api'

/*
 * `npm run generate`: makes every file that is generated, in the order in which one is made of another. With `--check`, which
 * `npm run checks` runs first, it changes nothing, and ends with 1 where what types are made of differs: so types are never
 * right and out of date. Tests compare the others.
 */

const root = join(import.meta.dirname, '..')

const DOCUMENT = 'openapi.json'
const COLLECTIONS = [
  'docs/collections/reward-campaigns.http',
  'docs/collections/reward-campaigns.postman_collection.json',
]
const CLIENT_TYPES = 'packages/client/src/openapi.ts'
const CLIENT_TRAITS = 'packages/client/src/incentive-traits.ts'
const REFERENCE = 'docs/reference/commands.md'

/** Tests that compare a file with what it has to be, and write it where they are told to. */
const TESTS_OF_FILES = [
  'test/project/documents/settings.test.ts',
  'test/project/documents/metrics.test.ts',
  'test/project/documents/batch-steps.test.ts',
  'test/project/migrations.test.ts',
]

/** @param {string[]} parameters */
const runNode = (...parameters) => promisify(execFile)(process.execPath, parameters, { cwd: root })

/** The files that are made of the sources alone, without a database, and their texts. */
async function makeFiles() {
  await mkdir(join(root, '.cache'), { recursive: true })
  const folder = await mkdtemp(join(root, '.cache/generated-'))
  try {
    const inFolder = (/** @type {string} */ file) => join(folder, basename(file))
    const made = [DOCUMENT, ...COLLECTIONS]
    await runNode('--import', 'tsx', 'src/commands/cli.ts', 'openapi', '--output', ...made.map(inFolder))
    const files = await Promise.all(made.map(async (file) => ({ file, text: await readFile(inFolder(file), 'utf8') })))
    const document = await readFile(inFolder(DOCUMENT), 'utf8')
    return [
      ...files,
      { file: CLIENT_TYPES, text: COMMENT_HEADER + astToString(await openapiTS(document)) },
      { file: CLIENT_TRAITS, text: await toTraits() },
      { file: REFERENCE, text: await toReference(document) },
    ]
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** What pages and tools have to know of each variant besides the fields of an incentive. */
async function toTraits() {
  /** @type {typeof import('../src/schemas/campaigns/incentives.ts')} */
  const { incentiveTraits, incentiveVariants } = await tsImport(
    '../src/schemas/campaigns/incentives.ts',
    import.meta.url,
  )
  const lines = incentiveVariants.map(({ properties }) => {
    const type = properties.type.const
    const { reward, limit, paysToken } = incentiveTraits[type]
    const ofFields = `isPegged: ${'peg' in properties}, mayBeRaffle: ${'strategy' in properties}`
    return `  ${type}: { reward: '${reward}', limit: '${limit}', paysToken: ${paysToken}, ${ofFields} },\n`
  })
  return `// Made by \`npm run generate\`. Do not change it by hand.

/**
 * What the service knows of each variant of incentives; one that only a newer service has is missing.
 *
 * \`reward\` is what a claim pays: \`fixed\`: the field \`reward\`; \`share\`: that share of an amount; \`auction\`: what the state of an
 * auction makes it; \`proof\`: what a proof says in all, less what was claimed; \`none\`: no amount. \`limit\` is what its limit counts:
 * all its \`claims\`, the \`remaining claims\`, or the base units of its \`budget\`. One that \`paysToken\` pays that in its field \`asset\`.
 * One that \`isPegged\` has amounts of its \`peg\`. One that \`mayBeRaffle\` is one if its \`strategy\` says so.
 */
export const incentiveTraits = {
${lines.join('')}} as const
`
}

/**
 * The reference, with the size of the document as it is served.
 *
 * @param {string} document
 */
async function toReference(document) {
  const served = JSON.stringify(JSON.parse(document))
  const kilobytes = Math.round(gzipSync(served).length / 1000)
  const text = await readFile(join(root, REFERENCE), 'utf8')
  return text.replace(/(?<=has )\d+(?= kB gzip-compressed)/, String(kilobytes))
}

const files = await makeFiles()
if (process.argv.includes('--check')) {
  const states = await Promise.all(
    files.map(async ({ file, text }) => ({ file, isRight: (await readFile(join(root, file), 'utf8')) === text })),
  )
  const wrong = states.filter(({ isRight }) => !isRight).map(({ file }) => file)
  if (wrong.length > 0) {
    process.stderr.write(`not what the sources make: ${wrong.join(', ')}: run \`npm run generate\`\n`)
    process.exitCode = 1
  }
} else {
  for (const { file, text } of files) await writeFile(join(root, file), text)
  await runNode('node_modules/vitest/vitest.mjs', 'run', '--update', 'all', ...TESTS_OF_FILES)
}
