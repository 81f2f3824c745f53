import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import type { FlowRunStep } from '../../src/shared/contract/flow-runs.ts'
import { createHome } from '../helpers/program.ts'
import {
  callServed,
  createNumberedFlow,
  readFolder,
  sendNumber,
  stop,
  UNLIMITED,
} from '../helpers/served-api.ts'
import { untilIdle, untilSeen } from '../helpers/served-runs.ts'
import { pause, report, scale } from './scale.ts'
import { onPosix } from '../helpers/platform.ts'

const JUMPS = scale(20, 2)
const JUMPING_CLOCK = pathToFileURL(join(import.meta.dirname, 'fixtures/jumping-clock.ts')).href

test.runIf(onPosix)(
  'a clock that jumps by hours loses no run, starts no schedule twice and stretches no wait',
  async () => {
    const home = createHome()
    onTestFinished(() => home.remove())
    const served = await home.serve({ env: UNLIMITED, nodeArgs: ['--import', JUMPING_CLOCK] })
    const flow = await createNumberedFlow(served, { async: true }, [
      { ref_id: 'wait', type: 'delay', config: { seconds: 0.2 } },
    ])
    const { id } = await callServed<{ id: string }>(served, 'POST', '/v1/flows', {
      name: 'Each second',
      status: 'active',
      steps: [{ ref_id: 'when', type: 'schedule', config: { interval: 'cron', cron: '* * * * * *' } }],
      settings: { dynamic_title: '{{ when.scheduled_at }}' },
    })
    const scheduled = async () =>
      (await callServed<unknown[]>(served, 'GET', `/v1/flow-runs?per_page=200&filter=flow_id,eq,${id}`))
        .length
    let answered = 0
    for (let jump = 0; jump < JUMPS; jump++) {
      for (let call = 0; call < 5; call++)
        if ((await sendNumber(served, flow, answered)).status === 200) answered++
      const before = await scheduled()
      // Two hours ahead, and back the next time. After the clock went back, the schedule has already run at these
      // times, so the check is a second in which it doesn't run.
      served.process.kill('SIGUSR2')
      if (jump % 2 === 0) await untilSeen(served, async () => ((await scheduled()) > before ? true : null))
      else await pause(1_100)
    }
    await callServed(served, 'PUT', `/v1/flows/${id}`, { status: 'paused' })
    await untilIdle(served) // A wait that was stretched would not end.
    const steps = await callServed<FlowRunStep[]>(served, 'GET', '/v1/flow-run-steps?per_page=1')
    const end = await stop(served)
    const { runs, isSound } = readFolder(home)
    const planned = runs.map(({ title }) => title).filter((title) => title.includes('T'))
    report('jumps of the clock', {
      jumps: JUMPS,
      answered,
      ran: runs.length - planned.length,
      scheduled: planned.length,
      doubled: planned.length - new Set(planned).size,
    })
    expect({
      end,
      isSound,
      ran: runs.length - planned.length,
      failed: runs.filter(({ status }) => status !== 'success'),
      doubled: planned.length - new Set(planned).size,
      isScheduled: planned.length >= JUMPS / 2,
      hasSteps: steps.length,
    }).toEqual({
      end: 0,
      isSound: true,
      ran: answered,
      failed: [],
      doubled: 0,
      isScheduled: true,
      hasSteps: 1,
    })
  },
)
