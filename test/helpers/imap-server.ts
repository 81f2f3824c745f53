/** An IMAP4rev1 server with IDLE, for tests: real connections on a free port of loopback, mailboxes in memory. */
import { createServer, type Socket } from 'node:net'
import type { AddressInfo } from 'node:net'
import { createServer as createTlsServer, TLSSocket } from 'node:tls'
import type { SelfSigned } from './self-signed.ts'

export interface ServerMail {
  readonly uid: number
  readonly source: Buffer
  readonly at: Date
  readonly flags: Set<string>
}

export interface ImapServer {
  /** `imap://127.0.0.1:…` */
  readonly url: string
  readonly port: number
  /** The emails of INBOX, by UID. */
  mails: ServerMail[]
  uidValidity: number
  /** XOAUTH2 responses and logins, in order. */
  readonly logins: string[]
  /** Commands without their tags, in order. */
  readonly commands: string[]
  /** Adds an email, and notifies those who wait. */
  deliver(source: string | Buffer, at?: Date): ServerMail
  /** How many connections wait for new emails. */
  readonly idling: number
  /** Ends all connections. */
  drop(): void
  /** Gives all emails other numbers, as after a restored backup. */
  renumber(at?: Date): void
  /** Responds to a command with this instead; null responds as usual. */
  instead: ((command: string) => string | null) | null
  close(): Promise<void>
}

interface MailText {
  readonly subject?: string
  readonly from?: string
  /** The ID in the Message-ID; defaults to the subject. */
  readonly id?: string
  readonly text?: string
  readonly date?: string
  /** Other header lines, each with its line ending. */
  readonly more?: string
}

export const aMail = ({
  subject = 'Hello',
  from = 'Ada <ada@example.test>',
  id = subject,
  text = 'Hi',
  date = '',
  more = '',
}: MailText = {}) =>
  `From: ${from}\r\nTo: me@example.test\r\nSubject: ${subject}\r\nMessage-ID: <${id}@example.test>\r\n${
    date === '' ? '' : `Date: ${date}\r\n`
  }${more}\r\n${text}\r\n`

interface ImapServerOptions {
  readonly password?: string
  readonly host?: string
  /** Whether TLS begins with the first byte, or with STARTTLS. */
  readonly tls?: SelfSigned & { readonly begins: 'at once' | 'by STARTTLS' }
}

/** A server that accepts any access token. */
export async function startImapServer({
  password = 'right',
  host = '127.0.0.1',
  tls,
}: ImapServerOptions = {}): Promise<ImapServer> {
  const sessions = new Set<Session>()
  const serve = (socket: Socket) => {
    const session = new Session(socket, state, password, tls?.begins === 'by STARTTLS' ? tls : null)
    sessions.add(session)
    socket.once('close', () => sessions.delete(session))
  }
  const server = tls?.begins === 'at once' ? createTlsServer(tls, serve) : createServer(serve)
  let nextUid = 1
  const state: ImapServer = {
    url: '',
    port: 0,
    mails: [],
    uidValidity: 7,
    logins: [],
    commands: [],
    instead: null,
    deliver(source, at = new Date()) {
      const mail = { uid: nextUid++, source: Buffer.from(source), at, flags: new Set<string>() }
      state.mails.push(mail)
      for (const session of sessions) session.tellExists()
      return mail
    },
    get idling() {
      return [...sessions].filter(({ idleTag }) => idleTag !== null).length
    },
    drop() {
      for (const session of sessions) session.socket.destroy()
    },
    renumber(at) {
      state.uidValidity++
      nextUid = 1
      state.mails = state.mails.map((mail) => ({ ...mail, uid: nextUid++, at: at ?? mail.at }))
      state.drop()
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        state.drop()
      }),
  }
  await new Promise<void>((resolve) => server.listen(0, host, resolve))
  const { port } = server.address() as AddressInfo
  return Object.assign(state, {
    port,
    url: `${tls?.begins === 'at once' ? 'imaps' : 'imap'}://${host}:${port}`,
  })
}

class Session {
  socket: Socket
  readonly #server: ImapServer
  readonly #tls: SelfSigned | null
  readonly #password: string
  #buffer = ''
  #isSignedIn = false
  #isSelected = false
  #pendingLogin: ((line: string) => void) | null = null
  idleTag: string | null = null

  constructor(socket: Socket, server: ImapServer, password: string, tls: SelfSigned | null) {
    this.socket = socket
    this.#server = server
    this.#password = password
    this.#tls = tls
    socket.setNoDelay(true)
    this.#listen()
    this.#send('* OK IMAP4rev1 ready')
  }

  #listen(): void {
    this.socket.on('error', () => {})
    this.socket.on('data', (chunk) => this.#read(chunk.toString('latin1')))
  }

