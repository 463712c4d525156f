import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { findProjectFiles } from '../setup/projects.ts'

const files = findProjectFiles()

test('every test file belongs to exactly one project', async () => {
  const root = join(import.meta.dirname, '../..')
  const folders = ['test', ...(await readdir(join(root, 'packages'))).map((name) => `packages/${name}/test`)]
  const found = await Promise.all(
    folders
      .filter((folder) => existsSync(join(root, folder)))
      .map(async (folder) =>
        (await readdir(join(root, folder), { recursive: true })).map((name) => `${folder}/${name}`),
      ),
  )
  const testFiles = found.flat().filter((name) => name.endsWith('.test.ts'))
  expect(Object.values(files).flat().sort()).toEqual(testFiles.sort())
})

test('every test file is run by `npm test` or by `npm run test:deep`', () => {
  const [usual, deep] = (['usual', 'deep'] as const).map((speed) => Object.values(findProjectFiles(speed)).flat())
  expect([...new Set([...(usual ?? []), ...(deep ?? [])])].sort()).toEqual(Object.values(files).flat().sort())
  // Those that draw more in the second run are in both.
  expect(usual?.filter((file) => deep?.includes(file))).toContain('test/operations/campaigns/walks.test.ts')
  expect(usual?.filter((file) => file.includes('.deep.'))).toEqual([])
})

test('what a test file imports, itself or through others, decides its project', () => {
  expect(files.unit).toContain('test/explorer/texts/format-numbers.test.ts')
  expect(files.api).toContain('test/operations/get-status.test.ts')
  expect(files.process).toContain('test/process/starting.test.ts')
  expect(files.browser).toContain('test/browser/keyboard.test.ts')
})
