import { describe, expect, it } from 'vitest'
import { startFlowApp } from '../../helpers/flow-app.ts'
import { startThirdPartyApi } from '../../helpers/third-party-api.ts'

const PIXELS = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 0xff, 0xd8])

/** An API that responds with a file, or with the request's body. */
const anApi = (headers: Record<string, string>, content: Buffer) =>
  startThirdPartyApi(({ method }, response) => {
    if (method === 'GET') response.writeHead(200, headers).end(content)
    else response.end('{}')
  })

/** What a response body becomes in the flow. */
async function bodyOf(headers: Record<string, string>, content: Buffer, path = '/') {
  const app = await startFlowApp()
  const api = await anApi(headers, content)
  const { flow } = await app.addFlow([
    { ref_id: 'get', type: 'rest', config: { url: `${api.url}${path}` } },
    { ref_id: 'body', type: 'set', config: { values: { is: '{{ get.body }}' } } },
  ])
  await app.call('POST', `/v1/flows/${flow.id}/run?wait=true`)
  const [run] = app.runs()
  const output = app.stepsOf(run!)[1]?.output as { is: unknown }
  return output.is
}

describe('a binary response', () => {
  it('is a file that the next call sends on unchanged', async () => {
    const app = await startFlowApp()
    const api = await anApi(
      { 'Content-Type': 'image/png', 'Content-Disposition': 'attachment; filename="../a \\"b\\".png"' },
      PIXELS,
    )
    const { flow } = await app.addFlow([
      { ref_id: 'get', type: 'rest', config: { url: api.url } },
      {
        ref_id: 'send',
        type: 'rest',
        config: { url: api.url, method: 'PUT', body: '{{ get.body }}', body_type: 'binary' },
      },
    ])
    await app.call('POST', `/v1/flows/${flow.id}/run?wait=true`)
    const [run] = app.runs()
    const [get] = app.stepsOf(run!)
    expect({ error: run?.error ?? null, get: get?.output }).toMatchObject({
      error: null,
      get: {
        status: 200,
        body: {
          filename: 'a "b".png',
          content_type: 'image/png',
          size: PIXELS.length,
          file_id: expect.any(String) as string,
        },
      },
    })
    const sent = api.received.at(-1)
    expect({ contentType: sent?.headers['content-type'], isSame: sent?.body.equals(PIXELS) }).toEqual({
      contentType: 'image/png',
      isSame: true,
    })
  })

  it.each([
    ['bytes of no text', { 'Content-Type': 'application/x-thing' }, PIXELS, '/files/report%201.bin'],
    ['a PDF', { 'Content-Type': 'application/pdf' }, Buffer.from('%PDF-1.4'), '/report%201.bin'],
  ])('%s are a file with the name in the URL', async (_, headers, content, path) => {
    expect(await bodyOf(headers, content, path)).toMatchObject({
      filename: 'report 1.bin',
      size: content.length,
    })
  })

  it.each([
    ['a text of an unknown type', { 'Content-Type': 'application/octet-stream' }, Buffer.from('Zoë'), 'Zoë'],
    [
      'a text in another charset',
      { 'Content-Type': 'text/csv; charset=iso-8859-1' },
      Buffer.from([0x5a, 0xeb]),
      'Zë',
    ],
    ['a drawing', { 'Content-Type': 'image/svg+xml' }, Buffer.from('<svg/>'), '<svg/>'],
    ['nothing', { 'Content-Type': 'image/png' }, Buffer.alloc(0), null],
  ])('%s stays unchanged', async (_, headers, content, expected) => {
    expect(await bodyOf(headers, content)).toEqual(expected)
  })
})
