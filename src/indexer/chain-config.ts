import { type Static, Type } from '@sinclair/typebox'
import type { Hex } from 'viem'
import { type Document, isScalar, LineCounter, parseDocument, visit } from 'yaml'
import { faultOfPort } from '../fetch-ports.ts'
import { Address, ChainId, DecimalAmount, MAX_SAFE_INTEGER } from '../schemas/primitives.ts'
import { ref } from '../schemas/schema-builders.ts'
import { createValidator, describeFault, type ErrorObject } from '../schemas/validator.ts'
import { faultsOfPrices, PriceEntry, type PriceSource, toPriceSource } from './feeds/price-settings.ts'
import { toAddressAndHeaders } from './rpc/endpoint-address.ts'

/** A chain to follow, as the operator writes it. */
const ChainEntry = Type.Object(
  {
    chainId: ref(ChainId),
    rpc: Type.Array(
      Type.String({
        pattern: '^(http|ws)s?://[^\\s/]',
        maxLength: 2048,
        'x-expected': 'an http, https, ws or wss URL',
      }),
      {
        minItems: 1,
        maxItems: 20,
      },
    ),
    cores: Type.Optional(Type.Array(ref(Address), { minItems: 1, maxItems: 100 })),
    timeBasedManagers: Type.Optional(Type.Array(ref(Address), { minItems: 1, maxItems: 100 })),
    startBlock: Type.Integer({ minimum: 0, maximum: MAX_SAFE_INTEGER }),
    openAllowLists: Type.Optional(Type.Array(ref(Address), { maxItems: 1000 })),
    prices: Type.Optional(Type.Array(PriceEntry, { maxItems: 1000 })),
    trustedTokens: Type.Optional(Type.Array(ref(Address), { maxItems: 1000 })),
    prove: Type.Optional(Type.Boolean()),
  },
  { additionalProperties: false },
)

const ChainFile = Type.Object(
  { chains: Type.Array(ChainEntry, { minItems: 1, maxItems: 100 }) },
  { additionalProperties: false },
)

/** A chain to follow. */
export interface ChainSettings {
  chainId: number
  /** In the order in which they are used. Secrets: they may contain keys. */
  urls: string[]
  /** WebSocket URLs, used for new heads only. Numbered after the others; secrets as well. */
  sockets: string[]
  cores: ReadonlySet<Hex>
  /** Managers of time-based incentives. */
  timeBasedManagers: ReadonlySet<Hex>
  openAllowLists: ReadonlySet<Hex>
  startBlock: number
  /** The price sources of tokens, one for each token. */
  prices: readonly PriceSource[]
  /** Tokens that are whitelisted unless a token record is imported. */
  trustedTokens: ReadonlySet<Hex>
  /** Whether counters of contracts are compared with what is stored; absent: they are. */
  prove?: boolean | undefined
}

/** An invalid chain file. The message has a line for each fault, and never a URL. */
export class ChainFileError extends Error {
  override readonly name = 'ChainFileError'
}

/**
 * Reads and checks a chain file, YAML or JSON; `${NAME}` is replaced by an environment variable.
 * @throws ChainFileError with every fault as `file:line: /path: what is wrong`.
 */
export function parseChainFile(
  name: string,
  text: string,
  environment: Readonly<Record<string, string | undefined>>,
): ChainSettings[] {
  const lines = new LineCounter()
  // A pretty error would repeat lines of the file.
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false })
  const faults: string[] = []
  const add = (offset: number, pointer: string, message: string) => {
    faults.push(`${name}:${Math.max(1, lines.linePos(offset).line)}: ${pointer || '/'}: ${message}`)
  }
  const addAt = (pointer: string, message: string) => add(offsetOf(document, pointer), pointer, message)
  for (const { pos, code } of document.errors)
    add(pos[0], '', `is not valid YAML (${code.toLowerCase().replaceAll('_', ' ')})`)
  if (faults.length > 0) throw new ChainFileError(faults.join('\n'))
  fillIn(document, environment, (offset, message) => add(offset, '', message))
  const value: unknown = faults.length > 0 ? undefined : toPlainValue(document, () => add(0, '', ALIAS_FAULT))
  const check = createValidator([ChainId, Address, DecimalAmount]).compile<Static<typeof ChainFile>>(ChainFile)
  const isValid = check(value)
  if (faults.length === 0) {
    for (const error of check.errors ?? []) addAt(error.instancePath, describe(error))
  }
  if (!isValid) throw new ChainFileError([...new Set(faults)].join('\n'))
  for (const [index, { chainId, rpc, cores, timeBasedManagers }] of value.chains.entries()) {
    if (cores === undefined && timeBasedManagers === undefined) {
      addAt(`/chains/${index}`, 'must have cores or timeBasedManagers')
    }
    const isRepeated = value.chains.findIndex((other) => other.chainId === chainId) < index
    if (isRepeated)
      add(offsetOf(document, `/chains/${index}`), `/chains/${index}/chainId`, `chain ${chainId} is given twice`)
    const pointer = `/chains/${index}/rpc`
    for (const [position, url] of rpc.entries()) {
      const fault = faultOf(url)
      if (fault !== undefined) addAt(`${pointer}/${position}`, fault)
    }
    // So the name of an endpoint is its number in the file, whatever its kind.
    const misplaced = rpc.findIndex((url, position) => isSocket(url) && !rpc.slice(position).every(isSocket))
    if (rpc.every(isSocket)) addAt(pointer, 'must have an http or https URL')
    else if (misplaced >= 0)
      addAt(`${pointer}/${misplaced}`, 'is a socket, and must stand after the http and https URLs')
  }
  for (const { pointer, message } of faultsOfPrices(value.chains)) addAt(pointer, message)
  if (faults.length > 0) throw new ChainFileError(faults.join('\n'))
  return value.chains.map(toSettings)
}

