/**
 * Credentials of a URL as a header: `fetch` accepts none in a URL, and a socket does not decode them.
 * @throws TypeError if it is no URL, URIError if its user or password is badly encoded.
 */
export function toAddressAndHeaders(url: string) {
  const address = new URL(url)
  const headers: Record<string, string> = {}
  if (address.username !== '' || address.password !== '') {
    const credentials = `${decodeURIComponent(address.username)}:${decodeURIComponent(address.password)}`
    headers.authorization = `Basic ${Buffer.from(credentials).toString('base64')}`
    address.username = ''
    address.password = ''
  }
  return { address, headers }
}
