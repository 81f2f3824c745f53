import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createMessageTranslator } from '../../src/renderer/lib/message-translator.ts'
import { germanOfProgram } from '../../src/renderer/locales/de/index.ts'
import { SMTP_CONNECTOR_ID, SQL_CONNECTOR_ID } from '../../src/shared/contract/connectors.ts'
import { SAID_HEADER } from '../../src/shared/contract/base/conventions.ts'
import { LIMITS } from '../../src/shared/contract/base/limits.ts'
import type { Said } from '../../src/shared/contract/base/message.ts'
import { aPlugin } from '../helpers/plugins.ts'
import { temporaryFolder } from '../helpers/temporary-folder.ts'
import { startTestApp } from '../helpers/test-app.ts'

const PLAYGROUND = 'f306cd0c-aa4f-4195-8fec-ae5b83201da5'
const AS_PAGE = { [SAID_HEADER]: '1' }
const translate = createMessageTranslator(germanOfProgram)
/** The German sentence, from the key and values alone. */
const german = ({ said }: { readonly said?: Said }) => translate('(no key)', said)

test('the page gets key and values of an error, its fields included; other callers get the English text alone', async () => {
  const { call } = await startTestApp()
  const body = { name: 7 }
  const toPage = (await call('POST', '/v1/flows', body, AS_PAGE)).json
  const toOthers = (await call('POST', '/v1/flows', body)).json
  const mustBeText = {
    key: 'must be {{expected}}, not {{given}}',
    params: { expected: { key: 'a string', params: {} }, given: { key: 'a number', params: {} } },
  }
  expect(toPage).toEqual({
    ...(toOthers as object),
    said: { key: '"{{field}}" {{rest}}', params: { field: 'name', rest: mustBeText } },
    said_fields: { name: [mustBeText] },
  })
  expect(toOthers).toMatchObject({
    message: '"name" must be a string, not a number',
    data: { name: ['must be a string, not a number'] },
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
      said: { params: { first: { key: 'Step "{{ref}}", field "{{field}}": {{rest}}' } } },
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
  const filter = { ref_id: 'kept', type: 'filter', config: { over: '{{ 7 }}', when: 'true' } }
  const { outcome } = (
    await call('POST', '/v1/templates/preview', { template: '', step: filter, context: {} }, AS_PAGE)
  ).json as { outcome: object }
  const document = {
    openapi: '3.1.0',
    info: { title: 'Shop', version: '1' },
    servers: [{ url: '/api' }],
    paths: { '/orders': { trace: {}, get: { responses: {} } } },
    webhooks: {},
  }
  const plan = (source: string) => call('POST', '/v1/connectors/import/plan', { source }, AS_PAGE)
  const planned = (await plan(JSON.stringify(document))).json as { left_out: object[] }
  const curl = (
    await plan(
      `curl -x proxy https://x.example/a -d "$(cat b)" -F c=d; curl https://x.example/a -d @- -k; ls`,
    )
  ).json as { left_out: object[] }
  const nodes = [
    { name: 'Hook', type: 'n8n-nodes-base.webhook', typeVersion: 2, parameters: {} },
    {
      name: 'Call',
      type: 'n8n-nodes-base.slack',
      typeVersion: 1,
      parameters: { text: '={{ $execution.id }}' },
    },
    { name: 'Other', type: 'n8n-nodes-base.mattermost', typeVersion: 1, parameters: {} },
  ]
  const connections = Object.fromEntries(
    ['Hook', 'Call'].map((name, at) => [
      name,
      { main: [[{ node: nodes[at + 1]?.name, type: 'main', index: 0 }]] },
    ]),
  )
  const n8n = (
    await call('POST', '/v1/flows/import/plan', { source: JSON.stringify({ nodes, connections }) }, AS_PAGE)
  ).json as { file: { flows: { steps: object[] }[] }; notes: object[] }
  const kept = (await call('POST', `/v1/flows/${id}/check`, { steps: n8n.file.flows[0]?.steps }, AS_PAGE))
    .json as { problems: object[] }
  const [broken, unknown] = [await plan('{"openapi": '), await plan('nothing')]

  expect({
    run: german(run.error),
    path: german(path),
    name: [german(name), hintOf(name)],
    outcome: german(outcome),
    leftOut: planned.left_out.map(german),
    curl: curl.left_out.map(german),
    n8n: n8n.notes.map(german),
    kept: kept.problems.slice(2).map(german),
    refused: [broken, unknown].map(({ json }) => german(json as object)),
  }).toMatchInlineSnapshot(`
    {
      "curl": [
        "Millrace prüft Zertifikate immer",
        "was der Befehl von seiner Standardeingabe liest; die Aktion hat dafür einen Platzhalter",
        "curl lehnt ihn ab: Nur eines von -d, -F, -T und -I kann bestimmen, was gesendet wird",
        "ist kein curl-Befehl",
      ],
      "kept": [
        "ist von n8ns Typ „n8n-nodes-base.slack“ und verwendet Node-Version 1, deren Nachrichten anders aufgebaut sind; dafür gibt es keinen entsprechenden Schritt. Er bewahrt nur auf, was importiert wurde: Ersetzen Sie ihn durch einen anderen Schritt, deaktivieren oder entfernen Sie ihn",
        "ist von n8ns Typ „n8n-nodes-base.mattermost“; dafür gibt es keinen entsprechenden Schritt. Er bewahrt nur auf, was importiert wurde: Ersetzen Sie ihn durch einen anderen Schritt, deaktivieren oder entfernen Sie ihn",
      ],
      "leftOut": [
        "hat die Methode TRACE, die es bei Aktionen nicht gibt",
        "ist keine vollständige URL: Jeder Zugang hat ein Feld dafür, und ein Aufruf ohne Zugang schlägt fehl",
        "sind Aufrufe der API an Sie: Legen Sie für jeden einen Flow mit einem Webhook an",
      ],
      "n8n": [
        "hat eine neue URL und ein eigenes Token; geben Sie beides an alle weiter, die ihn aufrufen",
        "trennte Query-Parameter und Body; hier sind beide in einem Objekt",
        "lässt sich nicht umwandeln, denn er verwendet Node-Version 1, deren Nachrichten anders aufgebaut sind; er bleibt unverändert und schlägt beim Ausführen fehl: Ersetzen Sie ihn durch einen anderen Schritt",
        "hat den n8n-Typ „n8n-nodes-base.mattermost“, für den es keinen entsprechenden Schritt gibt; er bleibt unverändert und schlägt beim Ausführen fehl: Ersetzen Sie ihn durch einen anderen Schritt",
      ],
      "name": [
        "„wen“ ist nicht definiert",
        "Hier bekannt: playground_url, millrace_url, put, webhook",
      ],
      "outcome": "Schritt „kept“: „over“ muss eine Liste sein, ist aber 7",
      "path": "JSONPath "$[?@.a = 1]", Zeichen 8: vergleichen Sie Werte mit „==“",
      "refused": [
        "„source“ ist weder ein curl-Befehl noch ein Dokument in OpenAPI 2 oder 3 noch eine Postman-Sammlung noch eine Connector-Datei. Es ist kein JSON: Zeile 1, Spalte 12: erwartet wird ein Wert, gefunden: das Ende des Textes.",
        "„source“ ist weder ein curl-Befehl noch ein Dokument in OpenAPI 2 oder 3 noch eine Postman-Sammlung noch eine Connector-Datei. Es hat keines dieser Formate",
      ],
      "run": "Schritt „put“, Feld „config.values.a“, Zeile 1, Spalte 13: „soon“ ist kein Datum. Schreiben Sie es als 2024-03-09T14:05:06Z, oder geben Sie an, wie es geschrieben ist: parse="%d.%m.%Y"",
    }
  `)
})

test('refusals that quote a template, JSON or a plug-in are in German by their keys as a whole', async () => {
  const { call, services, store } = await startTestApp()
  await services.runtime.start()
  const folder = aPlugin(
    { filters: [{ name: 'fails', description: 'Fails.' }] },
    'export const filters = { fails() { throw new Error("no such number") } }',
  )
  const { hash } = (await call('POST', '/v1/plugins', { path: folder })).json as { hash: string }
  const unconfirmed = '{{ 1 | tools_fails }}'
  const check = async (config: object, type = 'set') => {
    const steps = [{ ref_id: 'put', type, config }]
    const flow = (await call('POST', '/v1/flows', { name: crypto.randomUUID() })).json as { id: string }
    const { json } = await call('POST', `/v1/flows/${flow.id}/check`, { steps }, AS_PAGE)
    return (json as { problems: object[] }).problems.map(german)
  }
  const url = 'https://api.example.com'
  const paged = (query: string) => check({ method: 'GET', url, pagination: { query } }, 'rest')
  const found = {
    unknown: await check({ values: { a: '{{ wen }}', b: '{{ 1 | uper }}', c: '{{ 1 | tools_nothing }}' } }),
    unconfirmed: await check({ values: { a: unconfirmed } }),
    paged: await paged('{"page": {{ pge }} }'),
  }
  await call('POST', '/v1/plugins/tools/confirm', { hash })
  const steps = [
    { ref_id: 'web', type: 'webhook', config: {} },
    { ref_id: 'put', type: 'set', config: { values: { a: unconfirmed } } },
  ]
  const { id } = (await call('POST', '/v1/flows', { name: 'Fails', steps })).json as { id: string }
  const broken = join(store.dataDir, 'plugins', 'broken')
  mkdirSync(broken, { recursive: true })
  writeFileSync(join(broken, 'manifest.json'), '{}')
  writeFileSync(join(broken, 'run.js'), '')
  const plugins = (await call('GET', '/v1/plugins', undefined, AS_PAGE)).json as {
    name: string
    said?: Said
  }[]
  const { json: connector } = await call('POST', '/v1/connectors', { name: 'c', base_domain: url })
  const action = {
    connector_id: (connector as { id: string }).id,
    name: 'a',
    method: 'GET',
    endpoint: '{{ 1 | uper }}',
  }
  const refused = await call('POST', '/v1/connector-actions', action, AS_PAGE)
  const notJson = await call('POST', '/v1/flows/import/plan', { source: '{"a": }' }, AS_PAGE)
  const failed = (await call('POST', `/v1/flows/${id}/run?wait=true`, {}, AS_PAGE)).json as { error: object }
  await call('DELETE', '/v1/plugins/tools')
  const gone = (await call('POST', `/v1/flows/${id}/run?wait=true`, {}, AS_PAGE)).json as {
    error: { message: string }
  }
  expect({
    ...found,
    runs: [failed, gone].map(({ error }) => german(error)),
    english: gone.error.message,
    broken: plugins.filter(({ name }) => name === 'broken').map(german),
    refused: german(refused.json as object),
    notJson: german(notJson.json as object),
  }).toMatchInlineSnapshot(`
    {
      "broken": [
        "manifest.json: „manifest_version“ fehlt; muss 1 sein (und 4 weitere Felder)",
      ],
      "english": "Step "put", field "config.values.a", line 1, column 8: No filter named 'tools_fails'. If it belongs to a plug-in, that plug-in isn't installed; see Plug-ins",
      "notJson": "„source“ muss ein Flow von Millrace oder ein Workflow von n8n in JSON sein, ist aber in Zeile 1, Spalte 7 kein gültiges JSON: erwartet wird ein Wert, gefunden: "}".",
      "paged": [
        "Zeile 1, Spalte 13: „pge“ ist nicht definiert (Meinten Sie „page“?)",
      ],
      "refused": "„endpoint“ Zeile 1, Spalte 8: Es gibt keinen Filter „uper“. (Meinten Sie „upper“?)",
      "runs": [
        "Schritt „put“, Feld „config.values.a“, Zeile 1, Spalte 8: „tools_fails“ ist fehlgeschlagen: Zeile 1: Error: no such number",
        "Schritt „put“, Feld „config.values.a“, Zeile 1, Spalte 8: Es gibt keinen Filter „tools_fails“. Falls er aus einem Plug-in stammt, ist dieses hier nicht installiert; siehe Plug-ins",
      ],
      "unconfirmed": [
        "Zeile 1, Spalte 8: Es gibt keinen Filter „tools_fails“. (Das Plug-in „tools“ hat noch niemand bestätigt; sehen Sie sich unter Plug-ins an, was es erreichen kann, und bestätigen Sie es)",
      ],
      "unknown": [
        "Zeile 1, Spalte 4: „wen“ ist nicht definiert (Hier bekannt: put, playground_url, millrace_url, error_flow_id, error_flow_name, error_flow_run_id, error_step, error_message, alarm_id, alarm_kind, alarm_message, alarm_count)",
        "Zeile 1, Spalte 8: Es gibt keinen Filter „uper“. (Meinten Sie „upper“?)",
        "Zeile 1, Spalte 8: Es gibt keinen Filter „tools_nothing“. (Falls er aus einem Plug-in stammt, ist dieses hier nicht installiert; siehe Plug-ins)",
      ],
    }
  `)
})

test('what tests of credentials, tokens, alarms, imports and refusals say is in German by its key', async () => {
  const { call, port } = await startTestApp({
    playground: true,
    settings: { file_folders: [temporaryFolder()] },
  })
  const translate = createMessageTranslator(germanOfProgram)
  /** The German sentences, from the keys and values alone. */
  const german = (answer: unknown) =>
    translate('(no key)', (answer as { readonly said?: Said }).said).replaceAll(`:${port}`, ':PORT')
  const send = async (path: string, body: unknown, headers: object = {}) =>
    (await call('POST', path, body, { ...AS_PAGE, ...headers })).json
  const said = async (...sent: Parameters<typeof send>) => german(await send(...sent))
  const made = async (path: string, body: object) => ((await send(path, body)) as { id: string }).id
  const runError = async (...steps: object[]) => {
    const id = await made('/v1/flows', { name: 'Fails', steps })
    return german(((await send(`/v1/flows/${id}/run?wait=true`, {})) as { error: object }).error)
  }
  /** The result of logging in there, or of the action. */
  const tested = async (auth: object) =>
    said(
      `/v1/connector-auths/${await made('/v1/connector-auths', { name: 'A', auth_type: 'bearer', ...auth })}/test`,
      {},
    )

  const scopes = ['automation']
  const { token } = (await send('/v1/personal-access-tokens', { expiration: 3, scopes, note: '' })) as {
    token: string
  }
  const longer = { expiration: 9, scopes, note: '' }
  const table = await made('/v1/data-tables', { name: 'people', columns: [{ name: 'email', type: 'text' }] })
  const rows = `/v1/data-tables/${table}/import`
  const shop = await made('/v1/connectors', { name: 'Shop', base_domain: `http://127.0.0.1:${port}/none` })
  const ask = await made('/v1/connector-actions', {
    connector_id: shop,
    name: 'ask',
    method: 'GET',
    endpoint: 'https://elsewhere.example/x',
  })
  const usesShop = { ref_id: 'a', type: 'connector_action', config: { connector_id: shop, action: 'ask' } }
  await made('/v1/flows', { name: 'Uses it', steps: [usesShop] })
  const login = { auth_type: 'username_password', username: 'ann', password: 'x' }
  const response = { status: 404, headers: {}, body: null }
  await call('PUT', '/v1/settings', { alarms: { on_failure: true, notify: true } })

  expect({
    tokens: [
      await said('/v1/personal-access-tokens', longer, { authorization: `Bearer ${token}` }),
      await said('/v1/personal-access-tokens/check', { value: token }),
      await said('/v1/personal-access-tokens/check', { value: 'mr_pat_1' }),
    ],
    rows: [
      await said(rows, { format: 'csv', text: 'email\n1,2\n' }),
      await said(rows, { format: 'jsonl', text: '{"n": 1}\n[2' }),
      await said(rows, { format: 'jsonl', text: '{"a,b": 1}\n', add_columns: true }),
    ],
    bodies: [
      await said('/v1/flows', '{"name": '),
      await said(rows, ' '.repeat(LIMITS.largeBodyBytes + 1)),
      await said('/v1/imports/read-url', { url: `http://127.0.0.1:${port}/v1/none` }),
      await said('/v1/flows/import/plan', { source: '[{ "wires": [] }]' }),
    ],
    credentials: [
      await tested({ connector_id: PLAYGROUND, auth_token: 'playground-token' }),
      await tested({ connector_id: SMTP_CONNECTOR_ID, ...login, api_endpoint: 'smtp://mail.invalid' }),
      await tested({ connector_id: SQL_CONNECTOR_ID, ...login, api_endpoint: 'postgres://127.0.0.1:1/db' }),
      await tested({ connector_id: shop, auth_token: 'x' }),
    ],
    tries: await said(`/v1/connector-actions/${ask}/try`, {}),
    used: german((await call('DELETE', `/v1/connector-actions/${ask}`, undefined, AS_PAGE)).json),
    alarms: ((await send('/v1/alarms/test', { flow_id: null })) as object[]).map(german),
    pagination: await said('/v1/pagination-tests/suggestions', {
      request: { url: 'https://api.example.com/x', method: 'GET' },
      response,
    }),
    runs: [
      await runError({
        ref_id: 'w',
        type: 'write_records',
        config: { target: 'sqlite', path: 'x', table: '{{ "" }}', records: [] },
      }),
      await runError({ ref_id: 'f', type: 'file_read', config: { path: 'missing.txt' } }),
      await runError({ ref_id: 'c', type: 'code', config: { source: 'await new Promise(() => {})' } }),
    ],
  }).toMatchInlineSnapshot(`
    {
      "alarms": [
        "In der App angezeigt",
      ],
      "bodies": [
        "Der Body ist in Zeile 1, Spalte 10 kein gültiges JSON: erwartet wird ein Wert, gefunden: das Ende des Textes.",
        "Der Body ist größer als die Grenze von 5 MB; importieren Sie die Zeilen in mehreren Teilen",
        "„url“ kann nicht importiert werden. Sie antwortete mit Status 404 statt 200",
        "„source“ ist weder ein Flow von Millrace noch ein Workflow von n8n. Es sieht nach einem Flow von Node-RED aus; diese werden nicht unterstützt",
      ],
      "credentials": [
        "„Playground“ hat den Aufruf von „list_protected_contacts“ angenommen",
        "Der Mailserver mail.invalid wurde nicht gefunden; prüfen Sie den Namen",
        "Nicht nutzbar ist der Datenbankserver 127.0.0.1:1: die Verbindung wurde abgelehnt; prüfen Sie den Port und ob der Server läuft und Verbindungen von diesem Rechner annimmt",
        "Der Connector „Shop“ hat keine test_action; wählen Sie eine seiner Aktionen",
      ],
      "pagination": "Die Antwort hat den Status 404. Bringen Sie den ersten Aufruf ohne Paginierungsparameter zum Laufen, und versuchen Sie es noch einmal",
      "rows": [
        "„text“: Zeile 1 hat 2 Felder; die Zahl der Spalten ist 1",
        "„text“: Zeile 2 ist in Spalte 3 kein gültiges JSON: erwartet wird „,“ oder „]“, gefunden: das Ende des Textes.",
        "„text“: "a,b" ist als Spalte nicht möglich: darf keine Kommas, geschweiften Klammern oder Zeilenumbrüche enthalten, nicht mit _ oder - beginnen und nicht mit einem Leerzeichen beginnen oder enden",
      ],
      "runs": [
        "Schritt „w“: „table“ ist leer; nennen Sie die Tabelle",
        "Schritt „f“: „missing.txt“ lässt sich nicht verwenden: die Datei gibt es nicht; prüfen Sie den Pfad",
        "Schritt „c“: der Code wurde nie fertig: Ein Promise wurde nie erfüllt",
      ],
      "tokens": [
        "Ein Token kann nicht länger gelten als das, mit dem es erstellt wird; dieses läuft am 2026-03-04T12:00:00.000Z ab: Verlangen Sie höchstens 3 Tage",
        "Dieses Token ist gültig bis 2026-03-04T12:00:00.000Z",
        "Dieses Token ist unvollständig: Ein Zeichen fehlt oder ist falsch",
      ],
      "tries": "https://elsewhere.example/x liegt nicht auf http://127.0.0.1:PORT; erlauben Sie die Origin https://elsewhere.example in „allowed_origins“, wenn die API über mehrere Hosts verteilt ist. Es wurde nichts dorthin gesendet",
      "used": "Die Aktion „ask“ kann nicht gelöscht werden, weil die Flows "Uses it" sie verwenden; ändern Sie diese zuerst",
    }
  `)
})
