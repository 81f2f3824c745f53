import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { StepInput } from '../../../src/shared/contract/steps.ts'
import { type FlowApp, type Hook, startFlowApp } from '../../helpers/flow-app.ts'
import { callHttp } from '../../helpers/http.ts'
import { newFolder } from '../../helpers/store.ts'
import { session } from '../../helpers/test-server.ts'

const FIELDS = [
  { name: 'email', type: 'email', label: 'Your email', required: true },
  { name: 'what', type: 'textarea', label: 'What happened?', help: 'In a few words', required: true },
  { name: 'count', type: 'number' },
  { name: 'when', type: 'date' },
  { name: 'place', type: 'select', options: ['Berlin', 'Paris & more'] },
  { name: 'agreed', type: 'switch' },
]
const form = (config: object = {}): StepInput => ({
  ref_id: 'form',
  type: 'form_trigger',
  config: { title: 'Report a fault', fields: FIELDS, ...config },
})
const GOOD = { email: 'ann@example.com', what: 'It leaks' }

const open = { settings: { webhook_token_enabled: false } }
const encoded = (values: Record<string, string>) => new URLSearchParams(values).toString()

/** Sends a form as a browser does. */
function send(
  app: FlowApp,
  { path }: Pick<Hook, 'path'>,
  values: Record<string, string> | string,
  more = {},
) {
  return callHttp(app.port, {
    method: 'POST',
    path,
    headers: { accept: 'text/html', 'content-type': 'application/x-www-form-urlencoded', ...more },
    body: typeof values === 'string' ? values : encoded(values),
  })
}

const look = (app: FlowApp, { path }: Pick<Hook, 'path'>, more = {}) =>
  callHttp(app.port, { path, headers: { accept: 'text/html', ...more } })

/** What the flow received, once the run has ended. */
async function received(app: FlowApp): Promise<unknown> {
  const run = await app.until(({ finished_at: at }) => at !== null)
  return app.stepsOf(run)[0]?.output
}

