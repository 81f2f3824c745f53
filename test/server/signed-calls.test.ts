/**
 * Credentials that are computed for each request (signatures, Digest and client certificates), against servers that
 * check them.
 */
import { createHash, createHmac, generateKeyPairSync, verify, X509Certificate } from 'node:crypto'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { signForAws } from '../../src/main/engine/connector/signing/aws.ts'
import { signWithOAuth1 } from '../../src/main/engine/connector/signing/oauth1.ts'
import type { OpenAuth } from '../../src/main/engine/connector/open-auth.ts'
import { headerValue } from '../../src/main/engine/request/headers.ts'
import type { ConnectorAuth } from '../../src/shared/contract/connector-auths.ts'
import type { FlowRun } from '../../src/shared/contract/flow-runs.ts'
import { HTTP_CONNECTOR_ID } from '../../src/shared/contract/connectors.ts'
import { type FlowApp, startFlowApp } from '../helpers/flow-app.ts'
import { selfSigned } from '../helpers/self-signed.ts'
import { type ReceivedRequest, startThirdPartyApi } from '../helpers/third-party-api.ts'

let app: FlowApp
beforeEach(async () => {
  app = await startFlowApp()
})

async function made(path: string, body: object): Promise<string> {
  const { status, json, text } = await app.call('POST', `/v1/${path}`, body)
  if (status !== 201) throw new Error(`${path}: ${text}`)
  return (json as { id: string }).id
}

const anAuth = (auth_type: string, more: object) =>
  made('connector-auths', { connector_id: HTTP_CONNECTOR_ID, name: auth_type, auth_type, ...more })

interface Outcome {
  readonly status: string
  readonly message: string | undefined
  readonly output: unknown
}

/** The outcome of one request with this auth. */
async function called(auth_id: string, config: object): Promise<Outcome> {
  const { flow } = await app.addFlow([
    { ref_id: 'web1', type: 'webhook' },
    { ref_id: 'call', type: 'rest', config: { auth_id, ...config } },
  ])
  const run = (await app.call('POST', `/v1/flows/${flow.id}/run?wait=true`, {})).json as FlowRun
  const output = app.stepsOf(run).find(({ ref_id: id }) => id === 'call')?.output
  return { status: run.status, message: run.error?.message, output }
}

const openAuth = (more: Partial<OpenAuth>): OpenAuth => ({
  id: 'a',
  connector_id: HTTP_CONNECTOR_ID,
  auth_type: 'aws_sigv4',
  auth_token: '',
  auth_details: '',
  api_endpoint: '',
  user_input: {},
  username: '',
  password: '',
  ...more,
})

describe('AWS Signature Version 4', () => {
  const auth = openAuth({
    username: 'AKIDEXAMPLE',
    password: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
    user_input: { region: 'us-east-1', service: 'service' },
  })
  const clock = { now: () => Date.UTC(2015, 7, 30, 12, 36) }

  // From the test suite that AWS publishes for signers.
  test.each([
    ['GET', '/', '5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31'],
    [
      'GET',
      '/?Param2=value2&Param1=value1',
      'b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500',
    ],
    ['POST', '/', '5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b'],
  ])('%s %s is signed as published', async (method, path, signature) => {
    const signed = await signForAws(
      { method, url: `https://example.amazonaws.com${path}`, headers: [], body: null },
      { auth, clock },
    )
    expect(headerValue(signed.headers, 'authorization')).toContain(`Signature=${signature}`)
  })

  test('a run signs each request, body and session token included, and shows neither key', async () => {
    const api = await startThirdPartyApi((_request, response) => response.end('{}'))
    const auth_id = await anAuth('aws_sigv4', {
      username: 'AKIDEXAMPLE',
      password: 'the-secret-access-key',
      user_input: { region: 'eu-central-1', service: 'sqs', session_token: 'the-session-token' },
    })
    const run = await called(auth_id, {
      method: 'POST',
      url: `${api.url}/queue?b=2&a=1`,
      body: '{"n":1}',
      body_type: 'text',
    })
    expect(run.status).toBe('success')
    const [request] = api.received as [ReceivedRequest]
    expect(request.headers['x-amz-security-token']).toBe('the-session-token')
    expect(request.headers.authorization).toBe(expectedAws(request, 'the-secret-access-key'))
    const { text } = await app.call('GET', `/v1/flow-runs/${app.runs()[0]?.id}/steps`)
    expect(text).toContain('***')
    expect(text).not.toContain('the-session-token')
    expect(text).not.toContain('the-secret-access-key')
  })

  test('without a service that can be found in the host, it says what to enter', async () => {
    const auth_id = await anAuth('aws_sigv4', { username: 'A', password: 'a-secret-access-key' })
    const run = await called(auth_id, { url: 'http://127.0.0.1:9/' })
    expect(run.message).toContain('doesn\'t name an AWS service; enter it as "service"')
  })
})

