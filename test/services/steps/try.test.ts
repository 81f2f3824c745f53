import { expect, it } from 'vitest'
import type { FlowRun } from '../../../src/shared/contract/flow-runs.ts'
import type { StepInput } from '../../../src/shared/contract/steps.ts'
import { type FlowApp, startFlowApp } from '../../helpers/flow-app.ts'
import { startThirdPartyApi } from '../../helpers/third-party-api.ts'
import { temporaryFolder } from '../../helpers/temporary-folder.ts'

const set = (ref_id: string, values: object = {}): StepInput => ({ ref_id, type: 'set', config: { values } })
const wait = (ref_id: string, seconds: number): StepInput => ({ ref_id, type: 'delay', config: { seconds } })
const count = (key: string): StepInput => ({
  ref_id: `count_${key}`,
  type: 'key_value',
  config: { operation: 'increment', key },
})
const lockAround = (steps: StepInput[], more: StepInput[] = []): StepInput[] => [
  { ref_id: 'lock', type: 'try', try: [count('taken'), ...steps], finally: [...more, count('released')] },
  set('after'),
]

async function startRun(app: FlowApp, steps: readonly StepInput[]): Promise<string> {
  const { flow } = await app.addFlow(steps)
  const { json } = await app.call('POST', `/v1/flows/${flow.id}/run`)
  return (json as { flow_run_id: string }).flow_run_id
}

const cancel = (app: FlowApp, id: string) => app.call('POST', `/v1/flow-runs/${id}/cancel`)
const parked = (app: FlowApp, id: string) =>
  app.until((run) => run.id === id && run.parked_until !== undefined)
const ended = (app: FlowApp, id: string) => app.until((run) => run.id === id && run.finished_at !== null)
const statuses = (app: FlowApp, run: FlowRun) =>
  Object.fromEntries(app.stepsOf(run).map(({ ref_id, status }) => [ref_id, status]))

it('a run that is cancelled while it is parked runs its finally before it ends', async () => {
  const app = await startFlowApp()
  const id = await startRun(app, lockAround([wait('long', 3_600), set('not_reached')]))
  await parked(app, id)
  expect((await cancel(app, id)).status).toBe(200)
  const run = await ended(app, id)
  expect({ status: run.status, steps: statuses(app, run) }).toEqual({
    status: 'cancelled',
    steps: { lock: 'error', count_taken: 'success', long: 'error', count_released: 'success' },
  })
})

it('a finally that waits after a cancellation continues in the next process; cancelling again ends the run', async () => {
  const dataDir = temporaryFolder()
  let later = 0
  const clock = { now: () => Date.now() + later, monotonic: () => performance.now() }
  const first = await startFlowApp({ dataDir, clock })
  const steps = lockAround([wait('long', 36_000)], [wait('pause', 3_600)])
  const ids = [await startRun(first, steps), await startRun(first, steps)] as const
  for (const id of ids) {
    await parked(first, id)
    await cancel(first, id)
    await first.until(
      (run) =>
        run.id === id &&
        first.stepsOf(run).some((step) => step.ref_id === 'pause') &&
        run.parked_until !== undefined,
    )
  }
  expect((await cancel(first, ids[1])).json).toMatchObject({ status: 'cancelled' })
  first.services.runtime.beginStop()
  await first.services.runtime.stop({ graceMs: 2_000 })
  first.store.close()

  later = 3_700_000
  const app = await startFlowApp({ dataDir, clock })
  const run = await ended(app, ids[0])
  expect({ status: run.status, steps: statuses(app, run) }).toMatchObject({
    status: 'cancelled',
    steps: { pause: 'success', count_released: 'success' },
  })
  const other = await ended(app, ids[1])
  expect(statuses(app, other)).not.toHaveProperty('count_released')
})

it('a failed run that is resumed runs the failed step and finally again', async () => {
  const api = await startThirdPartyApi((_request, response, count) =>
    response.writeHead(count === 2 ? 400 : 200).end(),
  )
  const app = await startFlowApp()
  const call = (ref_id: string): StepInput => ({
    ref_id,
    type: 'rest',
    config: { url: `${api.url}/${ref_id}` },
  })
  const id = await startRun(app, [
    { ref_id: 'lock', type: 'try', try: [call('take'), call('use')], finally: [call('release')] },
  ])
  const failed = await ended(app, id)
  expect(failed).toMatchObject({ status: 'error', error: { ref_id: 'use' } })
  await app.call('POST', `/v1/flow-runs/${id}/resume`)
  await app.until((run) => run.id === id && run.status === 'success')
  expect(api.received.map(({ target }) => target)).toEqual(['/take', '/use', '/release', '/use', '/release'])
})
