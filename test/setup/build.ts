import { bundle } from '../../build/bundle.mjs'

/** Makes the commands once, as for the image: tests start hundreds of them, and each would compile itself. */
export default async function setup() {
  await bundle('.test-build/commands/cli.js')
}
