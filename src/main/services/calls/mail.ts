/** Emails by SMTP. The package is loaded with the first one. */
import { AppError } from '../../../shared/contract/base/errors.ts'
import type { Mail, SendMail } from '../../engine/flow/model/ports.ts'
import { parseApiEndpoint } from './api-endpoint.ts'
import { resolveHost } from './resolve-host.ts'

export const sendMail: SendMail = async (mail, signal) => {
  const server = await findServer(mail)
  const { createTransport } = await import('nodemailer')
  const transport = createTransport({
    host: server.address,
    port: server.port,
    secure: server.secure,
    // A login is never sent in plain text, except to a server on this machine.
    requireTLS: !server.secure && !server.isLocal,
    tls: { servername: server.name },
    ...(server.login === null ? {} : { auth: server.login }),
    connectionTimeout: 10_000,
    greetingTimeout: 10_000,
    socketTimeout: 60_000,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  const abort = () => transport.close()
  signal.addEventListener('abort', abort, { once: true })
  try {
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
    transport.close()
  }
}

interface MailServer {
  readonly name: string
  readonly address: string
  readonly port: number
  readonly secure: boolean
  readonly isLocal: boolean
  readonly login: { readonly user: string; readonly pass: string } | null
}

async function findServer({ auth }: Mail): Promise<MailServer> {
  const endpoint = parseApiEndpoint(auth.api_endpoint)
  const url = endpoint && URL.parse(`${endpoint.scheme}${endpoint.host}`)
  const scheme = endpoint?.scheme.toLowerCase()
  if (!endpoint || !url || url.hostname === '' || (scheme !== 'smtp://' && scheme !== 'smtps://')) {
    throw new AppError(
      'validation',
      'Invalid mail server URL; write it as smtp://smtp.example.com:587, or smtps://smtp.example.com:465',
    )
  }
  const secure = scheme === 'smtps://'
  const name = url.hostname.replace(/^\[|\]$/g, '')
  const { address, isLocal } = await resolveHost(name, 'mail')
  const user = auth.username || decodeURIComponent(endpoint.user ?? '')
  const pass = auth.password || decodeURIComponent(endpoint.password ?? '')
  return {
    name,
    address,
    port: Number(url.port) || (secure ? 465 : 587),
    secure,
    isLocal,
    login: user === '' || auth.auth_type === 'none' ? null : { user, pass },
  }
}

function refusal(error: unknown, { name, port }: MailServer): unknown {
  if (!(error instanceof Error)) return error
  const { code = '', response } = error as Error & { code?: string; response?: string }
  const said = (response ?? error.message).slice(0, 300)
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
