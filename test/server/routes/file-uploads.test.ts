import { createHash, randomBytes } from 'node:crypto'
import { existsSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { FileUpload } from '../../../src/shared/contract/file-uploads.ts'
import { callHttp, type HttpAnswer } from '../../helpers/http.ts'
import { startTestApp, type TestApp } from '../../helpers/test-app.ts'
import { SESSION_BEARER, session } from '../../helpers/test-server.ts'
import { isPrivate } from '../../helpers/platform.ts'

const FILES = '/v1/file-uploads'

const folderOf = (app: TestApp) => join(app.store.dataDir, 'files')
const onDisk = (app: TestApp) => (existsSync(folderOf(app)) ? readdirSync(folderOf(app)) : [])
const listed = async (app: TestApp) => (await app.call('GET', FILES)).json as FileUpload[]
const fieldsOf = ({ json }: HttpAnswer) => Object.keys((json as { data: object }).data)

function upload(
  app: TestApp,
  body: string | Uint8Array,
  headers: Record<string, string> = {},
  path = FILES,
): Promise<HttpAnswer> {
  const sent = { ...session, 'content-type': 'text/plain', ...headers }
  return callHttp(app.port, { method: 'POST', path, headers: sent, body })
}

const form = (...parts: readonly string[]) =>
  [...parts.flatMap((part) => ['--x', part]), '--x--', ''].join('\r\n')
const filePart = (filename: string, content: string, type = 'text/csv') =>
  `Content-Disposition: form-data; name="file"; filename="${filename}"\r\nContent-Type: ${type}\r\n\r\n${content}`
const FORM = { 'content-type': 'multipart/form-data; boundary=x' }

test('a file is uploaded as the body or in a form, listed, renamed, downloaded and deleted', async () => {
  const app = await startTestApp()
  const bytes = randomBytes(300_000)
  const raw = await upload(app, bytes, { 'content-type': 'image/png' }, `${FILES}?filename=a%20b.png`)
  const file = raw.json as FileUpload
  const at = new Date(app.clock.now()).toISOString()
  expect({ status: raw.status, location: raw.headers.location, file }).toEqual({
    status: 201,
    location: `${FILES}/${file.id}`,
    file: {
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      filename: 'a b.png',
      content_type: 'image/png',
      size: 300_000,
      sha256: createHash('sha256').update(bytes).digest('hex'),
      created_at: at,
    },
  })
  const inForm = await upload(
    app,
    form('Content-Disposition: form-data; name="note"\r\n\r\nx', filePart('Ärger.csv', 'a;b')),
    FORM,
  )
  expect(inForm.json).toMatchObject({ filename: 'Ärger.csv', content_type: 'text/csv', size: 3 })
  expect(await listed(app)).toEqual([inForm.json, file])
  expect((await app.call('GET', `${FILES}?filter=filename,like,%25.png`)).json).toEqual([file])

  const path = `${FILES}/${file.id}`
  const renamed = await app.call('PUT', path, { ...file, filename: 'c.png' })
  expect({ status: renamed.status, json: renamed.json }).toEqual({
    status: 200,
    json: { ...file, filename: 'c.png' },
  })
  const other = (inForm.json as FileUpload).id
  const content = await app.call('GET', `${FILES}/${other}/content`)
  expect({ status: content.status, text: content.text }).toEqual({ status: 200, text: 'a;b' })
  expect(content.headers).toMatchObject({
    'content-type': 'text/csv',
    'content-length': '3',
    'content-disposition': `attachment; filename*=UTF-8''%C3%84rger.csv`,
    'content-security-policy': 'sandbox',
    'x-content-type-options': 'nosniff',
  })
  expect(onDisk(app).toSorted()).toEqual([file.id, other].toSorted())
  expect(isPrivate(join(folderOf(app), file.id))).toBe(true)
  expect((await app.call('DELETE', path)).status).toBe(204)
  const gone = await Promise.all(['GET', 'DELETE'].map((method) => app.call(method, path)))
  expect({ statuses: gone.map(({ status }) => status), onDisk: onDisk(app) }).toEqual({
    statuses: [404, 404],
    onDisk: [other],
  })
})

test('a request without exactly one file, or one that is compressed or too large, is rejected and leaves nothing behind', async () => {
  const app = await startTestApp({ settings: { file_limit_bytes: 1_024 } })
  const answers = [
    await upload(app, 'x'.repeat(1_025)),
    await upload(app, form(filePart('a.txt', 'x'.repeat(1_025))), FORM),
    await upload(app, 'x', { 'content-encoding': 'gzip' }),
    await upload(app, '', { 'content-length': '0' }),
    await upload(app, form(filePart('a', '1'), filePart('b', '2')), FORM),
    await upload(app, form('Content-Disposition: form-data; name="note"\r\n\r\nx'), FORM),
    await upload(app, '--x\r\nnonsense', FORM),
    await upload(app, `--x\r\n${filePart('a', 'and no end')}`, FORM),
    await upload(app, 'x', { 'content-type': 'multipart/form-data' }),
    await upload(app, 'x', {}, `${FILES}?filename=a%0ab`),
    await upload(app, 'x', {}, `${FILES}?name=a`),
  ]
  expect(answers.map(({ status }) => status)).toEqual([413, 413, 415, 400, 400, 400, 400, 400, 400, 400, 400])
  expect(answers.slice(3).map(fieldsOf)).toEqual([
    ['body'],
    ['body'],
    ['body'],
    ['body'],
    ['body'],
    ['body'],
    ['filename'],
    ['name'],
  ])
  expect({ listed: await listed(app), onDisk: onDisk(app) }).toEqual({ listed: [], onDisk: [] })
  expect((await upload(app, 'x'.repeat(1_024))).status).toBe(201)
})

test('an interrupted upload never appears, neither in a list nor on the disk', async () => {
  const app = await startTestApp()
  const socket = connect(app.port, '127.0.0.1')
  const head = [
    `POST ${FILES} HTTP/1.1`,
    'Host: 127.0.0.1',
    `Authorization: Bearer ${SESSION_BEARER}`,
    'Content-Type: text/plain',
    'Content-Length: 100000',
  ]
  socket.write(`${head.join('\r\n')}\r\n\r\n${'x'.repeat(50_000)}`)
  await expect.poll(() => onDisk(app)).toEqual([expect.stringMatching(/\.part$/)])
  expect(await listed(app)).toEqual([])
  socket.destroy()
  await expect.poll(() => onDisk(app)).toEqual([])
  expect(await listed(app)).toEqual([])
})

test('unfinished files of a killed program are deleted, complete ones stay', async () => {
  const app = await startTestApp()
  const { id } = (await upload(app, 'kept')).json as FileUpload
  const orphan = '7c9e6679-7425-40de-944b-e07fc1f90ae7'
  const left = [`${orphan}.part`, `${orphan}.json.part`, orphan, 'notes.txt']
  for (const name of left) writeFileSync(join(folderOf(app), name), 'x')
  await app.services.housekeeping.runOnce()
  expect(onDisk(app).toSorted()).toEqual([id, 'notes.txt'].toSorted())
  expect((await app.call('GET', `${FILES}/${id}/content`)).text).toBe('kept')
})

test("an unreadable description doesn't prevent the cleanup", async () => {
  const app = await startTestApp()
  await upload(app, 'kept')
  const damaged = ['00000000-0000-4000-8000-000000000000', 'ffffffff-ffff-4fff-bfff-ffffffffffff']
  const orphan = '7c9e6679-7425-40de-944b-e07fc1f90ae7'
  for (const name of [...damaged, ...damaged.map((id) => `${id}.json`), `${orphan}.part`]) {
    const path = join(folderOf(app), name)
    writeFileSync(path, '')
    utimesSync(path, 0, 0)
  }
  await app.services.housekeeping.runOnce()
  expect(onDisk(app)).toEqual((await listed(app)).map(({ id }) => id))
})

test("if a file's content is missing the caller is told so, whatever the method", async () => {
  const app = await startTestApp()
  const { id } = (await upload(app, 'kept')).json as FileUpload
  rmSync(join(folderOf(app), id))
  const ask = (method: string) => app.call(method, `${FILES}/${id}/content`)
  const [read, head] = [await ask('GET'), await ask('HEAD')]
  expect({
    status: read.status,
    message: (read.json as { message: string }).message,
    headStatus: head.status,
  }).toEqual({
    status: 404,
    message: 'The content of the file "file" is no longer in the data folder; delete it and upload it again',
    headStatus: 404,
  })
  expect((await app.call('DELETE', `${FILES}/${id}`)).status).toBe(204)
})

test('the same file under the same Idempotency-Key is stored once, a different one is rejected', async () => {
  const app = await startTestApp()
  const key = { 'idempotency-key': 'report' }
  const first = await upload(app, 'one', key)
  const again = await upload(app, 'one', key)
  const other = await upload(app, 'two', key)
  expect({ again: again.json, other: other.status, onDisk: onDisk(app) }).toEqual({
    again: first.json,
    other: 409,
    onDisk: [(first.json as FileUpload).id],
  })
})

test('flows read an uploaded file by its id', async () => {
  const app = await startTestApp()
  const { id } = (await upload(app, 'a;b', {}, `${FILES}?filename=list.csv`)).json as FileUpload
  const step = {
    ref_id: 'send',
    type: 'rest',
    config: {
      method: 'POST',
      url: `http://127.0.0.1:${app.port}/v1/health`,
      body_type: 'binary',
      body: { file_id: id },
      fail_on_error: false,
    },
  }
  const flow = (await app.call('POST', '/v1/flows', { name: 'Send', steps: [step] })).json as { id: string }
  const run = await app.call('POST', `/v1/flows/${flow.id}/run?wait=true`, {})
  const steps = (await app.call('GET', `/v1/flow-runs/${(run.json as { id: string }).id}/steps`)).json
  expect(JSON.stringify(steps)).toContain('a;b')
})
