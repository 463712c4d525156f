import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')

/** Frees all memory that nobody refers to. */
export const collectGarbage: () => void = runInNewContext('gc')
