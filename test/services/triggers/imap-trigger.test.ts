import { monitorEventLoopDelay } from 'node:perf_hooks'
import { readFile } from 'node:fs/promises'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { beforeEach, describe, expect, it, onTestFinished, test } from 'vitest'
import { IMAP_CONNECTOR_ID } from '../../../src/shared/contract/connectors.ts'
import type { Flow } from '../../../src/shared/contract/flows.ts'
import type { FlowTrigger } from '../../../src/shared/contract/reach/flow-trigger.ts'
import { hasDovecot, startDovecot } from '../../helpers/dovecot.ts'
import { type FlowApp, startFlowApp } from '../../helpers/flow-app.ts'
import { temporaryFolder } from '../../helpers/temporary-folder.ts'
import { aMail, type ImapServer, startImapServer } from '../../helpers/imap-server.ts'
import { selfSigned } from '../../helpers/self-signed.ts'
import { startAuthorizationServer } from '../../helpers/authorization-server.ts'

let app: FlowApp
let server: ImapServer
let dataDir: string

beforeEach(async () => {
  server = await startImapServer()
  dataDir = temporaryFolder()
  app = await startFlowApp({ dataDir })
  onTestFinished(async () => {
    app.services.runtime.beginStop()
    await server.close()
  })
})

async function addAuth(more: object = {}): Promise<string> {
  const { json, text, status } = await app.call('POST', '/v1/connector-auths', {
    connector_id: IMAP_CONNECTOR_ID,
    name: 'Mail',
    auth_type: 'username_password',
    username: 'me@example.test',
    password: 'right',
    api_endpoint: server.url,
    ...more,
  })
  if (status !== 201) throw new Error(text)
  return (json as { id: string }).id
}

async function watch(config: object = {}): Promise<string> {
  const { json, status, text } = await app.call('POST', '/v1/flows', {
    name: 'Mail',
    status: 'active',
    steps: [{ ref_id: 'mail', type: 'imap_trigger', config: { auth_id: await addAuth(), ...config } }],
  })
  if (status !== 201) throw new Error(text)
  await app.services.triggers.look()
  return (json as Flow).id
}

const stateOf = async (id: string) => (await app.call('GET', `/v1/flows/${id}/trigger`)).json as FlowTrigger

async function check(id: string): Promise<FlowTrigger> {
  return (await app.call('POST', `/v1/flows/${id}/trigger/check`)).json as FlowTrigger
}

interface MailOutput {
  readonly [name: string]: unknown
  readonly subject: string
  readonly attachments: readonly {
    readonly filename: string
    readonly file_id: string
    readonly size: number
  }[]
}

async function ran(): Promise<MailOutput[]> {
  for (const { id } of app.runs()) await app.until((run) => run.id === id && run.finished_at !== null)
  return app
    .runs()
    .toReversed()
    .map((run) => app.stepsOf(run)[0]?.output as MailOutput)
}

/** The content of its first attachment, as stored in the data folder. */
const contentOf = (mail: MailOutput | undefined) =>
  readFile(join(dataDir, 'files', mail?.attachments[0]?.file_id ?? 'none'), 'utf8')

const subjects = async () => (await ran()).map(({ subject }) => subject)

