import { expect, test } from 'vitest'
import { createEnv } from '../../../src/main/services/keeping/env/env.ts'

test('the values are read from the database once until something changes', () => {
  let reads = 0
  const rows = [
    { name: 'a', value: { deep: ['first', 12n] }, secret: true },
    { name: 'b', value: 'open', secret: false },
  ]
  const env = createEnv({
    store: { envVariables: { values: () => (reads++, rows) } },
    ownUrl: () => 'http://127.0.0.1:4747',
    playgroundUrl: () => 'http://127.0.0.1:1',
  })
  const values = env.values()
  expect({ isSame: env.values() === values, secrets: env.secrets(), reads }).toEqual({
    isSame: true,
    secrets: ['{"deep":["first",12]}', '["first",12]', 'first', '12'],
    reads: 1,
  })
  expect(values).toEqual({
    millrace_url: 'http://127.0.0.1:4747',
    playground_url: 'http://127.0.0.1:1',
    a: { deep: ['first', 12n] },
    b: 'open',
  })
  env.forget()
  expect({ isSame: env.values() === values, reads }).toEqual({ isSame: false, reads: 2 })
})
