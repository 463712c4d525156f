import { actionNamed } from '../steps/imperatives.ts'

/** The action that is named in a search, and what else is searched. */
export function searchedAction(search: string): { actionType: string; search: string } | undefined {
  const words = search.trim().split(/\s+/)
  const index = words.findIndex((word) => actionNamed(word) !== undefined)
  const actionType = actionNamed(words[index] ?? '')
  return actionType === undefined ? undefined : { actionType, search: words.toSpliced(index, 1).join(' ') }
}

/** `1 swap`, `42 swaps`, `3 supplies`. */
export function actionsInWords(count: number, action: string): string {
  const many = /[^aeiou]y$/.test(action) ? `${action.slice(0, -1)}ies` : `${action}s`
  return `${count.toLocaleString('en')} ${count === 1 ? action : many}`
}