describe('emails of a mailbox', () => {
  it('start a run as soon as the server reports them, with their content', async () => {
    server.deliver(aMail({ subject: 'old' }))
    const id = await watch()
    await expect.poll(() => server.idling).toBe(1)
    const attachment = [
      'From: "Ada Lind" <ada@example.test>\r\nTo: Team: me@example.test, you@example.test;\r\nCc: c@example.test',
      'Subject: =?utf-8?Q?Rechnung_f=C3=BCr_M=C3=A4rz?=\r\nMessage-ID: <a1@example.test>',
      'Date: Sun, 01 Mar 2026 10:00:00 +0100\r\nReply-To: r@example.test\r\nList-Id: <x.example.test>',
      'Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Type: multipart/alternative; boundary=c',
      '\r\n--c\r\nContent-Type: text/plain; charset=utf-8\r\n\r\nZwölf Euro\r\n--c\r\nContent-Type: text/html\r\n',
      '<b>12</b>\r\n--c--\r\n--b\r\nContent-Type: text/csv; name="r.csv"\r\nContent-Disposition: attachment\r\n',
      'id,total\r\n--b--\r\n',
    ].join('\r\n')
    server.deliver(attachment, new Date('2026-03-01T09:00:05Z'))
    await app.until((run) => run.trigger === 'mail' && run.finished_at !== null)
    const [mail] = await ran()
    expect(mail).toEqual({
      message_id: '<a1@example.test>',
      subject: 'Rechnung für März',
      from: 'ada@example.test',
      from_name: 'Ada Lind',
      to: ['me@example.test', 'you@example.test'],
      cc: ['c@example.test'],
      reply_to: ['r@example.test'],
      date: '2026-03-01T09:00:00.000Z',
      received_at: '2026-03-01T09:00:05.000Z',
      text: expect.stringContaining('Zwölf Euro') as string,
      html: expect.stringContaining('<b>12</b>') as string,
      attachments: [
        { filename: 'r.csv', content_type: 'text/csv', size: 9, file_id: expect.any(String) as string },
      ],
      headers: expect.objectContaining({ 'list-id': '<x.example.test>' }) as object,
      mailbox: 'INBOX',
      uid: 2,
      problem: null,
    })
    expect(await contentOf(mail)).toBe('id,total\n')
    expect(await stateOf(id)).toMatchObject({
      found: 1,
      listening: { connected: true, error: null, alive_at: expect.any(String) as string },
      note: null,
    })
  })

  it.each([
    [{ first: 'all' }, ['a', 'b', 'c']],
    [{ first: 'newest', newest: 2 }, ['b', 'c']],
    [{ first: 'none' }, []],
  ])('found at the first check with %j are %j, each once', async (config, expected) => {
    for (const subject of ['a', 'b', 'c']) server.deliver(aMail({ subject }))
    const id = await watch(config)
    await check(id)
    server.deliver(aMail({ subject: 'new' }))
    await check(id)
    await check(id)
    expect(await subjects()).toEqual([...expected, 'new'])
  })

  it('are filtered by sender, subject and whether they are read, and can be marked as read', async () => {
    const id = await watch({ from: 'ADA', subject: 'invoice', unseen_only: true, mark_seen: true })
    server.deliver(aMail({ subject: 'Invoice 1', from: 'Shop <ada@example.test>' }))
    server.deliver(aMail({ subject: 'Invoice 2', from: 'Bob <bob@example.test>' }))
    server.deliver(aMail({ subject: 'Letter' }))
    server.deliver(aMail({ subject: 'Invoice 3' })).flags.add('\\Seen')
    await check(id)
    await check(id)
    expect(await subjects()).toEqual(['Invoice 1'])
    expect(server.mails.map(({ flags }) => [...flags])).toEqual([['\\Seen'], [], [], ['\\Seen']])
  })

  it('of a large mailbox are read in parts', async () => {
    for (let number = 1; number <= 105; number++) server.deliver(aMail({ subject: `n${number}` }))
    const id = await watch({ first: 'all' })
    await check(id)
    expect((await check(id)).found).toBe(105)
    expect(new Set(await subjects()).size).toBe(105)
  })

  it("that the server renumbered start no second run, and emails that arrived in between aren't missed", async () => {
    server.deliver(aMail({ subject: 'known' }))
    const id = await watch()
    server.deliver(aMail({ subject: 'ran' }))
    await check(id)
    const long = 'Mon, 01 Jan 2024 10:00:00 +0000'
    server.mails.unshift({
      uid: 0,
      source: Buffer.from(aMail({ subject: 'ancient', date: long })),
      at: new Date(),
      flags: new Set(),
    })
    server.mails.push({
      uid: 9,
      source: Buffer.from(aMail({ subject: 'in between' })),
      at: new Date(),
      flags: new Set(),
    })
    server.renumber(new Date())
    const state = await check(id)
    server.deliver(aMail({ subject: 'after' }))
    await check(id)
    expect(await subjects()).toEqual(['ran', 'in between', 'after'])
    expect(state.note).toMatch(/^The mail server renumbered the mailbox on \d{4}-\d\d-\d\d\. Emails since/)
    expect((await stateOf(id)).error).toBeNull()
  })

  it('are found after the connection was lost', async () => {
    const id = await watch()
    await expect.poll(() => server.idling).toBe(1)
    server.drop()
    await expect.poll(async () => (await stateOf(id)).listening?.connected).toBe(false)
    server.deliver(aMail({ subject: 'meanwhile' }))
    await app.until((run) => run.trigger === 'mail' && run.finished_at !== null)
    expect(await subjects()).toEqual(['meanwhile'])
  })

  it('are read with an access token, too', async () => {
    const issuer = await startAuthorizationServer()
    const { id: connector_id } = (
      await app.call('POST', '/v1/connectors', {
        name: 'Mail with OAuth',
        auth_config: { ...issuer.config, grant_type: 'client_credentials' },
      })
    ).json as { id: string }
    const login = { auth_type: 'oauth2', connector_id, username: '', password: undefined }
    const auth_id = await addAuth({
      ...login,
      api_endpoint: server.url.replace('//', '//me%40example.test@'),
    })
    await app.call('POST', `/v1/connector-auths/${auth_id}/authorize`)
    server.deliver(aMail())
    const { error, found } = await stateOf(await watch({ auth_id, first: 'all' }))
    expect({ error, found, login: server.logins[0] }).toEqual({
      error: null,
      found: 1,
      login: 'me@example.test by XOAUTH2',
    })
  })

  it('start a manual run with the newest one and its attachments', async () => {
    server.deliver(aMail({ subject: 'first' }))
    server.deliver(
      aMail({
        subject: 'second',
        more: 'Content-Type: text/csv\r\nContent-Disposition: attachment; filename=a.csv\r\n',
      }),
    )
    const { flow } = await app.addFlow([
      { ref_id: 'mail', type: 'imap_trigger', config: { auth_id: await addAuth() } },
    ])
    await app.call('POST', `/v1/flows/${flow.id}/run?wait=true`)
    const [mail] = await ran()
    expect(mail).toMatchObject({ subject: 'second', attachments: [{ filename: 'a.csv' }] })
    expect(await contentOf(mail)).toContain('Hi')
  })
})

