import { describe, expect, it } from 'vitest'
import { type FlowApp, startFlowApp } from '../../helpers/flow-app.ts'
import { callHttp } from '../../helpers/http.ts'
import { addMailAuth, startMailServer } from '../../helpers/mail-server.ts'
import { session } from '../../helpers/test-server.ts'

async function send(app: FlowApp, config: Record<string, unknown>) {
  const { flow } = await app.addFlow([
    { ref_id: 'data', type: 'set', config: { values: { name: 'Grace', csv: 'id\n1\n' } } },
    { ref_id: 'mail', type: 'send_email', config },
  ])
  await app.call('POST', `/v1/flows/${flow.id}/run?wait=true`)
  const [run] = app.runs()
  return { run: run!, error: run?.error, output: app.stepsOf(run!)[1]?.output }
}

describe('an email', () => {
  it('is sent with its parts, its attachments and an id that names run and step', async () => {
    const app = await startFlowApp()
    const server = await startMailServer()
    const auth_id = await addMailAuth(app, server.url)
    const { run, output, error } = await send(app, {
      auth_id,
      to: 'Grace <grace@example.test>, ops@example.test',
      cc: ['{{ "copy@example.test" }}'],
      bcc: 'hidden@example.test',
      subject: 'Hello {{ data.name }}\r\nBcc: evil@example.test',
      text: 'Line for {{ data.name }}',
      html: '<p>Hi</p>',
      attachments: [{ filename: 'report.csv', content: '{{ data.csv }}', content_type: 'text/csv' }],
    })
    const [mail] = server.received
    expect({ error, output }).toEqual({ error: null, output: { message_id: `<${run.id}.mail@millrace>` } })
    expect(mail).toMatchObject({
      from: 'ada@example.test',
      to: ['grace@example.test', 'ops@example.test', 'copy@example.test', 'hidden@example.test'],
      user: 'ada@example.test',
    })
    const source = mail!.source
    expect(source).toContain('Subject: Hello Grace Bcc: evil@example.test')
    expect(source).toContain('Line for Grace')
    expect(source).toContain('<p>Hi</p>')
    expect(source).toMatch(/Content-Type: text\/csv; name=report\.csv/)
    expect(source).toContain(Buffer.from('id\n1\n').toString('base64'))
    expect(source).not.toMatch(/^Bcc:/im)
  })

  it('carries a file that was uploaded', async () => {
    const app = await startFlowApp()
    const server = await startMailServer()
    const stored = await callHttp(app.port, {
      method: 'POST',
      path: '/v1/file-uploads?filename=a.pdf',
      headers: { ...session, 'content-type': 'application/pdf' },
      body: '%PDF',
    })
    const { id } = stored.json as { id: string }
    const auth_id = await addMailAuth(app, server.url)
    const { error } = await send(app, { auth_id, to: 'a@example.test', attachments: [id] })
    expect({ error, source: server.received[0]?.source }).toEqual({
      error: null,
      source: expect.stringContaining('Content-Disposition: attachment; filename=a.pdf') as string,
    })
  })

  it("reports errors, with the field and the server's message", async () => {
    const app = await startFlowApp()
    const server = await startMailServer()
    const auth_id = await addMailAuth(app, server.url)
    const wrong = await addMailAuth(app, server.url, { password: 'wrong' })
    const closed = await addMailAuth(app, 'smtp://127.0.0.1:1')
    const http = await addMailAuth(app, 'https://example.test')
    const metadata = await addMailAuth(app, 'smtp://169.254.169.254:25')
    const to = 'a@example.test'
    const errors = []
    for (const config of [
      { to },
      { auth_id, to: '' },
      { auth_id, to: 'no address' },
      { auth_id, to: Array.from({ length: 100 }, (_, n) => `a${n}@x.test`), cc: 'b@x.test' },
      { auth_id, to: 'nobody@example.test' },
      { auth_id, to, attachments: [{ name: 'x' }] },
      { auth_id: wrong, to },
      { auth_id: closed, to },
      { auth_id: http, to },
      { auth_id: metadata, to },
    ]) {
      const { error } = await send(app, config)
      errors.push(`${error?.field} ${error?.message}`)
    }
    expect(errors).toEqual([
      expect.stringContaining('config.auth_id Step "mail": "auth_id" is missing'),
      expect.stringContaining('config.to Step "mail": "to" is empty'),
      expect.stringContaining('config.to Step "mail": "to" has "no address"'),
      expect.stringContaining('config.to Step "mail": the email has 101 recipients; the limit is 100'),
      expect.stringContaining('rejected the email'),
      expect.stringContaining('config.attachments Step "mail": an attachment is {"name":"x"}'),
      expect.stringContaining('rejected the login'),
      expect.stringContaining("Can't use the mail server 127.0.0.1:1"),
      expect.stringContaining('Invalid mail server URL; write it as smtp://'),
      expect.stringContaining('never connects to'),
    ])
    expect(server.received).toEqual([])
  })
})
