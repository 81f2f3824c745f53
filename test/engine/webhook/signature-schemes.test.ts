import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { englishOf } from '../../../src/shared/contract/base/message.ts'
import {
  signature as signatureShape,
  SIGNATURE_SCHEMES,
  type SignatureConfig,
} from '../../../src/shared/contract/step-types/triggers/webhook.ts'
import { checkSignature, signatureOf } from '../../../src/main/engine/webhook/check-signature.ts'

interface Sent {
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  readonly secret: string
  readonly urls?: readonly string[]
  readonly seconds?: number
}

type Config = Partial<SignatureConfig> & Pick<SignatureConfig, 'scheme'>

const configOf = (config: Config | SignatureConfig['scheme']) =>
  signatureShape.parse({
    secret: '{{ secret }}',
    ...(typeof config === 'string' ? { scheme: config } : config),
  })

const signing = ({ headers, body = '', secret, urls = [], seconds = 1_700_000_000 }: Sent) => {
  const byName = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
  return {
    request: {
      header: (name: string) => byName.get(name.toLowerCase()) ?? null,
      body: Buffer.from(body),
      urls,
    },
    secret,
    now: seconds * 1_000,
  }
}

function check(config: Config | SignatureConfig['scheme'], sent: Sent) {
  const verdict = checkSignature(configOf(config), signing(sent))
  return verdict.isGood ? { id: verdict.id } : englishOf(verdict.reason)
}

const WRONG = "The signature doesn't match the body and the secret"
const HOOK = 'https://hooks.example/v1/flow-webhook/7c9e6679-7425-40de-944b-e07fc1f90ae7'
const form = (fields: Readonly<Record<string, string>>) => new URLSearchParams(fields).toString()

