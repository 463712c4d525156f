import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readDocument, root } from '../../setup/documents/documents.ts'

test('the index of decisions has the number, subject, status and date of each', () => {
  const folder = 'docs/decisions'
  const files = readdirSync(join(root, folder)).filter((name) => /^\d{4}-[a-z0-9-]+\.md$/.test(name))
  expect(files.length).toBeGreaterThan(30)
  const rows = files.sort().map((file) => {
    const text = readDocument(join(folder, file)).lines.join('\n')
    const [, number, subject, status, date] =
      /^# (\d+)\. (.+)\n\nStatus: (accepted|withdrawn) · Date: (\d{4}-\d\d-\d\d)\n\n/.exec(text) ?? []
    expect(Number(file.slice(0, 4)), file).toBe(Number(number))
    return `| [${number}](${file}) | ${subject} | ${status} | ${date} |`
  })
  const { lines } = readDocument(join(folder, 'README.md'))
  expect(lines.filter((line) => line.startsWith('| ['))).toEqual(rows)
})