describe('a form', () => {
  it('shows its fields on a page without scripts, and starts no run', async () => {
    const app = await startFlowApp()
    const hook = await app.addFlow([form({ description: 'We read it.', submit_label: 'Report' })], open)
    const { status, headers, text } = await look(app, hook)
    expect(status).toBe(200)
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
    })
    expect(headers['content-security-policy']).toMatch(
      /^sandbox allow-forms; default-src 'none'; style-src 'sha256-[^']+'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'$/,
    )
    for (const part of [
      '<h1>Report a fault</h1><p>We read it.</p>',
      '<input type="email" id="field-0" name="email" required',
      '<label for="field-1">What happened? <span class="soft">(required)</span></label>',
      'aria-describedby="field-1-help"',
      '<input type="number" step="any"',
      '<input type="date"',
      '<option value="Paris &#38; more">Paris &#38; more</option>',
      '<input type="checkbox" value="true"',
      '<button>Report</button>',
    ])
      expect(text).toContain(part)
    expect(text).not.toMatch(/<script|javascript:|\son\w+=/i)
    const head = await callHttp(app.port, { method: 'HEAD', path: hook.path })
    expect([head.status, head.text]).toEqual([200, ''])
    expect([app.runs(), await app.requests()]).toEqual([[], []])
  })

  it('starts the flow with the submitted values, and says thanks', async () => {
    const app = await startFlowApp()
    const hook = await app.addFlow([form({ response_text: 'We will call you.' })], open)
    const { status, text } = await send(app, hook, {
      ...GOOD,
      what: ' two\r\nlines ',
      count: '2.5',
      place: 'Paris & more',
      agreed: 'true',
      _website: '',
    })
    expect([status, text.includes('<h1>Thank you</h1><p>We will call you.</p>')]).toEqual([200, true])
    expect(await received(app)).toEqual({
      email: 'ann@example.com',
      what: ' two\nlines ',
      count: 2.5,
      when: '',
      place: 'Paris & more',
      agreed: true,
    })
    const [run] = app.runs()
    expect(run).toMatchObject({ trigger: 'form', status: 'success' })
    expect(await app.requests()).toMatchObject([{ status: 200, reason: null, flow_run_id: run?.id }])
  })

  it('shows errors next to the fields, keeps the entered values, and starts nothing', async () => {
    const app = await startFlowApp()
    const hook = await app.addFlow([form()], open)
    const { status, text } = await send(app, hook, {
      email: 'ann',
      what: '',
      count: 'many',
      when: '2030-02-30',
      place: 'Paris & more',
      agreed: 'on',
    })
    expect(status).toBe(400)
    for (const part of [
      'role="alert"><a href="#field-0">Please check the marked fields.</a>',
      'value="ann"',
      '<p class="bad" id="field-0-error">Please enter an email address',
      'name="email" required aria-invalid="true" aria-describedby="field-0-error"',
      'id="field-1-error">Please fill in this field',
      'aria-describedby="field-1-help field-1-error"',
      'id="field-2-error">Please enter a number',
      'id="field-3-error">Please enter a date',
      '<option value="Paris &#38; more" selected>',
      'checked>',
    ])
      expect(text).toContain(part)
    expect(text).not.toContain('id="field-4-error"')
    expect([app.runs().length, await app.requests()]).toMatchObject([
      0,
      [{ status: 400, reason: 'Wrong fields: email, what, count, when' }],
    ])
  })

  it('is in the language of the browser', async () => {
    const app = await startFlowApp()
    const hook = await app.addFlow([form()], open)
    const { text } = await look(app, hook, { 'accept-language': 'fr-FR, de;q=0.8, en;q=0.5' })
    expect(text).toContain('<html lang="de">')
    expect(text).toContain('(Pflichtfeld)')
  })

  it('also accepts JSON, with the same rules', async () => {
    const app = await startFlowApp()
    const hook = await app.addFlow([form()], open)
    const sendJson = (body: unknown) => app.trigger(hook, { body })
    const bad = await sendJson({ email: 'ann@example.com', what: ['a'], colour: 'red' })
    expect([bad.status, bad.json]).toEqual([
      400,
      {
        status: 400,
        error: 'validation',
        message: 'Wrong fields: what, colour',
        data: {
          what: ['Must be text without control characters.'],
          colour: ["The form doesn't have this field."],
        },
      },
    ])
    expect((await sendJson([GOOD])).status).toBe(400)
    const good = await sendJson({ ...GOOD, count: 12345678901234567890n.toString(), agreed: true })
    expect([good.status, good.json]).toEqual([200, null])
    expect(await received(app)).toMatchObject({ email: 'ann@example.com', agreed: true })
  })

  it('redirects the browser once the run is stored', async () => {
    const app = await startFlowApp()
    const hook = await app.addFlow(
      [form({ response: 'redirect', redirect_url: 'https://example.com/danke?ä' })],
      open,
    )
    const { status, headers } = await send(app, hook, GOOD)
    expect([status, headers['location']]).toEqual([303, 'https://example.com/danke?%C3%A4'])
    expect((await look(app, hook)).headers['content-security-policy']).toContain(
      "form-action 'self' https: http:;",
    )
  })

  it("shows the flow's own page, in which values are text", async () => {
    const app = await startFlowApp()
    const hook = await app.addFlow(
      [
        form({ response: 'page', response_body: '<p>{{ form.what }} {{ more.n }}</p>' }),
        { ref_id: 'more', type: 'set', config: { values: { n: '{{ 1 + 1 }}' } } },
      ],
      open,
    )
    const { status, text, headers } = await send(app, hook, { ...GOOD, what: '<img src=x onerror=alert(1)>' })
    expect([status, text]).toEqual([200, '<p>&lt;img src=x onerror=alert(1)&gt; 2</p>'])
    expect(headers).toMatchObject({
      'content-security-policy': 'sandbox',
      'content-type': 'text/html; charset=utf-8',
    })
  })

  it('starts one run if its button is pressed twice', async () => {
    const app = await startFlowApp()
    for (const response of [{}, { response: 'page', response_body: '{{ form.what }}' }]) {
      const hook = await app.addFlow([form(response)], open)
      const [, sending = ''] = /name="_sending" value="([^"]+)"/.exec((await look(app, hook)).text) ?? []
      const values = { ...GOOD, _sending: sending }
      const [first, second] = [await send(app, hook, values), await send(app, hook, values)]
      expect([first.status, second.status, first.text]).toEqual([200, 200, second.text])
      expect(app.runs().filter(({ flow_id: id }) => id === hook.flow.id)).toHaveLength(1)
    }
  })
})

