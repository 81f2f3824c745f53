import { expect, test } from 'vitest'
import { expirationOf } from '../../../../src/renderer/features/tokens/expiration-field.tsx'

test('a regenerated token is offered the time that it was valid for', () => {
  const created_at = '2027-01-01T10:00:00Z'
  const offered = ['2027-01-31T10:00:00Z', '2027-02-15T10:00:00Z', null].map((expiration) =>
    expirationOf({ created_at, expiration }),
  )
  expect(offered).toEqual([
    { choice: 30, days: '' },
    { choice: 'custom', days: '45' },
    { choice: 'never', days: '' },
  ])
})
