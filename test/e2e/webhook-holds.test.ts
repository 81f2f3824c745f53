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

/** Callers wait for half a minute only, which a slow machine may need for a screen: then the caller's response tells. */
const textOf = async (response: Promise<Response>) => await (await response).text()

test('the next request is held, edited in a sheet by keyboard and let go; its original is shown', async () => {
  const { id, send } = await aFlow('Held')
  const { page, problems } = await program.open({ path: `/webhooks?flow=${id}` })
  await page.getByRole('button', { name: 'Hold the next request', exact: true }).click()
  await page.getByText('The next request is held.').waitFor()
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

test("in the flow's webhook panel, a held request is answered by hand", async () => {
  const { id, send } = await aFlow('Answered')
  const { page, problems } = await program.open({ path: `/flows/${id}?step=web1` })
  await page.getByRole('button', { name: 'Hold the next request', exact: true }).click()
  await page.getByText('The next request is held.').waitFor()
  const answered = send({ order: 7 })
  const held = page.getByRole('dialog', { name: 'Held request', exact: true })
  await held.getByRole('button', { name: 'Answer…', exact: true }).click()
  const sheet = page.getByRole('dialog', { name: 'Answer the held request', exact: true })
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
  await page.getByText('Matching requests are held.').waitFor()
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
  await page.keyboard.press('Enter')
  await dialog.waitFor({ state: 'detached' })

  const forwarding = page.getByRole('region', { name: 'Forwarding', exact: true })
  await forwarding.getByText(`http://localhost:${local.port}`, { exact: true }).waitFor()
  expect(await textOf(send({ order: 7 }))).toBe('#1')
  await forwarding.getByText('the program returned 201 in').waitFor()
  expect(await axeFindings(page)).toEqual([])

  await forwarding.getByRole('switch', { name: 'Forward to a local program', exact: true }).click()
  await forwarding.getByRole('switch', { checked: false }).waitFor()
  expect(JSON.parse(await textOf(send({ order: 8 })))).toEqual({ order: 8 })
  expect({ arrived: local.arrived.length, problems }).toEqual({ arrived: 1, problems: [] })
})
