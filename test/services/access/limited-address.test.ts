import { expect, test } from 'vitest'
import { limitedAddress } from '../../../src/main/services/kit/limited-address.ts'
import { createSignInAttempts } from '../../../src/main/services/keeping/access/sign-in-attempts.ts'

test('a caller with an IPv6 network is one caller, however its addresses are written', () => {
  expect(
    [
      '203.0.113.7',
      '2001:db8:1::0',
      '2001:db8:1:0:ffff::63',
      '2001:0DB8:0001:0000:0000:0000:0000:0001',
      '2001:db8:1:1::1',
      'fe80::1%eth0',
      '::1',
      '64:ff9b::203.0.113.7',
    ].map(limitedAddress),
  ).toEqual([
    '203.0.113.7',
    '2001:db8:1:0::/64',
    '2001:db8:1:0::/64',
    '2001:db8:1:0::/64',
    '2001:db8:1:1::/64',
    'fe80:0:0:0::/64',
    '0:0:0:0::/64',
    '64:ff9b:0:0::/64',
  ])
})

test('failed sign-ins from one IPv6 network are counted together', () => {
  const attempts = createSignInAttempts({ monotonic: () => 0 })
  for (let guess = 0; guess < 10; guess++) attempts.noteFailure(`2001:db8::${guess}`, true)
  expect(() => attempts.requireFew('2001:db8::ffff', true)).toThrow(
    'Too many failed sign-ins from your IP address',
  )
  expect(() => attempts.requireFew('2001:db8:0:1::1', true)).not.toThrow()
})
