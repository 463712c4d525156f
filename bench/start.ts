import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { root } from './measuring/child-processes.ts'
import { installPackages } from './measuring/packages.ts'

/*
 * Runs the measurements on the Node.js of the image, as operators run the service. Where this one is older, that one is installed
 * beside them. PostGraphile runs on the same.
 */

const FOLDER = join(import.meta.dirname, '.node')

const [, major = ''] = /^FROM node:(\d+)-/m.exec(await readFile(join(root, 'Dockerfile'), 'utf8')) ?? []
if (major === '') throw new Error('the Dockerfile does not say which Node.js the image has')

async function findNode() {
  if (process.versions.node.startsWith(`${major}.`)) return process.execPath
  const name = `node-${process.platform}-${process.arch}`
  await installPackages(FOLDER, { [name]: major })
  return join(FOLDER, 'node_modules', name, 'bin/node')
}

// In the same process group: SIGINT of a terminal reaches both.
const child = spawn(
  await findNode(),
  ['--import', 'tsx', join(import.meta.dirname, 'run.ts'), ...process.argv.slice(2)],
  { stdio: 'inherit' },
)
process.once('SIGINT', () => undefined)
process.once('SIGTERM', () => child.kill('SIGTERM'))
const [code] = await once(child, 'exit')
process.exitCode = code ?? 1
