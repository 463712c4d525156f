/** What a readable signature says: `transfer(address to,uint256)`. */
export interface ReadSignature {
  name: string
  /** Types of the fields, in order, with their names where it has them. */
  fields: { type: string; name?: string }[]
}

/** Undefined for what is no readable signature, as where none is recorded. */
export function readSignature(signature: string): ReadSignature | undefined {
  const [, name, list = ''] = /^\s*(?:function\s+|event\s+)?([A-Za-z_$][\w$]*)\s*\((.*)\)\s*$/s.exec(signature) ?? []
  if (name === undefined) return undefined
  return { name, fields: splitAtTop(list).map(readField) }
}

function readField(text: string) {
  const [type = '', ...others] = text.trim().split(/\s+(?![^(]*\))/)
  const name = others.at(-1)
  return name === undefined || name === 'indexed' ? { type } : { type, name }
}

/** At commas that stand in no parentheses: tuples are one field. */
function splitAtTop(list: string): string[] {
  if (list.trim() === '') return []
  const parts: string[] = ['']
  let depth = 0
  for (const character of list) {
    if (character === '(') depth += 1
    if (character === ')') depth -= 1
    if (character === ',' && depth === 0) parts.push('')
    else parts.push((parts.pop() ?? '') + character)
  }
  return parts
}
