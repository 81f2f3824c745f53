import { describe, expect, it, onTestFinished } from 'vitest'
import { createDocuments } from '../../../src/main/services/reaching/documents/documents.ts'
import { type FlowApp, startFlowApp } from '../../helpers/flow-app.ts'

async function run(app: FlowApp, type: string, config: Record<string, unknown>) {
  const { flow } = await app.addFlow([{ ref_id: 'it', type, config }])
  await app.call('POST', `/v1/flows/${flow.id}/run?wait=true`)
  const [last] = app.runs()
  return last?.error ?? app.stepsOf(last!)[0]?.output
}

const failure = (code: string, words: string) =>
  expect.objectContaining({ code, message: expect.stringContaining(words) as string }) as object

describe('steps with HTML and Markdown', () => {
  it('return records, HTML and Markdown', async () => {
    const app = await startFlowApp()
    const html = '<li>{{ 1 + 1 }} <b>x</b></li>'
    expect([
      await run(app, 'html_extract', { text: html, each: 'li', fields: { all: {}, b: { selector: 'b' } } }),
      await run(app, 'markdown', { text: '*{{ "<" }}*' }),
      await run(app, 'markdown', { text: html, to: 'markdown' }),
    ]).toEqual([[{ all: '2 x', b: 'x' }], '<p><em>&lt;</em></p>\n', '-   2 **x**'])
  })

  it('report errors', async () => {
    const app = await startFlowApp()
    const of = (text: unknown, fields: object) => run(app, 'html_extract', { text, fields })
    expect([
      await of('<p>', { it: { selector: 'p[' } }),
      await of('{{ 7 }}', {}),
      await run(app, 'markdown', { text: '>'.repeat(20_000) }),
    ]).toEqual([
      failure('validation', `"p[" isn't a CSS selector`),
      failure('validation', '"text" must be a string, got 7'),
      failure('validation', '"text" is nested too deeply'),
    ])
  })

  it('are checked when they are saved', async () => {
    const app = await startFlowApp()
    const reasons = async (config: object) => {
      const steps = [{ ref_id: 'it', type: 'html_extract', config }]
      const { json } = await app.call('POST', '/v1/flows', { name: 'x', steps })
      return Object.keys((json as { data: object }).data)
    }
    expect([
      await reasons({ text: '', fields: { a: { take: 'attribute' } } }),
      await reasons({ text: '', fields: { a: { fields: { b: { take: 'attribute' } } } } }),
      await reasons({ text: '', fields: { a: { take: 'soul' } } }),
      await reasons({ text: '', fields: { a: 'b' } }),
    ]).toEqual([
      ['steps[0].config.fields.a.attribute'],
      ['steps[0].config.fields.a.fields.b.attribute'],
      ['steps[0].config.fields.a.take'],
      ['steps[0].config.fields.a'],
    ])
  })
})

describe('the thread', () => {
  const signal = new AbortController().signal
  const fields = { a: { selector: 'p', take: 'text', list: false } } as const

  it('stops work that takes too long, and continues with the next', async () => {
    const documents = createDocuments({ timeMs: 2_000, memoryMb: 256 })
    onTestFinished(() => documents.close())
    const slow = '<b>'.repeat(100_000) + '</i>'.repeat(100_000)
    await expect(documents.extract(slow, { fields }, signal)).rejects.toThrow(
      'takes longer than the limit of 2 s',
    )
    expect(await documents.convert('a', 'html', signal)).toBe('<p>a</p>\n')
  })

  it('stops work that needs too much memory', async () => {
    const documents = createDocuments({ timeMs: 60_000, memoryMb: 32 })
    onTestFinished(() => documents.close())
    await expect(documents.extract('<p>'.repeat(1_000_000), { fields }, signal)).rejects.toThrow(
      'needs more than the limit of 32 MB',
    )
  })

  it('stops work of a cancelled run', async () => {
    const documents = createDocuments()
    onTestFinished(() => documents.close())
    const cancel = new AbortController()
    const work = documents.extract('<b>'.repeat(50_000), { fields }, cancel.signal)
    cancel.abort(new Error('cancelled'))
    await expect(work).rejects.toThrow('cancelled')
  })
})

describe('feeds', () => {
  it('are read in a thread, within its time and memory', async () => {
    const items = Array.from({ length: 60_000 }, (_, n) => `<item><guid>${n}</guid></item>`).join('')
    const feed = `<rss version="2.0"><channel>${items}</channel></rss>`
    const read = async (limits: Parameters<typeof createDocuments>[0], text: string) => {
      const documents = createDocuments(limits)
      onTestFinished(() => documents.close())
      const reading = documents.readFeed(text, 'https://x.test/feed', AbortSignal.timeout(60_000))
      return reading.then(
        (entries) => entries.length,
        (error: unknown) => (error as Error).message,
      )
    }
    expect([
      await read({ timeMs: 10, memoryMb: 512 }, feed),
      await read({ timeMs: 20_000, memoryMb: 16 }, feed),
      await read(
        { timeMs: 20_000, memoryMb: 512 },
        '<rss version="2.0"><channel><item><guid>1</guid></item></channel></rss>',
      ),
    ]).toEqual(['takes longer than the limit of 0.03 s', 'needs more than the limit of 16 MB of memory', 1])
  })
})
