import { bundleWithExplorer } from './bundle.mjs'

await bundleWithExplorer('dist/commands/cli.js')
