import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runCli } from '../setup/servers/processes.ts'

const reference = await readFile(join(import.meta.dirname, '../../docs/reference/commands.md'), 'utf8')

const [table = ''] = reference.split('\n\n').filter((part) => part.startsWith('| command '))

/** The options of each command of the table; a command may have several rows. */
function documentedOptions() {
  const options = new Map<string, Set<string>>()
  for (const [, first = '', rest = ''] of table.matchAll(/^\| `([^`]+)` \|(.*)\|$/gm)) {
    const command = first.replace(/ (--|<|[A-Z]).*$/, '')
    const known = options.get(command) ?? new Set()
    for (const [option] of `${first} ${rest}`.matchAll(/--[a-z-]+/g)) known.add(option)
    options.set(command, known)
  }
  return options
}

const helps = new Map<string, Promise<string>>()

/** What `--help` prints. */
function helpOf(command: string) {
  const known =
    helps.get(command) ?? runCli([...command.split(' ').filter(Boolean), '--help'], {}).then(({ stdout }) => stdout)
  helps.set(command, known)
  return known
}

/** What `--help` lists under a heading, without `help` itself. */
async function help(command: string[], heading: 'Commands' | 'Options', pattern: RegExp) {
  const section = (await helpOf(command.join(' '))).split(`${heading}:\n`)[1]?.split('\n\n')[0] ?? ''
  return [...section.matchAll(pattern)].map(([, name]) => String(name)).filter((name) => !/^(--)?help$/.test(name))
}

const commandsOf = (command: string[]) => help(command, 'Commands', /^ {2}([a-z]+)/gm)

test('the reference has the commands and options that --help lists, and no others', async () => {
  const groups = await commandsOf([])
  expect(groups.length).toBeGreaterThan(10)
  const commands = await Promise.all(
    groups.map(async (group) => {
      const parts = await commandsOf([group])
      return parts.length === 0 ? [[group]] : parts.map((part) => [group, part])
    }),
  )
  const listed = commands.flat().map(async (command) => {
    const options = await help(command, 'Options', /^ {2}(?:-\w, )?(--[a-z-]+)/gm)
    return [command.join(' '), options.sort()]
  })
  const documented = [...documentedOptions()].map(([command, options]) => [command, [...options].sort()])
  expect(Object.fromEntries(documented)).toEqual(Object.fromEntries(await Promise.all(listed)))
})
