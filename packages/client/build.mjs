import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'

/*
 * Makes what is published: modules and types for those who bundle, and one file for a page that has nothing but a browser.
 */

const folder = import.meta.dirname

/**
 * @param {string} [outDir]
 * @returns how many bytes of the one file come over the wire.
 */
export async function buildClient(outDir = join(folder, 'dist')) {
  const compiler = join(folder, '../../node_modules/typescript/bin/tsc')
  await promisify(execFile)(process.execPath, [compiler, '--project', folder, '--outDir', outDir])
  const outfile = join(outDir, 'browser.js')
  await build({
    absWorkingDir: folder,
    entryPoints: ['src/client.ts'],
    outfile,
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    legalComments: 'none',
    logLevel: 'error',
  })
  return { compressedBytes: gzipSync(await readFile(outfile), { level: 9 }).length }
}

if (process.argv[1] === import.meta.filename) {
  const { compressedBytes } = await buildClient()
  console.log(`packages/client/dist is made: ${compressedBytes} bytes compressed, with all that it needs`)
}
