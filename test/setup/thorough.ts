import { inject } from 'vitest'

declare module 'vitest' {
  interface ProvidedContext {
    isThorough: boolean
  }
}

/** How often, or of what, something is tried: less in `npm test`, which finds what is wrong with few of them, than in `npm run test:thorough`. */
export const repeated = <T>(usual: T, thorough: T) => (inject('isThorough') ? thorough : usual)

/** The first of these, and all of them in `npm run test:thorough`. */
export const firstOf = <T>(all: readonly T[], usual = 1): T[] => all.slice(0, repeated(usual, all.length))
