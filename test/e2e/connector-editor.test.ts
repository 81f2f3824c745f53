/** A connector with its actions, edited as one draft, in a real Chromium. */
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import type { Action, Connector } from '../../src/shared/contract/connectors.ts'
import { axeFindings } from '../helpers/axe.ts'
import { useProgramInBrowser } from '../helpers/program-in-browser.ts'
import { startThirdPartyApi } from '../helpers/third-party-api.ts'

const program = useProgramInBrowser()

interface Made {
  readonly connector: Connector
  readonly actions: readonly Action[]
}

async function aShop(connector: object = {}, ...actions: readonly object[]): Promise<Made> {
  const made = await program.call<Connector>('POST', '/v1/connectors', {
    name: 'Shop',
    base_domain: 'http://127.0.0.1:9',
    ...connector,
  })
  const all: Action[] = []
  for (const action of actions) {
    const body = { connector_id: made.id, method: 'GET', endpoint: 'x', ...action }
    all.push(await program.call<Action>('POST', '/v1/connector-actions', body))
  }
  return { connector: made, actions: all }
}

const actionsOf = ({ id }: Connector) =>
  program.call<Action[]>('GET', `/v1/connector-actions?filter=connector_id,eq,${id}&sort=name`)
const read = ({ id }: Connector) => program.call<Connector>('GET', `/v1/connectors/${id}`)
const view = (page: Page, name: string) => page.getByRole('tab', { name, exact: true }).click()
const save = (page: Page) => page.getByRole('button', { name: 'Save', exact: true }).click()
const field = (page: Page, name: string) => page.getByLabel(name, { exact: true })
const focusedLabel = (page: Page) =>
  page.evaluate(
    () => (document.activeElement as HTMLInputElement | null)?.labels?.[0]?.firstChild?.textContent,
  )

