import { createHmac } from 'node:crypto'
import express from 'express'
import { expect, test } from 'vitest'
import { importTool } from '../../../scripts/lib/tools.ts'
import { startFlowApp } from '../../helpers/flow-app.ts'
import { callHttp } from '../../helpers/http.ts'
import { aProgram, closedAtEnd } from '../../helpers/odd-requests.ts'
import { randomFrom } from '../../helpers/random.ts'

const SECRET = 'whsec_local'

const { default: Stripe } = (await importTool('tools/webhook-senders', 'stripe')) as {
  default: new (key: string) => {
    webhooks: {
      constructEvent(body: Buffer, signature: string | string[], secret: string): { id: string }
      generateTestHeaderString(signed: { payload: string; secret: string }): string
    }
  }
}
const { Webhooks } = (await importTool('tools/webhook-senders', '@octokit/webhooks')) as {
  Webhooks: new (options: { secret: string }) => {
    verify(body: string, signature: string): Promise<boolean>
  }
}

/** A local app that verifies what it receives with the packages of the senders. */
function verifyingApp() {
  const app = express()
  const stripe = new Stripe('sk_test_unused')
  const github = new Webhooks({ secret: SECRET })
  app.post('/stripe', express.raw({ type: () => true }), (request, response) => {
    const event = stripe.webhooks.constructEvent(
      request.body as Buffer,
      request.headers['stripe-signature'] ?? '',
      SECRET,
    )
    response.json({ verified: event.id })
  })
  app.post('/github', express.text({ type: () => true }), (request, response) => {
    const signature = String(request.headers['x-hub-signature-256'])
    void github.verify(request.body as string, signature).then((verified) => response.json({ verified }))
  })
  return app
}

test('signed requests of the packages stripe and @octokit/webhooks verify at a local Express app', async () => {
  const app = await startFlowApp({ settings: { webhook_rate_limit_requests: null } })
  const program = closedAtEnd(await aProgram(verifyingApp()))
  const stripe = new Stripe('sk_test_unused')
  const random = randomFrom(7)
  const settings = { webhook_token_enabled: false }
  const paths = { stripe: '', github: '' }
  for (const sender of ['stripe', 'github'] as const) {
    const hook = await app.addFlow([{ ref_id: 'web1', type: 'webhook', config: {} }], { settings })
    const url = `${program.url}/${sender}`
    await app.call('PUT', `/v1/flows/${hook.flow.id}/forward`, { url })
    paths[sender] = hook.path
  }
  const outcomes: Record<string, number> = {}
  for (let count = 0; count < 100; count++) {
    const data = { text: `häß€ ${'x'.repeat(random(500))}`, amount: random(1e9) }
    const payload = JSON.stringify(
      { id: `evt_${count}`, object: 'event', type: 'invoice.paid', data },
      null,
      random(3),
    )
    const signed = {
      stripe: { 'stripe-signature': stripe.webhooks.generateTestHeaderString({ payload, secret: SECRET }) },
      github: {
        'x-hub-signature-256': `sha256=${createHmac('sha256', SECRET).update(payload).digest('hex')}`,
      },
    }
    for (const sender of ['stripe', 'github'] as const) {
      const headers = { 'content-type': 'application/json; charset=utf-8', ...signed[sender] }
      const { text } = await callHttp(app.port, {
        method: 'POST',
        path: paths[sender],
        headers,
        body: payload,
      })
      const isVerified = text === JSON.stringify({ verified: sender === 'stripe' ? `evt_${count}` : true })
      const outcome = isVerified ? `${sender}: verified` : text
      outcomes[outcome] = (outcomes[outcome] ?? 0) + 1
    }
  }
  expect(outcomes).toEqual({ 'stripe: verified': 100, 'github: verified': 100 })
})
