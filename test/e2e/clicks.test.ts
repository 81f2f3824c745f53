/** How many clicks common tasks take. Every mouse click counts, even into a field; keys don't. */
import type { Locator, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import type { Connector } from '../../src/shared/contract/connectors.ts'
import type { Flow } from '../../src/shared/contract/flows.ts'
import { countClicks } from '../helpers/clicks.ts'
import { useProgramInBrowser } from '../helpers/program-in-browser.ts'
import { temporaryFolder } from '../helpers/temporary-folder.ts'
import { startThirdPartyApi } from '../helpers/third-party-api.ts'

const program = useProgramInBrowser()
const TOKEN = 'token-of-the-shop'

/** 230 customers by cursor, for whoever has the token. */
const startShop = () =>
  startThirdPartyApi(({ target, headers }, response) => {
    const after = Number(new URL(target, 'http://x').searchParams.get('cursor') ?? 0)
    const data = Array.from({ length: Math.min(25, 230 - after) }, (_, at) => ({ id: after + at + 1 }))
    const next = after + data.length
    const isGood = headers.authorization === `Bearer ${TOKEN}`
    const body = {
      data,
      total: 230,
      paging: { has_more: next < 230, next_cursor: next < 230 ? `${next}` : null },
    }
    response.writeHead(isGood ? 200 : 401, { 'content-type': 'application/json' })
    response.end(JSON.stringify(isGood ? body : { message: 'Bad credentials' }))
  })

const focused = (field: Locator) => field.and(field.page().locator(':focus')).waitFor()

/** Types into a field that has the focus by itself. */
async function typeInto(field: Locator, text: string): Promise<void> {
  await focused(field)
  await field.page().keyboard.insertText(text)
}

async function chooseTyped(page: Page, box: Locator, text: string, option: RegExp): Promise<void> {
  await box.click()
  await page.keyboard.press('ControlOrMeta+A')
  await page.keyboard.type(text)
  await page.getByRole('option', { name: option }).first().waitFor()
  await page.keyboard.press('Enter')
}

test('a request is found by its content, sent again edited, and compared, in at most 4 clicks', async () => {
  const flow = await program.call<Flow>('POST', '/v1/flows', {
    name: 'Orders',
    status: 'active',
    steps: [{ ref_id: 'web1', type: 'webhook', config: { response_body: 'Order of {{ web1.what }}' } }],
  })
  for (const what of ['tea', 'nougat', 'coffee'])
    await fetch(flow.webhook?.url ?? '', {
      method: 'POST',
      headers: { Authorization: `Bearer ${flow.webhook?.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ what }),
    })
  const { page, problems } = await program.open({ path: '/webhooks' })
  const rows = page.getByRole('table', { name: 'Webhook requests' }).locator('[data-row]')
  await expect.poll(() => rows.count()).toBe(3)
  const clicks = await countClicks(page)

  await page.getByLabel('Search paths and bodies').click()
  await page.keyboard.type('nougat')
  await expect.poll(() => rows.count()).toBe(1)
  await rows.first().click()
  await page.getByRole('button', { name: /^Edit and replay/ }).click()
  const dialog = page.getByRole('dialog', { name: 'Edit and replay' })
  await focused(dialog.locator('.cm-content'))
  await page.keyboard.press('ControlOrMeta+A')
  await page.keyboard.insertText('{"what": "almonds"}')
  await dialog.getByRole('button', { name: 'Send request' }).click()
  const compared = dialog.getByRole('region', { name: 'Response body' })
  await compared.getByText('Order of nougat').waitFor()
  await compared.getByText('Order of almonds').waitFor()
  const used = await clicks()
  console.info(`clicks: ${used}`)
  expect(used).toBeLessThanOrEqual(4)
  expect(problems).toEqual([])
})

test('from the first auth to 230 records in the tester takes at most 12 clicks', async () => {
  const shop = await startShop()
  const connector = await program.call<Connector>('POST', '/v1/connectors', {
    name: 'Corner shop',
    base_domain: shop.url,
    test_action: 'list_customers',
  })
  const action = { connector_id: connector.id, name: 'list_customers', method: 'GET', endpoint: '/customers' }
  await program.call('POST', '/v1/connector-actions', action)
  const { page, problems } = await program.open()
  await page.getByRole('link', { name: 'Connectors', exact: true }).waitFor()
  const clicks = await countClicks(page)

  await page.getByRole('link', { name: 'Connectors', exact: true }).click()
  await page
    .getByRole('tab', { name: 'Pagination tester' })
    .or(page.getByRole('link', { name: 'Pagination tester' }))
    .first()
    .click()
  await page.getByRole('heading', { name: 'Pagination tester' }).waitFor()
  await chooseTyped(
    page,
    page.getByRole('combobox', { name: 'Connector', exact: true }),
    'Corner',
    /^Corner shop/,
  )
  await chooseTyped(
    page,
    page.getByRole('combobox', { name: 'Action', exact: true }),
    'list',
    /^list_customers/,
  )
  await page.getByRole('button', { name: 'New connector auth' }).click()
  const sheet = page.getByRole('dialog', { name: 'New connector auth' })
  await typeInto(sheet.getByLabel('Token', { exact: true }), TOKEN)
  await page.keyboard.press('Enter')
  await sheet.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Suggest', exact: true }).click()
  await page.getByText('Filled in').waitFor()
  await page.getByRole('button', { name: 'Run', exact: true }).click()
  await page.getByText('230 records on').first().waitFor()
  const used = await clicks()
  console.info(`clicks: ${used}`)
  expect(used).toBeLessThanOrEqual(12)
  expect(problems).toEqual([])
})

test('a schedule that reads all pages of an API into SQLite takes at most 18 clicks', async () => {
  const shop = await startShop()
  const folder = temporaryFolder()
  // As whoever has written a file before has it.
  await program.call('PUT', '/v1/settings', { file_folders: [folder] })
  const { page, problems } = await program.open({ path: '/flows' })
  await page.getByRole('button', { name: 'New flow' }).first().waitFor()
  const clicks = await countClicks(page)
  const addStep = async (name: string, heading: string) => {
    await page.getByRole('button', { name: 'Add step', exact: true }).click()
    await page.getByRole('combobox', { name: 'Search services and steps' }).fill(name)
    const option = page.getByRole('option', { name: new RegExp(`^${heading}`) })
    await option.first().waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: heading, exact: true }).waitFor()
  }

  await page.getByRole('button', { name: 'New flow' }).first().click()
  const created = page.getByRole('dialog', { name: 'New flow' })
  await typeInto(created.getByLabel('Name', { exact: true }), 'Customers every day')
  await created.getByRole('combobox', { name: 'Started by' }).click()
  await page.getByRole('option', { name: /^Schedule/ }).click()
  await created.getByRole('button', { name: 'Create flow' }).click()
  await page.getByRole('heading', { name: 'Customers every day', level: 1 }).waitFor()

  await addStep('HTTP', 'HTTP request')
  await typeInto(page.getByRole('textbox', { name: /^URL/ }), `${shop.url}/customers`)
  await page.getByRole('button', { name: 'New connector auth' }).click()
  const auth = page.getByRole('dialog', { name: 'New connector auth' })
  await typeInto(auth.getByLabel('Token', { exact: true }), TOKEN)
  await page.keyboard.press('Enter')
  await auth.waitFor({ state: 'detached' })
  const paging = page.getByRole('group', { name: 'Pagination' })
  await paging.getByRole('button', { name: 'Set up pagination' }).click()
  const sheet = page.getByRole('dialog', { name: 'Pagination' })
  await sheet.getByText('Filled in').waitFor()
  await sheet.getByRole('button', { name: /^Use pagination/ }).click()
  await sheet.waitFor({ state: 'detached' })

  await addStep('Write records', 'Write records')
  await typeInto(page.getByRole('textbox', { name: /^Records/ }), '{{ rest }}')
  await page.getByRole('combobox', { name: 'Target' }).click()
  await page.getByRole('option', { name: /^SQLite/ }).click()
  await page.getByRole('textbox', { name: /^Path/ }).click()
  await page.keyboard.insertText('shop.db')
  await page.getByRole('textbox', { name: /^Table/ }).click()
  await page.keyboard.insertText('customers')
  await page.getByText('No problems').waitFor()
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByRole('button', { name: /Draft/ }).click()
  await page.getByRole('menuitem', { name: /Active/ }).click()
  const stored = async () =>
    (await program.call<Flow[]>('GET', '/v1/flows?filter=name,eq,Customers every day'))[0]
  await expect.poll(async () => (await stored())?.status).toBe('active')
  const used = await clicks()
  console.info(`clicks: ${used}`)
  const run = await program.call<{ status: string; error: unknown }>(
    'POST',
    `/v1/flows/${(await stored())?.id}/run?wait=true`,
    {},
  )
  expect({ status: run.status, error: run.error, problems }).toEqual({
    status: 'success',
    error: null,
    problems: [],
  })
  expect(used).toBeLessThanOrEqual(18)
})
