import type { TestProject } from 'vitest/node'
import { bundleWithPages } from '../../build/bundle.mjs'

declare module 'vitest' {
  interface ProvidedContext {
    isBuilt: boolean
  }
}

/** Makes the commands once, as for the image: tests start hundreds of them, and each would compile itself. */
export default async function setup(project?: TestProject) {
  if (project?.getProvidedContext().isBuilt) return
  await bundleWithPages('.test-build/commands/cli.js')
  project?.vitest.provide('isBuilt', true)
}
