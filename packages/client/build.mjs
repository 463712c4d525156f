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

/** The modules and types, and the one file. @param {string} outDir */
export async function buildClient(outDir) {
  const compiler = join(folder, '../../node_modules/typescript-7/bin/tsc')
  // All of it each time: what is known of an earlier run says nothing about this folder.
  const afresh = ['--incremental', 'false', '--tsBuildInfoFile', 'null']
  await promisify(execFile)(process.execPath, [compiler, '--project', folder, '--outDir', outDir, ...afresh])
  return bundleClient(join(outDir, 'browser.js'))
}

/**
 * The one file.
 *
 * @param {string} outfile
 * @returns how many bytes of it come over the wire.
 */
export async function bundleClient(outfile) {
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
  const { compressedBytes } = await buildClient(join(folder, 'dist'))
  console.log(`packages/client/dist is made: ${compressedBytes} bytes compressed, with all that it needs`)
}
