/** Home after some days: the state of the flows, what needs attention, and a request to a webhook. */
import { expect, test } from 'vitest'
import { axeFindings } from '../helpers/axe.ts'
import { fillProgram } from '../helpers/fill-program.ts'
import { callServed } from '../helpers/served-api.ts'
import { startThirdPartyApi } from '../helpers/third-party-api.ts'
import { useProgramInBrowser } from '../helpers/program-in-browser.ts'

const program = useProgramInBrowser()

test('Home shows the day of each flow, resumes failures of one cause, and sends a request to a webhook', async () => {
  const { failingRunId } = await fillProgram(program.served)
  let isWell = false
  const api = await startThirdPartyApi((_request, response) => {
    response.writeHead(isWell ? 200 : 500, { 'content-type': 'application/json' }).end('{"ok": true}')
  })
  const { id } = await program.call<{ id: string }>('POST', '/v1/flows', {
    name: 'Read the shop',
    settings: { automatic_retries: false },
    steps: [{ ref_id: 'shop', type: 'rest', config: { url: api.url } }],
  })
  for (let run = 0; run < 2; run += 1) await program.call('POST', `/v1/flows/${id}/run?wait=true`, {})
  const { page, problems } = await program.open()

  await page.getByText('2 runs failed: 500 at “shop”').waitFor()
  await page.getByText('1 run failed: 401 at “contacts”').waitFor()
  await page.getByRole('img', { name: 'Runs in the last 24 hours: 2 failed', exact: true }).waitFor()
  isWell = true
  await page.getByRole('button', { name: 'Resume both' }).click()
  await page.getByRole('img', { name: 'Runs in the last 24 hours: 2 successful', exact: true }).waitFor()
  await page.getByText('500 at “shop”').waitFor({ state: 'detached' })

  await page.getByRole('button', { name: 'Send a test request to “Forward forms”' }).click()
  const dialog = page.getByRole('dialog', { name: 'Send a test request to “Forward forms”' })
  await dialog.getByRole('button', { name: 'Send request' }).click()
  await dialog.getByText(/^200 in /).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('img', { name: 'Runs in the last 24 hours: 1 successful', exact: true }).waitFor()

  await page
    .locator('section', { hasText: 'Failures by cause' })
    .getByRole('link', { name: 'Fetch protected contacts every morning' })
    .click()
  await page.waitForURL(`**/runs/${failingRunId}`)
  await page.goBack()
  await page.getByText('First steps').waitFor()
  await page.getByRole('button', { name: 'Hide' }).click()
  await page.reload()
  await page.getByText('Failures by cause').waitFor()
  expect(await page.getByText('First steps').count()).toBe(0)
  expect(problems).toEqual([])
})

test('Home, and the filter and names of Runs, know every flow beyond the first page of the list', async () => {
  for (let index = 0; index < 205; index += 1)
    await program.call('POST', '/v1/flows', { name: `Many ${index}` })
  const { id } = await program.call<{ id: string }>('POST', '/v1/flows', {
    name: 'Zuletzt',
    steps: [{ ref_id: 'a', type: 'set' }],
  })
  await program.call('POST', `/v1/flows/${id}/run?wait=true`, {})
  const { length } = await program.call<object[]>('GET', '/v1/flows?per_page=200&page=2')
  const { page, problems, go } = await program.open()
  await page.getByText(`Show all ${200 + length}`).waitFor()
  await go('/runs')
  await page.getByRole('table').getByText('Zuletzt', { exact: true }).waitFor()
  await page.getByRole('combobox', { name: 'Flow' }).fill('Zule')
  await page.getByRole('option', { name: 'Zuletzt' }).waitFor()
  await page.keyboard.press('Enter')
  await page.waitForURL(new RegExp(id))
  expect(problems).toEqual([])
})

test('Home is a picture of seven days: figures with their change, runs an hour, and a line for each flow', async () => {
  const { id } = await program.call<{ id: string }>('POST', '/v1/flows', {
    name: 'Take an order',
    settings: { webhook_token_enabled: false },
    steps: [{ ref_id: 'web1', type: 'webhook' }],
  })
  await callServed(program.served, 'POST', `/v1/flow-webhook/${id}`, { order_id: 'A-1' })
  const { page, problems } = await program.open({ size: { width: 1920, height: 1080 } })
  const { totals } = await program.call<{ totals: { counts: Record<string, number> } }>(
    'GET',
    `/v1/figures?from=${new Date(Date.now() - 7 * 86_400_000).toISOString()}&bucket=hour`,
  )
  const { success = 0, error = 0, cancelled = 0 } = totals.counts
  const week = page.locator('section', { hasText: 'Last 7 days' })
  const figure = (name: string) =>
    week
      .locator('dl > div')
      .filter({ has: page.locator('dt').getByText(name, { exact: true }) })
      .locator('dd')
  await expect.poll(() => figure('Runs').innerText()).toBe(String(success + error + cancelled))
  const share = (success / (success + error)).toLocaleString('en-GB', {
    style: 'percent',
    maximumFractionDigits: 1,
  })
  await expect.poll(() => figure('Worked').innerText()).toBe(share)
  await expect.poll(() => figure('95% took at most').innerText()).toMatch(/^[\d.]+ m?s$/)
  expect(
    await figure('Runs')
      .locator('span')
      .first()
      .evaluate((element) => getComputedStyle(element).fontSize),
  ).toBe('24px')
  await week.getByRole('slider', { name: 'Runs an hour' }).waitFor()

  // A flow is one line, and its URL is shown only while the pointer is on the line.
  const row = page
    .getByRole('listitem')
    .filter({ has: page.getByRole('link', { name: 'Take an order', exact: true }) })
  expect((await row.boundingBox())?.height).toBeLessThan(44)
  const shown = () =>
    row.getByText(/^http/).evaluate((url) => getComputedStyle(url.parentElement ?? url).opacity)
  await page.mouse.move(0, 0)
  await expect.poll(shown).toBe('0')
  await row.hover()
  await expect.poll(shown).toBe('1')
  await page.mouse.move(0, 0)
  await row.getByRole('link', { name: 'Take an order' }).focus()
  await expect.poll(shown).toBe('1')
  await row.getByRole('img', { name: 'Success', exact: true }).waitFor()
  for (const [width, height] of [
    [1920, 1080],
    [1280, 800],
    [640, 900],
  ] as const) {
    await page.setViewportSize({ width, height })
    expect({ width, findings: await axeFindings(page) }).toEqual({ width, findings: [] })
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true)
  }
  expect(problems).toEqual([])
})

