import { expect, test } from 'vitest'
import { toBytes } from '../../../../src/renderer/components/runs/request-fields.tsx'
import { toCurl, toEditable } from '../../../../src/renderer/features/webhooks/again.ts'
import { harCallOf } from '../../../../src/renderer/features/webhooks/har-call.ts'
import { diffAnswers } from '../../../../src/renderer/features/webhooks/answer-text.ts'
import { hexDump } from '../../../../src/renderer/lib/hex-dump.ts'
import type { Flow } from '../../../../src/shared/contract/flows.ts'
import type { ReceivedBody, WebhookRequest } from '../../../../src/shared/contract/webhooks.ts'

const FLOW = {
  settings: { webhook_token_enabled: true },
  webhook: { url: 'http://127.0.0.1:4747/v1/flow-webhook/f', token: 'mr_whk_x' },
} as Flow

const REQUEST = {
  path: '/v1/flow-webhook/f?page=2',
  headers: {
    host: 'x',
    'content-type': 'application/json',
    'user-agent': 'curl',
    'x-order': '7',
    'x-key': '***',
  },
}

const received = (patch: Partial<ReceivedBody>): ReceivedBody => ({
  encoding: 'text',
  body: `{"name": "O'Neil"}`,
  truncated: false,
  kind: 'json',
  input: {},
  keys: [],
  ...patch,
})

test('a request is a call of a HAR file, with its response or the reason why it was rejected', () => {
  const request = {
    ...REQUEST,
    at: '2030-01-31T12:00:00.000Z',
    duration_ms: 7,
    method: 'POST',
    status: 401,
    outcome: 'rejected',
    reason: 'The token is wrong',
    id: 'r',
    flow_id: null,
    size: 18,
    client: '127.0.0.1',
    flow_run_id: null,
    title: null,
    hold: null,
  } satisfies WebhookRequest
  const answer = { status: 401, headers: {}, body: '€', truncated: false }
  const call = (encoding: 'text' | 'hex') =>
    harCallOf(
      {
        request,
        received: received({ encoding }),
        answer,
        original: null,
        rate_limit: null,
        attempts: [],
        is_waiting: false,
      },
      'http://127.0.0.1:4747',
    ).exchange
  expect([call('text'), call('hex').request.body]).toMatchObject([
    {
      started_at: '2030-01-31T12:00:00.000Z',
      request: {
        url: 'http://127.0.0.1:4747/v1/flow-webhook/f?page=2',
        headers: { 'x-key': '***' },
        body: `{"name": "O'Neil"}`,
      },
      response: { status: 401, body: '€', bytes: 3 },
      error: 'The token is wrong',
    },
    null,
  ])
})

test('a request is resent with its query, its own headers and the token of the flow', () => {
  expect(toCurl(toEditable(REQUEST, received({})), FLOW)).toBe(
    [
      "curl -X POST 'http://127.0.0.1:4747/v1/flow-webhook/f?page=2'",
      "-H 'content-type: application/json'",
      "-H 'x-order: 7'",
      "-H 'Authorization: Bearer mr_whk_x'",
      String.raw`--data-raw '{"name": "O'\''Neil"}'`,
    ].join(' \\\n  '),
  )
})

test('binary data is shown, copied and sent unchanged', () => {
  const request = toEditable(REQUEST, received({ encoding: 'hex', body: 'fffe41 0a' }))
  expect([...(toBytes(request) ?? [])]).toEqual([0xff, 0xfe, 0x41, 0x0a])
  expect(toBytes({ ...request, body: 'fff' })).toBe(null)
  expect(hexDump('fffe410a')).toBe('00000000  ff fe 41 0a                                      ··A·')
  expect(toCurl(request, FLOW)).toContain(String.raw`printf '\377\376\101\012' | curl -X POST`)
})

test('responses are compared by status, body and headers except those of the connection, whatever the order of keys', () => {
  const before = {
    status: 200,
    headers: { 'content-type': 'application/json' },
    body: '{"v":1}',
    truncated: false,
  }
  const after = { ...before, headers: { date: 'now', 'content-type': 'application/json' }, body: '{"v":2}' }
  expect(diffAnswers(before, { ...after, body: '{"v": 1}' }).filter(({ kind }) => kind !== 'same')).toEqual(
    [],
  )
  expect(diffAnswers(before, after).filter(({ kind }) => kind !== 'same')).toEqual([
    { kind: 'removed', text: '  "v": 1' },
    { kind: 'added', text: '  "v": 2' },
  ])
})
