import { bundleWithPages } from '../../build/bundle.mjs'

/** Makes the commands once, as for the image: tests start hundreds of them, and each would compile itself. */
export default async function setup() {
  await bundleWithPages('.test-build/commands/cli.js')
}
