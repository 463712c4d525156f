import { bundleWithPages } from './bundle.mjs'

await bundleWithPages('dist/commands/cli.js')
