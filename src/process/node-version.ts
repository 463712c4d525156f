import { requireNodeVersion } from '../../build/node-version.mjs'

/*
 * Imported before everything else, some of which an older Node.js cannot even load.
 */

requireNodeVersion(new URL('../../package.json', import.meta.url))
