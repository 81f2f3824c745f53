import { expect, test } from 'vitest'
import { resolveHost } from '../../../src/main/services/reaching/sending/resolve-host.ts'

test('server names are resolved, and blocked addresses are rejected', async () => {
  const found = (name: string, kind: 'mail' | 'database') =>
    resolveHost(name, kind).catch((error: unknown) => (error as Error).message)
  expect([
    await found('127.0.0.1', 'mail'),
    await found('10.0.0.7', 'database'),
    await found('169.254.169.254', 'mail'),
    await found('fe80::1', 'database'),
    await found('not a name', 'mail'),
  ]).toEqual([
    { address: '127.0.0.1', isLocal: true },
    { address: '10.0.0.7', isLocal: false },
    'The mail server 169.254.169.254 has the IP address 169.254.169.254, which Millrace never connects to',
    'The database server fe80::1 has the IP address fe80::1, which Millrace never connects to',
    "The mail server not a name wasn't found; check its name",
  ])
})
