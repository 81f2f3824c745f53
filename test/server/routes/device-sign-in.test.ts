/** Signing in with a code that is entered elsewhere (RFC 8628), at a server that follows the standard. */
import { expect, test } from 'vitest'
import type { ConnectorAuth } from '../../../src/shared/contract/connector-auths.ts'
import type { Connector } from '../../../src/shared/contract/connectors.ts'
import type { FlowRun } from '../../../src/shared/contract/flow-runs.ts'
import {
  type AuthorizationServer,
  type AuthorizationServerOptions,
  startAuthorizationServer,
} from '../../helpers/authorization-server.ts'
import { type FlowApp, startFlowApp } from '../../helpers/flow-app.ts'
import { SESSION_BEARER } from '../../helpers/test-server.ts'

interface Place {
  readonly app: FlowApp
  readonly server: AuthorizationServer
  readonly connector: Connector
  readonly auth: ConnectorAuth
  /** The waits between polls, in seconds. */
  readonly waits: number[]
}

async function aPlace(config: object = {}, options: AuthorizationServerOptions = {}): Promise<Place> {
  let offset = 0
  const waits: number[] = []
  const app = await startFlowApp({
    clock: { now: () => Date.now() + offset, monotonic: () => performance.now() + offset },
    async sleep(ms, signal) {
      signal?.throwIfAborted()
      waits.push(ms / 1000)
      offset += ms
    },
  })
  const server = await startAuthorizationServer(options)
  const connector = (
    await app.call('POST', '/v1/connectors', {
      name: 'Team Work',
      base_domain: server.url,
      auth_config: { ...server.deviceConfig, ...config },
    })
  ).json as Connector
  await app.call('POST', '/v1/connector-actions', {
    connector_id: connector.id,
    name: 'me',
    method: 'GET',
    endpoint: '/me',
  })
  const auth = (
    await app.call('POST', '/v1/connector-auths', {
      connector_id: connector.id,
      name: 'Main',
      auth_type: 'oauth2',
    })
  ).json as ConnectorAuth
  return { app, server, connector, auth, waits }
}

const signIn = async ({ app, auth }: Place) => {
  const { status, text } = await app.call('POST', `/v1/connector-auths/${auth.id}/device-sign-in`)
  return {
    status,
    events: text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>),
  }
}

const stateOf = async ({ app, auth }: Place) =>
  ((await app.call('GET', `/v1/connector-auths/${auth.id}`)).json as ConnectorAuth).state

test('the code is shown, polled for as the server asks, and leads to tokens that are renewed and never shown', async () => {
  const place = await aPlace({ scope: 'read write' })
  const { app, server, auth, connector, waits } = place
  expect(await stateOf(place)).toBe('needs_authorization')
  server.polls.push('authorization_pending', 'slow_down', 'authorization_pending')
  const { status, events } = await signIn(place)
  expect({ status, events }).toEqual({
    status: 200,
    events: [
      {
        type: 'code',
        user_code: 'WDJB-MJHT',
        url: `${server.url}/device`,
        complete_url: `${server.url}/device?user_code=WDJB-MJHT`,
        expires_at: expect.any(String) as string,
      },
      { type: 'done' },
    ],
  })
  expect(waits).toEqual([5, 5, 10, 10])
  expect(server.tokenCalls.map(({ form }) => form)).toEqual(
    Array.from({ length: 4 }, () => ({
      client_id: 'millrace-client',
      device_code: expect.stringMatching(/^planted-device-/) as string,
      grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
    })),
  )
  expect(await stateOf(place)).toBe('ok')

  const config = { connector_id: connector.id, action: 'me', auth_id: auth.id }
  const { flow } = await app.addFlow([{ ref_id: 'me', type: 'connector_action', config }])
  server.revokeAccess()
  const run = (await app.call('POST', `/v1/flows/${flow.id}/run?wait=true`, {})).json as FlowRun
  expect(run.status).toBe('success')
  expect(server.tokenCalls.at(-1)?.form['grant_type']).toBe('refresh_token')
  const shown = await Promise.all([
    app.call('GET', `/v1/flow-runs/${run.id}/steps`),
    app.call('GET', `/v1/connector-auths/${auth.id}`),
    app.call('GET', `/v1/connectors/${connector.id}/export`),
    app.call('GET', `/v1/flows/${flow.id}/export`),
  ])
  expect(shown.map(({ status: one, text }) => [one, text.includes('planted-')])).toEqual(
    shown.map(() => [200, false]),
  )
  expect(JSON.stringify(app.logged)).not.toContain('planted-')
  const uses = (await app.call('GET', '/v1/connector-auths/uses')).json as {
    auth_id: string
    flows: unknown
  }[]
  expect(uses.find((use) => use.auth_id === auth.id)?.flows).toEqual([{ id: flow.id, name: flow.name }])
})

