import module from 'node:module'
import { requireNodeVersion } from './node-version.mjs'

requireNodeVersion(new URL('../package.json', import.meta.url))

// What Node.js has compiled is kept, where it can (from 22.1 on).
if ('enableCompileCache' in module && module.enableCompileCache instanceof Function) module.enableCompileCache()

// Not at the top: an older Node.js cannot run it.
const { freshBundle } = await import('./bundle.mjs')
await import(await freshBundle())
