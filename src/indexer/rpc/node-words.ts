import { toAddressAndHeaders } from './endpoint-address.ts'

/** Longer texts are cut. */
const MAX_SHOWN = 200

/** More of a message is not looked at: expressions would take long. */
const MAX_READ = 2000

/** Shorter parts of a URL are words such as `v2`. */
const MIN_SECRET = 4

/** What may contain a key, from the most to the least specific. */
const concealed: readonly RegExp[] = [
  /[a-z][a-z0-9+.-]*:\/\/\S*/gi,
  /\S+@\S+/g,
  // Hosts, with what follows them, and addresses of the network.
  /(?<![\w.-])(?:(?:[\w-]+\.)+[a-z]{2,}|localhost|\d{1,3}(?:\.\d{1,3}){3})(?::\d+)?(?:\/\S*)?/gi,
  /\[?[0-9a-f]*:[0-9a-f]*:[0-9a-f:.]*\]?/gi,
  /\bBearer\s+\S+/gi,
  /(?<=\b(?:key|token|secret|password|apikey|api_key|project|id|ip)["']?\s*[:=]\s*)\S+/gi,
  /\b0x[0-9a-f]*/gi,
  // Words are short, have no digits and few capitals; a method of JSON-RPC is as long as a key.
  /(?<![\w+/=-])(?!(?:eth|net|web3|debug|trace|erigon|bor)_[A-Za-z]{3,32}\b)[\w+/=-]{16,}/g,
  /(?<![\w+/=-])(?=[\w+/=-]*[a-z_])(?=[\w+/=-]*\d)[\w+/=-]{8,}/gi,
  /(?<![\w+/=-])(?=(?:[\w+/=-]*[a-z][A-Z]){3})[\w+/=-]{8,}/g,
  /\b(?=[0-9a-f]*[a-f])[0-9a-f]{8,}\b/gi,
  /\d{13,}/g,
]

/**
 * Makes of a node's words what may be shown: printable, short, without URLs, hexadecimal numbers, long tokens, and any
 * part of the endpoint's own URL. They may repeat a key, or the address that a proxy hides.
 */
export function createWordsFilter(url: string): (words: string) => string {
  const secrets = secretsOf(url)
  return (words) => {
    let text = words.slice(0, MAX_READ).replace(/[^\x20-\x7e]+/g, ' ')
    for (const secret of secrets) text = text.replaceAll(secret, '…')
    for (const expression of concealed) text = text.replace(expression, '…')
    text = text.replace(/\s+/g, ' ').trim()
    return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN - 1)}…` : text
  }
}

/** The parts of a URL, as they stand there and decoded, the longest first. */
function secretsOf(url: string): string[] {
  const { address, headers } = toAddressAndHeaders(url)
  const { username, password, host, hostname, port, pathname, search, searchParams } = new URL(url)
  const parts = [username, password, host, hostname, pathname, search, ...pathname.split('/'), ...searchParams.values()]
  const ofHeader = headers.authorization?.split(' ') ?? []
  const all = [url, address.href, ...parts, ...parts.map(decode), ...ofHeader].filter(
    (part) => part.length >= MIN_SECRET && part !== 'Basic',
  )
  // Of the port only the whole: its digits are in other numbers.
  return [...new Set([...all, ...(port === '' ? [] : [`:${port}`])])].sort((one, other) => other.length - one.length)
}

function decode(part: string) {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
