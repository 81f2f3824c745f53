import { expect, test } from 'vitest'
import { SAID_HEADER } from '../../src/shared/contract/base/conventions.ts'
import { startTestApp } from '../helpers/test-app.ts'

const AS_PAGE = { [SAID_HEADER]: '1' }

test('the page gets key and values of an error, its fields included; other callers get the English text alone', async () => {
  const { call } = await startTestApp()
  const body = { name: 7 }
  const toPage = (await call('POST', '/v1/flows', body, AS_PAGE)).json
  const toOthers = (await call('POST', '/v1/flows', body)).json
  const mustBeText = {
    key: 'must be {{expected}}, not {{given}}',
    params: { expected: { key: 'a text', params: {} }, given: { key: 'a number', params: {} } },
  }
  expect(toPage).toEqual({
    ...(toOthers as object),
    said: { key: '"{{field}}" {{rest}}', params: { field: 'name', rest: mustBeText } },
    said_fields: { name: [mustBeText] },
  })
  expect(toOthers).toMatchObject({
    message: '"name" must be a text, not a number',
    data: { name: ['must be a text, not a number'] },
  })
  expect(toOthers).not.toHaveProperty('said')
})

test('a failed run keeps key and values, of its steps as well', async () => {
  const { call } = await startTestApp({ playground: true })
  const steps = [
    {
      ref_id: 'get',
      type: 'rest',
      config: { method: 'GET', url: '{{ playground_url }}/protected/contacts' },
    },
  ]
  const { id } = (await call('POST', '/v1/flows', { name: 'Fails', steps })).json as { id: string }
  const { id: runId } = (await call('POST', `/v1/flows/${id}/run?wait=true`, {})).json as { id: string }
  const read = async (headers: Record<string, string>) =>
    (
      await Promise.all(
        [`/v1/flow-runs/${runId}`, `/v1/flow-runs/${runId}/steps`].map((path) =>
          call('GET', path, undefined, headers),
        ),
      )
    ).map(({ json }) => json)
  const said = {
    key: 'Step "{{ref}}": {{rest}}',
    params: {
      ref: 'get',
      rest: {
        key: '{{first}}: {{excerpt}}',
        params: {
          first: {
            key: '{{place}} returned status {{status}}',
            params: {
              place: expect.stringMatching(/^GET http:.*\/protected\/contacts$/) as string,
              status: 401,
            },
          },
          excerpt: '{"error":"send Authorization: Bearer playground-token"}',
        },
      },
    },
  }
  expect(await read(AS_PAGE)).toMatchObject([{ error: { said } }, [{ error: { said } }]])
  expect(JSON.stringify(await read({}))).not.toContain('"said"')
})

test('secrets are hidden in the values as in the text', async () => {
  const { call } = await startTestApp()
  await call('POST', '/v1/env-variables', {
    name: 'key',
    type: 'text',
    value: 'a-secret-of-mine',
    secret: true,
  })
  const steps = [
    { ref_id: 'end', type: 'stop', config: { status: 'error', message: 'no access with {{ key }}' } },
  ]
  const { id } = (await call('POST', '/v1/flows', { name: 'Fails', steps })).json as { id: string }
  const run = await call('POST', `/v1/flows/${id}/run?wait=true`, {}, AS_PAGE)
  expect(run.json).toMatchObject({
    error: {
      message: 'Step "end": no access with ***',
      said: { params: { ref: 'end', rest: { params: { text: 'no access with ***' } } } },
    },
  })
  expect(JSON.stringify(run.json)).not.toContain('a-secret-of-mine')
})

test('problems of a check, an incomplete step that runs, and a rejected request carry key and values', async () => {
  const { call } = await startTestApp()
  const { id } = (await call('POST', '/v1/flows', { name: 'A', steps: [] }, AS_PAGE)).json as { id: string }
  const steps = [{ ref_id: 'kept', type: 'filter', config: { when: '{{ item }}' } }]
  const late = [...steps, { ref_id: 'if1', type: 'condition', config: { a: 1 } }]
  const required = { key: 'is required', params: {} }
  await call('PUT', `/v1/flows/${id}/working-copy`, { steps }, AS_PAGE)
  await call('POST', `/v1/flow-webhook/${crypto.randomUUID()}`, {})
  expect([
    (await call('POST', `/v1/flows/${id}/check`, { steps: late }, AS_PAGE)).json,
    (await call('POST', '/v1/flows', { name: 'B', steps: late }, AS_PAGE)).json,
    (await call('POST', `/v1/flows/${id}/run?wait=true`, { working_copy: true }, AS_PAGE)).json,
    (await call('GET', '/v1/webhook-requests', undefined, AS_PAGE)).json,
  ]).toMatchObject([
    { problems: [{ said: required }, { said: { key: 'needs "when", or "a", "comparison" and "b"' } }] },
    {
      said: { params: { first: { key: 'Step "{{ref}}", field "{{field}}" ({{path}}): {{rest}}' } } },
      said_fields: { 'steps[0].config.over': [required] },
    },
    {
      error: {
        message: 'Step "kept": "config.over" is required',
        said: { params: { rest: { key: '"{{field}}" {{rest}}', params: { rest: required } } } },
      },
    },
    [{ said: { key: "There is no webhook at this URL; copy it from the flow's webhook step" } }],
  ])
})
