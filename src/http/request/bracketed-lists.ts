/**
 * Accepts `tokens[]=a&tokens[]=b`, as axios and PHP write a list, as `tokens=a&tokens=b`. Parameters that are no lists
 * keep their brackets, and are then unknown.
 * @param lists names of the parameters that are lists.
 */
export function withoutBrackets(raw: Record<string, string | string[]>, lists: ReadonlySet<string>) {
  const names = Object.keys(raw)
  const toListName = (name: string) => {
    const plain = name.endsWith('[]') ? name.slice(0, -2) : undefined
    return plain !== undefined && lists.has(plain) ? plain : undefined
  }
  if (!names.some(toListName)) return raw
  const joined: typeof raw = Object.create(null)
  for (const name of names) {
    const known = toListName(name) ?? name
    const before = joined[known]
    const text = raw[name] ?? ''
    joined[known] = before === undefined ? text : [before, text].flat()
  }
  return joined
}