describe('the logo of a form', () => {
  const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')
  const uploaded = async (app: FlowApp, content: Buffer) => {
    const url = `http://127.0.0.1:${app.port}/v1/file-uploads?filename=logo.png`
    const headers = { ...session, 'content-type': 'image/png' }
    const body = new Uint8Array(content)
    return ((await (await fetch(url, { method: 'POST', headers, body })).json()) as { id: string }).id
  }

  it('is part of its pages, with its text, and nothing else is loaded', async () => {
    const app = await startFlowApp()
    const logo = { logo_file_id: await uploaded(app, PNG), logo_alt: '"North" & wind' }
    const hook = await app.addFlow([form(logo)], open)
    const pages = [await look(app, hook), await send(app, hook, {}), await send(app, hook, GOOD)]
    const image = `<main><img class="logo" src="data:image/png;base64,${PNG.toString('base64')}" alt="&#34;North&#34; &#38; wind">`
    expect(pages.map(({ status, text }) => [status, text.includes(image)])).toEqual([
      [200, true],
      [400, true],
      [200, true],
    ])
    for (const { headers } of pages)
      expect(headers['content-security-policy']).toMatch(
        /^sandbox allow-forms; default-src 'none'; style-src 'sha256-[^']+'; img-src data:; form-action 'self';/,
      )
  })

  it('is left out if its file is gone, too large, or no image of those types', async () => {
    const app = await startFlowApp()
    const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>')
    const deleted = await uploaded(app, PNG)
    const url = `http://127.0.0.1:${app.port}/v1/file-uploads/${deleted}`
    expect((await fetch(url, { method: 'DELETE', headers: session })).ok).toBe(true)
    const ids = [
      deleted,
      await uploaded(app, svg),
      await uploaded(app, Buffer.from('%PDF-1.7')),
      await uploaded(app, Buffer.concat([PNG, Buffer.alloc(262_144)])),
      '00000000-0000-4000-8000-000000000000',
      '../../millrace.db',
    ]
    for (const id of ids) {
      const page = await look(app, await app.addFlow([form({ logo_file_id: id })], open))
      expect([page.status, page.text.includes('<img')]).toEqual([200, false])
      expect(page.headers['content-security-policy']).not.toContain('img-src')
    }
  })
})

describe('access to a form', () => {
  it("needs the flow's token in the link or the header, unless the token is off", async () => {
    const app = await startFlowApp()
    const hook = await app.addFlow([form()])
    const withToken = { path: `${hook.path}?token=${hook.token}` }
    const bare = await look(app, hook)
    expect([bare.status, bare.text.includes('<h1>This link is incomplete</h1>')]).toEqual([401, true])
    expect((await send(app, hook, GOOD)).status).toBe(401)
    expect((await look(app, { path: `${hook.path}?token=${hook.token}x` })).status).toBe(401)
    expect((await look(app, withToken)).status).toBe(200)
    expect((await send(app, withToken, GOOD)).status).toBe(200)
    expect((await app.trigger(hook, { body: GOOD })).status).toBe(200)
    const paths = (await app.requests()).map(({ path }) => path)
    expect(paths.join()).not.toContain(hook.token)
    const ordinary = await app.addFlow([{ ref_id: 'web1', type: 'webhook', config: { methods: ['GET'] } }])
    expect((await look(app, { path: `${ordinary.path}?token=${ordinary.token}` })).status).toBe(401)
  })

  it('has its own response if the form is paused, deleted, or called with another method', async () => {
    const app = await startFlowApp()
    const paused = await app.addFlow([form()], { ...open, status: 'paused' })
    const page = await look(app, paused)
    expect([page.status, page.text.includes('Closed for now')]).toEqual([200, true])
    expect((await app.trigger(paused, { body: GOOD })).json).toMatchObject({ error: 'biz_logic' })
    const hook = await app.addFlow([form()], open)
    const put = await app.trigger(hook, { method: 'PUT', body: GOOD })
    expect([put.status, put.headers['allow']]).toEqual([405, 'GET, HEAD, POST'])
    expect(app.runs()).toEqual([])
  })

  it('allows 30 submissions of an open form per window, and as many views as webhook calls', async () => {
    const app = await startFlowApp()
    const hook = await app.addFlow([form()], open)
    const statuses = []
    for (let count = 0; count < 31; count++) statuses.push((await send(app, hook, {})).status)
    expect([statuses.filter((status) => status === 400).length, statuses.at(-1)]).toEqual([30, 429])
    expect((await look(app, hook)).status).toBe(200)
  })
})

