import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'

const root = join(import.meta.dirname, '../..')

/** Compiles the commands once, as for the image: tests start hundreds of them, and each would compile itself. */
export default async function setup() {
  await promisify(execFile)(
    process.execPath,
    [
      join(root, 'node_modules/typescript/bin/tsc'),
      ...['--project', 'tsconfig.build.json', '--outDir', '.test-build', '--sourceMap', 'false'],
      ...['--incremental', '--tsBuildInfoFile', '.test-build/build-info.json'],
    ],
    { cwd: root },
  )
}
