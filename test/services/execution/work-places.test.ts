import { describe, expect, it } from 'vitest'
import type { StepInput } from '../../../src/shared/contract/steps.ts'
import { type FlowApp, realClock, startFlowApp } from '../../helpers/flow-app.ts'
import { startThirdPartyApi } from '../../helpers/third-party-api.ts'

const webhook: StepInput = { ref_id: 'web1', type: 'webhook', config: { async: true } }

/** An API that never responds by itself. */
async function aSlowApi() {
  const held: (() => void)[] = []
  const { url } = await startThirdPartyApi((_request, response) => {
    held.push(() => response.end('{}'))
  })
  const step: StepInput = { ref_id: 'call', type: 'rest', config: { url } }
  return { step, held }
}

async function untilHeld(app: FlowApp, held: readonly unknown[], count: number): Promise<void> {
  while (held.length < count) await app.store.write(() => undefined)
}

const statusesOf = (app: FlowApp, id: string) =>
  app.runs().flatMap(({ flow_id: flow, status }) => (flow === id ? [status] : []))

describe('concurrent_runs', () => {
  it("doesn't count a run that waits for a response: another flow starts at once", async () => {
    const app = await startFlowApp({ settings: { concurrent_runs: 2 } })
    const { step, held } = await aSlowApi()
    const slow = await app.addFlow([webhook, step])
    const quick = await app.addFlow([webhook])
    await Promise.all(Array.from({ length: 25 }, () => app.trigger(slow)))
    await app.trigger(quick)
    await app.until(({ flow_id: id, status }) => id === quick.flow.id && status === 'success')
    await untilHeld(app, held, 25)
    expect(new Set(statusesOf(app, slow.flow.id))).toEqual(new Set(['running']))
    for (const answer of held) answer()
    await app.until(() => statusesOf(app, slow.flow.id).every((status) => status === 'success'))
  })

  it("doesn't count a run that waits for a delay, but still applies a flow's own limit", async () => {
    const app = await startFlowApp({ settings: { concurrent_runs: 1 } })
    const { step, held } = await aSlowApi()
    const limited = await app.addFlow([webhook, step], { settings: { concurrency: 2 } })
    const pausing = await app.addFlow([webhook, { ref_id: 'nap', type: 'delay', config: { seconds: 0.9 } }])
    const quick = await app.addFlow([webhook])
    for (let run = 0; run < 4; run++) await app.trigger(limited)
    await app.trigger(pausing)
    await app.trigger(quick)
    await app.until(({ flow_id: id, status }) => id === quick.flow.id && status === 'success')
    await untilHeld(app, held, 2)
    await app.until(({ flow_id: id, status }) => id === pausing.flow.id && status === 'success')
    expect({ held: held.length, queue: app.store.runQueue.count() }).toEqual({
      held: 2,
      queue: { ready: 2, parked: 0, taken: 2 },
    })
    app.services.runtime.beginStop()
  })

  it("doesn't delay a run that would start too late", async () => {
    let ahead = 0
    const clock = { ...realClock, now: () => Date.now() + ahead }
    const app = await startFlowApp({ clock, settings: { concurrent_runs: 1 } })
    // A running script keeps its place.
    const busy = await app.addFlow([
      webhook,
      { ref_id: 'code', type: 'code', config: { source: 'for (;;) {}' } },
    ])
    const other = await app.addFlow([webhook])
    await app.trigger(busy)
    while (app.store.runQueue.count().taken === 0) await app.store.write(() => undefined)
    await app.trigger(busy)
    await app.trigger(other)
    const before = statusesOf(app, other.flow.id)
    ahead = 31_000
    await app.trigger(busy)
    await app.until(({ flow_id: id, status }) => id === other.flow.id && status === 'success')
    expect({ before, last: app.runs()[0]?.status }).toEqual({ before: ['queued'], last: 'queued' })
    app.services.runtime.beginStop()
  })
})
