/**
 * Nodes that start workflows for new items, or read documents and databases: their steps, and what later
 * nodes read.
 */
import { describe, expect, it } from 'vitest'
import { STEP_CONFIGS, type StepType } from '../../../src/shared/contract/step-types/index.ts'
import type { StepInput } from '../../../src/shared/contract/steps.ts'
import { extractFields } from '../../../src/main/engine/html/extract.ts'
import { htmlToMarkdown } from '../../../src/main/engine/html/html-to-markdown.ts'
import { markdownToHtml } from '../../../src/main/engine/html/markdown-to-html.ts'
import { aWorkflow, codeOf, hook, type Json, type NodeLike, runImported } from './n8n-workflow.ts'

const after = codeOf('After', 'return [{ json: { items: items.map(({ json }) => json) } }]')

const documents = {
  readFeed: () => Promise.reject(new Error('no feed')),
  extract: async (text: string, extraction: Parameters<typeof extractFields>[1]) =>
    extractFields(text, extraction),
  convert: async (text: string, to: 'html' | 'markdown') =>
    to === 'html' ? markdownToHtml(text) : htmlToMarkdown(text),
}

/** Runs the node with this input, which a trigger finds, and a node after it. */
async function converted(node: NodeLike, input: Json = {}, before: readonly NodeLike[] = []) {
  const nodes = [...before, node, after]
  const ways = nodes.slice(1).map(({ name }, at) => `${nodes[at]?.name} -> ${name}`)
  const { error, results, notes, flow } = await runImported(aWorkflow(nodes, ways), input, {
    ports: { documents },
  })
  const step = (flow?.steps ?? []).find(({ ref_id }) => ref_id === 'node') as StepInput
  const [read] = [results['after']].flat() as { items: unknown }[]
  const schema = Object.hasOwn(STEP_CONFIGS, step.type) ? STEP_CONFIGS[step.type as StepType] : null
  return {
    error,
    type: step.type,
    config: step.config as Json,
    isValid: schema?.safeParse(step.config).success ?? null,
    items: read?.items,
    notes: notes.filter((note) => note.startsWith('Node')).map((note) => note.replace('Node: ', '')),
  }
}

const a = (type: string, parameters: Json, typeVersion = 2): NodeLike => ({
  name: 'Node',
  type,
  typeVersion,
  parameters,
})
const kept = (reason: string) =>
  expect.stringContaining(`can't be converted because it ${reason}; it is kept unchanged`)

