import { expect, test } from 'vitest'
import { readStatements } from '../../src/read-models/named-statements.ts'

const FILE = 'read-models/claim-hours/maintain.sql'

test('a statement of a file is found by its name, without the comments above it', () => {
  const { emptyClaimHours } = readStatements(FILE, 'changeClaimHours', 'emptyClaimHours', 'fillClaimHours')
  expect(emptyClaimHours).toBe('delete from claim_hours')
})

test('a statement that nobody uses, or that is not there, is refused', () => {
  expect(() => readStatements(FILE, 'changeClaimHours', 'emptyClaimHours')).toThrow(
    /has the statements changeClaimHours, emptyClaimHours, fillClaimHours/,
  )
  expect(() => readStatements(FILE, 'changeClaimHours', 'emptyClaimHours', 'fillClaimHours', 'another')).toThrow(
    'another',
  )
})
