import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { bundleWithPages } from '../../build/bundle.mjs'
import { makeUnlessUnchanged } from '../../build/inputs.mjs'

declare module 'vitest' {
  interface ProvidedContext {
    isBuilt: boolean
  }
}

/** Makes the commands where they have changed, as for the image: tests start hundreds of them, and each would compile itself. */
export default async function setup(project?: TestProject) {
  if (project?.getProvidedContext().isBuilt) return
  const record = join(import.meta.dirname, '../../.test-build/commands.json')
  await makeUnlessUnchanged(record, () => bundleWithPages('.test-build/commands/cli.js'))
  project?.vitest.provide('isBuilt', true)
}
