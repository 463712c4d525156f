/** What a client sends: a JSON-RPC message, as far as it can be read. */
interface Message {
  id?: unknown
  method?: unknown
  params?: { name?: unknown; arguments?: unknown; cursor?: unknown; _meta?: Record<string, unknown> } | null
}

/** The code of JSON-RPC for parameters that a method does not take. */
const INVALID_PARAMS = -32_602

/** A message as the library of the protocol takes it, or why it is refused. */
export type CheckedMessage = { text: string; message: Message } | { refusal: object }

/**
 * Reads a message. What is null in its parameters is absent, as clients of some languages write it; which arguments may be null, the
 * tool says. What calls no tool is refused in a sentence; all else that is wrong, the library of the protocol refuses.
 */
export function checkMessage(text: string): CheckedMessage {
  const message = parse(text)
  if (message === undefined) return { text, message: {} }
  if (message.params === null) delete message.params
  if (isObject(message.params)) dropNulls(message.params)
  const sentence = message.method === 'tools/call' ? findFault(message.params) : undefined
  if (sentence === undefined) return { text: JSON.stringify(message), message }
  return { refusal: { jsonrpc: '2.0', id: message.id ?? null, error: { code: INVALID_PARAMS, message: sentence } } }
}

function parse(text: string): Message | undefined {
  try {
    const parsed: unknown = JSON.parse(text)
    return isObject(parsed) ? (parsed as Message) : undefined
  } catch {
    return undefined
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function dropNulls(values: Record<string, unknown>) {
  for (const [key, value] of Object.entries(values)) {
    if (value === null) delete values[key]
    else if (key !== 'arguments' && isObject(value)) dropNulls(value)
  }
}

function findFault(params: Message['params']) {
  if (!isObject(params)) return 'params must be an object with the name of a tool and its arguments'
  if (typeof params.name !== 'string') return 'params.name must be the name of a tool'
  const given = params.arguments ?? {}
  return isObject(given) ? undefined : 'params.arguments must be an object with the arguments by name'
}

/** A fault as the validator of the library says it. */
interface Fault {
  path: (string | number)[]
  code: string
  expected?: string
  message: string
}

const KINDS: Record<string, string> = {
  string: 'text',
  object: 'an object',
  record: 'an object',
  array: 'a list',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
}

const MAX_FAULTS = 5

/** What the library would send; the faults that its validator has found as a sentence instead of JSON. */
export function withSentence<Sent extends object>(sent: Sent): Sent {
  const { error } = sent as { error?: { message: string } }
  const faults = error === undefined ? undefined : toFaults(error.message)
  if (faults === undefined) return sent
  const sentence = faults.slice(0, MAX_FAULTS).map(describe).join('; ')
  return { ...sent, error: { code: INVALID_PARAMS, message: sentence } }
}

function toFaults(message: string): Fault[] | undefined {
  if (!message.startsWith('[')) return undefined
  try {
    return JSON.parse(message)
  } catch {
    return undefined
  }
}

function describe({ path, code, expected = '', message }: Fault) {
  const name = path.join('.')
  if (code !== 'invalid_type') return `${name} is not valid`
  if (message.endsWith('received undefined')) return `${name} is required`
  return `${name} must be ${KINDS[expected] ?? expected}`
}

/** Stands for the ID of a request in a text that is a response to each of its kind. */
const ANY_ID = 'the ID of the request'

/**
 * Remembers a response that is the same for all requests but for their ID, as text; for each protocol one. So the list of tools, some
 * 27 kB, is made once.
 */
export function createRememberedResponses() {
  const parts = new Map<string, string[]>()
  return async function respond(protocol: string, message: Message, make: (text: string) => Promise<Response>) {
    const known = parts.get(protocol)
    if (known === undefined) {
      const response = await make(JSON.stringify({ ...message, id: ANY_ID }))
      const text = await response.text()
      const made = text.split(JSON.stringify(ANY_ID))
      if (response.ok && made.length === 2 && !text.includes('"error":')) parts.set(protocol, made)
      return toResponse(made, message.id, response.status)
    }
    return toResponse(known, message.id, 200)
  }
}

const toResponse = (parts: string[], id: unknown, status: number) =>
  new Response(parts.join(JSON.stringify(id)), { status, headers: { 'content-type': 'application/json' } })