/** The signature as the receiving service calculates it. */
function expectedAws({ method, target, headers, body }: ReceivedRequest, secret: string): string {
  const at = String(headers['x-amz-date'])
  const scope = `${at.slice(0, 8)}/eu-central-1/sqs/aws4_request`
  const names = String(/SignedHeaders=([^,]*)/.exec(headers.authorization ?? '')?.[1]).split(';')
  expect(names).toEqual(expect.arrayContaining(['host', 'x-amz-date', 'x-amz-security-token']))
  const [path, query = ''] = target.split('?')
  const hash = (text: string | Buffer) => createHash('sha256').update(text).digest('hex')
  const canonical = [
    method,
    path,
    query.split('&').toSorted().join('&'),
    ...names.map((name) => `${name}:${String(headers[name])}`),
    '',
    names.join(';'),
    hash(body),
  ].join('\n')
  const text = ['AWS4-HMAC-SHA256', at, scope, hash(canonical)].join('\n')
  const key = scope
    .split('/')
    .reduce<string | Buffer>(
      (made, part) => createHmac('sha256', made).update(part).digest(),
      `AWS4${secret}`,
    )
  const signature = createHmac('sha256', key).update(text).digest('hex')
  return `AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/${scope}, SignedHeaders=${names.join(';')}, Signature=${signature}`
}

describe('the end of what was entered', () => {
  const endOf = async (auth_type: string, more: object) => {
    const id = await anAuth(auth_type, more)
    return ((await app.call('GET', `/v1/connector-auths/${id}`)).json as ConnectorAuth).token_expires_at
  }

  test('is read from a certificate and a JWT', async () => {
    const { cert, key } = selfSigned('127.0.0.1')
    const validTo = new Date(new X509Certificate(cert).validTo).toISOString()
    expect(await endOf('client_certificate', { user_input: { certificate: cert, private_key: key } })).toBe(
      validTo,
    )
    const pfx = { pfx: P12, passphrase: 'let-me-in' }
    expect(await endOf('client_certificate', { user_input: pfx })).toMatch(/^2\d{3}-/)
    const claims = Buffer.from(JSON.stringify({ exp: 1_900_000_000 })).toString('base64url')
    expect(await endOf('bearer', { auth_token: `eyJhbGciOiJIUzI1NiJ9.${claims}.c2ln` })).toBe(
      '2030-03-17T17:46:40.000Z',
    )
    expect(await endOf('bearer', { auth_token: 'not.a.jwt' })).toBeNull()
  })

  test('follows a change', async () => {
    const { cert, key } = selfSigned('127.0.0.1')
    const id = await anAuth('client_certificate', { user_input: { certificate: cert, private_key: key } })
    const changed = await app.call('PUT', `/v1/connector-auths/${id}`, {
      auth_type: 'bearer',
      auth_token: 'opaque',
    })
    expect(changed.json).toMatchObject({ token_expires_at: null })
  })
})

