import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { type FlowApp, startFlowApp } from '../helpers/flow-app.ts'
import { startThirdPartyApi } from '../helpers/third-party-api.ts'

const SECRET = 'planted-secret-that-is-a-key'
const LARGE = 'x'.repeat(200_000)

/** Everything in the data folder. */
const stored = ({ store }: FlowApp) =>
  readdirSync(store.dataDir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name)).toString('latin1'))
    .join('\n')

it('a secret used as a key appears nowhere: neither in output nor on the disk', async () => {
  const app = await startFlowApp()
  const echo = await startThirdPartyApi(({ headers, body }, response) =>
    response
      .setHeader(`x-${SECRET}`, 'in a name')
      .end(JSON.stringify({ [SECRET]: 'answered', said: headers, body: body.toString() })),
  )
  await app.call('POST', '/v1/env-variables', { name: 'shop_key', type: 'text', value: SECRET, secret: true })
  const hook = await app.addFlow(
    [
      { ref_id: 'web1', type: 'webhook', config: {} },
      { ref_id: 'small', type: 'set', config: { values: { data: '{{ {shop_key: 1, "other": 2} }}' } } },
      {
        ref_id: 'large',
        type: 'set',
        config: {
          values: {
            data: `{{ {shop_key: {shop_key: 1, "long": "${'x'.repeat(500)}" * 400}, shop_key ~ 2: 3} }}`,
          },
        },
      },
      {
        ref_id: 'call',
        type: 'rest',
        config: {
          method: 'POST',
          url: `${echo.url}/{{ shop_key }}?{{ shop_key }}=1`,
          body: '{"{{ shop_key }}": 1}',
          body_type: 'json',
        },
      },
      {
        ref_id: 'keep',
        type: 'key_value',
        config: { operation: 'set', key: 'k/{{ shop_key }}', value: 'text' },
      },
      { ref_id: 'count', type: 'key_value', config: { operation: 'increment', key: 'k/{{ shop_key }}' } },
    ],
    { settings: { dynamic_title: '{{ small.data }}' } },
  )
  await app.trigger(hook, { body: { [SECRET]: 1, list: [{ [SECRET]: LARGE }] } })
  const [run] = app.runs()
  expect(run).toMatchObject({ status: 'error', error: { ref_id: 'count' } })
  const steps = app.stepsOf(run!)
  const step = (ref: string) => steps.find(({ ref_id }) => ref_id === ref)
  expect({
    small: step('small')?.output,
    large: step('large')?.output,
    web1: step('web1')?.output,
  }).toMatchObject({
    small: { data: { '***': 1, other: 2 } },
    large: { data: { '***': { '***': 1 }, '***2': 3 } },
    web1: { '***': 1, list: [{ '***': expect.stringMatching(/^x+…$/) }] },
  })
  await app.services.runIndexing.runOnce()
  const requests = await app.call('GET', `/v1/flow-runs/${run?.id}/steps`)
  expect([requests.text, JSON.stringify(run), JSON.stringify(app.logged)].join()).not.toContain(SECRET)
  expect((await app.call('GET', '/v1/flow-runs?text=planted*')).json).toEqual([])
  app.store.close()
  expect(stored(app)).not.toContain(SECRET)
})

it('a value under such a key is still found, whatever counts as a secret by then', async () => {
  const app = await startFlowApp()
  const { id } = (
    await app.call('POST', '/v1/env-variables', {
      name: 'shop_key',
      type: 'text',
      value: SECRET,
      secret: true,
    })
  ).json as { id: string }
  const run = async (...configs: object[]) => {
    const { flow } = await app.addFlow(
      configs.map((config, at) => ({ ref_id: `s${at}`, type: 'key_value' as const, config: { ...config } })),
    )
    await app.call('POST', `/v1/flows/${flow.id}/run?wait=true`)
    const [last] = app.runs()
    return app.stepsOf(last!).map(({ output, error }) => error?.message ?? output)
  }
  const key = `k/${SECRET}`
  expect(
    await run(
      { operation: 'set', key: 'k/a', value: 1 },
      { operation: 'set', key: 'k/z', value: 3 },
      { operation: 'increment', key },
      { operation: 'increment', key },
      { operation: 'list', key: 'k/' },
    ),
  ).toEqual([
    1,
    3,
    1,
    2,
    [
      { key: 'k/a', value: 1 },
      { key: 'k/***', value: 2 },
      { key: 'k/z', value: 3 },
    ],
  ])
  await app.call('DELETE', `/v1/env-variables/${id}`)
  expect(
    await run(
      { operation: 'get', key },
      { operation: 'increment', key },
      { operation: 'list', key: 'k/' },
      { operation: 'delete', key },
      { operation: 'get', key },
      { operation: 'list', key: '' },
    ),
  ).toEqual([
    2,
    3,
    [
      { key: 'k/a', value: 1 },
      // Older runs can contain the secret, so it stays hidden.
      { key: 'k/***', value: 3 },
      { key: 'k/z', value: 3 },
    ],
    3,
    null,
    [
      { key: 'k/a', value: 1 },
      { key: 'k/z', value: 3 },
    ],
  ])
})