test('details, connection, pagination and actions are one draft, which is undone, discarded and saved as a whole', async () => {
  const { connector, actions } = await aShop(
    {},
    { name: 'list_orders', title: 'List orders' },
    { name: 'old_call', title: 'Old call' },
  )
  const [orders] = actions
  const { page, problems } = await program.open({ path: `/connectors/${connector.id}?action=${orders?.id}` })
  await field(page, 'Title').fill('All orders')
  await page.getByRole('switch', { name: 'Retrieve all data' }).click()
  await page.getByRole('button', { name: 'Set up pagination' }).click()
  const sheet = page.getByRole('dialog', { name: 'Pagination' })
  await sheet.getByLabel('Style').click()
  await page.getByRole('option', { name: /^Page number/ }).click()
  await sheet.getByRole('button', { name: /^Use pagination/ }).click()
  await sheet.waitFor({ state: 'detached' })
  await page.getByText('Page number', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Duplicate' }).click()
  await expect.poll(() => field(page, 'Name').inputValue()).toBe('list_orders_2')
  await field(page, 'Path').fill('orders/{id}')
  await page.getByRole('link', { name: 'Old call' }).click()
  await page.getByRole('button', { name: 'Delete action' }).click()
  await page.getByRole('button', { name: 'Restore “Old call”' }).waitFor()
  await view(page, 'Base URL and auth')
  await field(page, 'Base URL').fill('http://127.0.0.1:10')
  await view(page, 'About')
  await field(page, 'Name').fill('Our shop')
  await page.getByText('Unsaved changes').waitFor()
  expect(await axeFindings(page)).toEqual([])

  await page.getByRole('button', { name: 'Undo' }).click()
  await expect.poll(() => field(page, 'Name').inputValue()).toBe('Shop')
  await page.getByRole('button', { name: 'Redo' }).click()
  await expect.poll(() => field(page, 'Name').inputValue()).toBe('Our shop')
  await page.getByRole('button', { name: 'Discard' }).click()
  await expect.poll(() => field(page, 'Name').inputValue()).toBe('Shop')
  expect(await page.getByRole('button', { name: 'Save', exact: true }).isDisabled()).toBe(true)
  // The message about the discarded changes has the same button as the page.
  await page.getByRole('main').getByRole('button', { name: 'Undo' }).click()
  expect([(await read(connector)).name, (await actionsOf(connector)).length]).toEqual(['Shop', 2])

  await save(page)
  await page.getByText('Connector “Our shop” saved').first().waitFor()
  await expect.poll(() => page.getByText('Unsaved changes').count()).toBe(0)
  const saved = await read(connector)
  expect({ ...saved, actions: await actionsOf(connector) }).toMatchObject({
    name: 'Our shop',
    base_domain: 'http://127.0.0.1:10',
    pagination_config: { query: '{"page": {{ page + 1 }}}' },
    actions: [
      { id: orders?.id, name: 'list_orders', title: 'All orders', supports_automatic_pagination: true },
      {
        name: 'list_orders_2',
        endpoint: "orders/{{ input.id | urlencode | replace('/', '%2F') }}",
        ui_form_schema: [{ name: 'id', label: 'Id', type: 'text', required: true }],
      },
    ],
  })
  expect(problems).toEqual([])
})

test('a rejected part stays in the draft, and its problem names and opens the action and field; the rest is saved', async () => {
  const { connector, actions } = await aShop(
    {},
    { name: 'get_order', title: 'Get order' },
    { name: 'used', title: 'Used' },
  )
  const config = { connector_id: connector.id, action: 'used', input: {} }
  await program.call('POST', '/v1/flows', {
    name: 'Daily',
    steps: [{ ref_id: 'call', type: 'connector_action', config }],
  })
  const { page, problems } = await program.open({ path: `/connectors/${connector.id}?view=about` })
  await field(page, 'Short description').fill('Sells things')
  await view(page, 'Actions')
  await page.getByRole('link', { name: 'Get order' }).click()
  await field(page, 'Path').fill('orders/{{ input.id')
  await page.getByRole('button', { name: 'New action' }).click()
  await field(page, 'Title').fill('Find order')
  await save(page)
  // What the contract rejects is found before anything is sent.
  const alert = page.getByRole('alert', { name: 'Problems' })
  await alert.getByText('Nothing was saved: 1 problem').waitFor()
  expect((await read(connector)).short_description).toBe('')
  await view(page, 'About')
  await alert.getByRole('button', { name: /^Find order · Name:/ }).click()
  await expect.poll(() => focusedLabel(page)).toBe('Name')
  await page.keyboard.type('find_order')

  await page.getByRole('link', { name: 'Used' }).click()
  await page.getByRole('button', { name: 'Delete action' }).click()
  await save(page)
  await alert.getByText('Saved, except for 1 problem').waitFor()
  expect({
    purpose: (await read(connector)).short_description,
    actions: (await actionsOf(connector)).map(({ name, endpoint }) => [name, endpoint]),
  }).toEqual({
    purpose: 'Sells things',
    actions: [
      ['find_order', ''],
      ['get_order', 'x'],
      ['used', 'x'],
    ],
  })
  await view(page, 'Base URL and auth')
  await alert.getByRole('button', { name: /^Get order · Path:/ }).click()
  await expect.poll(() => focusedLabel(page)).toBe('Path')
  expect(await field(page, 'Path').inputValue()).toBe('orders/{{ input.id')
  await field(page, 'Path').fill('orders')
  await save(page)
  // Deletions are sent last, and a flow still uses this action.
  await page.getByText('the flows "Daily" use it', { exact: false }).first().waitFor()
  await page.getByRole('button', { name: 'Restore “Used”' }).click()
  await expect.poll(() => page.getByText('Unsaved changes').count()).toBe(0)
  expect((await actionsOf(connector)).map(({ id, endpoint }) => [id, endpoint])).toEqual([
    [expect.any(String), ''],
    [actions[0]?.id, 'orders'],
    [actions[1]?.id, 'x'],
  ])
  expect(problems).toEqual([])
})

test("if a connector is rejected its actions aren't saved either, so they are never called with another URL", async () => {
  const { connector, actions } = await aShop({}, { name: 'list', title: 'List' })
  const { page, problems } = await program.open({ path: `/connectors/${connector.id}?view=connection` })
  await field(page, 'Base URL').fill('http://{{ auth.host')
  await view(page, 'Actions')
  await field(page, 'Path').fill('v2/list')
  await save(page)
  const alert = page.getByRole('alert', { name: 'Problems' })
  await alert.getByRole('button', { name: /^Connector · Base URL:/ }).click()
  await expect.poll(() => focusedLabel(page)).toBe('Base URL')
  expect((await actionsOf(connector))[0]).toMatchObject({ id: actions[0]?.id, endpoint: 'x' })
  await field(page, 'Base URL').fill('http://127.0.0.1:10')
  await save(page)
  await page.getByText('Connector “Shop” saved').first().waitFor()
  await alert.waitFor({ state: 'detached' })
  expect((await actionsOf(connector))[0]).toMatchObject({ id: actions[0]?.id, endpoint: 'v2/list' })
  expect(problems).toEqual([])
})

test('a try sends what is on screen: a new action, and a base URL that is not saved', async () => {
  const api = await startThirdPartyApi(({ method, target }, response) =>
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ method, target })),
  )
  const { connector } = await aShop()
  const { page, problems } = await program.open({ path: `/connectors/${connector.id}?view=connection` })
  await field(page, 'Base URL').fill(`${api.url}/v2`)
  await view(page, 'Actions')
  await page.getByRole('button', { name: 'New action' }).click()
  await field(page, 'Path').fill('orders/{id}')
  await field(page, 'Path').press('Tab')
  await view(page, 'Try it')
  await field(page, 'Id').fill('7')
  await page.getByRole('button', { name: 'Run action' }).click()
  await page.getByText('Success.').waitFor()
  expect(api.received.map(({ method, target }) => [method, target])).toEqual([['GET', '/v2/orders/7']])
  expect(await page.getByRole('button', { name: 'Use in a flow' }).isDisabled()).toBe(true)
  expect([(await read(connector)).base_domain, await actionsOf(connector)]).toEqual([
    'http://127.0.0.1:9',
    [],
  ])

  await view(page, 'Edit')
  await field(page, 'Name').fill('get_order')
  await save(page)
  await page.getByText('Connector “Shop” saved').first().waitFor()
  await view(page, 'Try it')
  expect(await field(page, 'Id').inputValue()).toBe('7')
  await expect.poll(() => page.getByRole('button', { name: 'Use in a flow' }).isDisabled()).toBe(false)
  expect(problems).toEqual([])
})