describe('OAuth 1.0a', () => {
  test('a form is signed as the documentation of a large API works out', async () => {
    const signed = await signWithOAuth1(
      {
        method: 'POST',
        url: 'https://api.twitter.com/1.1/statuses/update.json?include_entities=true',
        headers: [['Content-Type', 'application/x-www-form-urlencoded']],
        body: 'status=Hello%20Ladies%20%2b%20Gentlemen%2c%20a%20signed%20OAuth%20request%21',
      },
      {
        auth: openAuth({
          username: 'xvz1evFS4wEEPTGEFPHBog',
          password: 'kAcSOqF21Fu85e7zjz7ZN2U4ZRhfV3WpwPAoE3Z7kBw',
          auth_token: '370773112-GmHxMAgYyLbNEtIKZeRNFsMKPR9EyMZeS9weJAEb',
          user_input: { token_secret: 'LswwdoUaIvS8ltyTt5jkRh4J50vUPVVHtR2YPi5kE' },
        }),
        clock: { now: () => 1_318_622_958_000 },
        nonce: 'kYjzVBB8Y0ZFabxSWbWovY3uYSQ2pTgmZeNu2VS4cg',
      },
    )
    expect(headerValue(signed.headers, 'authorization')).toContain(
      `oauth_signature="${encodeURIComponent('hCtSmYh+iHYCEqBWrE7C7hYmtUk=')}"`,
    )
  })

  test('a run sends the header, with a nonce of its own for each page', async () => {
    const api = await startThirdPartyApi((_request, response, count) => {
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify(count > 2 ? [] : [{ id: count }]))
    })
    const auth_id = await anAuth('oauth1', {
      username: 'consumer',
      password: 'consumer-secret',
      auth_token: 'the-token',
    })
    const pagination = { query: '{"page": {{ page }}}', response_jsonpath: '$' }
    const run = await called(auth_id, { url: `${api.url}/list`, pagination })
    expect(run.output).toEqual([{ id: 1 }, { id: 2 }])
    const sent = api.received.map(({ headers }) => String(headers.authorization))
    expect(sent[0]).toMatch(/^OAuth oauth_consumer_key="consumer", oauth_nonce="\w+", oauth_signature="/)
    expect(new Set(sent.map((one) => /oauth_nonce="(\w+)"/.exec(one)?.[1])).size).toBe(3)
  })
})

describe('HTTP Digest', () => {
  const LOGIN = { username: 'Mufasa', password: 'Circle of Life' }

  /** An API that accepts each nonce twice. */
  async function aDigestApi(algorithm: string, qop: string | null) {
    const hash = (text: string | Buffer) =>
      createHash(algorithm.startsWith('SHA-256') ? 'sha256' : 'md5')
        .update(text)
        .digest('hex')
    const uses = new Map<string, number>()
    const api = await startThirdPartyApi(({ method, target, headers, body }, response, count) => {
      const given = Object.fromEntries(
        [...String(headers.authorization).matchAll(/(\w+)=(?:"([^"]*)"|([^\s,"]+))/g)].map(
          ([, name = '', inQuotes, bare]) => [name, inQuotes ?? bare],
        ),
      )
      const { nonce = '', cnonce, nc, uri, username, realm } = given
      const first = hash(`${username}:${realm}:${LOGIN.password}`)
      const key = algorithm.endsWith('-sess') ? hash(`${first}:${nonce}:${cnonce}`) : first
      const called = hash(`${method}:${uri}${qop === 'auth-int' ? `:${hash(body)}` : ''}`)
      const expected = hash([key, nonce, ...(qop === null ? [] : [nc, cnonce, qop]), called].join(':'))
      const left = uses.get(nonce) ?? 0
      uses.set(nonce, left - 1)
      if (given['response'] === expected && uri === target && left > 0) return response.end('"in"')
      const fresh = `nonce-${count}`
      uses.set(fresh, 2)
      const fields = [
        'realm="the lions, all of them"',
        `nonce="${fresh}"`,
        `algorithm=${algorithm}`,
        ...(qop === null ? [] : [`qop="${qop}"`]),
        'opaque="o"',
      ]
      return response
        .writeHead(401, { 'www-authenticate': ['Basic realm="x"', `Digest ${fields.join(', ')}`] })
        .end()
    })
    return api
  }

  test.each([
    ['MD5', null],
    ['MD5', 'auth'],
    ['MD5-sess', 'auth'],
    ['SHA-256', 'auth'],
    ['SHA-256', 'auth-int'],
    ['SHA-256-sess', 'auth'],
  ])('%s with qop %s: a nonce is asked for once, used in advance, and renewed', async (algorithm, qop) => {
    const api = await aDigestApi(algorithm, qop)
    const auth_id = await anAuth('digest', LOGIN)
    const outcomes: string[] = []
    for (const n of [1, 2, 3]) {
      const run = await called(auth_id, {
        method: 'POST',
        url: `${api.url}/a?n=${n}`,
        body: 'text',
        body_type: 'text',
      })
      outcomes.push((run.output as { status: number }).status.toString())
    }
    expect(outcomes).toEqual(['200', '200', '200'])
    // Two for the first call, which is challenged; one in advance; and two once the nonce is used up.
    expect(api.received).toHaveLength(5)
  })

  test('a wrong password is rejected once, not again and again', async () => {
    const api = await aDigestApi('SHA-256', 'auth')
    const auth_id = await anAuth('digest', { ...LOGIN, password: 'wrong-password' })
    const run = await called(auth_id, { url: api.url })
    expect(run.message).toContain('returned status 401')
    expect(api.received).toHaveLength(2)
  })
})

