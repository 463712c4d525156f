import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { incentiveTypes } from '../../src/schemas/campaigns/incentives.ts'

const sources = join(import.meta.dirname, '../../src')

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
