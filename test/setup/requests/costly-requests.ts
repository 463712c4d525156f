/*
 * Requests of forms that cost as much as possible before it is known whether they are valid.
 */

/** As long as a URL may be, and as headers may be beside it. */
const URL_BYTES = 16_384
const HEADER_BYTES = 15_000

const fill = (bytes: number, part: (index: number) => string, separator = '') => {
  let text = ''
  for (let index = 0; text.length + part(index).length + 1 <= bytes; index += 1) text += separator + part(index)
  return text.slice(separator.length)
}
const query = (prefix: string, part: (index: number) => string, separator = '') =>
  prefix + fill(URL_BYTES - prefix.length, part, separator)
const number = (index: number) => index.toString(36)
const address = (index: number) => `0x${index.toString(16).padStart(40, '0')}`
const LISTS = ['budgetAccount', 'tokens', 'distributionChannel', 'includeActionTypes', 'excludeActionTypes', 'minBlock']

const URLS: Record<string, string> = {
  'unknown parameters, each another': query('/campaigns?', number, '&'),
  'unknown parameters of one name': query('/campaigns?', () => 'x', '&'),
  'unknown parameters, percent-encoded': query(
    '/campaigns?',
    (index) => `%${(0x41 + (index % 26)).toString(16)}=`,
    '&',
  ),
  'unknown parameters at a detail': query('/campaigns/x?', number, '&'),
  'as many unknown parameters as are accepted, with long names': query(
    '/campaigns?',
    (index) => (index < 64 ? `${number(index)}${'x'.repeat(250)}` : ''),
    '&',
  ),
  'one unknown parameter with a long name': query('/campaigns?', () => 'x'),
  'one unknown parameter with a long encoded name': query('/campaigns?', () => '%C3%A4'),
  'nothing but ampersands': query('/campaigns?', () => '&'),
  'nothing but equals signs': query('/campaigns?', () => '='),
  'a list of entries, each another': query('/campaigns?distributionChannel=', number, ','),
  'a list of wrong entries, each another': query('/campaigns?tokens=', number, ','),
  'a list of one entry': query('/campaigns?distributionChannel=', () => 'web', ','),
  'a list of nothing but commas': query('/campaigns?tokens=', () => ','),
  'a list of large numbers': query('/explore/contracts?chainIds=', (index) => `${9e15 + index}`, ','),
  'a list of right addresses': query('/campaigns?budgetAccount=', address, ','),
  'a list given entry by entry': query('/campaigns?', (index) => `tokens=${number(index)}`, '&'),
  'a list whose entries are one in many cases': query(
    '/campaigns?distributionChannel=',
    (index) => [...'abcdefghijkl'].map((letter, bit) => ((index >> bit) & 1 ? letter.toUpperCase() : letter)).join(''),
    ',',
  ),
  'all lists with as many wrong entries as there is room for': query('/reward-kit/trending?', (index) =>
    index % 200 === 0 ? `&${LISTS[Math.floor(index / 200) % LISTS.length]}=` : `${number(index)},`,
  ),
  'a long value': query('/campaigns?owner=', () => 'x'),
  'a long value of quotation marks': query('/campaigns?owner=', () => '%22'),
  'a long value of marks that belong to one letter': query('/campaigns?owner=e', () => '%CC%81'),
  'a malformed percent-encoding at the end': `${query('/campaigns?owner=', () => '%41').slice(0, -1)}%`,
  'percent signs that are encoded again and again': query('/campaigns?x=', () => '%25'),
  'a long path': query('/', () => 'x'),
  'a long path, percent-encoded': query('/campaigns/', () => '%C3%A4'),
  'a long path of slashes': query('/', () => '/'),
  'a URL that is too long': `/${'x'.repeat(2 * URL_BYTES - 2000)}`,
  'an absolute URL without a host': query('http:///', () => 'x'),
}

const HEADERS: Record<string, string> = {
  'Accept-Encoding of commas': `accept-encoding: ${fill(HEADER_BYTES, () => ',')}`,
  'Accept-Encoding of weights': `accept-encoding: ${fill(HEADER_BYTES, (index) => `${number(index)};q=0.${index}`, ',')}`,
  'If-None-Match of tags': `if-none-match: ${fill(HEADER_BYTES, (index) => `"${number(index)}"`, ',')}`,
  'If-None-Match of quotation marks': `if-none-match: ${fill(HEADER_BYTES, () => '"')}`,
  'X-Forwarded-For of commas': `x-forwarded-for: ${fill(HEADER_BYTES, () => ',')}`,
  'X-Forwarded-For of believed proxies': `x-forwarded-for: ${fill(HEADER_BYTES, () => '127.0.0.1', ',')}`,
  'X-Forwarded-For of believed proxies with ports': `x-forwarded-for: ${fill(HEADER_BYTES, () => '127.0.0.1:1', ',')}`,
  'a long request ID': `x-request-id: ${fill(HEADER_BYTES, () => 'x')}`,
  'a long token': `authorization: Bearer ${fill(HEADER_BYTES, () => 'x')}`,
  'a long Origin': `origin: http://${fill(HEADER_BYTES, () => 'x')}`,
  'a great many headers': fill(HEADER_BYTES, (index) => `${number(index)}: `, '\r\n'),
}

/** The beginnings of these requests, without the empty line that ends their headers. */
export const COSTLY_REQUESTS = [
  ...Object.entries(URLS).map(([name, url]) => ({ name, head: `GET ${url} HTTP/1.1\r\nhost: x` })),
  ...Object.entries(HEADERS).map(([name, header]) => ({
    name,
    head: `GET /campaigns HTTP/1.1\r\nhost: x\r\n${header}`,
  })),
  ...Object.entries(HEADERS).map(([name, header]) => ({
    name: `${name}, at a protected operation`,
    head: `GET /users/profile HTTP/1.1\r\nhost: x\r\n${header}`,
  })),
]