describe('HMAC by template', () => {
  test('what a connector describes is signed, and the signature and the time are sent', async () => {
    const api = await startThirdPartyApi((_request, response) => response.end('{}'))
    const connector_id = await made('connectors', {
      name: 'Signed',
      base_domain: api.url,
      auth_config: {
        auth_types: ['hmac'],
        signing: {
          algorithm: 'sha512',
          encoding: 'base64',
          message:
            '{{ request.method }}{{ request.path }}?{{ request.query }}{{ timestamp }}{{ request.body }}',
          headers: { 'X-Key': '{{ auth.username }}', 'X-Signature': 't={{ timestamp }},v1={{ signature }}' },
        },
      },
    })
    await made('connector-actions', {
      connector_id,
      name: 'order',
      method: 'POST',
      endpoint: '/orders?a=1',
      body: '{"n": {{ input.n }} }',
    })
    const auth_id = await made('connector-auths', {
      connector_id,
      name: 'S',
      auth_type: 'hmac',
      username: 'key-1',
      password: 'the-signing-secret',
    })
    const flow = await made('flows', {
      name: 'Order',
      steps: [
        { ref_id: 'web1', type: 'webhook' },
        {
          ref_id: 'call',
          type: 'connector_action',
          config: { connector_id, auth_id, action: 'order', input: { n: 7 } },
        },
      ],
    })
    const { json } = await app.call('POST', `/v1/flows/${flow}/run?wait=true`, {})
    expect(json).toMatchObject({ status: 'success' })
    const [{ headers, method, target, body }] = api.received as [ReceivedRequest]
    expect(headers['x-key']).toBe('key-1')
    const [, at, signature] = /^t=(\d+),v1=(.+)$/.exec(String(headers['x-signature'])) ?? []
    const expected = createHmac('sha512', 'the-signing-secret')
      .update(`${method}${target}${at}${body.toString()}`)
      .digest('base64')
    expect(signature).toBe(expected)
    expect(JSON.stringify(headers)).not.toContain('the-signing-secret')
  })

  test('a template that is missing is named', async () => {
    const auth_id = await anAuth('hmac', { password: 'the-signing-secret' })
    const run = await called(auth_id, { url: 'http://127.0.0.1:9/' })
    expect(run.message).toContain('signing: is missing: an object with "message" and "headers" or "query"')
  })
})

