/**
 * Requests of all kinds arrive at a local program as they were sent: 300 of them here, 10,000 with `npm run
 * test:forward`.
 */
import { expect, it } from 'vitest'
import { startFlowApp } from '../../helpers/flow-app.ts'
import {
  anOddRequest,
  aRecorder,
  asArriving,
  closedAtEnd,
  type OddRequest,
  sendOdd,
} from '../../helpers/odd-requests.ts'
import { randomFrom } from '../../helpers/random.ts'

const isLong = process.env.MODE === 'long'
const REQUESTS = isLong ? 10_000 : 300
const LANES = 4
const LARGE_MB = isLong ? [6, 10, 25, 50, 75, 99, 100] : [6, 12]
const HOOK = {
  ref_id: 'web1',
  type: 'webhook',
  config: { methods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] },
}

/** The same request with a body of this size. */
function enlarged({ headers, ...request }: OddRequest, megabytes: number): OddRequest {
  const body = Buffer.alloc(megabytes * 1_048_576, `${megabytes} large and odd \u0000\u00ff`)
  const lines = headers.map((one, at) => (headers[at - 1] === 'Content-Length' ? String(body.length) : one))
  return { ...request, headers: lines, body }
}

it(
  `${REQUESTS} random requests arrive as they were sent, and those of up to 100 MB`,
  async () => {
    const app = await startFlowApp({ settings: { webhook_rate_limit_requests: null } })
    const counts: Record<string, number> = { equal: 0 }
    let bytes = 0
    const sendThrough = async (lane: number) => {
      const random = randomFrom(100 + lane)
      const program = closedAtEnd(await aRecorder())
      const hook = await app.addFlow([HOOK], { settings: { webhook_token_enabled: false } })
      await app.call('PUT', `/v1/flows/${hook.flow.id}/forward`, { url: `${program.url}/in` })
      const sendOne = async (request: OddRequest) => {
        const { status } = await sendOdd(app.port, hook.path, request)
        const [arrived, ...more] = program.arrived.splice(0)
        expect({ status, arrived, more }).toEqual({
          status: 201,
          arrived: asArriving(request, `127.0.0.1:${program.port}`, '/in'),
          more: [],
        })
        counts['equal'] = (counts['equal'] ?? 0) + 1
        bytes += request.body.length
      }
      for (let count = 0; count < REQUESTS / LANES; count++)
        await sendOne(anOddRequest(random, count % 50 === 0 ? 3_000_000 : 20_000))
      for (const [at, megabytes] of LARGE_MB.entries())
        if (at % LANES === lane) await sendOne(enlarged(anOddRequest(random, 1_000), megabytes))
    }
    await Promise.all(Array.from({ length: LANES }, (_, lane) => sendThrough(lane)))
    expect(counts).toEqual({ equal: REQUESTS + LARGE_MB.length })
    if (isLong) process.stdout.write(`${counts['equal']} requests, ${Math.round(bytes / 1_048_576)} MB\n`)
  },
  30 * 60_000,
)
