import { expect, it, onTestFinished } from 'vitest'
import type { FlowRunStep } from '../../src/shared/contract/flow-runs.ts'
import type { Flow } from '../../src/shared/contract/flows.ts'
import { createHome } from '../helpers/program.ts'
import { callServed, kill, stop } from '../helpers/served-api.ts'
import { untilEnded } from '../helpers/served-runs.ts'
import { startThirdPartyApi } from '../helpers/third-party-api.ts'
import { report, scale } from './scale.ts'

const CALLS = scale(200, 120)
const AT_ONCE = 20
/** Kills per run, which would be set aside at its third crash in a row. */
const KILLS = 2

const ROUNDS = Array.from({ length: scale(10, 1) }, (_, round) => round)

it.each(ROUNDS)(
  'repeats only the iterations in flight of a loop that was killed with twenty at once (%i)',
  async () => {
    const home = createHome()
    onTestFinished(() => home.remove())
    const called: number[] = []
    const answered: number[] = []
    const inFlight: number[][] = []
    let dies = Promise.withResolvers<void>()
    const killsAt = Array.from({ length: KILLS }, (_, kill) => Math.ceil(((kill + 1) * CALLS) / (KILLS + 1)))
    const open = new Set<number>()
    const api = await startThirdPartyApi(({ target }, response) => {
      const n = Number(target.slice(1))
      called.push(n)
      open.add(n)
      // Once as many calls are open as there can be, none of them returns.
      if (killsAt.length > 0 && called.length >= (killsAt[0] ?? 0)) {
        if (open.size === Math.min(AT_ONCE, CALLS - answered.length)) dies.resolve()
        return
      }
      setTimeout(() => {
        if (!open.delete(n)) return
        answered.push(n)
        response.end(JSON.stringify({ n }))
      }, 5)
    })
    let served = await home.serve()
    const flow = await callServed<Flow>(served, 'POST', '/v1/flows', {
      name: 'Many at once',
      steps: [
        {
          ref_id: 'each',
          type: 'loop',
          config: {
            over: `{{ range(${CALLS}) | list }}`,
            concurrency: AT_ONCE,
            collect: '{{ call.body.n }}',
          },
          steps: [{ ref_id: 'call', type: 'rest', config: { method: 'POST', url: `${api.url}/{{ item }}` } }],
        },
        { ref_id: 'seen', type: 'set', config: { values: { turns: '{{ each }}' } } },
      ],
    })
    const path = `/v1/flows/${flow.id}/run`
    const { flow_run_id: id } = await callServed<{ flow_run_id: string }>(served, 'POST', path)
    while (killsAt.length > 0) {
      await dies.promise
      inFlight.push([...open])
      await kill(served)
      open.clear()
      killsAt.shift()
      dies = Promise.withResolvers()
      served = await home.serve()
    }
    const run = await untilEnded(served, id)
    const [seen] = await callServed<FlowRunStep[]>(
      served,
      'GET',
      `/v1/flow-runs/${id}/steps?filter=ref_id,eq,seen`,
    )
    const end = await stop(served)
    const all = Array.from({ length: CALLS }, (_, n) => n)
    const repeated = called.filter((n, at) => called.indexOf(n) !== at)
    // The response may have arrived without having been stored.
    const wasInFlight = new Set(inFlight.flat())
    report('kill -9 with twenty iterations at once', {
      kills: inFlight.length,
      calls: called.length,
      'repeated while in flight': repeated.length,
    })
    expect({
      end,
      status: [run.status, run.error],
      once: [...new Set(called)].toSorted((a, b) => a - b),
      others: repeated.filter((n) => !wasInFlight.has(n)),
      isFew: repeated.length <= KILLS * AT_ONCE,
      turns: seen?.output,
    }).toEqual({
      end: 0,
      status: ['success', null],
      once: all,
      others: [],
      isFew: true,
      turns: { turns: all },
    })
  },
)
