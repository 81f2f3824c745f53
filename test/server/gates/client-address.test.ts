import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import {
  addressBehind,
  createAddressList,
  type NamedProxy,
} from '../../../src/main/server/gates/client-address.ts'
import { callHttp } from '../../helpers/http.ts'

/** The caller's address as seen by a server on loopback. */
async function seenBy(proxy: NamedProxy | null, header: string, values: readonly string[]) {
  const clientOf = addressBehind(() => proxy)
  const server = createServer((request, response) => response.end(clientOf(request)))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  return Promise.all(
    values.map(async (value) => {
      const { text } = await callHttp(port, { path: '/', headers: value === '' ? {} : { [header]: value } })
      return [value, text]
    }),
  )
}

test("of the addresses in a proxy's header, the caller's is the last one that isn't a proxy", async () => {
  const isProxy = createAddressList(['127.0.0.1', '10.0.0.0/8', 'fd00::/8'])
  const seen = await seenBy({ header: 'x-forwarded-for', isProxy }, 'X-Forwarded-For', [
    '203.0.113.7',
    '198.51.100.1, 203.0.113.7',
    '198.51.100.1, 203.0.113.7, 10.1.2.3, fd00::9',
    '203.0.113.7:4711',
    '[2001:DB8::1]:4711',
    '::ffff:203.0.113.7',
    '0:0:0:0:0:FFFF:CB00:7107',
    '198.51.100.1, ::ffff:a01:203',
    '[fe80::1%eth0]',
    '198.51.100.1, unknown',
    '10.1.2.3',
    '',
  ])
  expect(seen).toEqual([
    ['203.0.113.7', '203.0.113.7'],
    ['198.51.100.1, 203.0.113.7', '203.0.113.7'],
    ['198.51.100.1, 203.0.113.7, 10.1.2.3, fd00::9', '203.0.113.7'],
    ['203.0.113.7:4711', '203.0.113.7'],
    ['[2001:DB8::1]:4711', '2001:db8::1'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['0:0:0:0:0:FFFF:CB00:7107', '203.0.113.7'],
    ['198.51.100.1, ::ffff:a01:203', '198.51.100.1'],
    ['[fe80::1%eth0]', 'fe80::1%eth0'],
    ['198.51.100.1, unknown', '127.0.0.1'],
    ['10.1.2.3', '127.0.0.1'],
    ['', '127.0.0.1'],
  ])
})

test('Forwarded is read as RFC 7239 writes it', async () => {
  const isProxy = createAddressList(['127.0.0.1'])
  const values = [
    'for=198.51.100.1, for=203.0.113.7;proto=https',
    'proto=https;For="[2001:db8::1]:4711"',
    'for=_hidden',
  ]
  expect(await seenBy({ header: 'forwarded', isProxy }, 'Forwarded', values)).toEqual([
    [values[0], '203.0.113.7'],
    [values[1], '2001:db8::1'],
    [values[2], '127.0.0.1'],
  ])
})

test('only a proxy can name the caller, and without one no header counts', async () => {
  const isProxy = createAddressList(['10.0.0.2'])
  const seen = [
    await seenBy({ header: 'x-forwarded-for', isProxy }, 'X-Forwarded-For', ['203.0.113.7']),
    await seenBy(null, 'X-Forwarded-For', ['203.0.113.7']),
  ]
  expect(seen).toEqual([[['203.0.113.7', '127.0.0.1']], [['203.0.113.7', '127.0.0.1']]])
})
