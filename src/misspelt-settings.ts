import { nearestName } from './schemas/parameters/nearest-name.ts'
import { renamedSettings, Settings } from './settings.ts'

/* Which names are meant to be those of settings: they would be ignored, and the service would run with a default. */

const known = Object.keys(Settings.properties)

/** From this length on, without separators, a name may differ in two letters. */
const LONG = 12

/** A shorter setting, as MCP, is one letter away from too many names of others. */
const COMPARED = known.filter((setting) => setting.length >= 4)

const UNIT = /_(milliseconds|ms|seconds|secs?|s|minutes|hours|bytes|megabytes|mb|percent)$/

/** A name of several words without its unit and its plural. */
const stemOf = (name: string) => name.toLowerCase().replace(UNIT, '').replace(/ies$/, 'y').replace(/s$/, '')

const lettersOf = (name: string) => name.toLowerCase().replace(/[_.-]/g, '')

/**
 * The setting that a variable is probably meant to be: written otherwise, misspelt, without its unit or in the singular. Undefined if
 * it is a setting, or none.
 */
export function nearestSetting(name: string): string | undefined {
  if (known.includes(name) || renamedSettings.has(name)) return undefined
  const letters = lettersOf(name)
  const isAlike = (setting: string) => lettersOf(setting) === letters || stemOf(setting) === stemOf(name)
  const nearest = nearestName(letters, COMPARED.map(lettersOf), letters.length < LONG ? 1 : 2)
  return (
    known.find(isAlike) ??
    COMPARED.find((setting) => isSwapped(letters, lettersOf(setting))) ??
    known.find((setting) => lettersOf(setting) === nearest)
  )
}

/** Whether two letters that stand side by side have changed places. */
function isSwapped(one: string, other: string) {
  const first = [...one].findIndex((letter, index) => letter !== other[index])
  if (first === -1 || one.length !== other.length) return false
  const [a = '', b = ''] = one.slice(first)
  return other === one.slice(0, first) + b + a + one.slice(first + 2)
}
