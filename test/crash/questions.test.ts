import { expect, it, onTestFinished } from 'vitest'
import type { FlowRun } from '../../src/shared/contract/flow-runs.ts'
import type { Flow } from '../../src/shared/contract/flows.ts'
import type { RunQuestion } from '../../src/shared/contract/reach/questions.ts'
import { createHome, type Served } from '../helpers/program.ts'
import { callOrThrow, kill, readFolder, stop } from '../helpers/served-api.ts'
import { untilIdle, untilSeen } from '../helpers/served-runs.ts'
import { randomPause, report, scale } from './scale.ts'

const KILLS = scale(30, 2)
const A_ROUND = 10

it('a run continues with the answer that was confirmed, despite kill -9', async () => {
  const home = createHome()
  onTestFinished(() => home.remove())
  let served = await home.serve()
  await callOrThrow(served, 'PUT', '/v1/settings', { webhook_rate_limit_requests: null })
  const { id } = await callOrThrow<Flow>(served, 'POST', '/v1/flows', {
    name: 'Ask',
    settings: { dynamic_title: '{{ start.n }}: {{ approval.choice }}' },
    steps: [
      { ref_id: 'start', type: 'webhook' },
      {
        ref_id: 'approval',
        type: 'ask_person',
        config: { question: 'Which?' },
        cases: Array.from({ length: 5 }, (_, at) => ({ label: `${at}`, steps: [] })),
      },
    ],
  })
  const paths = new Map<string, string>()
  const thanked = new Map<string, string>()

  const numbers: string[] = []
  async function start(): Promise<void> {
    const body = { input: { n: numbers.length } }
    const path = `/v1/flows/${id}/run`
    const { flow_run_id: run } = await callOrThrow<{ flow_run_id: string }>(served, 'POST', path, body)
    numbers.push(run)
    paths.set(run, '')
  }
  async function findLinks(): Promise<void> {
    for (const [run, path] of paths) if (path === '') paths.set(run, await linkOf(served, run))
  }
  /** Several people answer; at most one is thanked. */
  async function answer(run: string, choice: string): Promise<void> {
    const body = new URLSearchParams({ _choice: choice })
    const { status } = await fetch(`${served.url}${paths.get(run)}`, { method: 'POST', body })
    if (status !== 200) return
    if (thanked.has(run)) throw new Error(`Run ${run} was answered twice`)
    thanked.set(run, choice)
  }

  for (let round = 0; round < KILLS; round++) {
    for (let count = 0; count < A_ROUND; count++) await start()
    await findLinks()
    const open = [...paths.keys()].filter((run) => !thanked.has(run))
    const answers = open.flatMap((run) =>
      ['0', '1', '2'].map((choice) => answer(run, choice).catch(() => undefined)),
    )
    await randomPause(0, 60)
    await kill(served)
    await Promise.all(answers)
    served = await home.serve()
  }
  for (const run of paths.keys()) if (!thanked.has(run)) await answer(run, '4')
  await untilIdle(served)
  const end = await stop(served)

  const { runs, isSound, queued } = readFolder(home)
  const wrong = runs.filter(({ status, title }) => {
    const [n = '', choice = ''] = title.split(': ')
    const said = thanked.get(numbers[Number(n)] ?? '')
    return status !== 'success' || (said === undefined ? !['0', '1', '2'].includes(choice) : said !== choice)
  })
  report('kill -9 while questions are answered', { kills: KILLS, runs: runs.length, thanked: thanked.size })
  expect({ end, isSound, queued, wrong, runs: runs.length }).toEqual({
    end: 0,
    isSound: true,
    queued: 0,
    wrong: [],
    runs: KILLS * A_ROUND,
  })
})

/** The link to the question that the run asks, once it does. */
function linkOf(served: Served, run: string): Promise<string> {
  return untilSeen(served, async () => {
    const { asks, finished_at: end } = await callOrThrow<FlowRun>(served, 'GET', `/v1/flow-runs/${run}`)
    if (end !== null) return '/'
    if (asks !== true) return null
    const [question] = await callOrThrow<RunQuestion[]>(served, 'GET', `/v1/flow-runs/${run}/questions`)
    return question === undefined ? null : new URL(question.url).pathname
  })
}
