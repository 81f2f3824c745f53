/** Connections to mail servers by IMAP. The package is loaded with the first one. */
import { quoted, say, type Said } from '../../../../shared/contract/base/message.ts'
import type { ImapFlow, ImapFlowOptions, MailboxObject } from 'imapflow'
import { AppError } from '../../../../shared/contract/base/errors.ts'
import type { OpenAuth } from '../../../engine/connector/open-auth.ts'
import { findMailServer, loginRejected, type MailServer, mailServerUnusable } from '../sending/mail-server.ts'
import { LARGEST_MAIL } from './read-mail.ts'

export interface MailboxPlace {
  readonly auth: OpenAuth
  readonly mailbox: string
  readonly readOnly: boolean
}

export interface OpenMailbox {
  readonly client: ImapFlow
  readonly box: MailboxObject
}

/** Signs in and opens the inbox, as every use does. Returns a sentence with the server's name. */
export async function tryMailbox(auth: OpenAuth, signal: AbortSignal): Promise<Said> {
  const { opened, server, close } = await openMailbox({ auth, mailbox: 'INBOX', readOnly: true }, signal)
  close()
  return say('Signed in to the mail server {{place}} as "{{user}}"; the inbox has {{count}} emails', {
    place: `${server.name}:${server.port}`,
    user: server.user,
    count: opened.box.exists,
  })
}

/** Connects, opens the mailbox, works with it and disconnects. */
export async function useMailbox<T>(
  place: MailboxPlace,
  signal: AbortSignal,
  work: (open: OpenMailbox) => Promise<T>,
): Promise<T> {
  const { opened, close, refusalOf } = await openMailbox(place, signal)
  try {
    return await work(opened)
  } catch (error) {
    signal.throwIfAborted()
    throw refusalOf(error)
  } finally {
    close()
  }
}

export interface Connection {
  readonly opened: OpenMailbox
  readonly server: MailServer
  readonly close: () => void
  /** Turns a connection error into one for the user. */
  readonly refusalOf: (error: unknown) => unknown
}

/** @throws AppError with the server and its own message */
export async function openMailbox(
  { auth, mailbox, readOnly }: MailboxPlace,
  signal: AbortSignal,
): Promise<Connection> {
  const server = await findMailServer(auth, 'imap')
  const login = loginOf(auth, server)
  const { ImapFlow } = await import('imapflow')
  signal.throwIfAborted()
  const client = new ImapFlow({
    host: server.address,
    port: server.port,
    secure: server.secure,
    // A login is never sent in plain text, except to a server on this machine.
    ...(server.secure ? {} : { doSTARTTLS: !server.isLocal }),
    tls: {
      ...(/^[\d.]+$|:/.test(server.name) ? {} : { servername: server.name }),
      rejectUnauthorized: true,
    },
    auth: login,
    logger: false,
    clientInfo: { name: 'Millrace' },
    disableAutoIdle: true,
    disableCompression: true,
    connectionTimeout: 10_000,
    greetingTimeout: 10_000,
    maxLineLength: 16 * 1_048_576,
    maxLiteralSize: LARGEST_MAIL + 1_048_576,
    maxResponseSize: LARGEST_MAIL + 16 * 1_048_576,
  })
  // The pending call reports it as well.
  client.on('error', () => {})
  const close = () => {
    signal.removeEventListener('abort', close)
    client.close()
  }
  signal.addEventListener('abort', close, { once: true })
  const refuse = (error: unknown) => refusalOf(error, server)
  try {
    await client.connect()
    const box = await client.mailboxOpen(mailbox, { readOnly }).catch((cause: unknown) => {
      throw client.usable ? noMailbox(server.name, mailbox, cause) : cause
    })
    return { opened: { client, box }, server, close, refusalOf: refuse }
  } catch (error) {
    close()
    signal.throwIfAborted()
    throw refuse(error)
  }
}

function loginOf(auth: OpenAuth, { user, pass }: MailServer): NonNullable<ImapFlowOptions['auth']> {
  if (user === '') {
    throw new AppError(
      'validation',
      say(
        'The connector auth of the mailbox has no username; enter it, or put it in the URL: imaps://ann%40example.com@imap.example.com',
      ),
    )
  }
  return auth.auth_type === 'oauth2' ? { user, accessToken: auth.auth_token } : { user, pass }
}

function noMailbox(name: string, mailbox: string, cause: unknown): AppError {
  const said = saidBy(cause)
  return new AppError(
    'not_found',
    say('The mail server {{name}} can\'t open the mailbox "{{mailbox}}": {{reason}}', {
      name,
      mailbox: mailbox.slice(0, 100),
      reason: said,
    }),
    { cause },
  )
}

function refusalOf(error: unknown, server: MailServer): unknown {
  if (!(error instanceof Error) || error instanceof AppError) return error
  const said = saidBy(error)
  if ('authenticationFailed' in error) return loginRejected(error, server, said)
  return mailServerUnusable(error, server, said)
}

function saidBy(error: unknown): Said {
  const { response, responseText, message } = error as Error & { response?: unknown; responseText?: unknown }
  const said = [responseText, response, message].find((text) => typeof text === 'string' && text !== '')
  return quoted(String(said ?? error).slice(0, 300))
}