describe('client certificates', () => {
  const server = selfSigned('127.0.0.1')
  const client = selfSigned('10.0.0.1')

  /** A server that reports whose certificate it saw. */
  async function aTlsApi(ca: readonly string[]): Promise<string> {
    const api = createServer(
      { ...server, requestCert: true, rejectUnauthorized: true, ca: [...ca] },
      (request, response) => {
        const { subject } = (request.socket as TLSSocket).getPeerCertificate()
        response.setHeader('content-type', 'application/json')
        response.end(
          JSON.stringify({ name: subject.CN, scheme: request.headers.authorization?.split(' ')[0] }),
        )
      },
    )
    await new Promise<void>((resolve) => api.listen(0, '127.0.0.1', resolve))
    onTestFinished(
      () => new Promise<void>((resolve) => (api.close(() => resolve()), api.closeAllConnections())),
    )
    return `https://127.0.0.1:${(api.address() as AddressInfo).port}`
  }
  const bodyOf = ({ output }: Outcome) => (output as { body: unknown }).body

  test('a certificate and its key as PEM are shown to the server, beside a token', async () => {
    const url = await aTlsApi([client.cert])
    const auth_id = await anAuth('client_certificate', {
      auth_token: 'a-token-beside-it',
      user_input: { certificate: client.cert, private_key: client.key, ca: server.cert },
    })
    const run = await called(auth_id, { url })
    expect(bodyOf(run)).toEqual({ name: '10.0.0.1', scheme: 'Bearer' })
    const { text } = await app.call('GET', `/v1/connector-auths/${auth_id}`)
    expect(text).not.toContain('PRIVATE KEY')
  })

  test('a file of PKCS #12 is opened with its passphrase; without it, the reason is said', async () => {
    const url = await aTlsApi([P12_CERT])
    const user_input = { pfx: P12, passphrase: 'let-me-in', ca: server.cert }
    const auth_id = await anAuth('client_certificate', { user_input })
    expect(bodyOf(await called(auth_id, { url }))).toMatchObject({ name: 'millrace client' })
    const locked = await anAuth('client_certificate', { user_input: { ...user_input, passphrase: 'no' } })
    expect((await called(locked, { url })).message).toContain('its passphrase is missing or wrong')
  })

  test('a redirect to another origin gets no certificate, and none of the connections that have one', async () => {
    const url = await aTlsApi([client.cert])
    const elsewhere = await startThirdPartyApi((_request, response) =>
      response.writeHead(302, { location: url }).end(),
    )
    const auth_id = await anAuth('client_certificate', {
      user_input: { certificate: client.cert, private_key: client.key, ca: server.cert },
    })
    expect(bodyOf(await called(auth_id, { url }))).toMatchObject({ name: '10.0.0.1' })
    const run = await called(auth_id, { url: elsewhere.url })
    expect(run.status).toBe('error')
  })
})

