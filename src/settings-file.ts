import { NotTextError, toOperatorText } from './operator-text.ts'

/** A variable of a settings file, with the number of its line. */
export interface FileVariable {
  name: string
  value: string
  line: number
}

const ASSIGNMENT = /^\s*(?:export\s+)?(?<name>[A-Za-z_][\w.-]*)\s*=\s*(?<rest>.*)$/

/** A value in quotes, and what stands behind it. */
const QUOTED = /^(?<quote>["'`])(?<inner>.*?)\k<quote>(?<behind>.*)$/

const NOTHING_OR_COMMENT = /^\s*(#.*)?$/

/**
 * Reads a settings file: a variable in each line, `NAME=value`, with comments from `#` on. What Node.js itself would skip or cut in
 * silence is a fault. A fault never has a value in it, which may be a secret.
 * @param name of the file, as the faults tell it.
 */
export function parseSettingsFile(name: string, bytes: Buffer): { variables: FileVariable[]; faults: string[] } {
  const variables: FileVariable[] = []
  const faults: string[] = []
  let text: string
  try {
    text = toOperatorText(bytes)
  } catch (error) {
    if (!(error instanceof NotTextError)) throw error
    return { variables, faults: [`${name} cannot be read: ${error.message}`] }
  }
  for (const [index, content] of text.split(/\r\n|\n|\r/).entries()) {
    if (NOTHING_OR_COMMENT.test(content)) continue
    const line = index + 1
    const { name: variable, rest = '' } = ASSIGNMENT.exec(content)?.groups ?? {}
    const value = variable === undefined ? { fault: 'the line is neither a comment nor NAME=value' } : readValue(rest)
    if (variable === undefined || 'fault' in value) {
      const subject = variable === undefined ? '' : `${variable} `
      faults.push(`${name}:${line}: ${subject}${'fault' in value ? value.fault : ''}`)
    } else variables.push({ name: variable, value: value.text, line })
  }
  return { variables, faults }
}

function readValue(rest: string): { text: string } | { fault: string } {
  if (!/^["'`]/.test(rest)) {
    const [, plain = '', comment] = /^([^#]*)(#.*)?$/.exec(rest) ?? []
    // A password may have it.
    if (comment !== undefined && /\S$/.test(plain))
      return { fault: 'has a # without a space before it: put the value into quotes, or a space before the comment' }
    return { text: plain.trim() }
  }
  const { quote, inner = '', behind = '' } = QUOTED.exec(rest)?.groups ?? {}
  if (quote === undefined) return { fault: `has an opening quote (${rest[0]}) without its closing one in the line` }
  if (!NOTHING_OR_COMMENT.test(behind)) return { fault: `has text behind its closing quote (${quote})` }
  return { text: quote === '"' ? inner.replaceAll('\\n', '\n') : inner }
}
