/** Emails by SMTP. The package is loaded with the first one. */
import { once } from 'node:events'
import { connect } from 'node:net'
import { AppError } from '../../../shared/contract/base/errors.ts'
import type { SendMail } from '../../engine/flow/model/ports.ts'
import { containSocket } from '../kit/contain.ts'
import { findMailServer, type MailServer } from './mail-server.ts'

export const sendMail: SendMail = async (mail, signal) => {
  const server = await findMailServer(mail.auth, 'smtp')
  const { user, pass } = server
  const { createTransport } = await import('nodemailer')
  const socket = containSocket(connect({ host: server.address, port: server.port }))
  // Otherwise the transport finishes what it has started.
  const abort = () => socket.destroy()
  const transport = createTransport({
    connection: socket,
    host: server.address,
    port: server.port,
    secure: server.secure,
    // A login is never sent in plain text, except to a server on this machine.
    requireTLS: !server.secure && !server.isLocal,
    tls: { servername: server.name },
    ...(user === '' || mail.auth.auth_type === 'none' ? {} : { auth: { user, pass } }),
    greetingTimeout: 10_000,
    socketTimeout: 60_000,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  signal.addEventListener('abort', abort, { once: true })
  try {
    await once(socket, 'connect', { signal: AbortSignal.any([signal, AbortSignal.timeout(CONNECT_MS)]) })
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
  } catch (error) {
    signal.throwIfAborted()
    throw refusal(error, server)
  } finally {
    signal.removeEventListener('abort', abort)
    socket.destroy()
  }
}

function refusal(error: unknown, { name, port }: MailServer): unknown {
  if (!(error instanceof Error)) return error
  const { code = '', response } = error as Error & { code?: string; response?: string }
  const isLate = error.name === 'AbortError'
  const said = isLate
    ? `it didn't respond within ${CONNECT_MS / 1_000} s`
    : (response ?? error.message).slice(0, 300)
  if (code === 'EAUTH') {
    return new AppError('unauthorized', `The mail server ${name} rejected the login: ${said}`, {
      cause: error,
    })
  }
  if (code === 'EENVELOPE' || code === 'EMESSAGE') {
    return new AppError('validation', `The mail server ${name} rejected the email: ${said}`, { cause: error })
  }
  return new AppError('unavailable', `Can't use the mail server ${name}:${port}: ${said}`, {
    cause: error,
  })
}

const CONNECT_MS = 10_000
