import { inject } from 'vitest'

declare module 'vitest' {
  interface ProvidedContext {
    isDeep: boolean
  }
}

/** How often, or of what, something is tried: less in `npm test`, which finds what is wrong with few of them, than in `npm run test:deep`. */
export const repeated = <T>(usual: T, deep: T) => (inject('isDeep') ? deep : usual)

/** The first of these, and all of them in `npm run test:deep`. */
export const firstOf = <T>(all: readonly T[], usual = 1): T[] => all.slice(0, repeated(usual, all.length))
