import { expect, it, onTestFinished } from 'vitest'
import type { FlowRun } from '../../src/shared/contract/flow-runs.ts'
import type { Flow } from '../../src/shared/contract/flows.ts'
import { createHome } from '../helpers/program.ts'
import { callOrThrow, kill, stop } from '../helpers/served-api.ts'
import { untilIdle, untilSeen } from '../helpers/served-runs.ts'
import { startThirdPartyApi } from '../helpers/third-party-api.ts'

it('a finally after a cancellation is run to its end despite kill -9, and the run stays cancelled', async () => {
  const home = createHome()
  onTestFinished(() => home.remove())
  let isHeld = true
  const called = Promise.withResolvers<void>()
  const api = await startThirdPartyApi((_request, response) => (isHeld ? called.resolve() : response.end()))
  let served = await home.serve()
  const { id } = await callOrThrow<Flow>(served, 'POST', '/v1/flows', {
    name: 'Lock',
    steps: [
      {
        ref_id: 'lock',
        type: 'try',
        try: [{ ref_id: 'work', type: 'delay', config: { seconds: 3_600 } }],
        finally: [{ ref_id: 'release', type: 'rest', config: { url: api.url } }],
      },
    ],
  })
  const { flow_run_id: run } = await callOrThrow<{ flow_run_id: string }>(
    served,
    'POST',
    `/v1/flows/${id}/run`,
  )
  const read = () => callOrThrow<FlowRun>(served, 'GET', `/v1/flow-runs/${run}`)
  await untilSeen(served, async () => (await read()).parked_until ?? null)
  await callOrThrow(served, 'POST', `/v1/flow-runs/${run}/cancel`)
  await called.promise
  await kill(served)

  isHeld = false
  served = await home.serve()
  await untilIdle(served)
  const { status, attempt } = await read()
  await stop(served)
  expect({ status, attempt, calls: api.received.length }).toEqual({
    status: 'cancelled',
    attempt: 2,
    calls: 2,
  })
})