  #startTls(tls: SelfSigned): void {
    this.socket.removeAllListeners('data')
    this.socket = new TLSSocket(this.socket, { isServer: true, ...tls })
    this.#listen()
  }

  tellExists(): void {
    if (this.idleTag !== null) this.#send(`* ${this.#server.mails.length} EXISTS`)
  }

  #send(line: string): void {
    if (!this.socket.destroyed) this.socket.write(`${line}\r\n`, 'latin1')
  }

  #read(text: string): void {
    this.#buffer += text
    for (;;) {
      const end = this.#buffer.indexOf('\r\n')
      if (end === -1) return
      const line = this.#buffer.slice(0, end)
      this.#buffer = this.#buffer.slice(end + 2)
      this.#line(line)
    }
  }

  #line(line: string): void {
    if (this.#pendingLogin !== null) {
      const answer = this.#pendingLogin
      this.#pendingLogin = null
      return answer(line)
    }
    if (this.idleTag !== null && line.toUpperCase() === 'DONE') {
      const tag = this.idleTag
      this.idleTag = null
      return this.#send(`${tag} OK IDLE ended`)
    }
    const [tag = '*', ...rest] = line.split(' ')
    const command = rest.join(' ')
    this.#server.commands.push(command)
    const given = this.#server.instead?.(command)
    if (given !== null && given !== undefined) return this.#send(`${given}\r\n${tag} OK done`)
    this.#answer(tag, command)
  }

  #answer(tag: string, command: string): void {
    const [name = ''] = command.toUpperCase().split(' ')
    const done = (text = `${name} done`) => this.#send(`${tag} OK ${text}`)
    const refuse = (text: string) => this.#send(`${tag} NO ${text}`)
    const uid = /^UID (SEARCH|FETCH|STORE) (.*)$/i.exec(command)
    if (name === 'CAPABILITY') {
      const offered = this.#tls === null ? '' : ' STARTTLS'
      this.#send(`* CAPABILITY IMAP4rev1 IDLE AUTH=XOAUTH2 AUTH=PLAIN SASL-IR${offered}`)
      return done()
    }
    if (name === 'STARTTLS' && this.#tls !== null) {
      done()
      return this.#startTls(this.#tls)
    }
    if (name === 'LOGOUT') {
      this.#send('* BYE')
      done()
      return void this.socket.end()
    }
    if (name === 'NOOP') {
      if (this.#isSelected) this.#send(`* ${this.#server.mails.length} EXISTS`)
      return done()
    }
    if (name === 'LOGIN') {
      const [, user = '', password = ''] = /^LOGIN "?([^" ]+)"? "?([^"]*?)"?$/i.exec(command) ?? []
      return this.#signIn(tag, user, password === this.#password)
    }
    if (name === 'AUTHENTICATE') return this.#authenticate(tag, command)
    if (!this.#isSignedIn) return refuse('sign in first')
    if (name === 'SELECT' || name === 'EXAMINE') return this.#select(tag, command)
    if (name === 'LIST') {
      this.#send(
        /^LIST "" ""$/i.test(command) ? '* LIST (\\Noselect) "/" ""' : '* LIST (\\HasNoChildren) "/" INBOX',
      )
      return done()
    }
    if (name === 'IDLE') {
      this.idleTag = tag
      return this.#send('+ idling')
    }
    if (!this.#isSelected && (uid || name === 'FETCH')) return refuse('no mailbox is selected')
    if (uid?.[1]?.toUpperCase() === 'SEARCH') {
      this.#send(`* SEARCH ${this.#search(uid[2] ?? '').join(' ')}`.trimEnd())
      return done()
    }
    if (uid?.[1]?.toUpperCase() === 'STORE') {
      const [, set = '', flags = ''] = /^(\S+) \+FLAGS(?:\.SILENT)? \(([^)]*)\)/i.exec(uid[2] ?? '') ?? []
      for (const mail of this.#within(set)) for (const flag of flags.split(' ')) mail.flags.add(flag)
      return done()
    }
    const fetch = /^(?:UID )?FETCH (\S+) (.*)$/i.exec(command)
    if (fetch) {
      const [, set = '', items = ''] = fetch
      for (const mail of uid ? this.#within(set) : this.#server.mails.slice(-1)) this.#fetch(mail, items)
      return done()
    }
    this.#send(`${tag} BAD unknown command`)
  }

  #authenticate(tag: string, command: string): void {
    const [, mechanism = '', initial] = /^AUTHENTICATE (\S+)(?: (\S+))?$/i.exec(command) ?? []
    const take = (encoded: string) => {
      const text = Buffer.from(encoded, 'base64').toString()
      if (mechanism.toUpperCase() === 'PLAIN') {
        const [, user = '', password = ''] = text.split('\0')
        return this.#signIn(tag, user, password === this.#password)
      }
      const [, user = '', token = ''] =
        /^user=(.*)\|auth=Bearer (.*)\|\|$/.exec(text.replaceAll('\u0001', '|')) ?? []
      this.#signIn(tag, `${user} by XOAUTH2`, token !== '')
    }
    if (initial !== undefined) return take(initial)
    this.#pendingLogin = take
    this.#send('+ ')
  }

  #signIn(tag: string, user: string, isRight: boolean): void {
    this.#server.logins.push(user)
    this.#isSignedIn = isRight
    this.#send(isRight ? `${tag} OK signed in` : `${tag} NO [AUTHENTICATIONFAILED] wrong password`)
  }

  #select(tag: string, command: string): void {
    const { mails, uidValidity } = this.#server
    if (!/^\w+ "?INBOX"?$/i.test(command))
      return this.#send(`${tag} NO [NONEXISTENT] there is no such mailbox`)
    this.#isSelected = true
    this.#send('* FLAGS (\\Seen \\Deleted)')
    this.#send(`* ${mails.length} EXISTS`)
    this.#send('* OK [PERMANENTFLAGS (\\Seen \\Deleted)] limited')
    this.#send(`* OK [UIDVALIDITY ${uidValidity}] valid`)
    this.#send(`* OK [UIDNEXT ${(mails.at(-1)?.uid ?? 0) + 1}] next`)
    this.#send(`${tag} OK [${/^EXAMINE/i.test(command) ? 'READ-ONLY' : 'READ-WRITE'}] selected`)
  }

  /** A range up to `*` includes the last email, as the standard says. */
  #within(set: string): ServerMail[] {
    const { mails } = this.#server
    const last = mails.at(-1)?.uid ?? 0
    const number = (text: string) => (text === '*' ? last : Number(text))
    const ranges = set.split(',').map((part) => {
      const [from = '', to = from] = part.split(':')
      return [number(from), number(to)].toSorted((a, b) => a - b) as [number, number]
    })
    return mails.filter(({ uid }) => ranges.some(([from, to]) => uid >= from && uid <= to))
  }

  #search(criteria: string): number[] {
    const set = /\bUID (\S+)/i.exec(criteria)?.[1]
    const since = /\bSINCE "?(\d+-\w+-\d+)"?/i.exec(criteria)?.[1]
    const day = since === undefined ? 0 : Date.parse(`${since} 00:00:00 UTC`)
    return (set === undefined ? this.#server.mails : this.#within(set))
      .filter(({ at }) => at.getTime() >= day)
      .map(({ uid }) => uid)
  }

  #fetch(mail: ServerMail, items: string): void {
    const { uid, source, at, flags } = mail
    const parts = [`UID ${uid}`]
    if (/\bFLAGS\b/.test(items)) parts.push(`FLAGS (${[...flags].join(' ')})`)
    if (/RFC822\.SIZE/.test(items)) parts.push(`RFC822.SIZE ${source.length}`)
    if (/INTERNALDATE/.test(items)) parts.push(`INTERNALDATE "${internalDate(at)}"`)
    if (/ENVELOPE/.test(items)) parts.push(`ENVELOPE ${envelope(source)}`)
    const head = source.subarray(0, source.indexOf('\r\n\r\n') + 4)
    const partial = /BODY(?:\.PEEK)?\[\](?:<0\.(\d+)>)?/.exec(items)
    if (/BODY(?:\.PEEK)?\[HEADER\]/.test(items)) parts.push(`BODY[HEADER] ${literal(head)}`)
    else if (partial?.[1] !== undefined)
      parts.push(`BODY[]<0> ${literal(source.subarray(0, Number(partial[1])))}`)
    else if (partial) parts.push(`BODY[] ${literal(source)}`)
    this.#send(`* ${this.#server.mails.indexOf(mail) + 1} FETCH (${parts.join(' ')})`)
  }
}