describe('what starts a workflow for what is new', () => {
  it('a feed is a list of articles, with the names of their parts', async () => {
    const article = {
      id: '7',
      title: 'Tea',
      link: 'https://a.test/7',
      published: '2026-03-01T12:00:00Z',
      author: 'Ann',
      summary: '<p>Green <b>tea</b></p>',
      content: null,
      categories: ['drinks'],
    }
    const { error, type, config, isValid, items } = await converted(
      a('rssFeedReadTrigger', {
        feedUrl: 'https://a.test/feed',
        pollTimes: { item: [{ mode: 'everyX', value: 30, unit: 'minutes' }] },
      }),
      article,
    )
    expect({ error, type, config, isValid }).toEqual({
      error: null,
      type: 'list_trigger',
      config: { source: 'feed', url: 'https://a.test/feed', every_minutes: 30 },
      isValid: true,
    })
    expect(items).toEqual([
      {
        title: 'Tea',
        link: 'https://a.test/7',
        guid: '7',
        pubDate: '2026-03-01T12:00:00Z',
        isoDate: '2026-03-01T12:00:00Z',
        creator: 'Ann',
        content: '<p>Green <b>tea</b></p>',
        contentSnippet: 'Green tea',
        categories: ['drinks'],
      },
    ])
  })

  it('a folder keeps its events; a single file is its folder with a pattern', async () => {
    const file = { event: 'new', path: '/data/in/a.csv', name: 'a.csv', size: 3, modified_at: null }
    const folder = await converted(
      a(
        'localFileTrigger',
        { triggerOn: 'folder', path: '/data/in', events: ['add', 'unlink'], options: {} },
        1,
      ),
      file,
    )
    const single = await converted(a('localFileTrigger', { triggerOn: 'file', path: '/data/in/a.csv' }, 1), {
      ...file,
      event: 'changed',
    })
    const folders = await converted(
      a('localFileTrigger', { triggerOn: 'folder', path: '/data', events: ['addDir'] }, 1),
      file,
    )
    expect([folder.config, folder.items, single.config, single.items]).toEqual([
      { path: '/data/in', subfolders: true, events: ['new', 'gone'] },
      [{ event: 'add', path: '/data/in/a.csv' }],
      { path: '/data/in', pattern: 'a.csv', events: ['changed'] },
      [{ event: 'change', path: '/data/in/a.csv' }],
    ])
    expect([folder.isValid, single.isValid, folders.notes]).toEqual([
      true,
      true,
      [kept('watches for folders that are created or removed')],
    ])
  })

  it('a mailbox gives emails in either form, unread ones and marked as read', async () => {
    const mail = {
      subject: 'Invoice',
      from: 'ada@example.test',
      from_name: 'Ada',
      to: ['me@example.test'],
      cc: [],
      date: '2026-03-01T12:00:00Z',
      text: 'Hi',
      html: '<p>Hi</p>',
      headers: { subject: 'Invoice' },
      message_id: '<1@example.test>',
      uid: 7,
      attachments: [],
    }
    const simple = await converted(a('emailReadImap', { options: {} }), mail)
    const resolved = await converted(
      a('emailReadImap', { format: 'resolved', postProcessAction: 'nothing' }),
      mail,
    )
    const raw = await converted(a('emailReadImap', { format: 'raw' }), mail)
    expect([simple.config, simple.isValid, simple.items]).toEqual([
      { auth_id: '', mailbox: 'INBOX', unseen_only: true, mark_seen: true, attachments: false, first: 'all' },
      true,
      [
        {
          subject: 'Invoice',
          from: 'Ada <ada@example.test>',
          to: 'me@example.test',
          cc: '',
          date: '2026-03-01T12:00:00Z',
          textPlain: 'Hi',
          textHtml: '<p>Hi</p>',
          metadata: { subject: 'Invoice' },
          attributes: { uid: 7 },
          attachments: [],
        },
      ],
    ])
    expect(simple.notes).toContainEqual(expect.stringContaining('choose a connector auth'))
    expect([resolved.config, resolved.items]).toMatchObject([
      { mark_seen: false, attachments: true },
      [{ from: { text: 'Ada <ada@example.test>', value: [{ address: 'ada@example.test' }] }, text: 'Hi' }],
    ])
    expect(raw.notes).toEqual([kept('reads emails in their raw form')])
  })

  it('a form has the same fields, read by their labels', async () => {
    const form = await converted(
      a('formTrigger', {
        formTitle: 'Order',
        formDescription: 'Tell us',
        formFields: {
          values: [
            { fieldLabel: 'Your name', requiredField: true },
            {
              fieldLabel: 'Größe',
              fieldType: 'dropdown',
              fieldOptions: { values: [{ option: 'S' }, { option: 'L' }] },
            },
            { fieldLabel: '2nd', fieldType: 'number' },
          ],
        },
        options: { respondWithOptions: { values: { respondWith: 'text', formSubmittedText: 'Thanks' } } },
      }),
      { your_name: 'Ann', grosse: 'L', field_2nd: 2 },
    )
    const files = await converted(
      a('formTrigger', { formFields: { values: [{ fieldLabel: 'CV', fieldType: 'file' }] } }),
      { cv: '' },
    )
    expect(form.config).toMatchObject({
      title: 'Order',
      description: 'Tell us',
      fields: [
        { name: 'your_name', type: 'text', label: 'Your name', required: true },
        { name: 'grosse', type: 'select', label: 'Größe', options: ['S', 'L'] },
        { name: 'field_2nd', type: 'number', label: '2nd', required: false },
      ],
      response: 'text',
      response_text: 'Thanks',
    })
    expect([form.isValid, form.items, files.notes]).toEqual([
      true,
      [{ 'Your name': 'Ann', Größe: 'L', '2nd': 2 }],
      expect.arrayContaining([kept('has a field of the type "file"')]),
    ])
  })

  it('a webhook takes the same methods', async () => {
    const { config, isValid } = await converted(a('webhook', { httpMethod: ['GET', 'POST'], path: 'x' }))
    const other = await converted(a('webhook', { httpMethod: 'TRACE', path: 'x' }))
    expect([config['methods'], isValid, other.notes]).toEqual([
      ['GET', 'POST'],
      true,
      expect.arrayContaining([kept('accepts TRACE requests')]),
    ])
  })
})