/** "millrace client", with the passphrase "let-me-in"; valid for a hundred years. */
const P12_CERT = `-----BEGIN CERTIFICATE-----
MIIBijCCATGgAwIBAgIUQ3im7J54sRAARB3Lg6VL7nsGbEEwCgYIKoZIzj0EAwIw
GjEYMBYGA1UEAwwPbWlsbHJhY2UgY2xpZW50MCAXDTI2MTEyODEzNTA1NloYDzIx
MjYxMTA0MTM1MDU2WjAaMRgwFgYDVQQDDA9taWxscmFjZSBjbGllbnQwWTATBgcq
hkjOPQIBBggqhkjOPQMBBwNCAAQ3qCQiZ3KGjeuglPCeI+K88XQXGKDjeJeBnDeq
wilBC6zczsZ32mC58FdfjH8SEjQoFXQixtmDm1yynvJvlCf4o1MwUTAdBgNVHQ4E
FgQU7by+Rl1sg6HE+nyGIv7WJAaTt4YwHwYDVR0jBBgwFoAU7by+Rl1sg6HE+nyG
Iv7WJAaTt4YwDwYDVR0TAQH/BAUwAwEB/zAKBggqhkjOPQQDAgNHADBEAiAf6QJe
fqFTa2vqKQ2nZ2Z1tn90HY8qXNxzx7lKBoPy1QIgCzm/7xxvJOrXP+OEezVOJ62F
+6/dxUjbwvcP88rQQm4=
-----END CERTIFICATE-----`
const P12 = [
  'MIIEHAIBAzCCA9IGCSqGSIb3DQEHAaCCA8MEggO/MIIDuzCCAnIGCSqGSIb3DQEHBqCCAmMwggJfAgEAMIICWAYJKoZIhvcNAQcB',
  'MFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAgOEa0pbRqLfAICCAAwDAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEEEz8',
  'i9x6IWXkn4MpjsmzTyGAggHwv7b0fcZZujuU6sumZjgcBvPxq3/i/9WTIEruarI5NLlJv///2yeYbg9qQSdaiveo1HZX38GcAnoW',
  'oxTEWj074hSI7ThAvCP6ujQBSybR3i6fOkbH7eXXuMf7AOE+rqdK+9HPCSs4sE5xJTjszNC6stac07U4m/NdLFZ3pwsRxzXhoWha',
  'FQO2qqt5AXvzWl6lZZByCaRtkJAEhFvrJs6WVvy6ETx6FhbBmNTG72HLt1ZpduzoIW7m82WH+7oaqZ8qeLFSwpoypvmEecWh9ZN0',
  'GqhHHPrLDRFXG8u3rawdP7vMI+e8subHoqunFzUTCLh+/lLUuoaCipB0IJDs9Ob3rPcb8nGSulFg2HC7O2vdJHvPhF/8vTmwV7ES',
  'CdkYtagW3UFizknGQO0eW6OIEgCtOKVLUCNXJ8hWncGlOSRNrgrhQNwhSIcjJTZlFZE0jNFzj3C0kj7+/tL9INkvIakNlLWW2ug2',
  '/mgh3m02pjNiztI2gYPupKSnIoqmP0jVRWep9jg60Laj3MSbtQ8cRr9Bl/uk31IofF6VevHgbbm/meKGEu2R12uR20/f8dOTaPq3',
  'Z5Kla+oMd+JycPt5ufeOscvQkb1AwLzy3abXFeuTRgfGp+GfzA5qBhzNWBJjjPET3lvrmIFqj9V9Ydc31YMoJDCCAUEGCSqGSIb3',
  'DQEHAaCCATIEggEuMIIBKjCCASYGCyqGSIb3DQEMCgECoIHvMIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAhJAJtD',
  'wKKwFgICCAAwDAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEELSJaiPaRMCs2eGN8l+gDbgEgZCoS/gRLdGo+lGwObkPp3lzIiso',
  '3/FW1awX/5BlgKzo7Jv+Ar1cjdlosJ/vDVkP9VkTfJWyk9BEET03fRd9E/FBM3jA0r7IaYbb0cCcbWNC5D17/5SqAVLEoAtfB/RV',
  'K+5TO+RM0EI4AiUexbfMz0kP+0v5U7JtEYwR+Uwp0HNkTbO3h5mCpQpK3LRh1dniG/sxJTAjBgkqhkiG9w0BCRUxFgQUFPRAiToz',
  'v5FfqJDUTa8BBXBmIBswQTAxMA0GCWCGSAFlAwQCAQUABCAOjxYip7iPvghBF+ySZdaxL4x5/sZNXXkE7EYnHY8X6QQI1W8Fab4A',
  'VbECAggA',
].join('')

