import { connect, type Socket } from 'node:net'
import { once } from 'node:events'
import { expect, onTestFinished, test } from 'vitest'
import { startFlowApp } from '../helpers/flow-app.ts'

const BODY_BYTES = 5_000_000
const PART = Buffer.alloc(4_900_000, 'a')

test('bodies that stall hold a bounded amount of memory: one caller gets 503, and room again once they are gone', async () => {
  const app = await startFlowApp({ settings: { webhook_rate_limit_requests: null } })
  const hook = await app.addFlow([{ ref_id: 'web1', type: 'webhook' }], {
    settings: { webhook_token_enabled: false },
  })
  const stalled: Socket[] = []
  onTestFinished(() => stalled.forEach((socket) => socket.destroy()))
  async function stall(): Promise<string> {
    const socket = connect(app.port, '127.0.0.1')
    stalled.push(socket)
    socket.on('error', () => undefined)
    socket.write(
      `POST ${hook.path} HTTP/1.1\r\nHost: 127.0.0.1:${app.port}\r\nContent-Type: application/json\r\nContent-Length: ${BODY_BYTES}\r\n\r\n`,
    )
    const answered = once(socket, 'data').then(([data]: Buffer[]) => String(data).slice(9, 12))
    const sent = new Promise<string>((resolve) => socket.write(PART, () => resolve('sent')))
    return Promise.race([answered, sent])
  }
  const answers: string[] = []
  while (!answers.includes('503') && answers.length < 40) {
    answers.push(await stall())
    // What was written may still be on its way. Another request shows that the server has read it.
    await app.call('GET', '/v1/health')
  }
  stalled.forEach((socket) => socket.destroy())
  await expect.poll(async () => (await app.trigger(hook, { body: { a: 1 } })).status).toBe(200)
  expect(answers.length).toBeGreaterThan(8)
  expect(answers.at(-1)).toBe('503')
})
