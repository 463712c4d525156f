import { statSync } from 'node:fs'
import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/*
 * What something was made of, so that it is made again where that has changed, and else not.
 */

const root = join(import.meta.dirname, '..')

/** What no import names, and what is made depends on all the same. */
const OTHER_INPUTS = [
  'package.json',
  'tsconfig.json',
  'node_modules/.package-lock.json',
  'build/bundle.mjs',
  'build/folders.mjs',
  'build/inputs.mjs',
  'packages/explorer/build.mjs',
  'packages/docs/build.mjs',
]

/** A change that is as new as this may have come after the file was read. */
const SLACK_MS = 100

/** @typedef {{ path: string, state: string }} Input */

/** Whether these are as they were when they were noted. @param {Input[] | undefined} inputs */
export const areUnchanged = (inputs) => inputs?.every(({ path, state }) => stateOf(path) === state) ?? false

/**
 * Notes inputs as they are.
 *
 * @param {string[]} paths from the root
 * @param {number} startedAt
 * @returns {Input[] | undefined} undefined where one may have changed since then: that is for the next start to notice.
 */
export function noteInputs(paths, startedAt) {
  const inputs = [...paths, ...OTHER_INPUTS].map((path) => ({ path, state: stateOf(path) }))
  const isOld = inputs.every(({ state }) => Number(state.split(' ')[1] ?? 0) < startedAt - SLACK_MS)
  return isOld ? inputs : undefined
}

/**
 * Makes something, unless what it was made of is as it was.
 *
 * @param {string} record file for what it was made of; stands beside what is made
 * @param {() => Promise<string[]>} make returns what it has read, as paths from the root
 */
export async function makeUnlessUnchanged(record, make) {
  if (areUnchanged(await readFile(record, 'utf8').then(JSON.parse, () => undefined))) return
  await rm(record, { force: true })
  const startedAt = Date.now()
  const inputs = noteInputs(await make(), startedAt)
  if (inputs === undefined) return
  const unfinished = `${record}.${process.pid}`
  await writeFile(unfinished, JSON.stringify(inputs))
  await rename(unfinished, record)
}

/** No change of a file leaves this as it was: anyone who sets its times back changes `ctime`. @param {string} path */
function stateOf(path) {
  const found = statSync(join(root, path), { throwIfNoEntry: false })
  return found === undefined ? 'none' : `${found.size} ${found.ctimeMs}`
}