describe('documents', () => {
  it('values of HTML are read by the same selectors', async () => {
    const html = await converted(
      a(
        'html',
        {
          operation: 'extractHtmlContent',
          dataPropertyName: 'body.page',
          extractionValues: {
            values: [
              { key: 'title', cssSelector: 'h1' },
              {
                key: 'links',
                cssSelector: 'a',
                returnValue: 'attribute',
                attribute: 'href',
                returnArray: true,
              },
            ],
          },
        },
        1.2,
      ),
      { page: '<h1> Tea </h1><a href="/a">A</a><a href="/b">B</a>' },
      [hook],
    )
    const made = await converted(a('html', { html: '<p>' }, 1.2), {}, [hook])
    expect([html.error, html.isValid, html.items, made.notes]).toEqual([
      null,
      true,
      [{ title: 'Tea', links: ['/a', '/b'] }],
      [kept('creates HTML')],
    ])
  })

  it('Markdown is added to the item', async () => {
    const { error, items } = await converted(
      a(
        'markdown',
        { mode: 'markdownToHtml', markdown: '=# {{ $json.body.name }}', destinationKey: 'html' },
        1,
      ),
      { name: 'Tea' },
      [hook],
    )
    expect([error, items]).toEqual([
      null,
      [expect.objectContaining({ html: '<h1>Tea</h1>\n', body: { name: 'Tea' } })],
    ])
  })
})

describe('databases and commands', () => {
  const config = async (node: NodeLike) => {
    const { config: written, isValid, notes } = await converted(node, { id: 7 }, [hook])
    return { written, isValid, notes }
  }

  it('a query keeps its text, and its values are parameters', async () => {
    const { written, isValid } = await config(
      a('postgres', {
        operation: 'executeQuery',
        query: 'SELECT * FROM orders WHERE id = $1 AND kind = $2',
        options: { queryReplacement: '={{ $json.body.id }}, {{ $json.body.kind }}' },
      }),
    )
    expect([written, isValid]).toEqual([
      {
        auth_id: '',
        statement: 'SELECT * FROM orders WHERE id = $1 AND kind = $2',
        parameters: [expect.stringContaining('{{'), expect.stringContaining('{{')],
      },
      true,
    ])
  })

  it('rows are selected with quoted names', async () => {
    const parameters = {
      operation: 'select',
      schema: { mode: 'list', value: 'public' },
      table: { mode: 'list', value: 'or"ders' },
      limit: 10,
      where: {
        values: [
          { column: 'kind', condition: 'equal', value: 'tea' },
          { column: 'gone', condition: 'IS NULL' },
        ],
      },
      sort: { values: [{ column: 'id', direction: 'DESC' }] },
      options: { outputColumns: ['id', 'name'] },
    }
    const postgres = await config(a('postgres', parameters))
    const mysql = await config(a('mySql', { ...parameters, schema: undefined, returnAll: true }))
    expect([postgres.written, mysql.written['statement']]).toEqual([
      {
        auth_id: '',
        statement:
          'SELECT "id", "name" FROM "public"."or""ders" WHERE "kind" = $1 AND "gone" IS NULL ORDER BY "id" DESC LIMIT 10',
        parameters: ['tea'],
      },
      'SELECT `id`, `name` FROM `or"ders` WHERE `kind` = ? AND `gone` IS NULL ORDER BY `id` DESC',
    ])
  })

  it('what cannot be translated says why, and what to use', async () => {
    const notes = [
      await config(a('postgres', { operation: 'executeQuery', query: '=SELECT {{ $json.id }}' })),
      await config(a('postgres', { operation: 'executeQuery', query: 'DELETE FROM orders' })),
      await config(a('mySql', { operation: 'upsert' })),
      await config(a('executeCommand', { command: 'rm -rf /' }, 1)),
    ].map((one) => one.notes)
    expect(notes).toEqual([
      [kept('inserts values into its statement instead of passing parameters')],
      [kept('changes a database with its own statement')],
      [kept('has the database operation "upsert", which a write_records step performs here')],
      [
        'ran a command in a shell: add the program under Settings, Programs, and use a run_program step',
        kept('runs a command in a shell'),
      ],
    ])
  })
})
