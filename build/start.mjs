import module from 'node:module'
import { freshBundle } from './bundle.mjs'

// What Node.js has compiled is kept, where it can (from 22.1 on).
if ('enableCompileCache' in module && module.enableCompileCache instanceof Function) module.enableCompileCache()

await import(await freshBundle())
