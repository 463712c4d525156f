import { bundle } from './bundle.mjs'

await bundle('dist/commands/cli.js')
