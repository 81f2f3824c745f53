import { expect, it } from 'vitest'
import { parseJson, writeJson } from '../../../packages/jinja/src/data/json.ts'
import { createRedactor } from '../../../src/main/engine/redaction/redactor.ts'
import { type Data, dictionaryOf, Float } from '../../../packages/jinja/src/data/value.ts'
import { writeResults } from '../../../src/main/services/running/runs/results-text.ts'
import { startFlowApp } from '../../helpers/flow-app.ts'

async function written(pieces: AsyncIterable<string>): Promise<string> {
  let text = ''
  for await (const piece of pieces) text += piece
  return text
}

const SECRET = 'hunter2-and-more-of-it'

it('writes the same as redacting and serializing everything at once', async () => {
  const record = (id: number): Data =>
    dictionaryOf([
      ['id', id],
      ['note', id % 700 === 0 ? `it is ${SECRET}` : 'nothing'],
      ['authorization', id === 3 ? 'Basic abc' : null],
    ])
  const list = Array.from({ length: 1_203 }, (_, id) => record(id))
  const results = dictionaryOf([
    ['empty', dictionaryOf([])],
    ['none', null],
    ['authorization', list],
    ['cookie', null],
    [`by ${SECRET}`, 1],
    ['exactly', Array.from({ length: 1_000 }, (_, id) => id)],
    ['short', [new Float(1), 12345678901234567890n, SECRET]],
    ['answer', dictionaryOf([['body', dictionaryOf([['items', list]])]])],
    ['deep', dictionaryOf([['a', dictionaryOf([['b', dictionaryOf([['c', list]])]])]])],
    ['wide', dictionaryOf(Array.from({ length: 900 }, (_, at) => [`key ${at}`, at === 9 ? SECRET : at]))],
  ])
  const redactor = createRedactor({ secrets: [SECRET] })
  const text = await written(writeResults(results, redactor))
  expect(text).toBe(writeJson(redactor.redactData(results)))
  expect({ text, resultsJson: parseJson(await written(writeResults(dictionaryOf([]), redactor))) }).toEqual({
    text: expect.not.stringContaining('hunter2'),
    resultsJson: dictionaryOf([]),
  })
})

it('lets others be served while a long list is written', async () => {
  const app = await startFlowApp()
  const { flow } = await app.addFlow([
    { ref_id: 'many', type: 'set', config: { values: { all: '{{ range(60000) | list }}' } } },
  ])
  const { id } = (await app.call('POST', `/v1/flows/${flow.id}/run?wait=true`)).json as { id: string }
  const answered: string[] = []
  const results = app.call('GET', `/v1/flow-runs/${id}/results`).then((answer) => {
    answered.push('results')
    return answer
  })
  const others = ['a', 'b', 'c'].map(() => app.call('GET', '/v1/meta').then(() => answered.push('meta')))
  const [answer] = await Promise.all([results, ...others])
  const { many } = answer.json as { many: { all: number[] } }
  expect({ status: answer.status, records: many.all.length, last: many.all.at(-1) }).toEqual({
    status: 200,
    records: 60_000,
    last: 59_999,
  })
  expect(answered.at(-1)).toBe('results')
  expect(answer.headers['etag']).toMatch(/^"/)
})

it('sends long results in pieces', async () => {
  const app = await startFlowApp()
  const names = Array.from('abcdefghijklmnop')
  const values = Object.fromEntries(names.map((name) => [name, '{{ range(60000) | list }}']))
  const { flow } = await app.addFlow([{ ref_id: 'many', type: 'set', config: { values } }])
  const { id } = (await app.call('POST', `/v1/flows/${flow.id}/run?wait=true`)).json as { id: string }
  const { status, headers, json } = await app.call('GET', `/v1/flow-runs/${id}/results`)
  const { many } = json as { many: Record<string, number[]> }
  expect(status).toBe(200)
  expect(Object.entries(many).map(([name, list]) => [name, list.length, list.at(-1)])).toEqual(
    names.map((name) => [name, 60_000, 59_999]),
  )
  expect(headers).toMatchObject({
    'transfer-encoding': 'chunked',
    'content-type': 'application/json; charset=utf-8',
  })
  expect(await app.call('HEAD', `/v1/flow-runs/${id}/results`)).toMatchObject({ status: 200, text: '' })
})
