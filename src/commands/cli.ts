#!/usr/bin/env node
import '../process/node-version.ts'

// Not at the top: an older Node.js may not load it.
await import('./program.ts')
