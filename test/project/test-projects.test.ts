import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { findProjectFiles } from '../setup/projects.ts'

const files = findProjectFiles()

test('every test file belongs to exactly one project', async () => {
  const names = await readdir(join(import.meta.dirname, '..'), { recursive: true })
  const testFiles = names.filter((name) => name.endsWith('.test.ts')).map((name) => `test/${name}`)
  expect(Object.values(files).flat().sort()).toEqual(testFiles.sort())
})

test('what a test file imports, itself or through others, decides its project', () => {
  expect(files.unit).toContain('test/explorer/texts/format-numbers.test.ts')
  expect(files.api).toContain('test/operations/get-status.test.ts')
  expect(files.process).toContain('test/process/shutdown.test.ts')
  expect(files.browser).toContain('test/browser/keyboard.test.ts')
})