describe('hostile emails', () => {
  const withFile = (name: string) =>
    aMail({
      subject: name,
      id: 'x',
      more: `Content-Type: a/b\r\nContent-Disposition: attachment; filename="${name}"\r\n`,
    })

  it('get safe names for attachments that are named like paths or devices', async () => {
    const names = [
      ['../../etc/passwd', 'passwd'],
      ['..\\\\..\\\\boot.ini', 'boot.ini'],
      ['C:\\\\x\\\\evil.exe', 'evil.exe'],
      ['/etc/.hidden', 'hidden'],
      ['..', 'attachment-1'],
      ['con.txt', '_con.txt'],
      ['a<b>|c?.txt', 'a_b__c_.txt'],
      ['=?utf-8?Q?a=0D=0Ab=00c.txt?=', 'a b c.txt'],
      [`${'x'.repeat(300)}.pdf`, `${'x'.repeat(100)}.pdf`],
    ] as const
    const id = await watch()
    for (const [name] of names) server.deliver(withFile(name))
    await check(id)
    const found = (await ran()).map(({ attachments }) => attachments[0]?.filename)
    expect(found).toEqual(names.map(([, expected]) => expected))
  })

  it('have no line breaks that could start a header', async () => {
    const id = await watch()
    server.deliver(
      aMail({
        subject: '=?utf-8?Q?Hi=0D=0ABcc:_evil@example.test?=',
        from: '=?utf-8?Q?A=0D=0AX:_1?= <"a\r\n b"@example.test>',
        id: 'x',
        more: '__proto__: polluted\r\nX-Odd: a\r\n b\r\n',
      }),
    )
    await check(id)
    const [mail] = await ran()
    expect(JSON.stringify({ ...mail, text: '' })).not.toMatch(/\\[rn]/)
    expect(mail).toMatchObject({ subject: 'Hi Bcc: evil@example.test', headers: { 'x-odd': 'a b' } })
  })

  it('that are malformed start a run or are set aside, and the next one starts a run', async () => {
    const nested = (_: unknown, n: number) =>
      `Content-Type: multipart/mixed; boundary=b${n}\r\n\r\n--b${n}\r\n`
    const odd = [
      Buffer.from([0, 255, 13, 10, 13, 10, 128]),
      aMail({ more: 'Content-Type: multipart/mixed; boundary=b\r\n', text: '--b\r\n--b\r\n' }),
      aMail({ more: 'Content-Type: text/plain; charset=nonsense\r\n' }),
      Array.from({ length: 300 }, nested).join(''),
      aMail({ more: `X-Long: ${'x'.repeat(600_000)}\r\n` }),
    ]
    const id = await watch()
    for (const source of odd) server.deliver(source)
    server.deliver(aMail({ subject: 'next' }))
    const { found, error, set_aside: aside } = await check(id)
    const mails = await ran()
    expect({ found, error, last: mails.at(-1)?.subject }).toEqual({ found: 4, error: null, last: 'next' })
    expect(mails.map(({ problem }) => problem)).toEqual([null, null, null, null])
    expect(aside.map(({ reason }) => reason)).toEqual([
      expect.stringContaining("The email can't be read"),
      expect.stringContaining("The email can't be read"),
    ])
  })

  it('that take forever are skipped, kept as a file, and hold nothing up', async () => {
    const id = await watch()
    const worst = [
      '\n'.repeat(4 * 1_048_576),
      '\r\n'.repeat(12 * 1_048_576 - 1_000),
      `${'--b\r\n\r\nx\r\n'.repeat(100_000)}--b--\r\n`,
    ]
    for (const [index, text] of worst.entries())
      server.deliver(
        aMail({ subject: `worst ${index}`, more: 'Content-Type: multipart/mixed; boundary=b\r\n', text }),
      )
    server.deliver(aMail({ subject: 'next' }))
    const loop = monitorEventLoopDelay({ resolution: 10 })
    loop.enable()
    const { set_aside: aside } = await check(id)
    loop.disable()
    const mails = await ran()
    expect({
      ran: mails.map(({ subject, problem, attachments }) => [subject, problem, attachments.length]),
      aside: aside.toReversed().map(({ title, reason }) => [title, reason]),
    }).toEqual({
      ran: [['next', null, 0]],
      aside: worst.map((_, index) => [
        expect.stringMatching(`^worst ${index} \\(`),
        expect.stringContaining("The email can't be read: it has more than"),
      ]),
    })
    const file = await app.call('GET', `/v1/file-uploads/${aside.at(-1)?.file_id}/content`)
    expect([file.status, file.text.includes('Subject: worst 0')]).toEqual([200, true])
    expect(loop.max / 1e6).toBeLessThan(3_000)
  }, 60_000)

  it('that are set aside are the newest twenty, and are read again on request', async () => {
    const id = await watch()
    for (let n = 0; n < 22; n++)
      server.deliver(aMail({ subject: `long ${n}`, more: `X-Long: ${'x'.repeat(600_000)}\r\n` }))
    const before = await check(id)
    const again = await app.call('POST', `/v1/flows/${id}/trigger/retry`)
    const kept = await app.call('GET', '/v1/file-uploads')
    server.deliver(aMail({ subject: 'next' }))
    await check(id)
    const titles = (trigger: FlowTrigger) =>
      new Set(trigger.set_aside.map(({ title }) => title.split(' (')[0]))
    const newest = Array.from({ length: 20 }, (_, n) => `long ${n + 2}`)
    expect({
      before: titles(before),
      again: titles(again.json as FlowTrigger),
      files: (kept.json as unknown[]).length,
      ran: (await ran()).map(({ subject }) => subject),
    }).toEqual({ before: new Set(newest), again: new Set(newest), files: 20, ran: ['next'] })
  })

  it('that are too large come with their headers only', async () => {
    const id = await watch()
    server.deliver(aMail({ subject: 'huge', text: 'x'.repeat(26 * 1_048_576) }))
    await check(id)
    expect((await ran())[0]).toMatchObject({
      subject: 'huge',
      text: '',
      problem: 'The email is larger than 25 MiB, so only its headers were read',
    })
  })
})

