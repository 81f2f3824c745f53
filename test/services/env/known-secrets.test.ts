import { expect, test } from 'vitest'
import { createKnownSecrets } from '../../../src/main/services/keeping/secrets/known-secrets.ts'
import { record } from '../../../src/main/store/sql/statement.ts'
import { aStore } from '../../helpers/store.ts'

test('a new secret is hidden even if it is first met where nothing can be read', async () => {
  const secret = 'secret-of-a-variable'
  const known = createKnownSecrets({ store: await aStore(), envSecrets: () => [secret] })
  const redactor = known.redactor()
  // This is like the thread that writes a run: it rejects the work, which is then done again.
  expect(() => record({ add: () => undefined }, () => redactor.redactText(secret))).toThrow('must not read')
  expect(redactor.redactText(secret)).toBe('***')
})