test('a user who declines, a code that expires and a server that fails in between', async () => {
  const declined = await aPlace()
  declined.server.polls.push('authorization_pending', 'access_denied')
  const expired = await aPlace()
  expired.server.polls.push(...Array.from({ length: 100 }, () => 'authorization_pending'))
  const thrown = await aPlace()
  thrown.server.polls.push('expired_token')
  const busy = await aPlace()
  busy.server.polls.push('temporarily_unavailable')
  expect({
    declined: (await signIn(declined)).events.at(-1),
    expired: (await signIn(expired)).events.at(-1),
    thrown: (await signIn(thrown)).events.at(-1),
    busy: (await signIn(busy)).events.at(-1),
    states: [await stateOf(declined), await stateOf(expired), await stateOf(busy)],
  }).toEqual({
    declined: {
      type: 'failed',
      message: `The sign-in of "Main" at "Team Work" failed: ${declined.server.url}/token responded with access_denied. Start it again in Millrace.`,
    },
    expired: { type: 'failed', message: 'The code for "Main" has expired. Start the sign-in again.' },
    thrown: { type: 'failed', message: expect.stringContaining('expired_token') as string },
    busy: { type: 'done' },
    states: ['needs_authorization', 'needs_authorization', 'ok'],
  })
  expect(expired.waits.length).toBe(11)
  expect(busy.waits).toEqual([5, 10])
})

test('leaving cancels the sign-in', async () => {
  const begun = Promise.withResolvers<void>()
  const ended = Promise.withResolvers<unknown>()
  const app = await startFlowApp({
    sleep: (_ms, signal) =>
      new Promise((_resolve, reject) => {
        begun.resolve()
        signal?.addEventListener('abort', () => {
          ended.resolve(signal.aborted)
          reject(signal.reason as Error)
        })
      }),
  })
  const server = await startAuthorizationServer()
  const body = { name: 'Team Work', base_domain: server.url, auth_config: server.deviceConfig }
  const connector = (await app.call('POST', '/v1/connectors', body)).json as Connector
  const auth = { connector_id: connector.id, name: 'Main', auth_type: 'oauth2' }
  const { id } = (await app.call('POST', '/v1/connector-auths', auth)).json as ConnectorAuth
  const left = new AbortController()
  const url = `http://127.0.0.1:${app.port}/v1/connector-auths/${id}/device-sign-in`
  const response = await fetch(url, {
    method: 'POST',
    headers: { authorization: `Bearer ${SESSION_BEARER}` },
    signal: left.signal,
  })
  const { value } = (await response.body?.getReader().read()) ?? {}
  expect(Buffer.from(value ?? []).toString()).toContain('WDJB-MJHT')
  await begun.promise
  left.abort()
  expect(await ended.promise).toBe(true)
  expect(server.tokenCalls).toEqual([])
})

test('other ways to sign in have no code, and a code is given out only to a client that the server knows', async () => {
  const place = await aPlace()
  const unknown = await aPlace({ client_id: 'nobody' })
  const missing = await aPlace({ device_authorization_url: '' })
  const other = await aPlace({ grant_type: 'client_credentials' })
  const answer = async ({ app, auth }: Place, path: string) => {
    const { status, text } = await app.call('POST', `/v1/connector-auths/${auth.id}/${path}`)
    return [status, (JSON.parse(text) as { message: string }).message]
  }
  expect({
    authorize: await answer(place, 'authorize'),
    missing: await answer(missing, 'device-sign-in'),
    other: await answer(other, 'device-sign-in'),
    unknown: await answer(unknown, 'device-sign-in'),
  }).toEqual({
    authorize: [
      409,
      `"Team Work" signs in with a code: call POST /v1/connector-auths/${place.auth.id}/device-sign-in`,
    ],
    missing: [
      409,
      'The connector "Team Work", auth_config.device_authorization_url: is missing: the URL that issues codes for signing in',
    ],
    other: [409, `"Team Work" doesn't sign in with a code; its auth_config.grant_type isn't "device_code"`],
    unknown: [200, expect.stringContaining('invalid_client') as string],
  })
})
