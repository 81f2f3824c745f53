import { expect, test } from 'vitest'
import { groupNotices } from '../../src/main/electron/group-notices.ts'
import type { FailureNotice } from '../../src/main/services/running/runs/failure-notices.ts'

const failed = (flow: string, run: string, count = 1): FailureNotice => ({
  kind: 'failed',
  flow_id: flow,
  flow_name: flow,
  count,
  flow_run_id: run,
})

test('a flow is announced once in ten minutes, then everything else together, with the newest run', () => {
  const shown: string[] = []
  const timers: { readonly work: () => void; readonly ms: number }[] = []
  const announce = groupNotices(
    ({ kind, flow_id, flow_run_id, count }) => shown.push(`${kind} ${flow_id} ${flow_run_id} ${count}`),
    (work, ms) => timers.push({ work, ms }),
  )
  const tenMinutesLater = () => {
    for (const { work } of timers.splice(0)) work()
    return shown.splice(0)
  }
  announce(failed('a', '1'))
  announce(failed('b', '2'))
  announce(failed('a', '3', 2))
  announce(failed('a', '4'))
  announce({ ...failed('a', ''), kind: 'test' })
  expect({ shown: shown.splice(0), waits: timers.map(({ ms }) => ms) }).toEqual({
    shown: ['failed a 1 1', 'failed b 2 1', 'test a  1'],
    waits: [600_000, 600_000],
  })
  expect(tenMinutesLater()).toEqual(['failed a 4 3'])
  announce(failed('b', '5'))
  announce(failed('a', '6'))
  announce({ ...failed('a', '6'), kind: 'recovered', message: 'works again' })
  expect(shown.splice(0)).toEqual(['failed b 5 1'])
  expect(tenMinutesLater()).toEqual(['recovered a 6 1'])
  expect(tenMinutesLater()).toEqual([])
})
