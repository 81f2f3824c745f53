import { expect, test } from 'vitest'
import { describeScopes } from '../../../../src/renderer/features/tokens/describe-scopes.ts'
import { tokenState } from '../../../../src/renderer/features/tokens/token-state.ts'

test.each([
  [
    ['automation'],
    [
      'Can create, read, change and delete flows and flow runs.',
      'Can read connector auths, variables, tables and file uploads.',
      'Can start any flow that has a webhook.',
      'Can create, regenerate and revoke tokens with the same or fewer permissions.',
    ],
  ],
  [['automation:webhook_run'], ['Can start any flow that has a webhook.']],
  [['connectors:view'], ['Can read connectors and their actions.']],
  [
    ['connectors:view', 'automation.view'],
    [
      'Can read flows, flow runs, connectors and their actions, connector auths, variables, tables and file uploads.',
    ],
  ],
  [['embed:view'], ['Has the scope dashboard or embed, which Millrace doesn’t use.']],
])('the scopes %j are described by what they allow', (scopes, sentences) => {
  expect(describeScopes(scopes)).toEqual(sentences)
})

test('a token is valid, expires within a week, or has expired', () => {
  const now = Date.parse('2027-01-10T00:00:00Z')
  const states = [null, '2027-02-10T00:00:00Z', '2027-01-14T00:00:00Z', '2027-01-10T00:00:00Z'].map(
    (expiration) => tokenState({ expiration }, now),
  )
  expect(states).toEqual(['ok', 'ok', 'ending', 'expired'])
})
