import { createHmac } from 'node:crypto'
import express from 'express'
import { expect, test } from 'vitest'
import type { WebhookReplay } from '../../../src/shared/contract/reach/forwards.ts'
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
      generateTestHeaderString(signed: { payload: string; secret: string; timestamp?: number }): string
    }
  }
}
const { Webhooks } = (await importTool('tools/webhook-senders', '@octokit/webhooks')) as {
  Webhooks: new (options: { secret: string }) => {
    verify(body: string, signature: string): Promise<boolean>
  }
}

const stripe = new Stripe('sk_test_unused')

/** A local app that verifies what it receives with the packages of the senders. */
function verifyingApp() {
  const app = express()
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

/** The headers that each sender adds to a payload. */
const signedBy = {
  stripe: (payload: string, timestamp: number) => ({
    'stripe-signature': stripe.webhooks.generateTestHeaderString({ payload, secret: SECRET, timestamp }),
  }),
  github: (payload: string) => ({
    'x-hub-signature-256': `sha256=${createHmac('sha256', SECRET).update(payload).digest('hex')}`,
  }),
}
const SENDERS = ['stripe', 'github'] as const
const NOW = () => Math.floor(Date.now() / 1_000)

function aPayload(id: string, random: (below: number) => number): string {
  const data = { text: `häß€ ${'x'.repeat(random(500))}`, amount: random(1e9) }
  return JSON.stringify({ id, object: 'event', type: 'invoice.paid', data }, null, random(3))
}

function counted(texts: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const text of texts) counts[text] = (counts[text] ?? 0) + 1
  return counts
}

test('signed requests of the packages stripe and @octokit/webhooks verify at a local Express app', async () => {
  const app = await startFlowApp({ settings: { webhook_rate_limit_requests: null } })
  const program = closedAtEnd(await aProgram(verifyingApp()))
  const random = randomFrom(7)
  const settings = { webhook_token_enabled: false }
  const paths = { stripe: '', github: '' }
  for (const sender of SENDERS) {
    const hook = await app.addFlow([{ ref_id: 'web1', type: 'webhook', config: {} }], { settings })
    const url = `${program.url}/${sender}`
    await app.call('PUT', `/v1/flows/${hook.flow.id}/forward`, { url })
    paths[sender] = hook.path
  }
  const outcomes: string[] = []
  for (let count = 0; count < 100; count++) {
    const body = aPayload(`evt_${count}`, random)
    for (const sender of SENDERS) {
      const headers = {
        'content-type': 'application/json; charset=utf-8',
        ...signedBy[sender](body, NOW()),
      }
      const { text } = await callHttp(app.port, { method: 'POST', path: paths[sender], headers, body })
      const isVerified = text === JSON.stringify({ verified: sender === 'stripe' ? `evt_${count}` : true })
      outcomes.push(isVerified ? `${sender}: verified` : text)
    }
  }
  expect(counted(outcomes)).toEqual({ 'stripe: verified': 100, 'github: verified': 100 })
})

test('old requests verify there after a replay with a new signature, and those of Stripe not without', async () => {
  const app = await startFlowApp({ settings: { webhook_rate_limit_requests: null } })
  const program = closedAtEnd(await aProgram(verifyingApp()))
  const random = randomFrom(8)
  const since = new Date().toISOString()
  const flows = { stripe: '', github: '' }
  for (const sender of SENDERS) {
    const signature = { scheme: sender, secret: SECRET, tolerance_seconds: 86_400 }
    const settings = { webhook_token_enabled: false }
    const { flow, path } = await app.addFlow([{ ref_id: 'web1', type: 'webhook', config: { signature } }], {
      settings,
    })
    flows[sender] = flow.id
    for (let count = 0; count < 100; count++) {
      const body = aPayload(`evt_${sender}_${count}`, random)
      const headers = { 'content-type': 'application/json', ...signedBy[sender](body, NOW() - 3_600) }
      const { status } = await callHttp(app.port, { method: 'POST', path, headers, body })
      expect(status).toBe(200)
    }
  }
  const replay = async (sender: (typeof SENDERS)[number], sign: boolean) => {
    const to = `${program.url}/${sender}`
    const wish = { to, since, flow_id: flows[sender], sign }
    const { text } = await app.call('POST', '/v1/webhook-requests/replay', wish)
    const results = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as WebhookReplay)
    return counted(
      results.map(({ attempt, is_signed }) => {
        const verified = /^\{"verified":(?:true|"evt_stripe_\d+")\}$/.test(attempt?.body ?? '')
        return `${attempt?.status ?? 0}${verified ? ' verified' : ''}${is_signed ? ' signed' : ''}`
      }),
    )
  }
  expect({
    'stripe as it came': await replay('stripe', false),
    'github as it came': await replay('github', false),
    'stripe signed': await replay('stripe', true),
    'github signed': await replay('github', true),
  }).toEqual({
    'stripe as it came': { '500': 100 },
    'github as it came': { '200 verified': 100 },
    'stripe signed': { '200 verified signed': 100 },
    'github signed': { '200 verified signed': 100 },
  })
})
