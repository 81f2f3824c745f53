/** Home after some days: the state of the flows, what needs attention, and a request to a webhook. */
import { expect, test } from 'vitest'
import { fillProgram } from '../helpers/fill-program.ts'
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

  await page.getByRole('link', { name: 'Fetch protected contacts every morning' }).last().click()
  await page.waitForURL(`**/runs/${failingRunId}`)
  await page.goBack()
  await page.getByText('First steps').waitFor()
  await page.getByRole('button', { name: 'Hide' }).click()
  await page.reload()
  await page.getByText('Needs attention').waitFor()
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
  await program.call('POST', `/v1/flows/${id}/run`, {})
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

test('a question to a person is on Home, in Runs and on its run, and can be answered from there', async () => {
  const { id } = await program.call<{ id: string }>('POST', '/v1/flows', {
    name: 'Approve invoices',
    steps: [
      {
        ref_id: 'approval',
        type: 'ask_person',
        config: { question: 'Pay 4711?' },
        cases: [{ label: 'Pay', steps: [] }],
      },
    ],
  })
  const { flow_run_id: runId } = await program.call<{ flow_run_id: string }>(
    'POST',
    `/v1/flows/${id}/run`,
    {},
  )
  const { page, problems, go } = await program.open()
  const attention = page.locator('section', { hasText: 'Needs attention' })
  const answer = attention.getByRole('link', { name: 'Answer “Pay 4711?”' })
  await answer.waitFor()
  await page.getByRole('img', { name: 'Waiting for an answer' }).first().waitFor()

  await go('/runs')
  const row = page.getByRole('row').filter({ hasText: 'Approve invoices' })
  await row.getByText('Waiting', { exact: true }).waitFor()
  await go(`/runs/${runId}`)
  await page.getByText('Waiting for an answer').first().waitFor()
  await page.getByText('Pay 4711?').first().waitFor()
  expect(await page.getByText('Running', { exact: true }).count()).toBe(0)

  await go('/')
  await answer.waitFor()
  const [form] = await Promise.all([page.waitForEvent('popup'), answer.click()])
  await form.getByRole('button', { name: 'Pay' }).click()
  await form.getByText('Thank you').waitFor()
  await answer.waitFor({ state: 'detached' })
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
  const link = await page.evaluate(() => navigator.clipboard.readText())
  expect(link).toBe(`${webhook.url}?token=${encodeURIComponent(webhook.token)}`)
  const open = page.getByRole('link', { name: 'Open the form of “Ask for a demo”' })
  const [form] = await Promise.all([page.waitForEvent('popup'), open.click()])
  await form.getByRole('heading', { name: 'Your demo' }).waitFor()
  expect(await page.getByRole('button', { name: /request to “Ask for a demo”/ }).count()).toBe(0)
  expect(problems).toEqual([])
})