test('a question to a person is on Home, in Runs and on its run, and is answered on Home with its own buttons', async () => {
  const ask = async (name: string, question: string, fields: object[] = []) => {
    const { id } = await program.call<{ id: string }>('POST', '/v1/flows', {
      name,
      steps: [
        {
          ref_id: 'approval',
          type: 'ask_person',
          config: { question, fields },
          cases: [
            { label: 'Pay', steps: [] },
            { label: 'Refuse', steps: [] },
          ],
        },
        { ref_id: 'said', type: 'set', config: { values: { choice: '{{ approval.choice }}' } } },
      ],
    })
    return (await program.call<{ flow_run_id: string }>('POST', `/v1/flows/${id}/run`, {})).flow_run_id
  }
  const runId = await ask('Approve invoices', 'Pay 4711?')
  const { page, problems, go } = await program.open()
  const waiting = page.locator('section', { hasText: '1 question waits for you' })
  await waiting.getByText('Pay 4711?').waitFor()

  await go('/runs')
  const row = page.getByRole('row').filter({ hasText: 'Approve invoices' })
  await row.getByText('Waiting', { exact: true }).waitFor()
  await go(`/runs/${runId}`)
  await page.getByText('Waiting for an answer').first().waitFor()
  await page.getByText('Pay 4711?').first().waitFor()
  expect(await page.getByText('Running', { exact: true }).count()).toBe(0)

  await go('/')
  await waiting.getByRole('group', { name: 'Pay 4711?' }).getByRole('button', { name: 'Refuse' }).click()
  await page.getByText('Answered: Refuse').first().waitFor()
  await waiting.waitFor({ state: 'detached' })
  await go(`/runs/${runId}?step=said`)
  await page.getByText('"Refuse"').first().waitFor()

  // A page with fields asks for more than a button can answer.
  await ask('Approve with a note', 'Pay 4712?', [{ name: 'note', label: 'Note' }])
  await go('/')
  const answer = waiting.getByRole('link', { name: 'Answer “Pay 4712?”' })
  const [form] = await Promise.all([page.waitForEvent('popup'), answer.click()])
  await form.getByRole('button', { name: 'Pay' }).click()
  await form.getByText('Thank you').waitFor()
  await answer.waitFor({ state: 'detached' })

  // The question is answered elsewhere while it is on the screen.
  const late = await ask('Approve twice', 'Pay 4713?')
  const pay = waiting.getByRole('group', { name: 'Pay 4713?' }).getByRole('button', { name: 'Pay' })
  await pay.waitFor()
  const [question] = await program.call<{ url: string }[]>('GET', `/v1/flow-runs/${late}/questions`)
  await page.route('**/v1/flow-webhook/question/*', async (route) => {
    await fetch(question?.url ?? '', { method: 'POST', body: new URLSearchParams({ _choice: 'Refuse' }) })
    await route.continue()
  })
  await pay.click()
  await page.getByText('Somebody else has already answered.').first().waitFor()
  await waiting.waitFor({ state: 'detached' })
  expect(problems).toEqual([])
})

test('Home copies and opens the link of a form with its token, and offers no request to it', async () => {
  const { webhook } = await program.call<{ webhook: { url: string; token: string } }>('POST', '/v1/flows', {
    name: 'Ask for a demo',
    steps: [
      { ref_id: 'form', type: 'form_trigger', config: { title: 'Your demo', fields: [{ name: 'email' }] } },
    ],
  })
  const { page, problems } = await program.open()
  await page.getByRole('button', { name: 'Copy the link of “Ask for a demo”' }).click()
  await expect
    .poll(() => page.evaluate(() => navigator.clipboard.readText()))
    .toBe(`${webhook.url}?token=${encodeURIComponent(webhook.token)}`)
  const open = page.getByRole('link', { name: 'Open the form of “Ask for a demo”' })
  const [form] = await Promise.all([page.waitForEvent('popup'), open.click()])
  await form.getByRole('heading', { name: 'Your demo' }).waitFor()
  expect(await page.getByRole('button', { name: /request to “Ask for a demo”/ }).count()).toBe(0)
  expect(problems).toEqual([])
})
