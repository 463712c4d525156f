import { toHttpFile } from './http-file.ts'
import { toPostmanCollection } from './postman-collection.ts'

/** Files of requests that are made of an OpenAPI document, by the end of their names. */
export const requestFiles: [end: RegExp, write: (document: object) => string][] = [
  [/\.http$/, toHttpFile],
  [/\.postman_collection\.json$/, toPostmanCollection],
]