test('leaving asks first while any part of the draft is unsaved, including actions', async () => {
  const { connector } = await aShop({}, { name: 'list', title: 'List' })
  const { page, problems } = await program.open({ path: `/connectors/${connector.id}` })
  const asked = page.getByRole('alertdialog', { name: 'Leave without saving your changes?' })
  await field(page, 'Title').fill('List all')
  await view(page, 'About')
  await page.getByRole('link', { name: 'Runs', exact: true }).click()
  await asked.getByRole('button', { name: 'Cancel' }).click()
  await view(page, 'Actions')
  expect(await field(page, 'Title').inputValue()).toBe('List all')
  await page.getByRole('link', { name: 'Runs', exact: true }).click()
  await asked.getByRole('button', { name: 'Leave' }).click()
  await page.getByRole('heading', { name: 'Runs', exact: true }).waitFor()
  expect(problems).toEqual([])
})

test('a built-in connector can be viewed and tried, and is edited in a copy', async () => {
  const [builtIn] = await program.call<Connector[]>('GET', '/v1/connectors?filter=name,eq,Playground')
  const { page, problems } = await program.open({ path: `/connectors/${builtIn?.id}` })
  await page.getByRole('button', { name: 'Run action' }).waitFor()
  for (const name of ['New action', 'Duplicate', 'Delete action', 'Save', 'Discard', 'Undo'])
    expect(await page.getByRole('button', { name, exact: true }).count()).toBe(0)
  expect(await page.getByRole('tab', { name: 'Edit' }).count()).toBe(0)
  await view(page, 'About')
  await page.getByText('Tested with every version of Millrace: Playground of Millrace.').waitFor()
  expect(await axeFindings(page)).toEqual([])
  await view(page, 'Actions')
  await page.getByRole('button', { name: 'Copy to edit' }).click()
  await page.getByRole('tab', { name: 'Edit' }).waitFor()
  await field(page, 'Title').fill('Changed in the copy')
  await save(page)
  await page
    .getByText(/^Connector .* saved/)
    .first()
    .waitFor()
  await page.getByRole('button', { name: 'More', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Delete' }).click()
  await page.getByRole('button', { name: 'Delete connector' }).click()
  await page.getByRole('heading', { name: 'Connectors', level: 1 }).waitFor()
  expect(problems).toEqual([])
})

test('a built-in connector says what its calls were compared with, and when', async () => {
  const [builtIn] = await program.call<Connector[]>('GET', '/v1/connectors?filter=name,eq,Stripe')
  const { page, problems } = await program.open({ path: `/connectors/${builtIn?.id}` })
  await view(page, 'About')
  await page.getByText(/^Checked against Stripe library for Node, .* on \d+ \w+ \d{4}\.$/).waitFor()
  expect(problems).toEqual([])
})

test('below 900 px the list and the form of an action are shown one at a time', async () => {
  const { connector } = await aShop({}, { name: 'list', title: 'List' }, { name: 'get', title: 'Get' })
  const { page, problems } = await program.open({ path: `/connectors/${connector.id}` })
  await page.setViewportSize({ width: 760, height: 800 })
  await page.getByRole('link', { name: 'Get' }).click()
  await expect.poll(() => field(page, 'Name').inputValue()).toBe('get')
  expect(await page.getByRole('table', { name: 'Actions' }).count()).toBe(0)
  await page.getByRole('button', { name: 'All actions' }).click()
  await page.getByRole('link', { name: 'List' }).click()
  await expect.poll(() => field(page, 'Name').inputValue()).toBe('list')
  expect(await axeFindings(page)).toEqual([])
  expect(problems).toEqual([])
})

test('by keyboard only, an action is added, tried and saved, and a mistake undone', async () => {
  const api = await startThirdPartyApi((_request, response) => void response.end('{}'))
  const { connector } = await aShop({ base_domain: api.url }, { name: 'list', title: 'List' })
  const { page, problems } = await program.open({ path: `/connectors/${connector.id}` })
  await page.getByRole('button', { name: 'New action' }).focus()
  await page.keyboard.press('Enter')
  await expect.poll(() => focusedLabel(page)).toBe('Name')
  await page.keyboard.type('get_me')
  await page.keyboard.press('Tab')
  await page.keyboard.type('Me')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Tab')
  await page.keyboard.type('me')
  await page.keyboard.press('ControlOrMeta+z')
  await expect.poll(() => field(page, 'Path').inputValue()).toBe('')
  await page.keyboard.press('ControlOrMeta+Shift+z')
  await expect.poll(() => field(page, 'Path').inputValue()).toBe('me')
  await page.keyboard.press('ControlOrMeta+s')
  await page.getByText('Connector “Shop” saved').first().waitFor()
  expect(await actionsOf(connector)).toMatchObject([
    { name: 'get_me', title: 'Me', endpoint: 'me' },
    { name: 'list' },
  ])
  await page.getByRole('tab', { name: 'Edit' }).focus()
  await page.keyboard.press('ArrowRight')
  await page.getByRole('button', { name: 'Run action' }).waitFor()
  await page.keyboard.press('ControlOrMeta+Enter')
  await page.getByText('Success.').waitFor()
  expect(api.received.map(({ target }) => target)).toEqual(['/me'])
  expect(problems).toEqual([])
})
