import { Big } from 'big.js'

/** US dollars are rounded once, at the end, half up, to 6 decimals. */
export const roundUsd = (exact: Big) => exact.round(6, Big.roundHalfUp).toNumber()

type WithoutUndefined<T> = { [Key in keyof T]: Exclude<T[Key], undefined> }

/**
 * Unknown values are undefined, which JSON leaves out. Removing them from each object costs more than everything else.
 */
export const withoutUndefined = <T extends object>(fields: T) => fields as WithoutUndefined<T>
