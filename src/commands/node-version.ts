import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/*
 * Imported before everything else, some of which an older Node.js cannot even load: it is to end with a sentence. So this
 * file keeps to what is old itself.
 */

const manifest = join(fileURLToPath(import.meta.url), '../../../package.json')
const { engines }: { engines: { node: string } } = JSON.parse(readFileSync(manifest, 'utf8'))

const [needed = [], present = []] = [engines.node, process.versions.node].map((text) =>
  (text.match(/\d+/g) ?? []).map(Number),
)
const isOlder = present[0] === needed[0] ? (present[1] ?? 0) < (needed[1] ?? 0) : (present[0] ?? 0) < (needed[0] ?? 0)
if (isOlder) {
  process.stderr.write(`Node.js ${needed.join('.')} or newer is needed; this is ${process.versions.node}\n`)
  process.exit(1)
}
