import type { Command } from 'commander'

/** A word that can be typed, and what it means. */
export interface Described {
  word: string
  description: string
}

/** What can be typed once the words of `path` have been: `''`, `token`, `token create`. */
export interface Place {
  path: string
  commands: Described[]
  /** Words that an argument can be. */
  choices: Described[]
  options: (Described & { value: 'none' | 'file' | 'text' })[]
  /** Whether an argument is the name of a file. */
  takesFiles: boolean
}

/** The places of a command and of all below it; `path` leads to it. */
export function placesOf(command: Command, path: string): Place[] {
  const help = command.createHelp()
  const below = help.visibleCommands(command)
  const choices = command.registeredArguments.flatMap(({ argChoices, description }) =>
    (argChoices ?? []).map((word) => ({ word, description })),
  )
  const options = help.visibleOptions(command).map(({ long, flags, description, required, optional }) => ({
    word: long ?? flags,
    description,
    value: !(required || optional) ? ('none' as const) : isFile(flags) ? ('file' as const) : ('text' as const),
  }))
  return [
    {
      path,
      commands: below.map((one) => ({ word: one.name(), description: one.description() })),
      choices,
      options,
      takesFiles: command.registeredArguments.some((argument) => isFile(argument.name())),
    },
    ...below.flatMap((one) => placesOf(one, `${path} ${one.name()}`.trim())),
  ]
}

/** Files are called so wherever one is to be named. */
const isFile = (name: string) => /\bfile\b/.test(name)