function toSettings(entry: Static<typeof ChainEntry>): ChainSettings {
  const { chainId, rpc, cores = [], timeBasedManagers = [], startBlock } = entry
  const { openAllowLists = [], prices = [], trustedTokens = [], prove } = entry
  return {
    chainId,
    urls: rpc.filter((url) => !isSocket(url)),
    sockets: rpc.filter(isSocket),
    cores: toAddresses(cores),
    timeBasedManagers: toAddresses(timeBasedManagers),
    openAllowLists: toAddresses(openAllowLists),
    startBlock,
    prices: prices.map((price) => toPriceSource(chainId, price)),
    trustedTokens: toAddresses(trustedTokens),
    prove,
  }
}

const isSocket = (url: string) => url.startsWith('ws')

function faultOf(url: string): string | undefined {
  try {
    const { address } = toAddressAndHeaders(url)
    // Sockets are not opened by `fetch`.
    if (isSocket(url)) return address.port === '0' ? 'must have another port than 0' : undefined
    return faultOfPort(address)
  } catch (error) {
    return error instanceof URIError
      ? 'must have its user and password percent-encoded'
      : 'must be an http, https, ws or wss URL'
  }
}

/** Inserts environment variables. YAML reads an address without quotes as a number: the text of the file is meant. */
function fillIn(
  document: Document,
  environment: Readonly<Record<string, string | undefined>>,
  onFault: (offset: number, message: string) => void,
) {
  visit(document, {
    Scalar(_, node) {
      if (typeof node.value === 'number' && /^0x[0-9a-f]{40}$/i.test(node.source ?? '')) node.value = node.source
      if (typeof node.value !== 'string') return
      node.value = node.value.replace(/\$\{([^}]*)\}/g, (_whole, variable: string) => {
        const found = Object.hasOwn(environment, variable) ? environment[variable] : undefined
        if (found === undefined || found === '') {
          const named = IS_NAME.test(variable) ? `no variable ${JSON.stringify(variable)}` : 'no variable of this name'
          onFault(node.range?.[0] ?? 0, `the environment has ${named}, or an empty one`)
        }
        return found ?? ''
      })
    },
  })
}

function toPlainValue(document: Document, onFault: () => void): unknown {
  try {
    return document.toJS({ maxAliasCount: 100 })
  } catch {
    onFault()
    return undefined
  }
}

/** The position of a value in the text. */
function offsetOf(document: Document, pointer: string): number {
  const path = pointer
    .split('/')
    .slice(1)
    .map((key) => (/^[0-9]+$/.test(key) ? Number(key) : key))
  for (let length = path.length; length > 0; length -= 1) {
    const node = document.getIn(path.slice(0, length), true)
    if (isScalar(node) || hasRange(node)) return node.range?.[0] ?? 0
  }
  return 0
}

const hasRange = (node: unknown): node is { range?: [number, number, number] | null } =>
  typeof node === 'object' && node !== null && 'range' in node

/** Without the value: a URL or an environment variable is a secret, also under the wrong key. */
function describe(error: ErrorObject) {
  const { additionalProperty: key } = error.params
  if (key !== undefined && !IS_NAME.test(String(key))) return 'has an unknown key'
  return describeFault(error).replace(/, got .*$/s, '')
}

const IS_NAME = /^\w{1,100}$/

const ALIAS_FAULT = 'has an alias (*name) without its anchor (&name), or too many of them'

const toAddresses = (addresses: readonly string[]) => new Set(addresses.map((address) => address.toLowerCase() as Hex))
