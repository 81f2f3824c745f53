import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { Flow } from '../../src/shared/contract/flows.ts'
import type { Har } from '../../src/shared/har.ts'
import { axeFindings } from '../helpers/axe.ts'
import { useProgramInBrowser } from '../helpers/program-in-browser.ts'

const program = useProgramInBrowser()

test('from an empty data folder to the response of the sample webhook and its run, only by clicks', async () => {
  const { page, problems } = await program.open()
  await page.getByRole('heading', { name: 'What should Millrace do for you?' }).waitFor()
  expect(new URL(page.url()).hash).toBe('')

  const watcher = await program.open({ path: '/runs' })
  await watcher.page.getByRole('heading', { name: 'No runs yet' }).waitFor()

  await page.getByRole('button', { name: 'Send an order' }).click()
  await page.getByRole('heading', { name: /^Response: 200 in / }).waitFor()
  await expect
    .poll(async () => JSON.parse((await page.getByLabel('Response body').textContent()) ?? '') as unknown)
    .toMatchObject({ order_id: 'A-1042', known_customer: true })

  // The steps that ran are lit. Steps in branches aren't in the line.
  const line = page.getByRole('list', { name: 'Steps of “Receive an order”' }).getByRole('listitem')
  await expect.poll(() => line.getByRole('img', { name: 'Success' }).count()).toBe(4)
  expect(await line.count()).toBe(4)
  expect(await axeFindings(page)).toEqual([])
  expect(
    await page.getByRole('link', { name: 'Now make it yours' }).evaluate((link) => link.getAttribute('href')),
  ).toMatch(/^\/flows\//)
  await page.getByText('From a terminal').click()
  await page.getByText('curl -X POST').waitFor()

  // Another window shows the run without being reloaded.
  await watcher.page.getByRole('row').filter({ hasText: 'Receive an order' }).getByText('Success').waitFor()
  expect(watcher.problems).toEqual([])

  // A question for a person comes before the introduction.
  const asking = await program.call<Flow>('POST', '/v1/flows', {
    name: 'Approve invoices',
    steps: [{ ref_id: 'approval', type: 'ask_person', config: { question: 'Pay 4711?' } }],
  })
  await program.call('POST', `/v1/flows/${asking.id}/run`, {})
  const question = page.getByText('1 question waits for you')
  await question.waitFor()
  const introduction = page.getByRole('heading', { name: 'What should Millrace do for you?' })
  const [above, below] = await Promise.all([question, introduction].map((part) => part.boundingBox()))
  expect(above?.y ?? 0).toBeLessThan(below?.y ?? 0)

  await page.getByRole('link', { name: 'Open run' }).click()
  await page.getByRole('heading', { name: /^A-1042 · grace\.moreau@example\.test/ }).waitFor()
  const steps = page.getByRole('tree', { name: 'Steps' })
  await steps.getByRole('treeitem').filter({ hasText: 'contacts' }).click()
  await page.getByRole('tab', { name: /^HTTP/ }).click()
  await page.getByRole('tab', { name: 'HTTP (8)', exact: true }).waitFor()
  expect(problems).toEqual([])
})

test('the copied curl command has the token that the screen hides, and a call from a terminal appears live', async () => {
  const { page } = await program.open()
  const flows = await page.request.get(`${program.served.url}/v1/flows`, {
    headers: { Authorization: `Bearer ${program.served.bearer}` },
  })
  const all = (await flows.json()) as { webhook: { url: string; token: string } | null }[]
  const flow = { webhook: all.find(({ webhook }) => webhook !== null)?.webhook }
  await page.getByRole('link', { name: 'Webhooks' }).click()
  await page.getByText('Receive an order').first().waitFor()
  await page.getByRole('button', { name: 'Copy', exact: true }).click()
  await expect
    .poll(() => page.evaluate(() => navigator.clipboard.readText()))
    .toContain(`Authorization: Bearer ${flow.webhook?.token}`)
  expect(await page.locator('main').textContent()).not.toContain(flow.webhook?.token)

  const rows = page.getByRole('table', { name: 'Requests' }).locator('[data-row]')
  const before = (await program.call<unknown[]>('GET', '/v1/webhook-requests')).length
  await expect.poll(() => rows.count()).toBe(before)
  await fetch(flow.webhook?.url ?? '', { method: 'POST', headers: { Authorization: 'Bearer wrong' } })
  await rows.filter({ hasText: '401' }).waitFor()
  await expect.poll(() => rows.count()).toBe(before + 1)
})

test('callers get in without the token once that is confirmed, and are kept out again with a click', async () => {
  const { page, problems } = await program.open({ path: '/webhooks' })
  const flows = await program.call<Flow[]>('GET', '/v1/flows')
  const flow = flows.find(({ webhook }) => webhook !== null)
  const order = new URLSearchParams({ order_id: 'A-1042', email: 'nobody@example.test', total: '129.5' })
  const statusWithout = async () =>
    (await fetch(flow?.webhook?.url ?? '', { method: 'POST', body: order })).status
  const dialog = page.getByRole('alertdialog', { name: 'Turn off token authentication?' })
  await page.getByRole('button', { name: 'Turn off', exact: true }).click()
  await dialog.waitFor()
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  expect(await statusWithout()).toBe(401)

  await page.getByRole('button', { name: 'Turn off', exact: true }).click()
  await dialog.getByRole('button', { name: /^Turn/ }).click()
  await page.getByText('Off: anyone who knows the URL can call the flow.').waitFor()
  expect(await statusWithout()).toBe(200)
  await page.getByRole('button', { name: 'Turn on', exact: true }).click()
  await page.getByText('Callers need the token again').waitFor()
  expect(await statusWithout()).toBe(401)
  expect(problems).toEqual([])
})

test('a webhook without requests waits for the first one; a test request is sent, and found by its content', async () => {
  const { id } = await program.call<{ id: string }>('POST', '/v1/flows', {
    name: 'Quiet',
    steps: [{ ref_id: 'web1', type: 'webhook' }],
  })
  const { page, problems } = await program.open({ path: `/webhooks?flow=${id}` })
  await page.getByText('Waiting for the first request').waitFor()
  await page.getByRole('button', { name: 'Send test request' }).click()
  const dialog = page.getByRole('dialog', { name: 'Send a test request to “Quiet”' })
  await dialog.locator('.cm-content').click()
  await page.keyboard.press('ControlOrMeta+a')
  await page.keyboard.insertText('{"order_id": "Z-9", "note": "marzipan"}')
  await dialog.getByRole('button', { name: 'Send request' }).click()
  await dialog.getByText(/^200 in /).waitFor()
  await page.keyboard.press('Escape')

  const rows = page.getByRole('table', { name: 'Requests' }).locator('[data-row]')
  await rows.filter({ hasText: 'Z-9' }).waitFor()
  await rows.getByText('{"order_id": "Z-9", "note": "marzipan"}', { exact: true }).waitFor()
  await page.goto(`${program.served.url}/webhooks?q=marzipan&since=hour`)
  await rows.filter({ hasText: 'Z-9' }).waitFor()
  expect(await rows.count()).toBe(1)
  await page.getByRole('combobox', { name: 'Body', exact: true }).click()
  await page.getByRole('option', { name: 'Form' }).click()
  await page.getByText('No requests match').waitFor()
  await page.getByRole('combobox', { name: 'Body', exact: true }).click()
  await page.getByRole('option', { name: 'JSON' }).click()
  await rows.filter({ hasText: 'Z-9' }).waitFor()
  expect(new URL(page.url()).searchParams.get('content')).toBe('json')
  await page.getByLabel('Search paths and bodies').fill('nougat')
  await page.getByText('No requests match').waitFor()
  expect(problems).toEqual([])
})

test("a body that couldn't be parsed can be exported, corrected and sent again", async () => {
  const flow = await program.call<Flow>('POST', '/v1/flows', {
    name: 'Broken bodies',
    steps: [{ ref_id: 'web1', type: 'webhook', config: { response_body: 'Order {{ web1.id }}' } }],
  })
  await fetch(flow.webhook?.url ?? '', {
    method: 'POST',
    headers: { Authorization: `Bearer ${flow.webhook?.token}`, 'Content-Type': 'application/json' },
    body: '{"id": 7',
  })
  const { page, problems } = await program.open({ path: `/webhooks?flow=${flow.id}` })
  const rows = page.getByRole('table', { name: 'Requests' }).locator('[data-row]')
  await rows.filter({ hasText: '400' }).click()
  await page.getByText('The flow got no input because the body couldn’t be read.').waitFor()
  await expect.poll(() => page.locator('pre[aria-label="Raw body"]').textContent()).toBe('{"id": 7')
  await page.getByText(/\d of 300 requests used, resets at \d/).waitFor()
  await page.getByRole('region', { name: 'Request' }).getByRole('button', { name: 'More' }).click()
  const download = page.waitForEvent('download')
  await page.getByRole('menuitem', { name: 'Export HTTP requests (HAR)' }).click()
  const har = JSON.parse(readFileSync(await (await download).path(), 'utf8')) as Har
  expect(har.log.entries).toMatchObject([
    { request: { url: flow.webhook?.url, postData: { text: '{"id": 7' } }, response: { status: 400 } },
  ])
  await page.getByRole('button', { name: /^Edit and replay/ }).click()
  const dialog = page.getByRole('dialog', { name: 'Edit and replay' })
  await dialog.locator('.cm-content').click()
  await page.keyboard.press('ControlOrMeta+End')
  await page.keyboard.type('}')
  // A dialog without a form is also sent with Enter in one of its lines.
  await dialog.getByLabel('Query').focus()
  await page.keyboard.press('Enter')
  await dialog.getByRole('heading', { name: 'Response: 200' }).waitFor()
  await expect.poll(() => dialog.getByLabel('Response body').textContent()).toContain('Order 7')
  expect(problems).toEqual([])
})

test('a watched folder starts from a sample that works, and an API is read in the tester', async () => {
  const { page, problems } = await program.open({ path: '/' })
  // Makes it look like a first start.
  await page.route('**/v1/flow-runs?*', (route) =>
    route.fulfill({ status: 200, contentType: 'application/json', body: '[]' }),
  )
  await page.reload()
  await page.getByRole('button', { name: 'Folder', exact: true }).click()
  await page.waitForURL('**/flows/*')
  await page.getByRole('heading', { name: 'New files in a folder' }).waitFor()
  await page.goBack()
  await page.getByRole('link', { name: 'Open the tester' }).click()
  await page.getByText('Watch every page being fetched').waitFor()
  expect(problems).toEqual([])
})
