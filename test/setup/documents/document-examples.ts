import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { type Block, blockBehind, type Document, root } from './documents.ts'

/*
 * The examples of a document: what is typed in or run, and what is printed then.
 */

/** Files that a document shows as they are. */
export const SHOWN = ['examples/node/rewards.mjs', 'examples/import/campaign.ndjson']

/** Its examples need `npm run demo`. */
export const DEMO_GUIDE = 'docs/guides/demo.md'

export interface Example {
  /** Where it stands. */
  place: string
  command: string
  /** What is printed, as text or as JSON. */
  expected: string | { response: unknown }
}

const toPattern = (output: string) =>
  new RegExp(`^${output.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll('…', '[^]*')}$`)

export const isShownFile = ({ text }: Block) => SHOWN.some((path) => readFileSync(join(root, path), 'utf8') === text)

/** A module with this name is made of a js or ts block. */
export const moduleName = ({ path }: Document, { line, language }: Block) =>
  `${basename(path, '.md')}-${line}.${language === 'ts' ? 'mts' : 'mjs'}`

/** In the order in which they stand; modules are expected in the folder `$MODULES`. */
export function examplesOf(document: Document): Example[] {
  return document.blocks.flatMap((block) => {
    const place = `${document.path}:${block.line}`
    if (block.language === 'js' && !isShownFile(block)) {
      const expected = blockBehind(document, block, 'text')?.text.trimEnd() ?? ''
      return [{ place, command: `node "$MODULES/${moduleName(document, block)}"`, expected }]
    }
    if (block.language !== 'console') return []
    const parts = block.text.split(/^\$ /m).slice(1)
    return parts.map((part, index) => {
      const [command = '', ...output] = part.split(/(?<!\\)\n/)
      const expected = output.join('\n').trimEnd()
      const response = index === parts.length - 1 ? blockBehind(document, block, 'json') : undefined
      return {
        place: `${place} ${command}`,
        command,
        expected: expected === '' && response !== undefined ? { response: JSON.parse(response.text) } : expected,
      }
    })
  })
}

/** Stands between the outputs of two commands. */
const END = '=== end of the output ==='

export const withAddress = (text: string, address = '') => text.replaceAll('localhost:3000', new URL(address).host)

/** What each command prints, on standard output and standard error alike. They are of one shell. */
export async function type(commands: readonly string[], environment: Record<string, string | undefined>) {
  const script = commands.map((command) => `${command}\nprintf '\\n${END}\\n'`)
  const { stdout } = await promisify(execFile)('sh', ['-c', ['exec 2>&1 </dev/null', ...script].join('\n')], {
    cwd: root,
    env: environment,
    maxBuffer: 16 * 1024 * 1024,
  })
  return stdout
    .replaceAll('\r\n', '\n')
    .split(`\n${END}\n`)
    .map((output) => output.trimEnd())
}

/** What is expected where the output fits it, else the output: both are equal where the example is right. */
export function asExpected(output: string, expected: Example['expected']): unknown {
  if (typeof expected === 'string') return toPattern(expected).test(output) ? expected : output
  return { response: reduceTo(toJson(output), expected.response) }
}

function toJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** The value with all that the pattern does not ask for as the pattern has it: they are equal where it fits. */
function reduceTo(value: unknown, pattern: unknown): unknown {
  if (pattern === '…' && value !== undefined) return pattern
  if (typeof pattern === 'string' && typeof value === 'string') return toPattern(pattern).test(value) ? pattern : value
  if (Array.isArray(pattern) && Array.isArray(value)) {
    const hasMore = pattern.at(-1) === '…' && value.length >= pattern.length - 1
    const entries = hasMore ? [...value.slice(0, pattern.length - 1), '…'] : value
    return entries.map((entry, index) => reduceTo(entry, pattern[index]))
  }
  if (!isObject(pattern) || !isObject(value)) return value
  const keys = '…' in pattern ? Object.keys(pattern) : Object.keys(value)
  return Object.fromEntries(keys.map((key) => [key, key === '…' ? pattern[key] : reduceTo(value[key], pattern[key])]))
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
