/** Emails by SMTP. The package is loaded with the first one. */
import { quoted, say, type Said } from '../../../../shared/contract/base/message.ts'
import { once } from 'node:events'
import { connect } from 'node:net'
import type { Transporter } from 'nodemailer'
import { AppError } from '../../../../shared/contract/base/errors.ts'
import type { OpenAuth } from '../../../engine/connector/open-auth.ts'
import type { SendMail } from '../../../engine/flow/model/ports.ts'
import { containSocket } from '../../../engine/request/contain.ts'
import { findMailServer, loginRejected, type MailServer, mailServerUnusable } from './mail-server.ts'

export const sendMail: SendMail = (mail, signal) =>
  withTransport(mail.auth, signal, async (transport) => {
    const { messageId } = await transport.sendMail({
      from: mail.from,
      to: [...mail.to],
      cc: [...mail.cc],
      bcc: [...mail.bcc],
      ...(mail.replyTo === null ? {} : { replyTo: mail.replyTo }),
      subject: mail.subject,
      ...(mail.text === '' && mail.html !== '' ? {} : { text: mail.text }),
      ...(mail.html === '' ? {} : { html: mail.html }),
      messageId: mail.messageId,
      attachments: mail.attachments.map(({ filename, contentType, content }) => ({
        filename,
        contentType,
        content: Buffer.from(content),
      })),
    })
    return { messageId }
  })

/** Signs in as for an email, but sends none. Returns a sentence with the server's name. */
export function tryMailServer(auth: OpenAuth, signal: AbortSignal): Promise<Said> {
  const work = async (transport: Transporter, { name, port, user }: MailServer) => {
    await transport.verify()
    return user === '' || auth.auth_type === 'none'
      ? say('Connected to the mail server {{place}} without a login', { place: `${name}:${port}` })
      : say('Signed in to the mail server {{place}} as "{{user}}"', { place: `${name}:${port}`, user })
  }
  return withTransport(auth, signal, work, { forceAuth: true })
}

async function withTransport<T>(
  auth: OpenAuth,
  signal: AbortSignal,
  work: (transport: Transporter, server: MailServer) => Promise<T>,
  /** If set, fails if the server doesn't offer a login. */
  { forceAuth = false } = {},
): Promise<T> {
  const server = await findMailServer(auth, 'smtp')
  const { user, pass } = server
  const { createTransport } = await import('nodemailer')
  const socket = containSocket(connect({ host: server.address, port: server.port }))
  // Without this, the transport would finish sending.
  const abort = () => socket.destroy()
  const transport = createTransport({
    connection: socket,
    host: server.address,
    port: server.port,
    secure: server.secure,
    // A login is never sent in plain text, except to a server on this machine.
    requireTLS: !server.secure && !server.isLocal,
    tls: { servername: server.name },
    ...(user === '' || auth.auth_type === 'none' ? {} : { auth: { user, pass }, forceAuth }),
    greetingTimeout: 10_000,
    socketTimeout: 60_000,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  signal.addEventListener('abort', abort, { once: true })
  try {
    await once(socket, 'connect', { signal: AbortSignal.any([signal, AbortSignal.timeout(CONNECT_MS)]) })
    return await work(transport, server)
  } catch (error) {
    signal.throwIfAborted()
    throw refusal(error, server)
  } finally {
    signal.removeEventListener('abort', abort)
    socket.destroy()
  }
}

function refusal(error: unknown, server: MailServer): unknown {
  if (!(error instanceof Error)) return error
  const { code = '', response } = error as Error & { code?: string; response?: string }
  const isLate = error.name === 'AbortError'
  const said = isLate
    ? say("it didn't respond within {{seconds}} s", { seconds: CONNECT_MS / 1_000 })
    : quoted((response ?? error.message).slice(0, 300))
  if (code === 'EAUTH') {
    return loginRejected(error, server, said)
  }
  if (code === 'EENVELOPE' || code === 'EMESSAGE') {
    return new AppError(
      'validation',
      say('The mail server {{name}} rejected the email: {{reason}}', { name: server.name, reason: said }),
      {
        cause: error,
      },
    )
  }
  return mailServerUnusable(error, server, said)
}

const CONNECT_MS = 10_000
