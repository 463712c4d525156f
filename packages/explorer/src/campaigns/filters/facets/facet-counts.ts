import { createContext } from 'preact'
import type { Counted } from './facet-options.ts'

/** Read by the options alone, so that new counts do not render the fields around them again. */
export const Counts = createContext<Counted>({})
