import { bundleWithExplorer } from '../../build/bundle.mjs'

/** Makes the commands once, as for the image: tests start hundreds of them, and each would compile itself. */
export default async function setup() {
  await bundleWithExplorer('.test-build/commands/cli.js')
}
