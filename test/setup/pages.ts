import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { makeUnlessUnchanged } from '../../build/inputs.mjs'
import { buildDocs } from '../../packages/docs/build.mjs'
import { buildExplorer } from '../../packages/explorer/build.mjs'

const folder = join(import.meta.dirname, '../../.test-build')

/** Makes the pages that the service serves, where they have changed, without the commands, which tests of the app do not start. */
export default async function setup(project: TestProject) {
  if (project.getProvidedContext().isBuilt) return
  await makeUnlessUnchanged(join(folder, 'pages.json'), async () =>
    (await Promise.all([buildExplorer(join(folder, 'explorer')), buildDocs(join(folder, 'docs'))])).flat(),
  )
}
