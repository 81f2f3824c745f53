import { expect, test } from 'vitest'
import { type Said, say, spoken } from '../../../../src/shared/contract/base/message.ts'
import type { RunError } from '../../../../src/shared/contract/flow-runs.ts'
import { failureInShort, reasonOf } from '../../../../src/renderer/features/flow-runs/failure-in-short.ts'

const failed = (rest: Said, status?: number): RunError => ({
  code: 'http_error',
  ...spoken(say('Step "{{ref}}": {{rest}}', { ref: 'users', rest })),
  ref_id: 'users',
  field: null,
  line: null,
  column: null,
  data: status === undefined ? null : { status },
})
const returned = (status: number) =>
  say('{{place}} returned status {{status}}', { place: 'GET https://api.shop.test/users?page=2', status })

test('a failed call is its status, its host and what the API said', () => {
  const tried = say('{{first}}, tried {{attempts}} times', { first: returned(401), attempts: 3 })
  const excerpt = '{"error": {"message": "token expired"}}'
  const told = failed(say('{{first}}: {{excerpt}}', { first: tried, excerpt }), 401)
  expect([failureInShort(told), reasonOf(told)]).toEqual([
    'users: 401 from api.shop.test — token expired',
    'token expired',
  ])
  expect(failureInShort(failed(returned(500), 500))).toBe('users: 500 from api.shop.test')
})

test('any other failure is its sentence, once without the step', () => {
  const other = failed(say('is required'))
  expect([failureInShort(other), reasonOf(other)]).toEqual(['users: is required', 'is required'])
  const stored: RunError = { ...other, message: 'Step "users": stored by an earlier version' }
  expect(reasonOf(JSON.parse(JSON.stringify(stored)) as RunError)).toBe(
    'Step "users": stored by an earlier version',
  )
})
