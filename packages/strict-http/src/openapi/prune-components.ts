/*
 * A service that leaves operations out says nothing of what only they need.
 */

type Json = Record<string, unknown>

interface Document {
  paths?: Record<string, object>
  webhooks?: object
  tags?: { name: string }[]
  security?: object[]
  components?: Record<string, Json>
}

const REFERENCE = /^#\/components\/([^/]+)\/(.+)$/

/** A copy of an OpenAPI document without the components that nothing in it leads to from a path or a webhook, and without tags of none. */
export function pruneComponents<T extends object>(document: T): T {
  const { components = {}, ...rest } = document as Document
  const { paths = {}, webhooks = {}, security } = rest
  const used = new Set<string>()
  const tags = new Set<unknown>()

  /** Walks through a part of the document, and what it refers to. */
  function visit(part: unknown): void {
    if (typeof part !== 'object' || part === null) return
    for (const [key, inner] of Object.entries(part)) {
      if (key === '$ref' && typeof inner === 'string') use(REFERENCE.exec(inner))
      else visit(inner)
    }
  }

  function use(reference: RegExpExecArray | null) {
    const [pointer, kind = '', name = ''] = reference ?? []
    if (pointer === undefined || used.has(pointer)) return
    used.add(pointer)
    visit(components[kind]?.[name])
  }

  visit([paths, webhooks])
  for (const operation of operationsIn([paths, webhooks])) {
    for (const tag of operation.tags ?? []) tags.add(tag)
    for (const scheme of (operation.security ?? security ?? []).flatMap((each) => Object.keys(each)))
      use(REFERENCE.exec(`#/components/securitySchemes/${scheme}`))
  }
  const retained = Object.entries(components).flatMap(([kind, entries]): [string, Json][] => {
    const remaining = Object.entries(entries).filter(([name]) => used.has(`#/components/${kind}/${name}`))
    return remaining.length === 0 ? [] : [[kind, Object.fromEntries(remaining)]]
  })
  const replaced: Json = {
    components: Object.fromEntries(retained),
    tags: rest.tags?.filter(({ name }) => tags.has(name)),
  }
  // In the order of the document.
  return Object.fromEntries(
    Object.entries(document).map(([key, value]) => [key, key in replaced ? replaced[key] : value]),
  ) as T
}

interface Operation {
  tags?: string[]
  security?: object[]
}

const operationsIn = (groups: object[]): Operation[] =>
  groups.flatMap((group) => Object.values(group).flatMap((path) => Object.values(path as Record<string, Operation>)))