function literal(bytes: Buffer): string {
  return `{${bytes.length}}\r\n${bytes.toString('latin1')}`
}

function envelope(source: Buffer): string {
  const head = source.toString('latin1').split('\r\n\r\n')[0] ?? ''
  const header = (name: string) => new RegExp(`^${name}: (.*)$`, 'im').exec(head)?.[1]?.replace(/\r$/, '')
  const text = (value: string | undefined) =>
    value === undefined ? 'NIL' : literal(Buffer.from(value, 'latin1'))
  const [, name, user, host] = /^(?:"?([^"<]*?)"? )?<?([^@<]*)@([^>]*)>?$/.exec(header('From') ?? '') ?? []
  const from = user === undefined ? 'NIL' : `((${text(name)} NIL ${text(user)} ${text(host)}))`
  const id = text(header('Message-ID'))
  return `(${text(header('Date'))} ${text(header('Subject'))} ${from} ${from} ${from} NIL NIL NIL NIL ${id})`
}

function internalDate(at: Date): string {
  const [, day = '', month = '', year = '', clock = ''] =
    /^\w+, (\d+) (\w+) (\d+) ([\d:]+)/.exec(at.toUTCString()) ?? []
  return `${day.padStart(2, ' ')}-${month}-${year} ${clock} +0000`
}
