import { requireNodeVersion } from '../../build/node-version.mjs'

/* Imported first, because an older Node.js cannot even load some of the other modules. */

requireNodeVersion(new URL('../../package.json', import.meta.url))
