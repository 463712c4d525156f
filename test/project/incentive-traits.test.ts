import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { TSchema } from '@sinclair/typebox'
import { expect, expectTypeOf, test } from 'vitest'
import { incentiveTraits as knownOfVariants } from '../../packages/client/src/incentive-traits.ts'
import {
  type IncentiveTraits,
  incentiveTraits,
  incentiveTypes,
  incentiveVariants,
  type TraitsFor,
} from '../../src/schemas/campaigns/incentives.ts'

const root = join(import.meta.dirname, '../..')
const sources = join(root, 'src')

/** Where variants are declared, and where the contracts of each are read. */
const DECLARATIONS = ['schemas/campaigns/incentives.ts', 'indexer/protocol/']

test('nothing decides by the name of a variant: a new one is known by its traits and fields', async () => {
  const files = (await readdir(sources, { recursive: true })).filter(
    (file) => /\.(ts|sql)$/.test(file) && !DECLARATIONS.some((place) => file.startsWith(place)),
  )
  expect(files.length).toBeGreaterThan(100)
  const names = new RegExp(`'(${incentiveTypes.join('|')})'`)
  const lines = await Promise.all(
    files.map(async (file) =>
      (await readFile(join(sources, file), 'utf8'))
        .split('\n')
        .filter((line) => names.test(line) && !/^\s*example:/.test(line))
        .map((line) => `${file}: ${line.trim()}`),
    ),
  )
  expect(lines.flat()).toEqual([])
})

test('pages and tools know of each variant what the service knows', () => {
  expect(Object.keys(knownOfVariants)).toEqual(incentiveTypes)
  for (const { properties } of incentiveVariants) {
    const { reward, limit, paysToken } = incentiveTraits[properties.type.const]
    const ofFields = { isPegged: 'peg' in properties, mayBeRaffle: 'strategy' in properties }
    expect(knownOfVariants[properties.type.const]).toEqual({ reward, limit, paysToken, ...ofFields })
  }
})

test('what a limit counts fits what is paid: the service has no figure for other variants', () => {
  type Paying<
    Limit extends IncentiveTraits['limit'],
    Reward extends IncentiveTraits['reward'] = 'fixed',
  > = IncentiveTraits & {
    paysToken: true
    limit: Limit
    reward: Reward
  }
  type Token = { asset: TSchema; reward: TSchema; limit: TSchema }
  expectTypeOf<Paying<'budget', 'share'>>().toExtend<TraitsFor<Token>>()
  expectTypeOf<Paying<'remaining claims'>>().toExtend<TraitsFor<Token>>()
  expectTypeOf<Paying<'claims'>>().not.toExtend<TraitsFor<Token>>()
  expectTypeOf<Paying<'remaining claims', 'share'>>().not.toExtend<TraitsFor<Token>>()
  expectTypeOf<Paying<'remaining claims'>>().not.toExtend<TraitsFor<Omit<Token, 'reward'>>>()
  expectTypeOf<Paying<'remaining claims'>>().not.toExtend<TraitsFor<Token & { peg: TSchema }>>()
  expectTypeOf<Paying<'budget'>>().not.toExtend<TraitsFor<Omit<Token, 'asset'>>>()
  expectTypeOf<IncentiveTraits & { paysToken: false; limit: 'claims' }>().toExtend<TraitsFor<Token>>()
  expectTypeOf<IncentiveTraits & { paysToken: false; limit: 'budget' }>().not.toExtend<TraitsFor<Token>>()
})

test.each([
  ['explorer', ['campaigns/incentives/incentive-words.ts']],
  ['mcp', []],
])(
  'the package %s names no variant but where it says what each is called and pays, and does not compile without that: %j',
  async (name, declarations: string[]) => {
    const folder = join(root, 'packages', name, 'src')
    const files = (await readdir(folder, { recursive: true })).filter(
      (file) => /\.tsx?$/.test(file) && !declarations.includes(file),
    )
    expect(files.length).toBeGreaterThan(5)
    const names = new RegExp(
      `'(${incentiveTypes.join('|')})'|^ *(${incentiveTypes.join('|')}):|(startsWith|endsWith|includes)\\('[\\w]*(ERC20|Incentive)`,
    )
    const lines = await Promise.all(
      files.map(async (file) =>
        (await readFile(join(folder, file), 'utf8')).split('\n').filter((line) => names.test(line)),
      ),
    )
    expect(lines.flat()).toEqual([])
  },
)
