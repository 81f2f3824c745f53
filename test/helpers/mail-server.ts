import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { SMTPServer, type SMTPServerEnvelope } from 'smtp-server'
import { onTestFinished } from 'vitest'
import type { TestApp } from './test-app.ts'

/** The ID of the built-in SMTP connector. */
export const SMTP = '5d0c2c0e-7c2a-4b51-9a53-8f6a5a1d9e31'

interface Received {
  readonly from: string | false
  readonly to: readonly string[]
  readonly user: string | undefined
  readonly source: string
}

/** The ID of an auth that the server accepts. */
export async function addMailAuth(
  app: Pick<TestApp, 'call'>,
  api_endpoint: string,
  more: object = {},
): Promise<string> {
  const { json } = await app.call('POST', '/v1/connector-auths', {
    connector_id: SMTP,
    name: 'Mail',
    auth_type: 'username_password',
    username: 'ada@example.test',
    password: 'right',
    api_endpoint,
    ...more,
  })
  return (json as { id: string }).id
}

/** A real SMTP server that keeps what it receives. */
export async function startMailServer() {
  const received: Received[] = []
  const keep = async (stream: Readable, envelope: SMTPServerEnvelope, user: string | undefined) => {
    received.push({
      from: envelope.mailFrom && envelope.mailFrom.address,
      to: envelope.rcptTo.map(({ address }) => address),
      user,
      source: await text(stream),
    })
  }
  const server = new SMTPServer({
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    authOptional: true,
    onAuth: ({ username, password }, _session, done) =>
      password === 'right' ? done(null, { user: username }) : done(new Error('wrong password')),
    onRcptTo: ({ address }, _session, done) =>
      address.startsWith('nobody') ? done(new Error('no such mailbox')) : done(),
    onData(stream, { envelope, user }, done) {
      void keep(stream, envelope, user)
        .catch(() => {})
        .finally(done)
    },
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => new Promise((resolve) => server.close(() => resolve())))
  const { port } = server.server.address() as { port: number }
  return { received, url: `smtp://127.0.0.1:${port}` }
}
