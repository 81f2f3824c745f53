import { setImmediate as nextTurn } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import type { StepInput } from '../../../src/shared/contract/steps.ts'
import { type FlowApp, startFlowApp } from '../../helpers/flow-app.ts'
import { SESSION_BEARER } from '../../helpers/test-server.ts'
import { startThirdPartyApi } from '../../helpers/third-party-api.ts'

const KEYS = `{${Array.from({ length: 300_000 }, (_, at) => `"key${at}":${at % 100}`).join()}}`
const RECORDS = JSON.stringify(
  Array.from({ length: 200_000 }, (_, id) => ({ id, name: `Order ${id}`, tags: ['a', 'b'] })),
)

const webhook = (config: StepInput['config'] = {}): StepInput => ({ ref_id: 'web1', type: 'webhook', config })

/** How many small requests of four callers get a response while `work` is in progress. */
async function answeredDuring(app: FlowApp, work: Promise<unknown>): Promise<number> {
  let answered = 0
  const { signal, end } = anEnd()
  const callers = Array.from({ length: 4 }, async () => {
    while (!signal.aborted) {
      await app.call('GET', '/v1/health')
      if (!signal.aborted) answered++
    }
  })
  await work
  end()
  await Promise.all(callers)
  return answered
}

function anEnd() {
  const controller = new AbortController()
  return { signal: controller.signal, end: () => controller.abort() }
}

async function post(app: FlowApp, path: string, bearer: string, body: string): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${app.port}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
    body,
  })
  return response.text()
}

describe('while a large value is processed', () => {
  it('others are served: an incoming body that is stored', async () => {
    const app = await startFlowApp()
    const hook = await app.addFlow([webhook({ response_body: '{{ web1.key299999 }}' })])
    const sent = post(app, hook.path, hook.token, KEYS)
    expect(await answeredDuring(app, sent)).toBeGreaterThan(20)
    expect(await sent).toBe('99')
  })

  it('others are served: a body of the API', async () => {
    const app = await startFlowApp()
    const body = `{"template":"{{ hook.key299999 }}","context":{"hook":${KEYS}}}`
    const sent = post(app, '/v1/templates/render', SESSION_BEARER, body)
    expect(await answeredDuring(app, sent)).toBeGreaterThan(20)
    expect(await sent).toBe('{"output":"99"}')
  })

  it('others are served: the response of an API, and its results', async () => {
    const app = await startFlowApp()
    const zipped = { records: gzipSync(RECORDS), keys: gzipSync(KEYS) }
    const { url } = await startThirdPartyApi(({ target }, response) => {
      response.setHeader('content-type', 'application/json').setHeader('content-encoding', 'gzip')
      response.end(target === '/keys' ? zipped.keys : zipped.records)
    })
    for (const [path, length] of [
      ['/records', '200000'],
      ['/keys', '300000'],
    ]) {
      const steps = [
        webhook({ response_body: '{{ call.body | length }}' }),
        { ref_id: 'call', type: 'rest', config: { url: url + path } } as const,
      ]
      const hook = await app.addFlow(steps)
      const ran = app.trigger(hook)
      expect(await answeredDuring(app, ran)).toBeGreaterThan(20)
      expect(await ran).toMatchObject({ status: 200, text: length })
      const run = await app.until(({ flow_id: id }) => id === hook.flow.id)
      const shown = app.call('GET', `/v1/flow-runs/${run.id}/results`)
      expect(await answeredDuring(app, shown)).toBeGreaterThan(20)
      const { json } = await shown
      const { body } = (json as { call: { body: object } }).call
      expect(JSON.stringify(body)).toBe(path === '/keys' ? KEYS : RECORDS)
    }
  })
})

const LOOPS = {
  loop: { over: '{{ range(12) | list }}' },
  loop_while: { when: '{{ index < 11 }}', max_iterations: 12 },
}

function nested(types: readonly (keyof typeof LOOPS)[], inner: StepInput[]): StepInput[] {
  return types.reduceRight<StepInput[]>(
    (steps, type, at) => [{ ref_id: `level${at}`, type, config: LOOPS[type], steps }],
    inner,
  )
}

/** How many portions the steps of the newest run are written in, as seen from other iterations of the event loop. */
async function portionsDuring(app: FlowApp, work: Promise<unknown>): Promise<number> {
  let [portions, top] = [0, 0]
  const { signal, end } = anEnd()
  void work.finally(end)
  for (let isLast = false; !isLast; await nextTurn()) {
    isLast = signal.aborted
    const [run] = app.runs()
    if (run === undefined || app.store.runSteps.at(run.id, top) === null) continue
    portions++
    while (app.store.runSteps.at(run.id, top + 500) !== null) top += 500
    while (app.store.runSteps.at(run.id, top) !== null) top++
  }
  return portions
}

const NOTHING: StepInput = { ref_id: 'nothing', type: 'set', config: { values: {} } }

describe('while nested loops do nothing', () => {
  it.each([
    ['loop', nested(['loop', 'loop', 'loop', 'loop'], [])],
    ['loop with an empty step', nested(['loop', 'loop', 'loop', 'loop'], [NOTHING])],
    ['loop_while', nested(['loop_while', 'loop_while', 'loop_while', 'loop_while'], [])],
    [
      'loop_while with an empty step',
      nested(['loop_while', 'loop_while', 'loop_while', 'loop_while'], [NOTHING]),
    ],
    ['both', nested(['loop', 'loop_while', 'loop', 'loop_while'], [])],
  ])('others are served, and their steps are stored in portions: %s', async (_, steps) => {
    const app = await startFlowApp()
    const { flow } = await app.addFlow(steps)
    const ran = app.call('POST', `/v1/flows/${flow.id}/run?wait=true`)
    const [answered, portions] = await Promise.all([answeredDuring(app, ran), portionsDuring(app, ran)])
    expect({ isServed: answered > 3, isInPortions: portions >= 2, run: (await ran).json }).toMatchObject({
      isServed: true,
      isInPortions: true,
      run: { status: 'success' },
    })
  })
})
