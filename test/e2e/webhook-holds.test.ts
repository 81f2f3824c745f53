import { expect, test } from 'vitest'
import type { Flow } from '../../src/shared/contract/flows.ts'
import { axeFindings } from '../helpers/axe.ts'
import { aRecorder, closedAtEnd } from '../helpers/odd-requests.ts'
import { useProgramInBrowser } from '../helpers/program-in-browser.ts'

const program = useProgramInBrowser()

async function aFlow(name: string) {
  const { id, webhook } = await program.call<Flow>('POST', '/v1/flows', {
    name,
    status: 'active',
    settings: { webhook_token_enabled: false },
    steps: [{ ref_id: 'web1', type: 'webhook', config: { response_body: '{{ web1 | tojson }}' } }],
  })
  const send = (body: object) =>
    fetch(webhook?.url ?? '', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  return { id, send }
}

/**
 * Callers wait for half a minute only. A slow machine may need that long for a screen; the caller's response then
 * tells.
 */
const textOf = async (response: Promise<Response>) => await (await response).text()

test('the next request is held, edited in a sheet by keyboard and let go; its original is shown', async () => {
  const { id, send } = await aFlow('Held')
  const { page, problems } = await program.open({ path: `/webhooks?flow=${id}` })
  await page.getByRole('button', { name: 'Hold the next request', exact: true }).click()
  await page.getByText('The next request is held, unless Millrace restarts first.').waitFor()
  const answered = textOf(send({ order: 7 }))
  const sheet = page.getByRole('dialog', { name: 'Held request', exact: true })
  await sheet.getByRole('timer').waitFor()
  await sheet.getByRole('textbox', { name: 'Query' }).fill('?page=2')
  await page.keyboard.press('ControlOrMeta+Enter')
  await sheet.waitFor({ state: 'detached' })
  expect(JSON.parse(await answered)).toEqual({ order: 7, page: '2' })

  await page.getByRole('table', { name: 'Requests' }).locator('[data-row]').first().click()
  await page.getByText('It was held, edited and released.').waitFor()
  await page.getByRole('tab', { name: 'Original', exact: true }).click()
  await page.getByLabel('Original body').getByText('{"order":7}').waitFor()
  expect(await axeFindings(page)).toEqual([])
  expect(problems).toEqual([])
})

test('among all webhooks, it is shown which flow holds its next request, and ended there', async () => {
  const { send } = await aFlow('Held by key')
  expect((await send({ order: 1 })).status).toBe(200)
  const { page, problems } = await program.open({ path: '/webhooks' })
  await page.getByRole('table', { name: 'Requests' }).locator('[data-row]').first().click()
  await page.getByRole('tab', { name: 'Body', exact: true }).waitFor()
  await page.keyboard.press('h')
  const hold = page.getByRole('status').filter({ hasText: 'Held by key · The next request is held' })
  await hold.waitFor()
  expect(await axeFindings(page)).toEqual([])
  await hold.getByRole('button', { name: 'Stop holding', exact: true }).click()
  await hold.waitFor({ state: 'detached' })
  expect(await textOf(send({ order: 2 }))).toBe('{"order": 2}')
  expect(problems).toEqual([])
})

test("in the flow's webhook panel, a held request is answered by hand", async () => {
  const { id, send } = await aFlow('Answered')
  const { page, problems } = await program.open({ path: `/flows/${id}?step=web1` })
  await page.getByRole('button', { name: 'Hold the next request', exact: true }).click()
  await page.getByText('The next request is held, unless Millrace restarts first.').waitFor()
  const answered = send({ order: 7 })
  const held = page.getByRole('dialog', { name: 'Held request', exact: true })
  await held.getByRole('button', { name: 'Answer…', exact: true }).click()
  const sheet = page.getByRole('dialog', { name: 'Respond to the held request', exact: true })
  await sheet.getByRole('textbox', { name: 'Status', exact: true }).fill('422')
  await sheet.getByRole('button', { name: 'Send response', exact: true }).click()
  await sheet.waitFor({ state: 'detached' })
  expect((await answered).status).toBe(422)
  expect(problems).toEqual([])
})

test('what matches is held until that is stopped; the sheet passes axe, and its request is dropped', async () => {
  const { id, send } = await aFlow('Dropped')
  const { page, problems } = await program.open({ path: `/webhooks?flow=${id}` })
  await page.getByRole('button', { name: 'Hold matching requests…', exact: true }).click()
  const dialog = page.getByRole('dialog', { name: 'Hold matching requests', exact: true })
  await dialog.getByRole('textbox', { name: 'Condition' }).fill('{{ web1.order == 7 }}')
  await dialog.getByRole('button', { name: 'Hold', exact: true }).click()
  await dialog.waitFor({ state: 'detached' })
  await page.getByText('Matching requests are held until Millrace restarts.').waitFor()
  expect((await send({ order: 6 })).status).toBe(200)
  const outcome = send({ order: 7 }).then(
    () => 'answered',
    () => 'closed',
  )
  const sheet = page.getByRole('dialog', { name: 'Held request', exact: true })
  await sheet.getByRole('timer').waitFor()
  expect(await axeFindings(page, '[role=dialog]')).toEqual([])
  await sheet.getByRole('button', { name: 'Drop', exact: true }).click()
  await sheet.waitFor({ state: 'detached' })
  expect(await outcome).toBe('closed')
  await page.getByRole('button', { name: 'Stop holding', exact: true }).click()
  await page.getByRole('button', { name: 'Hold the next request', exact: true }).waitFor()
  expect(problems).toEqual([])
})

test("the flow's webhook panel forwards to a local program, shows what it returned, and stops", async () => {
  const { id, send } = await aFlow('Forwarded')
  const local = closedAtEnd(await aRecorder())
  const { page, problems } = await program.open({ path: `/flows/${id}?step=web1` })
  await page.getByRole('button', { name: 'Forward to a local program…', exact: true }).click()
  const dialog = page.getByRole('dialog', { name: 'Forward to a local program', exact: true })
  await dialog.getByRole('textbox', { name: 'URL or port' }).fill('http://example.com')
  await dialog.getByRole('button', { name: 'Save forwarding', exact: true }).click()
  await dialog.getByText('must be a URL of this computer').first().waitFor()
  expect(await axeFindings(page, '[role=dialog]')).toEqual([])
  await dialog.getByRole('textbox', { name: 'URL or port' }).fill(String(local.port))
  await dialog
    .getByRole('textbox', { name: 'Only requests that meet this condition' })
    .fill('{{ web1.order > 6 }}')
  await dialog.getByText('There are no kept requests to test it with yet.').waitFor()
  await page.keyboard.press('Enter')
  await dialog.waitFor({ state: 'detached' })

  const forwarding = page.getByRole('region', { name: 'Forwarding', exact: true })
  await forwarding.getByText(`http://localhost:${local.port}`, { exact: true }).waitFor()
  await forwarding
    .getByRole('button', { name: 'Edit forwarding', exact: true })
    .and(page.locator(':focus'))
    .waitFor()
  expect(await textOf(send({ order: 7 }))).toBe('#1')
  await forwarding.getByText('The program returned 201 in').waitFor()
  expect(await axeFindings(page)).toEqual([])

  await forwarding.getByRole('switch', { name: 'Forward to a local program', exact: true }).click()
  await forwarding.getByRole('switch', { checked: false }).waitFor()
  expect(JSON.parse(await textOf(send({ order: 8 })))).toEqual({ order: 8 })
  await page.getByRole('textbox', { name: 'Run only if' }).fill('{{ web1.order == 8 }}')
  await page.getByText('Lets through 1 of the last 2 kept requests.').waitFor()
  expect({ arrived: local.arrived.length, problems }).toEqual({ arrived: 1, problems: [] })
})

test('a request leads with what was sent; its response is beside what the local program answered, and compared', async () => {
  const { id, send } = await aFlow('Compared')
  const local = closedAtEnd(await aRecorder())
  const forward = { url: `http://localhost:${local.port}`, respond: 'flow' }
  await program.call('PUT', `/v1/flows/${id}/forward`, forward)
  const note = `${'plum '.repeat(40)}marzipan ${'pear '.repeat(40)}`
  expect(await textOf(send({ note }))).toContain('marzipan')
  const { page, problems } = await program.open({
    path: `/webhooks?flow=${id}`,
    size: { width: 1600, height: 900 },
  })
  const table = page.getByRole('table', { name: 'Webhook requests', exact: true })
  const row = table.locator('[data-row]').first()
  await row.getByText('201 · ').waitFor()
  await table.getByRole('columnheader', { name: 'Time', exact: true }).waitFor()
  await page.getByRole('button', { name: 'Columns', exact: true }).click()
  await page.getByRole('menuitemcheckbox', { name: 'Time', exact: true }).click()
  await table.getByRole('columnheader', { name: 'Time', exact: true }).waitFor({ state: 'detached' })
  await page.keyboard.press('Escape')
  await page.reload()
  await table.getByRole('columnheader', { name: 'Path', exact: true }).waitFor()
  expect(await table.getByRole('columnheader', { name: 'Time', exact: true }).count()).toBe(0)

  await page.getByLabel('Search paths and bodies').fill('marzipan')
  await row.locator('mark', { hasText: 'marzipan' }).waitFor()
  await row.click()
  const detail = page.getByRole('region', { name: 'Request', exact: true })
  await detail.getByRole('heading', { name: /^POST .*200.*from 127\.0\.0\.1/ }).waitFor()
  await detail.getByText(`Forwarded to localhost:${local.port}: 201 in`).waitFor()
  await detail.locator('pre mark', { hasText: 'marzipan' }).waitFor()
  await detail.getByRole('tab', { name: 'Response', exact: true }).click()
  await detail
    .getByRole('region', { name: 'Response to the caller', exact: true })
    .getByText('marzipan')
    .waitFor()
  await detail.getByRole('region', { name: 'Local program', exact: true }).getByText('#1').waitFor()
  await detail.getByRole('region', { name: 'Difference', exact: true }).getByText('HTTP 201').waitFor()
  expect(await axeFindings(page)).toEqual([])

  await page.keyboard.press('s')
  await detail.getByText('The program returned 201 in').waitFor()
  await detail.getByText('Body differs from the first response.').waitFor()
  await detail.getByText('sent again, ').waitFor()
  await detail.getByRole('button', { name: 'Send again elsewhere', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Another port…', exact: true }).click()
  const asked = page.getByRole('dialog', { name: 'Send again to a local program', exact: true })
  await asked.getByRole('textbox', { name: 'URL or port' }).fill('http://example.com')
  await asked.getByRole('button', { name: 'Send request', exact: true }).click()
  await asked.getByText('must be a URL of this computer').first().waitFor()
  const other = closedAtEnd(await aRecorder())
  await asked.getByRole('textbox', { name: 'URL or port' }).fill(String(other.port))
  await page.keyboard.press('Enter')
  await asked.waitFor({ state: 'detached' })
  await detail.getByRole('button', { name: `Send again to :${other.port}` }).waitFor()
  expect([local.arrived.length, other.arrived.length]).toEqual([2, 1])

  await page.keyboard.press('h')
  await detail.getByRole('button', { name: /^The next one is held/ }).waitFor()
  const answered = textOf(send({ order: 7 }))
  const sheet = page.getByRole('dialog', { name: 'Held request', exact: true })
  await sheet.getByRole('button', { name: 'Release', exact: true }).click()
  await sheet.waitFor({ state: 'detached' })
  expect(JSON.parse(await answered)).toEqual({ order: 7 })
  expect(problems).toEqual([])
})