describe('hostile input to a form', () => {
  const SCRIPT = '"></textarea><script>alert(1)</script>\'`&{{ 7 * 7 }}'

  it('never becomes part of the page, in any field', async () => {
    const app = await startFlowApp()
    const fields = [
      { name: 'constructor', label: SCRIPT, help: SCRIPT },
      { name: 'toString', type: 'textarea', label: SCRIPT },
      { name: 'place', type: 'select', options: [SCRIPT], label: SCRIPT },
      { name: 'n', type: 'number' },
      { name: 'email', type: 'email' },
    ]
    const config = { title: SCRIPT, description: SCRIPT, submit_label: SCRIPT, response_text: SCRIPT, fields }
    const hook = await app.addFlow([form(config)], open)
    const values = { constructor: SCRIPT, toString: SCRIPT, place: SCRIPT, n: SCRIPT, email: SCRIPT }
    const faulty = await send(app, hook, values)
    const shown = await look(app, hook, { 'accept-language': SCRIPT })
    const thanks = await send(app, hook, { constructor: SCRIPT, toString: SCRIPT, place: SCRIPT })
    expect([shown.status, faulty.status, thanks.status]).toEqual([200, 400, 200])
    for (const { text } of [shown, faulty, thanks]) {
      expect(text).toContain('&#60;script&#62;alert(1)')
      expect(text).toContain('{{ 7 * 7 }}')
      expect(text).not.toMatch(/<script|alert\(1\)</)
    }
    expect(await received(app)).toMatchObject({
      constructor: SCRIPT,
      toString: SCRIPT,
      place: SCRIPT,
      n: null,
    })
  })

  it('is rejected with a page, and starts nothing', async () => {
    const app = await startFlowApp()
    const hook = await app.addFlow([form()], open)
    const bodies: readonly [what: string, body: string][] = [
      ['an unknown field', encoded({ ...GOOD, colour: 'red' })],
      ['__proto__', `${encoded(GOOD)}&__proto__=x&__proto__[admin]=1`],
      ['prototype', encoded({ ...GOOD, prototype: 'x' })],
      ['a field that is there twice', `${encoded(GOOD)}&email=b%40example.com`],
      ['a control character', encoded({ ...GOOD, what: 'a\u0000b' })],
      ['two lines in one', encoded({ ...GOOD, email: 'ann@example.com\r\nBcc: x@example.com' })],
      ['a very long email', encoded({ ...GOOD, email: `${'a'.repeat(300)}@example.com` })],
      ['a very long text', encoded({ ...GOOD, what: 'x'.repeat(20_001) })],
      ['an option that is not there', encoded({ ...GOOD, place: 'Rome' })],
      ['a number that is none', encoded({ ...GOOD, count: '1e999' })],
      ['hex', encoded({ ...GOOD, count: '0x10' })],
      ['what a program filled in', encoded({ ...GOOD, _website: 'https://spam.example' })],
      ['bytes that are not UTF-8', `${encoded(GOOD)}&when=%ff`],
      ['1,001 fields', Array.from({ length: 1_001 }, (_, at) => `f${at}=`).join('&')],
    ]
    const wrong: string[] = []
    for (const [what, body] of bodies) {
      const { status, text } = await send(app, hook, body)
      if (status !== 400 || !text.startsWith('<!doctype html>')) wrong.push(`${what}: ${status}`)
    }
    expect([wrong, app.runs()]).toEqual([[], []])
  })

  it('must be a form or JSON', async () => {
    const app = await startFlowApp()
    const hook = await app.addFlow([form()], open)
    const expected: readonly [type: string, status: number][] = [
      ['text/plain', 415],
      ['multipart/form-data; boundary=x', 415],
      ['application/xml', 415],
      ['application/x-www-form-urlencoded; charset=klingon', 415],
      ['application/json', 400],
    ]
    const got: unknown[] = []
    for (const [type] of expected)
      got.push([type, (await send(app, hook, 'x', { 'content-type': type })).status])
    expect(got).toEqual(expected)
  })

  it('can have up to 1 MiB in total', async () => {
    const app = await startFlowApp()
    const hook = await app.addFlow([form()], open)
    const { status, text } = await send(app, hook, { ...GOOD, what: 'x'.repeat(1_048_577) })
    expect([status, text.includes('Too much text')]).toEqual([413, true])
  })

  it('shows the hidden field if a browser filled it in, and then accepts the form', async () => {
    const app = await startFlowApp()
    const hook = await app.addFlow([form()], open)
    const { text } = await send(app, hook, { ...GOOD, _website: 'x' })
    expect(text).toContain('This looks like spam.')
    expect(text).toContain('<div class="field"><label for="trap">Leave this field empty</label>')
    expect(text).toContain('value="ann@example.com"')
    expect((await send(app, hook, { ...GOOD, _website: '' })).status).toBe(200)
  })
})

