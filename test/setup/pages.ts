import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { buildDocs } from '../../packages/docs/build.mjs'
import { buildExplorer } from '../../packages/explorer/build.mjs'

const folder = join(import.meta.dirname, '../../.test-build')

/** Makes the pages that the service serves, without the commands, which tests of the app do not start. */
export default async function setup(project: TestProject) {
  if (project.getProvidedContext().isBuilt) return
  await Promise.all([buildExplorer(join(folder, 'explorer')), buildDocs(join(folder, 'docs'))])
}
