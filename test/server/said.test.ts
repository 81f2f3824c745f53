import { expect, test } from 'vitest'
import { createMessageTranslator } from '../../src/renderer/lib/message-translator.ts'
import { germanOfProgram } from '../../src/renderer/locales/de/index.ts'
import { SAID_HEADER } from '../../src/shared/contract/base/conventions.ts'
import type { Said } from '../../src/shared/contract/base/message.ts'
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

test('what templates, JSONPath, and imports say is in German by its key', async () => {
  const { call } = await startTestApp()
  const translate = createMessageTranslator(germanOfProgram)
  /** Of the key and values alone. */
  const german = ({ said }: { readonly said?: Said }) => translate('(no key)', said)
  const hintOf = ({ said }: { readonly said?: Said }) => german({ said: said?.params['hint'] as Said })
  const steps = [{ ref_id: 'put', type: 'set', config: { values: { a: "{{ 'soon' | date('iso') }}" } } }]
  const { id } = (await call('POST', '/v1/flows', { name: 'Fails', steps })).json as { id: string }
  const run = (await call('POST', `/v1/flows/${id}/run?wait=true`, {}, AS_PAGE)).json as { error: object }
  const preview = async (template: string) =>
    (
      (await call('POST', '/v1/templates/preview', { template, flow_id: id, ref_id: 'put' }, AS_PAGE))
        .json as {
        problems: object[]
      }
    ).problems[0] ?? {}
  const [path, name] = [await preview('{{ $.items[?@.a = 1] }}'), await preview('{{ wen }}')]
  const document = {
    openapi: '3.1.0',
    info: { title: 'Shop', version: '1' },
    servers: [{ url: '/api' }],
    paths: { '/orders': { trace: {}, get: { responses: {} } } },
    webhooks: {},
  }
  const plan = (source: string) => call('POST', '/v1/connectors/import/plan', { source }, AS_PAGE)
  const planned = (await plan(JSON.stringify(document))).json as { left_out: object[] }
  const [broken, unknown] = [await plan('{"openapi": '), await plan('nothing')]

  expect({
    run: german(run.error),
    path: german(path),
    name: [german(name), hintOf(name)],
    leftOut: planned.left_out.map(german),
    refused: [broken, unknown].map(({ json }) => german(json as object)),
  }).toMatchInlineSnapshot(`
    {
      "leftOut": [
        "hat die Methode TRACE, die es bei Aktionen nicht gibt",
        "ist keine vollständige URL: Jeder Zugang hat ein Feld dafür, und ein Aufruf ohne Zugang schlägt fehl",
        "sind Aufrufe an Sie: Legen Sie für jeden einen Flow mit einem Webhook an",
      ],
      "name": [
        "„wen“ ist nicht definiert",
        "Hier bekannt: playground_url, millrace_url, put, webhook",
      ],
      "path": "JSONPath "$[?@.a = 1]", Zeichen 8: vergleichen Sie Werte mit „==“",
      "refused": [
        "„source“ ist weder ein curl-Befehl noch ein Dokument in OpenAPI 2 oder 3 noch eine Postman-Sammlung noch eine Connector-Datei. Es ist kein JSON: Zeile 1, Spalte 12: erwartet wird ein Wert, gefunden: das Ende des Textes.",
        "„source“ ist weder ein curl-Befehl noch ein Dokument in OpenAPI 2 oder 3 noch eine Postman-Sammlung noch eine Connector-Datei. Es beginnt wie keines davon",
      ],
      "run": "Schritt „put“, Feld „config.values.a“, Zeile 1, Spalte 13: „soon“ ist kein Datum; Schreiben Sie es als 2024-03-09T14:05:06Z, oder geben Sie an, wie es geschrieben ist: parse="%d.%m.%Y"",
    }
  `)
})
