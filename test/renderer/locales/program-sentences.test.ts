import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { parseSync } from 'vite'
import { expect, test } from 'vitest'
import { createMessageTranslator } from '../../../src/renderer/lib/message-translator.ts'
import { germanOfProgram } from '../../../src/renderer/locales/de/index.ts'
import { SAID_HEADER } from '../../../src/shared/contract/base/conventions.ts'
import { englishOf, Message, quoted, say, type Said } from '../../../src/shared/contract/base/message.ts'
import { startTestApp } from '../../helpers/test-app.ts'

const SOURCES = join(import.meta.dirname, '../../..')
const translate = createMessageTranslator(germanOfProgram)
const sourcesOfProgram = () =>
  globSync([`${SOURCES}/src/{main,shared}/**/*.ts`, `${SOURCES}/packages/*/src/**/*.ts`])

test("no German translation is for a sentence that the program doesn't have", () => {
  const files = sourcesOfProgram().map((path) => readFileSync(path, 'utf8').replaceAll(String.raw`\'`, "'"))
  const keys = new Set(readSaid(sourcesOfProgram()).keys)
  const isSaid = (sentence: string) =>
    keys.has(sentence) || (!/\{\{\w/.test(sentence) && files.some((text) => text.includes(sentence)))
  expect(Object.keys(germanOfProgram).filter((sentence) => !isSaid(sentence))).toEqual([])
})

test('the German of a sentence has its values, each once', () => {
  const values = (text: string) => [...text.matchAll(PLACEHOLDER)].map(([found]) => found).toSorted()
  expect(
    Object.entries(germanOfProgram).filter(
      ([english, german]) => values(english).join() !== values(german).join(),
    ),
  ).toEqual([])
})

test('every key is in German, and errors name theirs', () => {
  const { keys, bare } = readSaid(sourcesOfProgram())
  const german = new Set(Object.keys(germanOfProgram))
  expect(keys.length).toBeGreaterThan(1_000)
  expect(keys.filter((key) => !german.has(key))).toEqual([])
  expect(bare).toEqual([])
})

interface Spoken {
  readonly message: string
  readonly said?: Said
}

interface Node {
  readonly type: string
  readonly start: number
  readonly [key: string]: unknown
}

/** The keys that the sources contain, and the errors with a sentence without a key, as `file: text`. */
function readSaid(paths: readonly string[]) {
  const keys: string[] = []
  const bare: string[] = []
  for (const path of paths) {
    const source = readFileSync(path, 'utf8')
    const isOwn = basename(path) === 'message.ts'
    if (!isOwn && !/(?:message|said)(?:\.ts)?'|new AppError\(|\blog\.(?:info|warn|error)\(/.test(source))
      continue
    const visit = (node: Node): void => {
      const values = (node['arguments'] ?? []) as Node[]
      const [first, second] = values
      if (node.type === 'TaggedTemplateExpression' && (node['tag'] as Node)['name'] === 'say')
        keys.push(keyOf(node))
      const { name, property, object } = (node['callee'] ?? {}) as Node
      const callee = name ?? (property as Node | undefined)?.['name']
      if (
        (callee === 'say' || callee === 'fault') &&
        typeof first?.['value'] === 'string' &&
        (isOwn || source.includes("/message.ts'"))
      )
        keys.push(first['value'])
      // The page shows the lines of the log.
      const logged = (object as Node | undefined)?.['name'] === 'log' ? values.at(-1)?.['value'] : undefined
      if (typeof logged === 'string' && /^(?:info|warn|error)$/.test(String(callee))) keys.push(logged)
      const said =
        callee === 'AppError' ? second : callee === 'fail' && first?.type === 'Literal' ? second : undefined
      if (said !== undefined && !path.includes('headless') && isWritten(said))
        bare.push(`${basename(path)}: ${source.slice(said.start, said.start + 60)}`)
      for (const child of Object.values(node).flat())
        if (typeof child === 'object' && child !== null && 'type' in child) visit(child as Node)
    }
    visit(parseSync(path, source).program as unknown as Node)
  }
  return { keys, bare }
}

/** The key of a sentence in a package, whose values are numbered. */
function keyOf(tagged: Node): string {
  const { quasis } = tagged['quasi'] as { quasis: { value: { cooked: string } }[] }
  return quasis.map(({ value }) => value.cooked).reduce((before, word, at) => `${before}{{${at - 1}}}${word}`)
}

/** Whether the words are written in the sources themselves. */
function isWritten(node: Node): boolean {
  if (node.type === 'ConditionalExpression')
    return [node['consequent'], node['alternate']].some((branch) => isWritten(branch as Node))
  return node.type === 'TemplateLiteral' || typeof node['value'] === 'string'
}

test('the most common messages are in German: fields, problems of a flow, failed runs, rejected requests', async () => {
  const app = await startTestApp({ playground: true })
  const call = (method: string, path: string, body?: unknown) =>
    app.call(method, path, body, { [SAID_HEADER]: '1' })
  const steps = [
    { ref_id: 'web1', type: 'webhook', config: { async: true } },
    { ref_id: 'cond', type: 'condition', config: {} },
    { ref_id: 'put', type: 'set', config: { values: { a: '{{ wbe1.name }}', b: '{{ web1 | uper }}' } } },
  ]
  const flow = (await call('POST', '/v1/flows', { name: 'A flow' })).json as { id: string }
  const { problems } = (await call('POST', `/v1/flows/${flow.id}/check`, { steps })).json as {
    problems: Spoken[]
  }
  const failing = [
    {
      ref_id: 'fetch',
      type: 'rest',
      config: { method: 'GET', url: '{{ playground_url }}/protected/contacts' },
    },
  ]
  const failed = (await call('POST', '/v1/flows', { name: 'Fails', steps: failing })).json as { id: string }
  const run = (await call('POST', `/v1/flows/${failed.id}/run?wait=true`, {})).json as {
    error: Spoken
  }
  await call('POST', `/v1/flow-webhook/${flow.id}`, {})
  const [refused] = (await call('GET', '/v1/webhook-requests')).json as (Spoken & { reason: string })[]
  const german = ({ message, said }: Spoken) => translate(message, said)
  const answer = async (...asked: Parameters<typeof call>) => german((await call(...asked)).json as Spoken)

  expect({
    problems: problems.map(german),
    run: german(run.error).replace(/http:\S+/, 'ADDRESS'),
    refused: refused && translate(refused.reason, refused.said),
    flow: (await answer('POST', '/v1/flows', { name: 'B', steps })).replace(/^Schritt.*?: /, ''),
    fields: [
      await answer('PUT', '/v1/settings', { concurrent_runs: 0, webhook_body_limit_bytes: 'x' }),
      await answer('POST', '/v1/flows', { name: 7 }),
      await answer('POST', '/v1/flows', { name: '', colour: 'red' }),
    ],
    missing: await answer('GET', '/v1/flows/none'),
  }).toEqual({
    problems: [
      'braucht „when“ oder „a“, „comparison“ und „b“',
      'Zeile 1, Spalte 4: „wbe1“ ist nicht definiert (Meinten Sie „web1“?)',
      'Zeile 1, Spalte 11: Es gibt keinen Filter „uper“. (Meinten Sie „upper“?)',
    ],
    run: 'Schritt „fetch“: GET ADDRESS antwortete mit Status 401: {"error":"send Authorization: Bearer playground-token"}',
    refused: 'Unter dieser URL gibt es keinen Webhook; kopieren Sie sie aus dem Webhook-Schritt des Flows',
    flow: 'braucht „when“ oder „a“, „comparison“ und „b“ (und 2 weitere Probleme)',
    fields: [
      '„webhook_body_limit_bytes“ muss eine Zahl sein, nicht ein Text (und 1 weiteres Feld)',
      '„name“ muss ein Text sein, nicht eine Zahl',
      '„name“ darf nicht leer sein (und 1 weiteres Feld)',
    ],
    missing: 'Es gibt keinen Flow „none“',
  })
})

test('a sentence with an unknown part stays English as a whole', () => {
  const inStep = (ref: string, rest: Said) => say('Step "{{ref}}": {{rest}}', { ref, rest })
  const unknown = new Message('a sentence that nobody knows', {})
  const german = (said: Said) => translate(englishOf(said), said)
  expect([
    german(unknown),
    german(inStep('a', unknown)),
    german(inStep('a', inStep('b', say('is required')))),
    german(inStep('a', quoted('is required'))),
    translate('is required'),
    translate('Step "a": is required'),
  ]).toEqual([
    'a sentence that nobody knows',
    'Step "a": a sentence that nobody knows',
    'Schritt „a“: Schritt „b“: fehlt',
    'Schritt „a“: is required',
    'fehlt',
    'Step "a": is required',
  ])
})

const PLACEHOLDER = /\{\{\w+\}\}/g

test('what the screen of tables shows of a refusal is in German', async () => {
  const app = await startTestApp()
  const call = (method: string, path: string, body?: unknown) =>
    app.call(method, path, body, { [SAID_HEADER]: '1' })
  const columns = [
    { name: 'email', type: 'text' },
    { name: 'n', type: 'number' },
    { name: 'at', type: 'datetime' },
  ]
  const { id } = (await call('POST', '/v1/data-tables', { name: 'people', columns })).json as { id: string }
  const rows = `/v1/data-tables/${id}/rows`
  const sent: Parameters<typeof call>[] = [
    ['GET', '/v1/data-tables/none'],
    ['POST', '/v1/data-tables', { name: 'people' }],
    ['PUT', `/v1/data-tables/${id}`, { columns: [{ name: 'n', type: 'text' }] }],
    ['PUT', `/v1/data-tables/${id}`, { columns: [...columns, { name: 'n', type: 'number' }] }],
    ['POST', rows, { rows: [{ n: 'many' }] }],
    ['POST', rows, { rows: [{ at: 'soon' }] }],
    ['POST', rows, { rows: [{ nobody: 1 }] }],
    ['POST', rows, { rows: [{ email: 'x'.repeat(200_000) }] }],
    ['POST', `/v1/data-tables/${id}/import`, { format: 'csv', text: '' }],
    ['POST', `/v1/data-tables/${id}/import`, { format: 'csv', text: 'email,email\n1,2\n' }],
    ['POST', `/v1/data-tables/${id}/import`, { format: 'csv', text: 'email\n1,2\n' }],
    ['POST', `/v1/data-tables/${id}/import`, { format: 'jsonl', text: '{"n": 1}\n[2]\n' }],
    ['POST', `/v1/data-tables/${id}/import`, { format: 'jsonl', text: '{"n": "x"}\n' }],
  ]
  await call('POST', '/v1/env-variables', {
    name: 'key',
    type: 'text',
    value: 'a-secret-of-mine',
    secret: true,
  })
  sent.push(['POST', rows, { rows: [{ email: 'a-secret-of-mine' }] }])
  const messages: string[] = []
  for (const one of sent) {
    const { message, said } = (await call(...one)).json as Spoken
    messages.push(translate(message, said))
  }
  expect(messages).toEqual([
    'Es gibt keine Tabelle „none“',
    'Es gibt schon eine Tabelle „people“; wählen Sie einen anderen Namen',
    '„columns[0]“ kann nicht in text geändert werden: Eine Spalte behält ihren Typ. Fügen Sie stattdessen eine weitere hinzu',
    '„columns[3]“ hat denselben Namen wie eine andere Spalte: "n"',
    'Zeile 1: „n“ ist "many"; die Spalte enthält Zahlen',
    'Zeile 1: „at“ ist "soon"; die Spalte enthält Zeitpunkte wie 2026-03-01T12:00:00Z',
    'Zeile 1: die Tabelle „people“ hat keine Spalte "nobody"; ihre Spalten sind email, n, at',
    'Zeile 1: „email“ hat 200000 Zeichen; in eine Zelle passen 100000. Speichern Sie den Text in einer Datei',
    '„text“: die Datei hat keine Zeilen',
    '„text“: zwei Spalten heißen "email"',
    '„text“: Zeile 1 hat 2 Felder; die Zahl der Spalten ist 1',
    '„text“: Zeile 2 ist kein Objekt',
    'Zeile 1: „n“ ist "x"; die Spalte enthält Zahlen',
    'Zeile 1 enthält ein Geheimnis, das Millrace kennt; Tabellen sind nicht verschlüsselt. Speichern Sie es in einer geheimen Variablen oder mit dem Schritt „Schlüssel-Wert-Speicher“',
  ])
})
