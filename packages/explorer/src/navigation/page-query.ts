/** The address of a page with other parameters: those that are `undefined` or empty are left out, the others stay. */
export function withQuery(url: string, changes: Readonly<Record<string, string | undefined>>): string {
  const [path = '/', query = ''] = url.split('?')
  const parameters = new URLSearchParams(query)
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined || value === '') parameters.delete(name)
    else parameters.set(name, value)
  }
  const left = parameters.toString().replaceAll('%3A', ':').replaceAll('%2C', ',')
  return left === '' ? path : `${path}?${left}`
}

/** The page that an address names, as the service reads it: 1 and up; the first where it names none. */
export function pageOf(named: string | undefined): number {
  return named !== undefined && /^[0-9]{1,15}$/.test(named) ? Math.max(Number(named), 1) : 1
}

/** A number of an address. What is none stays as it is written: what is wrong with it, the service says best. */
export const numberOf = (written: string) =>
  (/^(0|[1-9][0-9]{0,14})$/.test(written) ? Number(written) : written) as number
