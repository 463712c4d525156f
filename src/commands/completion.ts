import type { Command } from 'commander'
import { type Described, type Place, placesOf } from './command-places.ts'

/*
 * What each shell is given to complete the words of a command line. All of it is in the script: nothing that has been
 * typed is evaluated, and no process is started for a key that is pressed, which is why no package is used that asks the
 * program each time.
 */

export const SHELLS = ['bash', 'zsh', 'fish'] as const

/** `completion`: a script for a shell, made of the commands and options of the program that prints it. */
export function printCompletion(program: Command, shell: (typeof SHELLS)[number]) {
  process.stdout.write(completionScripts[shell](program.name(), placesOf(program, '')))
}

/** The script that teaches a shell the words of a program. */
const completionScripts: Record<(typeof SHELLS)[number], (name: string, places: Place[]) => string> = {
  bash: (name, places) => `# Completion of ${name} for bash.
${functionOf(name)}() {
  local place= word words= index current=\${COMP_WORDS[COMP_CWORD]}
  for ((index = 1; index < COMP_CWORD; index++)); do
    word=\${COMP_WORDS[index]}
    case "$place $word" in
      ${steps(places)}) place="\${place:+$place }$word" ;;
    esac
  done
  COMPREPLY=()
  case "$place \${COMP_WORDS[COMP_CWORD-1]}" in
    ${valuesOf(places, 'file')}) compopt -o default 2>/dev/null; return ;;
    ${valuesOf(places, 'text')}) return ;;
  esac
  case "$place" in
${places.map((place) => `    ${quoted(place.path)}) words=${quoted(wordsOf(place).join(' '))} ;;`).join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  case "$place" in
    ${withFiles(places)}) [[ $current == -* ]] || { COMPREPLY=(); compopt -o default 2>/dev/null; } ;;
  esac
}
complete -F ${functionOf(name)} ${name}
`,

  zsh: (name, places) => `#compdef ${name}
${functionOf(name)}() {
  local place= word
  local -a offered
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "$place $word" in
      (${steps(places)}) place="\${place:+$place }$word" ;;
    esac
  done
  case "$place \${words[CURRENT-1]}" in
    (${valuesOf(places, 'file')}) _files; return ;;
    (${valuesOf(places, 'text')}) return ;;
  esac
  case "$place" in
${places.map((place) => `    (${quoted(place.path)}) offered=(${offersOf(place)}) ;;`).join('\n')}
  esac
  _describe ${quoted(name)} offered
  case "$place" in
    (${withFiles(places)}) _files ;;
  esac
}
if [[ "\${funcstack[1]}" == ${functionOf(name)} ]]; then
  ${functionOf(name)} "$@"
else
  compdef ${functionOf(name)} ${name}
fi
`,

  fish: (name, places) => `# Completion of ${name} for fish.
function ${functionOf(name)}_at
  set -l place
  for word in (commandline -opc)[2..-1]
    switch "$place $word"
      case ${stepsOf(places).join(' ')}
        set place (string trim -- "$place $word")
    end
  end
  test "$place" = "$argv[1]"
end
complete -c ${name} -f
${places.flatMap((place) => fishLines(name, place)).join('\n')}
`,
}

/** No shell takes a hyphen in the name of a function everywhere. */
const functionOf = (name: string) => `_${name.replaceAll('-', '_')}`

/** For all three shells; descriptions hold neither backslashes nor control characters. */
const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`

/** The words that lead from a place to one below it, as `place word`. */
const stepsOf = (places: Place[]) =>
  places.flatMap(({ path, commands }) => commands.map(({ word }) => quoted(`${path} ${word}`)))

const steps = (places: Place[]) => stepsOf(places).join('|')

/** The options that a value of a kind follows, as `place option`. */
const valuesOf = (places: Place[], kind: 'file' | 'text') =>
  places
    .flatMap(({ path, options }) => options.filter(({ value }) => value === kind).map(({ word }) => `${path} ${word}`))
    .map(quoted)
    .join('|')

const withFiles = (places: Place[]) =>
  places
    .filter(({ takesFiles }) => takesFiles)
    .map(({ path }) => quoted(path))
    .join('|')

const offered = ({ commands, choices, options }: Place): Described[] => [...commands, ...choices, ...options]

const wordsOf = (place: Place) => offered(place).map(({ word }) => word)

/** zsh reads everything after the first colon as the description. */
const offersOf = (place: Place) =>
  offered(place)
    .map(({ word, description }) => quoted(`${word}:${description}`))
    .join(' ')

function fishLines(name: string, { path, commands, choices, options, takesFiles }: Place) {
  const start = `complete -c ${name} -n ${quoted(`${functionOf(name)}_at "${path}"`)}`
  const kinds = { file: ' -r -F', text: ' -x', none: '' }
  return [
    ...[...commands, ...choices].map(({ word, description }) => `${start} -a ${word} -d ${fishText(description)}`),
    ...options.map(
      ({ word, value, description }) =>
        `${start} -l ${word.replace(/^--/, '')}${kinds[value]} -d ${fishText(description)}`,
    ),
    ...(takesFiles ? [`${start} -F`] : []),
  ]
}

/** Within single quotes, fish has escapes of its own. */
const fishText = (text: string) => `'${text.replaceAll("'", "\\'")}'`