it('an invalid form is rejected on saving', async () => {
  const app = await startFlowApp()
  const wrong: readonly [config: object, field: string][] = [
    [{ fields: [{ name: '__proto__' }] }, 'fields[0].name'],
    [{ fields: [{ name: '_website' }] }, 'fields[0].name'],
    [{ fields: [{ name: 'a b' }] }, 'fields[0].name'],
    [{ fields: [{ name: 'a' }, { name: 'a' }] }, 'fields[1].name'],
    [{ fields: [{ name: 'a', type: 'folder' }] }, 'fields[0].type'],
    [{ fields: [{ name: 'a', type: 'file', accept: ['pdf'] }] }, 'fields[0].accept[0]'],
    [{ fields: [{ name: 'a', type: 'file', max_mb: 0 }] }, 'fields[0].max_mb'],
    [{ fields: [{ name: 'a', type: 'select' }] }, 'fields[0].options'],
    [{ fields: [{ name: 'a', onclick: 'x' }] }, 'fields[0].onclick'],
    [{ fields: Array.from({ length: 51 }, (_, at) => ({ name: `f${at}` })) }, 'fields'],
    [{ response: 'redirect' }, 'redirect_url'],
    [{ response: 'redirect', redirect_url: 'javascript:alert(1)' }, 'redirect_url'],
    [{ response: 'page' }, 'response_body'],
    [{ response: 'page', response_body: '{{ nothing.there' }, 'response_body'],
  ]
  const got: unknown[] = []
  for (const [config] of wrong) {
    const steps = [{ ref_id: 'a', type: 'form_trigger', config }]
    const { json } = await app.call('POST', '/v1/flows', { name: 'X', steps })
    got.push([config, Object.keys((json as { data: object }).data).join()])
  }
  expect(got).toEqual(wrong.map(([config, field]) => [config, `steps[0].config.${field}`]))
})

const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')

