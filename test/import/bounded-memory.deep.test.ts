import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createTestDatabase } from '../setup/database.ts'
import { aCampaign, anAccessList, anAddress } from '../setup/records.ts'
import { isMemoryReported, watchMemory } from '../setup/servers/memory.ts'
import { startCli } from '../setup/servers/processes.ts'

/*
 * The real process imports files whose lines are as large as they may be, or hold as much as fits in them. On a machine
 * that does not tell how much memory a process has, only the responses are checked.
 */

const MAX_MEGABYTES = 400
/** A list of several hundred thousand addresses is what an import may hold at most. */
const MAX_MEGABYTES_FOR_ADDRESSES = 550
const LINE_BYTES = 33_500_000

const contract = (rest: string) => `{"type":"contract","chainId":1,"address":"${anAddress('contract')}",${rest}}`
const accessList = (members: string) =>
  JSON.stringify(anAccessList({ members: [] })).replace('"members":[]', `"members":${members}`)
const listOf = (entry: string, count: number) => `[${`${entry},`.repeat(count - 1)}${entry}]`
const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`
const addresses = (count: number, digits = 40) =>
  Array.from(
    { length: count },
    (_, index) =>
      `0xAB${index
        .toString(16)
        .toUpperCase()
        .padStart(digits - 2, '0')}`,
  )
const keys = (count: number) => Array.from({ length: count }, (_, index) => `"key ${index}":1`).join()
const campaign = (parts: Record<string, string>) => {
  const text = Object.entries(parts).map(([key, value]) => `"${key}":${value}`)
  return JSON.stringify(aCampaign())
    .replace('"incentives":[]', `"incentives":[],${text}`)
    .replace('"incentives":[],"incentives"', '"incentives"')
}
const TOO_LONG_TEXT = /^\/: the line has a text longer than 1048576 bytes$/
const longText = 'x'.repeat(LINE_BYTES - 1000)

/** Imports a file of these lines, and says what came of it. */
async function importLines(lines: string[], maxMegabytes = MAX_MEGABYTES) {
  await using database = await createTestDatabase()
  const folder = await mkdtemp(join(tmpdir(), 'reward-campaigns-memory-'))
  try {
    const file = join(folder, 'lines.ndjson')
    await writeFile(file, '')
    for (const line of lines) await writeFile(file, `${line}\n`, { flag: 'a' })
    await using cli = startCli(['import', file], { DATABASE_URL: database.url })
    const memory = watchMemory(cli.child)
    const result = await cli.ended
    if (isMemoryReported) expect(memory.megabytes).toBeGreaterThan(50)
    expect(memory.megabytes).toBeLessThan(maxMegabytes)
    const counted = await database.query('select count(*)::integer as addresses from allow_list_addresses')
    return { ...result, stderr: result.stderr.replaceAll(`${folder}/`, ''), addresses: counted[0]?.addresses }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

test('campaigns with as many addresses as fit in a line are imported in bounded memory', {
  timeout: 300_000,
}, async () => {
  const line = (campaignName: string, count: number) => {
    const allowList = { owner: anAddress('owner'), contractAddress: anAddress('list'), type: 'SimpleAllowList' }
    return JSON.stringify(
      aCampaign({ campaignName, allowList: { ...allowList, addresses: addresses(count) } as never }),
    )
  }
  const kinds = [
    { name: 'ASCII', addresses: 740_000, minBytes: 33_000_000 },
    { name: '𝄞', addresses: 370_000, minBytes: 16_000_000 },
    { name: 'ASCII', addresses: 740_000, minBytes: 33_000_000 },
  ]
  const lines = kinds.map((kind) => line(kind.name, kind.addresses))
  for (const [index, { minBytes }] of kinds.entries()) {
    expect(Buffer.byteLength(lines[index] ?? '')).toBeGreaterThan(minBytes)
  }
  const result = await importLines(lines, MAX_MEGABYTES_FOR_ADDRESSES)
  const count = kinds.reduce((sum, kind) => sum + kind.addresses, 0)
  expect(result).toMatchObject({ code: 0, stderr: '', addresses: count })
})

describe('a line that holds too much is a fault with its file and line, in bounded memory:', () => {
  const tooMuch: [what: string, line: string, fault: string][] = [
    ['millions of bad entries', accessList(listOf('1', 16_000_000)), '/: the line has more than 750000 values'],
    ['millions of empty objects', accessList(listOf('{}', 10_000_000)), '/: the line has more than 750000 values'],
    ['a million unknown keys', contract(keys(1_000_000)), '/: the line has more than 100000 keys'],
    ['deep nesting in a name', contract(`"name":${nested(10_000)}`), '/: the line is nested deeper than 64 levels'],
    ['deep nesting in the type', `{"type":${nested(10_000)}}`, '/: the line is nested deeper than 64 levels'],
    [
      'nesting that does not end',
      '['.repeat(LINE_BYTES),
      "/: the line is not a JSON object: an import is NDJSON, one object a line; jq -c '.[]' makes that of an array",
    ],
    [
      'objects in objects',
      contract(`"name":${'{"a":'.repeat(3_000_000)}`),
      '/: the line is nested deeper than 64 levels',
    ],
    [
      'a long line of other characters',
      accessList(listOf(`"${'é'.repeat(40)}"`, 210_000)),
      '/: the line is longer than 16777216 bytes and not only ASCII',
    ],
    [
      'a line that is too long',
      'x'.repeat(34_000_000),
      '/: the line is longer than 33554432 bytes, and an import is NDJSON, one object a line; the rest of the file was not read',
    ],
  ]
  test('one of each', { timeout: 120_000 }, async () => {
    const result = await importLines(tooMuch.map(([, line]) => line))
    expect(result).toMatchObject({ code: 1, stdout: '' })
    expect(result.stderr.trimEnd().split('\n')).toEqual([
      ...tooMuch.map(([, , fault], index) => `lines.ndjson:${index + 1}: ${fault}`),
      `${tooMuch.length} faults, references not checked; nothing was imported`,
    ])
  })
})

describe('what is faulty is told in bounded memory, the first twenty places of a record:', () => {
  const faulty: [what: string, line: string, faults: number, fault: RegExp][] = [
    [
      'a bad address in all of a list',
      accessList(JSON.stringify(addresses(740_000, 39))),
      20,
      /^\/members\/0: must be an address/,
    ],
    [
      'incentives without anything',
      campaign({ incentives: listOf('{"type":"ERC20Incentive"}', 90_000) }),
      20,
      /^\/incentives: must have at most 1000/,
    ],
    ['many unknown keys', contract(keys(90_000)), 20, /^\/name: is required$/],
    ['a name as long as the line', contract(`"name":"${longText}"`), 1, TOO_LONG_TEXT],
    [
      'bad entries of another kind',
      accessList(listOf('"a"', 740_000)),
      20,
      /^\/members\/0: must be an address .*, got "a"$/,
    ],
    [
      'numbers for incentives',
      campaign({ incentives: listOf('7', 740_000) }),
      20,
      /^\/incentives: must have at most 1000 entries$/,
    ],
    [
      'many bad block numbers',
      campaign({ createdAtBlockchainNumbers: `{${keys(90_000)}}` }),
      20,
      /^\/createdAtBlockchainNumbers: /,
    ],
    ['a type as long as the line', `{"type":"${longText}"}`, 1, TOO_LONG_TEXT],
  ]
  for (const [what, line, faults, fault] of faulty) {
    test(what, { timeout: 120_000 }, async () => {
      const result = await importLines(['', line])
      expect(result).toMatchObject({ code: 1, stdout: '' })
      const reported = result.stderr.trimEnd().split('\n')
      expect(reported).toHaveLength(faults + 1)
      expect(reported[0]?.startsWith('lines.ndjson:2: ')).toBe(true)
      expect(reported[0]?.slice('lines.ndjson:2: '.length)).toMatch(fault)
      expect(reported.at(-1)).toMatch(/^(1 fault|20 faults), references not checked; nothing was imported$/)
    })
  }

  test('keys as long as their lines, on many lines', { timeout: 120_000 }, async () => {
    const lines = Array.from({ length: 12 }, (_, index) => contract(`"name":"","${index}${longText}":1`))
    const result = await importLines(lines)
    expect(result).toMatchObject({ code: 1, stdout: '' })
    expect(result.stderr.trimEnd().split('\n')).toEqual([
      ...lines.map((_, index) => `lines.ndjson:${index + 1}: /: the line has a text longer than 1048576 bytes`),
      '12 faults, references not checked; nothing was imported',
    ])
  })
})
