import { describe, expect, test } from 'vitest'
import type { AppError } from '../../../src/shared/contract/base/errors.ts'
import { LIMITS } from '../../../src/shared/contract/base/limits.ts'
import type { Caller } from '../../../src/main/services/kit/caller.ts'
import { startTestApp } from '../../helpers/test-app.ts'

const RENDER = '/v1/templates/render'

describe('a template is rendered with a typed context', () => {
  test('to text, or to its value if native', async () => {
    const app = await startTestApp()
    const body = { template: '{{ items }}', context: { items: [1, true, null] } }
    expect({
      text: (await app.call('POST', RENDER, body)).json,
      native: (await app.call('POST', RENDER, { ...body, native: true })).json,
    }).toEqual({ text: { output: '[1, True, None]' }, native: { output: [1, true, null] } })
  })

  test('and numbers of any size keep their digits both ways', async () => {
    const app = await startTestApp()
    const answer = await app.call(
      'POST',
      RENDER,
      '{"template":"{{ n + 1 }}","native":true,"context":{"n":9007199254740993}}',
    )
    expect(answer.text).toBe('{"output":9007199254740994}')
  })
})

test('a template error has line, column, token and hint', async () => {
  const app = await startTestApp()
  const { status, json } = await app.call('POST', RENDER, {
    template: 'a\n{{ name | uper }}',
    context: { name: 'x' },
  })
  expect({ status, json }).toEqual({
    status: 400,
    json: {
      status: 400,
      error: 'template_error',
      message: expect.stringContaining('uper'),
      data: { line: 2, column: 11, token: 'uper', hint: expect.stringContaining('upper') },
      doc_url: 'docs/reference/errors.md#template_error',
    },
  })
})

test("an unknown run, a context along with a run, and a token that can't read runs are rejected", async () => {
  const app = await startTestApp()
  const { json } = await app.call('POST', '/v1/personal-access-tokens', {
    expiration: null,
    scopes: ['embed'],
    note: '',
  })
  const authorization = `Bearer ${(json as { token: string }).token}`
  const post = async (body: object, headers = {}) => (await app.call('POST', RENDER, body, headers)).status
  expect({
    noRun: await post({ template: 'x', flow_run_id: 'none' }),
    runAndContext: await post({ template: 'x', flow_run_id: 'none', context: {} }),
    runOfOthers: await post({ template: 'x', flow_run_id: 'none' }, { authorization }),
    ofToken: await post({ template: 'x' }, { authorization }),
    ofNobody: await post({ template: 'x' }, { authorization: '' }),
  }).toEqual({ noRun: 404, runAndContext: 400, runOfOthers: 403, ofToken: 200, ofNobody: 401 })
})

test('other requests are served between slow templates', async () => {
  const app = await startTestApp()
  const order: string[] = []
  const long = {
    template: '{% for a in range(100000) %}{% for b in range(100000) %}{% endfor %}{% endfor %}',
  }
  const render = async () => {
    await app.call('POST', RENDER, long)
    order.push('template')
  }
  const ask = async () => {
    await app.call('GET', '/v1/health')
    order.push('health')
  }
  await ask() // This makes the connection.
  const renders = Promise.all([render(), render(), render(), render()])
  while (order.filter((what) => what === 'template').length < 4) await ask()
  await renders
  expect(order.slice(order.indexOf('template'), order.lastIndexOf('template'))).toContain('health')
})

test('nobody waits for all templates of another caller, and only so many of one wait', async () => {
  const { templates } = (await startTestApp()).services
  const caller = (tokenId: string): Caller => ({ kind: 'token', userId: 'user', scopes: [], tokenId })
  const long = '{% for a in range(100000) %}{% for b in range(100000) %}{% endfor %}{% endfor %}'
  const codes: string[] = []
  const ofOther = Array.from({ length: LIMITS.templatesWaiting + 10 }, () =>
    templates
      .render(caller('other'), { template: long, native: false })
      .catch(({ code }: AppError) => void codes.push(code)),
  )
  const own = await templates.render(caller('own'), { template: 'mine', native: false })
  const count = (wanted: string) => codes.filter((code) => code === wanted).length
  const before = count('template_error')
  await Promise.all(ofOther)
  expect({ own, before, done: count('template_error'), rejected: count('rate_limit') }).toEqual({
    own: { output: 'mine' },
    before: 2,
    done: LIMITS.templatesWaiting + 1,
    rejected: 9,
  })
})

test('values have at most 2,000 names', async () => {
  const app = await startTestApp()
  const context = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`name${at}`, at]))
  const ask = async (path: string, count: number) => {
    const { status } = await app.call('POST', path, { template: '{{ name1 }}', context: context(count) })
    return status
  }
  expect([
    await ask(RENDER, 2_000),
    await ask(RENDER, 2_001),
    await ask('/v1/templates/preview', 2_000),
    await ask('/v1/templates/preview', 2_001),
  ]).toEqual([200, 400, 200, 400])
})