describe('files of a form', () => {
  const withFiles = (more: object = {}): StepInput =>
    form({
      fields: [
        { name: 'email', type: 'email', required: true },
        { name: 'photo', type: 'file', accept: ['.png', '.JPG'], max_mb: 0.01, ...more },
      ],
    })
  type Parts = readonly (readonly [name: string, value: string | Buffer, filename?: string])[]

  /** Posts parts as a browser does. */
  async function post(app: FlowApp, { path }: Pick<Hook, 'path'>, parts: Parts, language = 'en') {
    const data = new FormData()
    for (const [name, value, filename] of parts)
      if (typeof value === 'string') data.append(name, value)
      else data.append(name, new Blob([new Uint8Array(value)], { type: 'image/png' }), filename)
    const headers = { accept: 'text/html', 'accept-language': language }
    const url = `http://127.0.0.1:${app.port}${path}`
    const response = await fetch(url, { method: 'POST', headers, body: data })
    return { status: response.status, text: await response.text() }
  }
  const storedIn = (dataDir: string) =>
    existsSync(join(dataDir, 'files')) ? readdirSync(join(dataDir, 'files')) : []
  const ANN = ['email', 'ann@example.com'] as const

  it('are chosen on its page, stored, and given to the run, which they belong to', async () => {
    const dataDir = await newFolder({ hasCatalogue: true })
    const app = await startFlowApp({ dataDir })
    const hook = await app.addFlow([withFiles({ multiple: true, help: 'Of the tap.' })], open)
    const page = await look(app, hook, { 'accept-language': 'de' })
    for (const part of [
      'enctype="multipart/form-data"',
      'id="field-1-help">Of the tap. .png, .JPG. Bis zu 20 Dateien, je höchstens 10,2 kB.</span>',
      '<input type="file" id="field-1" name="photo" aria-describedby="field-1-help" accept=".png,.JPG" multiple>',
    ])
      expect(page.text).toContain(part)
    const sent = await post(app, hook, [ANN, ['photo', PNG, '../../a/tap.PNG'], ['photo', PNG, 'b.png']])
    expect(sent.status).toBe(200)
    const { photo } = (await received(app)) as { photo: { file_id: string }[] }
    expect(photo).toMatchObject([
      { filename: 'tap.PNG', content_type: 'image/png', size: PNG.length },
      { filename: 'b.png' },
    ])
    const [run] = app.runs()
    const files = photo.map(({ file_id: id }) => [
      readFileSync(join(dataDir, 'files', id)),
      JSON.parse(readFileSync(join(dataDir, 'files', `${id}.json`), 'utf8')),
    ])
    expect(files).toMatchObject([
      [PNG, { flow_run_id: run?.id, from_anyone: true }],
      [PNG, { flow_run_id: run?.id }],
    ])
  })

  it('need not be chosen; a form without them can be sent in any way', async () => {
    const app = await startFlowApp()
    const hook = await app.addFlow([withFiles()], open)
    const answers = [
      await post(app, hook, [ANN, ['photo', Buffer.alloc(0), '']]),
      await send(app, hook, { email: ANN[1], photo: '' }),
      await app.trigger(hook, { body: { email: ANN[1] } }),
    ]
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
    await app.until(({ finished_at: at }) => at !== null)
    expect(await received(app)).toEqual({ email: ANN[1], photo: null })
  })

  it('store nothing if anything is wrong, and the page says what', async () => {
    const dataDir = await newFolder({ hasCatalogue: true })
    const app = await startFlowApp({ dataDir, settings: { webhook_body_limit_bytes: 204_800 } })
    const hook = await app.addFlow([withFiles({ required: true })], open)
    const good = ['photo', PNG, 'a.png'] as const
    const TYPES = 'Please choose a file of one of these types: .png, .JPG.'
    const wrong: readonly [what: string, parts: Parts, status: number, sentence: string][] = [
      ['another field', [['email', 'ann'], good], 400, 'Please choose a.png again.'],
      ['no file', [ANN], 400, 'Please choose a file.'],
      ['text', [ANN, ['photo', 'a.png']], 400, 'Please choose a file.'],
      ['another extension', [ANN, ['photo', PNG, 'a.png.exe']], 400, TYPES],
      ['no extension', [ANN, ['photo', PNG, 'png']], 400, TYPES],
      ['other content', [ANN, ['photo', Buffer.from('MZ\0'), 'a.png']], 400, TYPES],
      ['two', [ANN, good, good], 400, 'Please choose a single file.'],
      [
        'too large',
        [ANN, ['photo', Buffer.concat([PNG, Buffer.alloc(10_500)]), 'a.png']],
        400,
        'at most 10.2 kB',
      ],
      [
        'far too large',
        [ANN, ['photo', Buffer.alloc(300_000), 'a.png']],
        413,
        'at most 200 kB for everything',
      ],
      ['a file for text', [['email', PNG, 'a.png'], good], 400, 'Must be text'],
      ['an unknown field', [ANN, good, ['other', PNG, 'a.png']], 400, 'Please check the marked fields.'],
      ['the hidden field', [ANN, good, ['_website', PNG, 'a.png']], 400, 'This looks like spam.'],
      ['101 files', [ANN, ...Array.from({ length: 101 }, () => good)], 400, 'Something went wrong'],
      ['1,100 parts', [ANN, good, ...Array.from({ length: 1_100 }, () => ANN)], 400, 'Something went wrong'],
    ]
    const got = []
    for (const [what, parts, expected, sentence] of wrong) {
      const { status, text } = await post(app, hook, parts)
      const isPage = text.startsWith('<!doctype html>')
      if (status !== expected || !isPage || !text.includes(sentence)) got.push([what, status, text])
    }
    const inJson = await app.trigger(hook, { body: { email: ANN[1], photo: { file_id: '0' } } })
    expect({ got, inJson: [inJson.status, inJson.json], runs: app.runs(), files: storedIn(dataDir) }).toEqual(
      {
        got: [],
        inJson: [400, expect.objectContaining({ data: { photo: ['Please choose a file.'] } })],
        runs: [],
        files: [],
      },
    )
  })

  it('are not accepted twice: sending the same page again starts nothing', async () => {
    const app = await startFlowApp()
    const hook = await app.addFlow([withFiles()], open)
    const [, sending = ''] = /name="_sending" value="([^"]+)"/.exec((await look(app, hook)).text) ?? []
    const parts = [ANN, ['photo', PNG, 'a.png'], ['_sending', sending]] as const
    const statuses = [await post(app, hook, parts), await post(app, hook, parts)].map(({ status }) => status)
    expect([statuses, app.runs().length]).toEqual([[200, 200], 1])
  })
})