describe('access without a user', () => {
  interface Grant {
    readonly auth_config: object
    readonly auth: object
    readonly answer?: object
  }

  /** Calls a connector whose tokens come from a local server, and returns what that was asked for. */
  async function run({
    auth_config,
    auth,
    answer = { access_token: 'an-access-token', token_type: 'Bearer', expires_in: 3600 },
  }: Grant) {
    const tokens = await startThirdPartyApi((_request, response) => {
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify(answer))
    })
    const api = await startThirdPartyApi((_request, response) => response.end('{}'))
    const connector_id = await made('connectors', {
      name: 'Cloud',
      base_domain: api.url,
      auth_config: { auth_types: ['oauth2'], access_url: `${tokens.url}/token`, ...auth_config },
    })
    await made('connector-actions', { connector_id, name: 'list', method: 'GET', endpoint: '/list' })
    const auth_id = await made('connector-auths', { connector_id, name: 'S', auth_type: 'oauth2', ...auth })
    const { flow } = await app.addFlow([
      { ref_id: 'web1', type: 'webhook' },
      { ref_id: 'call', type: 'connector_action', config: { connector_id, auth_id, action: 'list' } },
    ])
    const outcomes: FlowRun[] = []
    for (const _ of [1, 2])
      outcomes.push((await app.call('POST', `/v1/flows/${flow.id}/run?wait=true`, {})).json as FlowRun)
    return {
      outcomes,
      asked: tokens.received,
      sent: api.received.map(({ headers }) => headers.authorization),
      endpoint: `${tokens.url}/token`,
    }
  }

  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()

  /** The claims, if the signature is valid. */
  function claimsOf(jwt: string): { readonly header: object; readonly claims: Record<string, unknown> } {
    const [header = '', claims = '', signature = ''] = jwt.split('.')
    expect(
      verify('sha256', Buffer.from(`${header}.${claims}`), publicKey, Buffer.from(signature, 'base64url')),
    ).toBe(true)
    const read = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString())
    return { header: read(header), claims: read(claims) }
  }

  test("a service account's file signs a JWT, and its token is used until it expires", async () => {
    const file = { client_email: 'robot@project.example', private_key: pem, private_key_id: 'key-1' }
    const { sent, asked, endpoint } = await run({
      auth_config: { grant_type: 'jwt_bearer', scope: 'https://scope.example/read' },
      auth: { user_input: { service_account: JSON.stringify(file), subject: 'ann@project.example' } },
    })
    expect(sent).toEqual(['Bearer an-access-token', 'Bearer an-access-token'])
    expect(asked).toHaveLength(1)
    const form = new URLSearchParams(String(asked[0]?.body))
    expect(form.get('grant_type')).toBe('urn:ietf:params:oauth:grant-type:jwt-bearer')
    const { header, claims } = claimsOf(form.get('assertion') ?? '')
    expect(header).toEqual({ alg: 'RS256', typ: 'JWT', kid: 'key-1' })
    expect(claims).toMatchObject({
      iss: 'robot@project.example',
      sub: 'ann@project.example',
      aud: endpoint,
      scope: 'https://scope.example/read',
    })
    expect(Number(claims['exp']) - Number(claims['iat'])).toBe(360)
  })

  test("an app's JWT is sent as a bearer token, and a key that lost its line breaks is read", async () => {
    const { sent, asked } = await run({
      auth_config: {
        grant_type: 'jwt_bearer',
        assertion_in: 'header',
        auth_form: [{ name: 'issuer', type: 'text' }],
      },
      auth: { user_input: { issuer: '12345', private_key: pem.replaceAll('\n', ' ') } },
      answer: { token: 'an-installation-token', expires_at: new Date(Date.now() + 3_600_000).toISOString() },
    })
    expect(sent).toEqual(['Bearer an-installation-token', 'Bearer an-installation-token'])
    expect(asked).toHaveLength(1)
    expect(claimsOf(String(asked[0]?.headers.authorization).slice(7)).claims).toMatchObject({ iss: '12345' })
  })

  test("another issuer's token is exchanged", async () => {
    const { sent, asked } = await run({
      auth_config: { grant_type: 'token_exchange', extra_access_url: { audience: 'the-api' } },
      auth: { user_input: { subject_token: 'a-token-from-elsewhere' } },
    })
    expect(sent[0]).toBe('Bearer an-access-token')
    expect(Object.fromEntries(new URLSearchParams(String(asked[0]?.body)))).toEqual({
      grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
      subject_token: 'a-token-from-elsewhere',
      subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
      audience: 'the-api',
    })
  })

  test('a key that cannot sign is named, and nothing is asked', async () => {
    const { outcomes, asked } = await run({
      auth_config: { grant_type: 'jwt_bearer' },
      auth: { user_input: { issuer: 'robot', private_key: 'not a key' } },
    })
    expect(outcomes[0]?.error?.message).toContain(
      "The private_key of the connector auth can't sign with RS256",
    )
    expect(asked).toEqual([])
  })
})
