import { englishOf } from '../../../src/shared/contract/base/message.ts'
import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { checkSignature } from '../../../src/main/engine/webhook/check-signature.ts'
import {
  signature as signatureShape,
  type SignatureConfig,
} from '../../../src/shared/contract/step-types/triggers/webhook.ts'

type Config = Partial<SignatureConfig> & Pick<SignatureConfig, 'scheme'>

function check(
  config: Config,
  headers: Record<string, string>,
  body: string,
  { secret, seconds = 0 }: { secret: string; seconds?: number },
) {
  const verdict = checkSignature(signatureShape.parse({ secret: '{{ secret }}', ...config }), {
    request: { header: (name) => headers[name.toLowerCase()] ?? null, body: Buffer.from(body), urls: [] },
    secret,
    now: seconds * 1000,
  })
  return verdict.isGood ? { id: verdict.id } : englishOf(verdict.reason)
}

const hmac = (key: string | Buffer, text: string, encoding: 'hex' | 'base64' = 'hex', algorithm = 'sha256') =>
  createHmac(algorithm, key).update(text).digest(encoding)
const WRONG = "The signature doesn't match the body and the secret"
const off = (seconds: number, limit = 300) =>
  `The signature's timestamp is ${seconds} s off (limit ${limit} s); check the clocks of the sender and of this computer`

describe('a signature is checked as the sender documents it', () => {
  it("GitHub's own example", () => {
    const secret = "It's a Secret to Everybody"
    const headers = {
      'x-hub-signature-256': 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17',
      'x-github-delivery': '72d3162e',
    }
    const github = (body: string, with_: Record<string, string> = headers) =>
      check({ scheme: 'github' }, with_, body, { secret })
    expect([github('Hello, World!'), github('Hello, World?'), github('Hello, World!', {})]).toEqual([
      { id: '72d3162e' },
      WRONG,
      'The signature is missing: X-Hub-Signature-256',
    ])
  })

  it("Slack's own example, five minutes long", () => {
    const secret = '8f742231b10e8888abcd99yyyzzz85a5'
    const body =
      'token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar' +
      '&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com' +
      '%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c'
    const headers = {
      'x-slack-request-timestamp': '1531420618',
      'x-slack-signature': 'v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503',
    }
    const at = (seconds: number) => check({ scheme: 'slack' }, headers, body, { secret, seconds })
    expect([0, 300, -300, 301, -301].map((away) => at(1531420618 + away))).toEqual([
      { id: null },
      { id: null },
      { id: null },
      off(301),
      off(301),
    ])
  })

  it('Standard Webhooks, with any of several signatures and secrets', () => {
    const key = Buffer.from('a key of thirty-two bytes, nearly')
    const secret = `whsec_${key.toString('base64')}`
    const signed = hmac(key, 'msg_1.1700000000.{"a":1}', 'base64')
    const send = (signature: string, secrets = secret, body = '{"a":1}') =>
      check(
        { scheme: 'standard_webhooks' },
        { 'webhook-id': 'msg_1', 'webhook-timestamp': '1700000000', 'webhook-signature': signature },
        body,
        { secret: secrets, seconds: 1_700_000_100 },
      )
    expect([
      send(`v1,${signed}`),
      send(`v1a,xyz v1,AAAA v1,${signed}`),
      send(`v1,${signed}`, `whsec_AAAA\n${secret}`),
      send(`v2,${signed}`),
      send(`v1,${signed}`, secret, '{"a":2}'),
      send('v1,'),
      check({ scheme: 'standard_webhooks' }, { 'webhook-id': 'msg_1' }, '', { secret }),
      check(
        { scheme: 'standard_webhooks' },
        { 'svix-id': 'msg_1', 'svix-timestamp': '1700000000', 'svix-signature': `v1,${signed}` },
        '{"a":1}',
        { secret, seconds: 1_700_000_100 },
      ),
    ]).toEqual([
      { id: 'msg_1' },
      { id: 'msg_1' },
      { id: 'msg_1' },
      WRONG,
      WRONG,
      WRONG,
      'The signature is missing: webhook-id, webhook-timestamp and webhook-signature',
      { id: 'msg_1' },
    ])
  })

  it('Stripe, whose id is in the body', () => {
    const body = '{"id": "evt_1", "type": "charge.succeeded"}'
    const good = hmac('whsec_x', `1700000000.${body}`)
    const send = (header: string, seconds = 1_700_000_000) =>
      check({ scheme: 'stripe' }, { 'stripe-signature': header }, body, { secret: 'whsec_x', seconds })
    expect([
      send(`t=1700000000,v1=${good},v0=1234`),
      send(`t=1700000000,v1=00,v1=${good}`),
      send(`t=1700000001,v1=${good}`),
      send(`t=1700000000,v1=${good}`, 1_700_000_301),
      send(`t=soon,v1=${good}`),
      send(`v1=${good}`),
    ]).toEqual([
      { id: 'evt_1' },
      { id: 'evt_1' },
      WRONG,
      off(301),
      "The signature's timestamp isn't a Unix time in seconds",
      'The signature is missing: Stripe-Signature',
    ])
  })

  it('any other HMAC, as configured', () => {
    const config: Config = {
      scheme: 'hmac',
      header: 'X-Signature',
      prefix: 'sig=',
      encoding: 'base64',
      algorithm: 'sha512',
      timestamp_header: 'X-Time',
      id_header: 'X-Id',
      tolerance_seconds: 10,
    }
    const headers = {
      'x-signature': `sig=${hmac('k', '1700000000.hello', 'base64', 'sha512')}`,
      'x-time': '1700000000',
      'x-id': '7',
    }
    const plain = { 'x-signature': hmac('k', 'hello') }
    expect([
      check(config, headers, 'hello', { secret: 'k', seconds: 1_700_000_010 }),
      check(config, headers, 'hello', { secret: 'k', seconds: 1_700_000_011 }),
      check(config, { ...headers, 'x-time': '' }, 'hello', { secret: 'k' }),
      check({ scheme: 'hmac', header: 'X-Signature' }, plain, 'hello', { secret: 'k' }),
      check({ scheme: 'hmac', header: 'X-Signature' }, plain, 'hello', { secret: '' }),
    ]).toEqual([{ id: '7' }, off(11, 10), 'The signature is missing: X-Time', { id: null }, WRONG])
  })
})
