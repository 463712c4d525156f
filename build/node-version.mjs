import { readFileSync } from 'node:fs'

/**
 * Ends the process with a sentence where its Node.js is older than the manifest asks for. Keeps to what an old Node.js can
 * load, like everything that is imported before it has run.
 *
 * @param {URL} manifest of a `package.json`
 */
export function requireNodeVersion(manifest) {
  const { engines } = JSON.parse(readFileSync(manifest, 'utf8'))
  const [needed, present] = [engines.node, process.versions.node].map((text) => (text.match(/\d+/g) || []).map(Number))
  const isOlder = present[0] === needed[0] ? present[1] < needed[1] : present[0] < needed[0]
  if (!isOlder) return
  process.stderr.write(`Node.js ${needed.join('.')} or newer is needed; this is ${process.versions.node}\n`)
  process.exit(1)
}
