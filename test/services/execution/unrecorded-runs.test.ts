import { join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import type { FlowRun } from '../../../src/shared/contract/flow-runs.ts'
import type { StepInput } from '../../../src/shared/contract/steps.ts'
import { type FlowApp, startFlowApp } from '../../helpers/flow-app.ts'
import { aStore } from '../../helpers/store.ts'
import { temporaryFolder } from '../../helpers/temporary-folder.ts'

const webhook = (config: Record<string, unknown> = {}): StepInput => ({
  ref_id: 'web1',
  type: 'webhook',
  config,
})
const PURE: StepInput = { ref_id: 'a', type: 'set', config: { values: { n: 1 } } }
/** This step has an effect outside, so the run is in the database before its end. */
const COUNTED: StepInput = {
  ref_id: 'count',
  type: 'key_value',
  config: { operation: 'increment', key: 'n' },
}

/** A database that accepts everything about a run except its successful end. */
async function startBrokenApp(): Promise<FlowApp> {
  const dataDir = temporaryFolder()
  const store = await aStore({ dataDir })
  store.close()
  const db = new Database(join(dataDir, 'millrace.db'))
  for (const event of ['INSERT', 'UPDATE']) {
    db.exec(`CREATE TRIGGER no_${event} BEFORE ${event} ON flow_runs WHEN new.status = 'success'
      BEGIN SELECT RAISE(ABORT, 'no good ends here'); END`)
  }
  db.close()
  return startFlowApp({ dataDir })
}

describe("a run whose end can't be written, for another reason than the disk", () => {
  it.each([
    ['that computes alone', [webhook(), PURE], []],
    ['that acts on the outside', [webhook(), COUNTED, PURE], ['web1:success', 'count:success']],
  ])('ends as failed, and its caller is told: one %s', async (_, steps, shown) => {
    const app = await startBrokenApp()
    const hook = await app.addFlow(steps)
    const answer = await app.trigger(hook)
    const [run] = app.runs()
    expect(run).toMatchObject({ status: 'error', error: { code: 'internal', ref_id: null } })
    expect(answer).toMatchObject({
      status: 500,
      json: {
        error: 'flow_error',
        message: expect.stringContaining(run?.id ?? '-'),
        data: { flow_run_id: run?.id },
      },
    })
    expect(app.stepsOf(run!).map(({ ref_id, status }) => `${ref_id}:${status}`)).toEqual(shown)
    expect(await app.requests()).toMatchObject([{ status: 500, flow_run_id: run?.id }])
    expect(app.logged.filter(({ level }) => level === 'error')).toHaveLength(1)
  })

  it('ends as failed if it was started manually and is waited for', async () => {
    const app = await startBrokenApp()
    const { flow } = await app.addFlow([webhook(), COUNTED])
    const { status, json } = await app.call('POST', `/v1/flows/${flow.id}/run?wait=true`, {})
    expect({ status, json }).toMatchObject({
      status: 200,
      json: { status: 'error', error: { code: 'internal' } },
    })
    expect(app.runs()).toMatchObject([{ id: (json as FlowRun).id, status: 'error' }])
  })

  it('ends as failed if it was accepted, acts once, and starts the error handling flow', async () => {
    const app = await startBrokenApp()
    const handler = await app.addFlow([
      {
        ref_id: 'stopped',
        type: 'stop',
        config: { status: 'error', message: 'seen {{ error_flow_run_id }}' },
      },
    ])
    const hook = await app.addFlow([webhook({ async: true }), COUNTED], {
      settings: { error_handling_flow_id: handler.flow.id },
    })
    expect(await app.trigger(hook)).toMatchObject({ status: 200 })
    const handled = await app.until((run) => run.flow_id === handler.flow.id && run.finished_at !== null)
    const run = app.runs().find(({ flow_id }) => flow_id === hook.flow.id)
    expect(run).toMatchObject({ status: 'error', error: { code: 'internal' } })
    expect(handled.error?.message).toContain(`seen ${run?.id}`)
    expect(app.store.runQueue.count()).toEqual({ ready: 0, parked: 0, taken: 0 })
    expect(app.store.keyValues.get('n', Date.now())?.text).toBe('1')
  })
})