describe('a service signs by its own rules', () => {
  it("Twilio: its documentation's example, and forms, JSON and SHA-256 as the package twilio 6.2.0 signs them", () => {
    const call = {
      CallSid: 'CA1234567890ABCDE',
      Caller: '+14158675309',
      Digits: '1234',
      From: '+14158675309',
      To: '+18005551212',
    }
    const documented = (patch: Partial<Sent>) =>
      check('twilio', {
        headers: { 'x-twilio-signature': 'RSOYDt4T1cUTdK1PDd93/VVr8B8=', 'i-twilio-idempotency-token': 'i1' },
        body: form(call),
        secret: '12345',
        urls: ['http://127.0.0.1:4747/myapp.php', 'https://mycompany.com/myapp.php?foo=1&bar=2'],
        ...patch,
      })
    const token = '1c892n40nd03kdnc0112slzkl3091j20'
    const signed = (value: string, url: string, body = '', more: Record<string, string> = {}) =>
      check('twilio', { headers: { 'x-twilio-signature': value, ...more }, body, secret: token, urls: [url] })
    const hash = '34ae3e89872d9f674373f5175b206225e46d7190f979ef30d8b922c2e67f58bb'
    const json = `${HOOK}?bodySHA256=${hash}`
    const repeated = 'Body=Gr%C3%BC%C3%9Fe+%26+mehr&MediaUrl=b&MediaUrl=a&MediaUrl=b&Empty='
    const sha256 = {
      'x-twilio-webhooks-signature-settings': 'key=webhooks_sharedkey_1,algorithm=HMAC_SHA256',
    }
    expect([
      documented({}),
      signed('1k7l++TiK4QGFrSSbJbfUNd11FI=', `${HOOK}?a=b%20c`, repeated),
      signed('OyAfUa7NECMYklLAldYAeHgFY/E=', json, '{"sid":"é"}'),
      signed('+yUXkAIGBAXxesNoYK7QBdLLUXwH2uZJ00hplhOcmQ0=', HOOK, 'CallSid=CA1', sha256),
    ]).toEqual([{ id: 'i1' }, { id: null }, { id: null }, { id: null }])
    const told = (url: string) =>
      `The signature doesn't match the body, the secret and the URL ${url}; if the service calls another URL, set it as the public URL in the settings`
    expect([
      documented({ urls: ['https://mycompany.com/myapp.php?foo=1'] }),
      documented({ body: form({ ...call, Digits: '1235' }) }),
      documented({ body: '' }),
      documented({ headers: {} }),
      signed('OyAfUa7NECMYklLAldYAeHgFY/E=', json, '{"sid":"e"}'),
      signed('OyAfUa7NECMYklLAldYAeHgFY/E=', json),
      signed('+yUXkAIGBAXxesNoYK7QBdLLUXwH2uZJ00hplhOcmQ0=', HOOK, 'CallSid=CA1'),
    ]).toEqual([
      told('https://mycompany.com/myapp.php?foo=1'),
      told('http://127.0.0.1:4747/myapp.php'),
      told('http://127.0.0.1:4747/myapp.php'),
      'The signature is missing: X-Twilio-Signature',
      told(json),
      told(json),
      told(HOOK),
    ])
  })

  it('Discord, as discord-interactions 4.4.0 verifies it', () => {
    const key = 'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a'
    const value =
      'c3a9eba3bd34e774b9fdfeb74303a42cbd7ffda42dc3293cdd5e68152104ee33ef0027981e37cf44651b2d9047cce8cef1ef05488476684a46d481e6364eb300'
    const discord = (patch: Partial<Sent> & { value?: string; time?: string }) =>
      check('discord', {
        headers: {
          'x-signature-ed25519': patch.value ?? value,
          'x-signature-timestamp': patch.time ?? '1700000000',
        },
        body: '{"id":"1","type":1}',
        secret: key,
        ...patch,
      })
    expect([
      discord({}),
      discord({ secret: `${'0'.repeat(64)}\n${key}` }),
      discord({ value: value.toUpperCase() }),
      discord({ body: '{"id":"1","type":2}' }),
      discord({ time: '1700000001' }),
      discord({ seconds: 1_700_000_301 }),
      discord({ value: `${value}00` }),
      discord({ value: `${value}, ${value}` }),
      discord({ value: 'not hex' }),
      discord({ secret: key.slice(2) }),
      discord({ secret: 'f'.repeat(64) }),
      // A public key used as the secret of an HMAC, and the other way round.
      check('discord', { headers: { 'x-signature-ed25519': value }, secret: key }),
      discord({ value: createHmac('sha256', key).update('1700000000{"id":"1","type":1}').digest('hex') }),
    ]).toEqual([
      { id: '1' },
      { id: '1' },
      { id: '1' },
      WRONG,
      WRONG,
      "The signature's timestamp is 301 s off (limit 300 s); check the clocks of the sender and of this computer",
      WRONG,
      WRONG,
      WRONG,
      WRONG,
      WRONG,
      'The signature is missing: X-Signature-Ed25519 and X-Signature-Timestamp',
      WRONG,
    ])
  })

  it('Standard Webhooks: the example of its packages, and Ed25519 as v1a, whose key is never one of an HMAC', () => {
    const publicKey = 'whpk_11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo='
    const v1 = 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE='
    const v1a = 'v1a,fldxM4gAKugP6nnt1hdz3sgGfZ6d99nzrMFnZOELIxbzEHoVmAb2ADpkJK7zgPePmPsle0zV9jSeGlHFG2NVAw=='
    const text = 'msg_p5jXN8AQM9LWM0D4loKWxJek.1614265330.{"test": 2432232314}'
    const standard = (value: string, secret: string, body = '{"test": 2432232314}') =>
      check('standard_webhooks', {
        headers: {
          'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
          'webhook-timestamp': '1614265330',
          'webhook-signature': value,
        },
        body,
        secret,
        seconds: 1_614_265_330,
      })
    const confused = [Buffer.from(publicKey), Buffer.from(publicKey.slice(5), 'base64')].map((key) =>
      createHmac('sha256', key).update(text).digest('base64'),
    )
    const good = { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek' }
    expect([
      standard(v1, 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'),
      standard(v1a, publicKey),
      standard(`${v1} ${v1a}`, publicKey),
      standard(
        `${v1a} ${v1}`,
        `${publicKey}\nwhsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw`,
        '{"test": 2432232314}',
      ),
      standard(v1a, publicKey, '{"test": 0}'),
      standard(v1a, 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'),
      standard(v1a.replace('v1a', 'v1'), publicKey),
      ...confused.map((value) => standard(`v1,${value}`, publicKey)),
      ...confused.map((value) => standard(`v1a,${value}`, publicKey)),
      standard(
        Array.from({ length: 11 }, () => 'v1,AAAA').join(' ') + ` ${v1}`,
        'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
      ),
    ]).toEqual([good, good, good, good, WRONG, WRONG, WRONG, WRONG, WRONG, WRONG, WRONG, WRONG])
  })

  it('Square signs URL and body, as the package square 46.0.0 verifies them', () => {
    const square = (urls: readonly string[], patch: Partial<Sent> = {}) =>
      check('square', {
        headers: { 'x-square-hmacsha256-signature': 'pGRqj9GSSbM6O/O9z98MeFVedq3Q2OTDEMGMq8wEM+s=' },
        body: '{"merchant_id":"MLEFBHHSJGVHD","type":"webhooks.test_notification","event_id":"ac3ac95b-f97d-458c-a6e6-18981597e05f","created_at":"2022-07-13T20:30:59.037339943Z","data":{"type":"webhooks","id":"bc368e64-01aa-407e-b46e-3231809b1129"}}',
        secret: 'asdf1234',
        urls,
        ...patch,
      })
    expect([
      square(['https://example.com/webhook']),
      square(['https://other.example/webhook', 'https://example.com/webhook']),
      square(['https://other.example/webhook']),
      square(['https://example.com/webhook'], { body: '{}' }),
      square([]),
    ]).toEqual([
      { id: 'ac3ac95b-f97d-458c-a6e6-18981597e05f' },
      { id: 'ac3ac95b-f97d-458c-a6e6-18981597e05f' },
      expect.stringContaining('the URL https://other.example/webhook;'),
      expect.stringContaining('the URL https://example.com/webhook;'),
      expect.stringContaining("doesn't match"),
    ])
  })

  it('Shopify, as @shopify/shopify-api 15.0.0 verifies it; Meta, X and Zoom by their documentation', () => {
    const body = '{"id":820982911946154508,"note":"Grüße"}'
    const mac = (encoding: 'hex' | 'base64', text = body, secret = 'hush') =>
      createHmac('sha256', secret).update(text).digest(encoding)
    const headers = {
      'x-shopify-hmac-sha256': 'rQyodrG+Udrlx8TP9IVjZZzJcoCke2O+vzhFa7aPnss=',
      'x-shopify-webhook-id': 'w1',
    }
    const zoom = (value: string, time = '1700000000') =>
      check('zoom', {
        headers: { 'x-zm-signature': value, 'x-zm-request-timestamp': time },
        body,
        secret: 'hush',
      })
    const one = (scheme: 'meta' | 'x' | 'shopify', name: string, value: string) =>
      check(scheme, { headers: { [name]: value }, body, secret: 'hush' })
    expect([
      check('shopify', { headers, body, secret: 'hush' }),
      check('shopify', { headers, body: `${body} `, secret: 'hush' }),
      one('shopify', 'x-shopify-hmac-sha256', mac('hex')),
      one('meta', 'x-hub-signature-256', `sha256=${mac('hex')}`),
      one('meta', 'x-hub-signature-256', mac('hex')),
      one('meta', 'x-hub-signature-256', `sha1=${createHmac('sha1', 'hush').update(body).digest('hex')}`),
      one('meta', 'x-hub-signature-256', `sha256=${mac('hex')}, sha256=${mac('hex')}`),
      one('x', 'x-twitter-webhooks-signature', `sha256=${mac('base64')}`),
      one('x', 'x-twitter-webhooks-signature', `sha256=${mac('hex')}`),
      zoom(`v0=${mac('hex', `v0:1700000000:${body}`)}`),
      zoom(`v0=${mac('hex', `v0:1700000301:${body}`)}`, '1700000301'),
      zoom(`v1=${mac('hex', `v0:1700000000:${body}`)}`),
      check('zoom', { headers: {}, secret: 'hush' }),
    ]).toEqual([
      { id: 'w1' },
      WRONG,
      WRONG,
      { id: null },
      WRONG,
      WRONG,
      WRONG,
      { id: null },
      WRONG,
      { id: null },
      "The signature's timestamp is 301 s off (limit 300 s); check the clocks of the sender and of this computer",
      WRONG,
      'The signature is missing: X-Zm-Signature and X-Zm-Request-Timestamp',
    ])
  })

  it('GitLab: its token as it is, or a signature with its signing token; neither key serves as the other', () => {
    const key = `whsec_${Buffer.from('testtesttesttesttesttesttesttest').toString('base64')}`
    const value = createHmac('sha256', 'testtesttesttesttesttesttesttest')
      .update('d1.1700000000.{}')
      .digest('base64')
    const signed = {
      'webhook-id': 'd1',
      'webhook-timestamp': '1700000000',
      'webhook-signature': `v1,${value}`,
    }
    const gitlab = (headers: Record<string, string>, secret: string, body = '{}') =>
      check('gitlab', { headers: { 'idempotency-key': 'd1', ...headers }, secret, body })
    const BAD_TOKEN = 'The token in X-Gitlab-Token is wrong'
    expect([
      gitlab({ 'x-gitlab-token': 'geheim ü' }, 'geheim ü'),
      gitlab({ 'x-gitlab-token': 'geheim' }, 'old\ngeheim'),
      gitlab(signed, key),
      gitlab({ ...signed, 'x-gitlab-token': 'geheim' }, 'geheim'),
      gitlab({ ...signed, 'x-gitlab-token': 'geheim' }, `geheim\n${key}`),
      gitlab({ 'x-gitlab-token': 'geheim' }, 'geheim 2'),
      gitlab({ 'x-gitlab-token': 'geheim, geheim' }, 'geheim'),
      gitlab({ 'x-gitlab-token': key }, `geheim\n${key}`),
      gitlab({ 'x-gitlab-token': key }, key),
      gitlab(signed, key, '{"a":1}'),
      gitlab({}, 'geheim'),
      gitlab({ 'x-gitlab-token': 'geheim' }, ''),
    ]).toEqual([
      { id: 'd1' },
      { id: 'd1' },
      { id: 'd1' },
      { id: 'd1' },
      { id: 'd1' },
      BAD_TOKEN,
      BAD_TOKEN,
      BAD_TOKEN,
      'The signature is missing: webhook-id, webhook-timestamp and webhook-signature',
      WRONG,
      'The signature is missing: X-Gitlab-Token',
      BAD_TOKEN,
    ])
  })

  it('no scheme takes a request without a secret, or headers that are no signatures', () => {
    const odd = [
      '',
      ' ',
      '=',
      'v0=',
      'sha256=',
      't=1700000000,v1=',
      '\u00fc',
      'a'.repeat(100_000),
      ','.repeat(10_000),
    ]
    const accepted = SIGNATURE_SCHEMES.flatMap((scheme) =>
      odd.flatMap((value) =>
        ['', '\n\n', 'secret'].filter((secret) => {
          const request = { header: () => value || null, body: Buffer.from('{}'), urls: [HOOK] }
          const config = configOf({ scheme, header: 'X-Signature' })
          return checkSignature(config, { request, secret, now: 1_700_000_000_000 }).isGood
        }),
      ),
    )
    expect(accepted).toEqual([])
  })
})

describe('a request that is sent again is signed anew', () => {
  const old: Sent = {
    headers: { 'webhook-id': 'msg_1', 'x-github-delivery': 'g1', 'i-twilio-idempotency-token': 't1' },
    body: '{"id": "evt_1", "text": "Grüße"}',
    secret: `whsec_${Buffer.from('testtesttesttesttesttesttesttest').toString('base64')}\nanother`,
    urls: [HOOK],
    seconds: 1_800_000_000,
  }

  it('in every scheme whose secret signs, with the current time and the ID of the delivery', () => {
    const configs = SIGNATURE_SCHEMES.map((scheme) =>
      configOf({
        scheme,
        ...(scheme === 'hmac' && { header: 'X-Sig', timestamp_header: 'X-Time', prefix: 'p=' }),
      }),
    )
    const verdicts = configs.map((config) => {
      const headers = signatureOf(config, signing(old))
      if (headers === null) return [config.scheme, null]
      const again = signing({ ...old, headers: { ...old.headers, ...headers } })
      const verdict = checkSignature(config, again)
      const tampered = checkSignature(config, {
        ...again,
        request: { ...again.request, body: Buffer.from('{"id": "evt_2"}') },
      })
      return [config.scheme, verdict, tampered.isGood]
    })
    expect(verdicts).toEqual([
      ['standard_webhooks', { isGood: true, id: 'msg_1' }, false],
      ['github', { isGood: true, id: 'g1' }, false],
      ['stripe', { isGood: true, id: 'evt_1' }, false],
      ['slack', { isGood: true, id: null }, false],
      ['discord', null],
      ['gitlab', { isGood: true, id: 'msg_1' }, false],
      ['meta', { isGood: true, id: null }, false],
      ['shopify', { isGood: true, id: null }, false],
      ['square', { isGood: true, id: null }, false],
      ['twilio', { isGood: true, id: 't1' }, false],
      ['x', { isGood: true, id: null }, false],
      ['zoom', { isGood: true, id: null }, false],
      ['hmac', { isGood: true, id: null }, false],
    ])
  })

  it('under the names that the sender used, and not with a public key or without a secret', () => {
    const svix = signatureOf(configOf('standard_webhooks'), signing({ ...old, headers: { 'svix-id': 's1' } }))
    expect({
      svix: Object.keys(svix ?? {}),
      none: ['', 'whpk_11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo='].map((secret) =>
        signatureOf(configOf('standard_webhooks'), signing({ ...old, secret })),
      ),
      token: signatureOf(configOf('gitlab'), signing({ ...old, secret: 'geheim' })),
    }).toEqual({
      svix: ['svix-id', 'svix-timestamp', 'svix-signature'],
      none: [null, null],
      token: { 'X-Gitlab-Token': 'geheim' },
    })
  })
})
