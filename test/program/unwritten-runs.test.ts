import { execFileSync } from 'node:child_process'
import { expect, onTestFinished, test } from 'vitest'
import type { FlowRun, FlowRunStep } from '../../src/shared/contract/flow-runs.ts'
import { createHome } from '../helpers/program.ts'
import { callServed, createNumberedFlow, sendNumber } from '../helpers/served-api.ts'
import { untilSeen } from '../helpers/served-runs.ts'
import { startThirdPartyApi } from '../helpers/third-party-api.ts'
import { onLinux } from '../helpers/platform.ts'

test.runIf(onLinux)(
  'a run whose caller was waiting while the disk was full ends as failed once the disk works again, without a restart',
  async () => {
    const home = createHome()
    onTestFinished(() => home.remove())
    const served = await home.serve()
    /** Makes every write of the program beyond the first page of a file fail, or none. */
    const limit = (bytes: string) =>
      void execFileSync('prlimit', ['--pid', String(served.process.pid), `--fsize=${bytes}:unlimited`])
    const shop = await startThirdPartyApi((_request, response) => {
      limit('4096')
      response.end('{}')
    })
    const flow = await createNumberedFlow(served, {}, [
      {
        ref_id: 'each',
        type: 'loop',
        config: { over: [1] },
        steps: [{ ref_id: 'call', type: 'rest', config: { url: shop.url } }],
      },
    ])
    const answer = await sendNumber(served, flow, 1)
    const told = (await answer.json()) as { error: string }
    const [during] = await callServed<FlowRun[]>(served, 'GET', '/v1/flow-runs')
    limit('unlimited')
    const ended = await untilSeen(served, async () => {
      const [run] = await callServed<FlowRun[]>(served, 'GET', '/v1/flow-runs')
      return run !== undefined && run.finished_at !== null ? run : null
    })
    const steps = await callServed<FlowRunStep[]>(served, 'GET', `/v1/flow-runs/${ended.id}/steps`)
    expect({ answerStatus: answer.status, error: told.error, duringStatus: during?.status }).toEqual({
      answerStatus: 503,
      error: 'unavailable',
      duringStatus: 'running',
    })
    expect(ended).toMatchObject({
      id: during?.id,
      status: 'error',
      error: { code: 'unavailable', ref_id: null },
    })
    expect(steps.map(({ ref_id, status, error }) => `${ref_id}:${status}:${error?.code}`)).toEqual([
      'web1:success:undefined',
      'each:error:unavailable',
      'call:error:unavailable',
    ])
  },
)
