import { expect, test } from 'vitest'
import { compareObjects, toRestoration } from '../../src/database/schema-objects.ts'

test('what restores a constraint reads no table while it keeps readers from it', () => {
  const changes = compareObjects([])
    .filter(({ kind }) => kind === 'constraint')
    .flatMap((object) => toRestoration(object).map((statements) => ({ object: object.name, statements })))
  expect(changes.length).toBeGreaterThan(100)
  for (const { object, statements } of changes) {
    const locking = statements.filter((statement) => !statement.includes(' concurrently '))
    const isValidation = locking.length === 1 && /^alter table \S+ validate constraint \S+$/.test(locking.join())
    if (isValidation) continue
    for (const statement of locking) expect(statement, object).toMatch(/ using index restored_key$| not valid$/)
  }
})