/** An address of this computer other than loopback, at which a login needs TLS. */
const ownAddress = Object.values(networkInterfaces())
  .flat()
  .find((one) => one?.family === 'IPv4' && !one.internal)?.address

function trust(cert: string): void {
  const before = getCACertificates()
  setDefaultCACertificates([...before, cert])
  onTestFinished(() => setDefaultCACertificates(before))
}

describe('a mailbox over TLS', () => {
  it('is read if the certificate is trusted, and otherwise gets no login', async () => {
    const certificate = selfSigned('127.0.0.1')
    await server.close()
    server = await startImapServer({ tls: { ...certificate, begins: 'at once' } })
    server.deliver(aMail({ subject: 'secured' }))
    const id = await watch({ first: 'all' })
    const { error } = await stateOf(id)
    const before = [...server.commands]
    trust(certificate.cert)
    await check(id)
    expect([error?.message, before, await subjects()]).toEqual([
      expect.stringMatching(
        /^The certificate of the mail server 127.0.0.1 isn't trusted: self-signed certificate; use the name/,
      ),
      [],
      ['secured'],
    ])
  })

  it.runIf(ownAddress)('that begins by STARTTLS is read in the same way, and never without it', async () => {
    const host = ownAddress ?? ''
    const certificate = selfSigned(host)
    await server.close()
    server = await startImapServer({ host, tls: { ...certificate, begins: 'by STARTTLS' } })
    server.deliver(aMail({ subject: 'secured' }))
    const id = await watch({ first: 'all' })
    const { error } = await stateOf(id)
    const before = [...server.logins]
    trust(certificate.cert)
    await check(id)
    const plain = await startImapServer({ host })
    onTestFinished(() => plain.close())
    const refused = await stateOf(await watch({ auth_id: await addAuth({ api_endpoint: plain.url }) }))
    expect([error?.message, before, await subjects(), refused.error?.message, plain.logins]).toEqual([
      expect.stringContaining(
        `The certificate of the mail server ${host} isn't trusted: self-signed certificate; use the name`,
      ),
      [],
      ['secured'],
      expect.stringContaining('STARTTLS'),
      [],
    ])
  })
})

