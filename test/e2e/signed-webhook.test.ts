/** A sender that signs, as its developer sees it: what is asked for, what is rejected while they listen, and why. */
import { createHmac } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import type { Flow } from '../../src/shared/contract/flows.ts'
import { axeFindings } from '../helpers/axe.ts'
import { useProgramInBrowser } from '../helpers/program-in-browser.ts'

const program = useProgramInBrowser()
const SECRET = 'whsec_of_the_shop'
const UNSIGNED = /^The webhook checks signatures and will reject this request/

beforeAll(async () => {
  const variable = { name: 'stripe_secret', type: 'text', value: SECRET, secret: true }
  await program.call('POST', '/v1/env-variables', variable)
})

async function aSignedFlow(name: string, config: object = {}) {
  const flow = await program.call<Flow>('POST', '/v1/flows', {
    name,
    settings: { webhook_token_enabled: false },
    steps: [
      {
        ref_id: 'web1',
        type: 'webhook',
        config: { signature: { scheme: 'stripe', secret: '{{ stripe_secret }}' }, ...config },
      },
    ],
  })
  const send = async (event: object, secret = SECRET) => {
    const body = JSON.stringify(event)
    const time = Math.floor(Date.now() / 1_000)
    const signature = createHmac('sha256', secret).update(`${time}.${body}`).digest('hex')
    const headers = { 'content-type': 'application/json', 'stripe-signature': `t=${time},v1=${signature}` }
    return (await fetch(flow.webhook?.url ?? '', { method: 'POST', headers, body })).status
  }
  return { flow, send }
}

test('a signature names its secret, says that it is missing, and takes the place of the token', async () => {
  const { id } = await program.call<Flow>('POST', '/v1/flows', {
    name: 'Payments',
    steps: [{ ref_id: 'web1', type: 'webhook' }],
  })
  const { page, problems } = await program.open({ path: `/flows/${id}?step=web1` })
  await page.getByLabel('Request signature').click()
  await page.getByRole('option', { name: 'Stripe', exact: true }).click()
  const secret = page.getByRole('textbox', { name: 'Secret', exact: true })
  expect(await secret.getAttribute('placeholder')).toBe('{{ stripe_secret }}')
  await page.getByText('Request signature: secret is required').waitFor()
  await secret.fill('{{ other_secret }}')
  await page.keyboard.press('ControlOrMeta+s')
  await page.getByText('Kept as a draft.').waitFor()
  const messages = page.locator('fieldset').filter({ has: secret }).getByText("'other_secret' is undefined")
  await messages.waitFor()
  await secret.fill('{{ stripe_secret }}')
  await page.getByText('Callers also need the webhook token, which most services can’t send.').waitFor()
  expect(await axeFindings(page)).toEqual([])
  await page.getByRole('button', { name: 'Require only the signature', exact: true }).click()
  await page.getByText('Callers also need the webhook token').waitFor({ state: 'detached' })
  await page.keyboard.press('ControlOrMeta+s')
  await page.getByText('Saved', { exact: true }).waitFor()
  const saved = await program.call<Flow>('GET', `/v1/flows/${id}`)
  expect(saved.settings.webhook_token_enabled).toBe(false)
  expect(problems).toEqual([])
})

test('whoever listens for a test request sees one that is rejected, and why', async () => {
  const { flow, send } = await aSignedFlow('Listening')
  expect(await send({ id: 'evt_0' }, 'another secret')).toBe(401)
  const { page, problems } = await program.open({ path: `/flows/${flow.id}?step=web1` })
  const read = page.waitForResponse((response) => response.url().includes('/v1/webhook-requests?'))
  await page.getByRole('button', { name: 'Listen for test request', exact: true }).click()
  await read
  const wait = page.getByRole('status').filter({ hasText: 'Waiting for a request to the URL above…' })
  await wait.waitFor()
  expect(await wait.getByText('401').count()).toBe(0)
  // Until the screen knows what came before it, a request can't be told from an earlier one.
  const reason = wait.getByText("401: The signature doesn't match the body and the secret")
  await expect
    .poll(async () => {
      expect(await send({ id: 'evt_1' }, 'another secret')).toBe(401)
      return await reason.count()
    })
    .toBe(1)
  expect(await axeFindings(page)).toEqual([])
  const link = wait.getByRole('link', { name: 'Open request', exact: true })
  expect(await link.getAttribute('href')).toMatch(/^\/webhooks\?flow=[-\w]+&request=/)
  expect(await send({ id: 'evt_2' })).toBe(200)
  await wait.waitFor({ state: 'detached' })
  expect(problems).toEqual([])
})

test('a request that would be sent unsigned says so; the flow of a request is a click away', async () => {
  const { flow, send } = await aSignedFlow('Replayed')
  expect(await send({ id: 'evt_1' })).toBe(200)
  const { page, problems } = await program.open({ path: `/webhooks?flow=${flow.id}` })
  await page.getByRole('button', { name: 'Send test request', exact: true }).click()
  await page.getByRole('dialog').getByText(UNSIGNED).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('table', { name: 'Requests' }).locator('[data-row]').first().click()
  await page.getByRole('button', { name: /^Edit and replay/ }).click()
  await page.getByRole('dialog', { name: 'Edit and replay' }).getByText(UNSIGNED).waitFor()
  await page.keyboard.press('Escape')
  await page
    .getByRole('region', { name: 'Request' })
    .getByRole('link', { name: 'Replayed', exact: true })
    .click()
  await page.waitForURL(`**/flows/${flow.id}*`)
  expect(problems).toEqual([])
})

test('a response that fails names its field, in the run and in the editor', async () => {
  const { flow, send } = await aSignedFlow('Failing response', {
    response_body: '{"amount": {{ web1.data.amount }}}',
  })
  expect(await send({ id: 'evt_1' })).toBe(500)
  const [run] = await program.call<{ id: string }[]>('GET', `/v1/flow-runs?filter=flow_id,eq,${flow.id}`)
  const { page, go, problems } = await program.open({ path: `/runs/${run?.id}` })
  await page.getByRole('alert').getByText('template_error · Response body').waitFor()
  await go(`/flows/${flow.id}?step=web1`)
  const panel = page.getByRole('region', { name: 'Run of step web1' })
  await panel.getByText("'dict object' has no attribute 'data'").waitFor()
  await panel.getByRole('button', { name: 'Go to field', exact: true }).click()
  await expect
    .poll(() => page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? ''))
    .not.toBe('Go to field')
  expect(problems).toEqual([])
})

test.each([1280, 640])(
  'at %i px, the way to call a webhook is whole, and its buttons stay together',
  async (width) => {
    const { id } = await program.call<Flow>('POST', '/v1/flows', {
      name: 'Orders of the northern shop',
      steps: [{ ref_id: 'web1', type: 'webhook' }],
    })
    const { page } = await program.open({ path: `/webhooks?flow=${id}`, size: { width, height: 800 } })
    const button = page.getByRole('button', { name: 'Send test request', exact: true })
    const [send, open] = await Promise.all(
      [button, page.getByRole('link', { name: 'Open flow', exact: true })].map((one) => one.boundingBox()),
    )
    expect(send?.y).toBe(open?.y)
    const heading = page.getByRole('heading', { name: 'Call “Orders of the northern shop”' })
    const token = page.locator('code').filter({ hasText: /^mr_whk_/ })
    for (const text of [heading, token, button])
      expect(await text.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBeLessThan(2)
  },
)