describe.runIf(hasDovecot && ownAddress)('a mailbox of Dovecot', () => {
  it('is read over TLS and STARTTLS if the certificate is trusted, and otherwise gets no login', async () => {
    const host = ownAddress ?? ''
    const certificate = selfSigned(host)
    const dovecot = await startDovecot(host, certificate, aMail({ subject: 'delivered' }))
    onTestFinished(() => dovecot.stop())
    const ids = [dovecot.secure, dovecot.plain].map(async (api_endpoint) =>
      watch({ auth_id: await addAuth({ api_endpoint }), first: 'all' }),
    )
    const [secure = '', plain = ''] = await Promise.all(ids)
    const distrusted = [await stateOf(secure), await stateOf(plain)].map(({ error }) => error?.message)
    trust(certificate.cert)
    const checked = [await check(secure), await check(plain)].map(({ error }) => error)
    const wrong = await watch({
      auth_id: await addAuth({ api_endpoint: dovecot.secure, password: 'wrong wrong' }),
    })
    expect({ distrusted, checked, subjects: await subjects(), wrong: await stateOf(wrong) }).toMatchObject({
      distrusted: Array.from({ length: 2 }, () => expect.stringContaining("isn't trusted: self-signed")),
      checked: [null, null],
      subjects: ['delivered', 'delivered'],
      wrong: { error: { message: expect.stringContaining('rejected the login: ') } },
    })
  })
})

describe('a mailbox that cannot be read', () => {
  it('reports the reason, without the password', async () => {
    const cases = [
      [{ password: 'wrong wrong' }, {}, 'rejected the login: '],
      [{ api_endpoint: 'imap://127.0.0.1:1' }, {}, "Can't use the mail server 127.0.0.1:1"],
      [{ api_endpoint: 'imaps://169.254.169.254' }, {}, 'never connects to'],
      [{ api_endpoint: 'https://example.test' }, {}, 'Invalid mailbox URL'],
      [{ username: '' }, {}, 'has no username'],
      [{}, { mailbox: 'Nowhere' }, 'open the mailbox "Nowhere": there is no such mailbox'],
      [{}, { auth_id: 'nothing' }, 'nothing'],
    ] as const
    const states: FlowTrigger[] = []
    for (const [auth, config] of cases) {
      const auth_id = await addAuth(auth)
      states.push(await stateOf(await watch({ auth_id, ...config })))
    }
    expect(states.map(({ error }) => error?.message)).toEqual(
      cases.map(([, , message]) => expect.stringContaining(message) as string),
    )
    expect(JSON.stringify(states)).not.toContain('wrong wrong')
  })

  it('fails if the server sends nonsense, and works again afterwards', async () => {
    const id = await watch()
    server.deliver(aMail({ subject: 'waits' }))
    server.instead = (command) => (command.startsWith('UID FETCH') ? `* 1 FETCH (UID x ENVELOPE (((((` : null)
    const failed = await check(id)
    server.instead = null
    const { found, failures } = await check(id)
    expect([failed.found, found, failures]).toEqual([0, 1, 0])
  })
})

test.each([
  [{}, 'auth_id'],
  [{ auth_id: 'x', every_minutes: 0 }, 'every_minutes'],
  [{ auth_id: 'x', newest: 1_001 }, 'newest'],
  [{ auth_id: 'x', mailbox: 7 }, 'mailbox'],
])('%j is rejected on saving', async (config, field) => {
  const { status, json } = await app.call('POST', '/v1/flows', {
    name: 'X',
    steps: [{ ref_id: 'a', type: 'imap_trigger', config }],
  })
  const { data } = json as { data: Record<string, string[]> }
  expect([status, Object.keys(data)]).toEqual([400, [`steps[0].config.${field}`]])
})
