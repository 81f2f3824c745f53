/** A new auth is created next to the step that needs it, without leaving the flow's editor. */
import { expect, test } from 'vitest'
import type { ConnectorAuth } from '../../src/shared/contract/connector-auths.ts'
import { type Connector, HTTP_CONNECTOR_ID } from '../../src/shared/contract/connectors.ts'
import type { Flow, WorkingCopy } from '../../src/shared/contract/flows.ts'
import { axeFindings } from '../helpers/axe.ts'
import { useProgramInBrowser } from '../helpers/program-in-browser.ts'
import { startThirdPartyApi } from '../helpers/third-party-api.ts'

const program = useProgramInBrowser()

const aFlow = (name: string, steps: readonly object[]) =>
  program.call<Flow>('POST', '/v1/flows', { name, steps })

/** The config of a step in the editor's draft. */
async function keptConfig({ id }: Flow, at: number): Promise<Record<string, unknown> | undefined> {
  const { steps } = await program.call<WorkingCopy>('GET', `/v1/flows/${id}/working-copy`)
  const step = steps?.[at] as { config: Record<string, unknown> } | undefined
  return step?.config
}

/** Returns 401 for all but one token. */
const startGuarded = (token: string) =>
  startThirdPartyApi(({ headers }, response) => {
    const isGood = headers.authorization === `Bearer ${token}`
    response.writeHead(isGood ? 200 : 401, { 'content-type': 'application/json' }).end('[{"id": 1}]')
  })

test('an auth for an HTTP step is tested at its address before it is stored, selected, and undone as one change', async () => {
  const api = await startGuarded('the-good-one')
  const flow = await aFlow('Orders', [
    { ref_id: 'web1', type: 'webhook' },
    { ref_id: 'orders', type: 'rest', config: { method: 'GET', url: `${api.url}/orders` } },
  ])
  const { page, problems } = await program.open({ path: `/flows/${flow.id}?step=orders` })
  await page.getByLabel('Title', { exact: false }).fill('All orders')
  await page.evaluate(() => {
    const seen = window as unknown as { focused: string[] }
    seen.focused = []
    addEventListener('focusin', ({ target }) => seen.focused.push((target as Element).tagName), true)
  })
  await page.getByRole('button', { name: 'New connector auth' }).click()
  const sheet = page.getByRole('dialog', { name: 'New connector auth' })
  await sheet.waitFor()
  // Only the token is missing, so it has the focus, and nothing else had it in between.
  await sheet.getByLabel('Token', { exact: true }).and(page.locator(':focus')).waitFor()
  expect(await page.evaluate(() => (window as unknown as { focused: string[] }).focused)).toEqual([
    'BUTTON',
    'INPUT',
  ])
  await page.keyboard.type('a-bad-one')
  expect({
    token: await sheet.getByLabel('Token', { exact: true }).inputValue(),
    connector: await sheet.getByRole('combobox', { name: 'Connector' }).inputValue(),
    name: await sheet.getByLabel('Name', { exact: true }).inputValue(),
    url: await sheet.getByLabel('URL to request').inputValue(),
    findings: await axeFindings(page),
  }).toEqual({
    token: 'a-bad-one',
    connector: 'HTTP',
    name: `${new URL(api.url).host} connector auth`,
    url: `${api.url}/orders`,
    findings: [],
  })
  await page.keyboard.press('Enter')
  await sheet.getByText('Test failed.').waitFor()
  await sheet.getByRole('button', { name: 'Save anyway' }).waitFor()
  expect(await program.call('GET', '/v1/connector-auths')).toEqual([])
  await sheet.getByLabel('Token', { exact: true }).fill('the-good-one')
  await sheet.getByRole('button', { name: 'Connect' }).click()
  await sheet.waitFor({ state: 'detached' })
  await page.getByText(/^Works · /).waitFor()

  const auths = await program.call<ConnectorAuth[]>('GET', '/v1/connector-auths')
  const chosen = page.getByRole('combobox', { name: 'Connector auth' })
  await expect.poll(() => chosen.inputValue()).toBe(auths[0]?.name)
  await expect.poll(async () => (await keptConfig(flow, 1))?.auth_id).toBe(auths[0]?.id)
  expect({
    auths: auths.map(({ connector_id: connector, auth_type: type }) => ({ connector, type })),
    asked: api.received.map(({ target, headers }) => [target, headers.authorization]),
  }).toEqual({
    auths: [{ connector: HTTP_CONNECTOR_ID, type: 'bearer' }],
    asked: [
      ['/orders', 'Bearer a-bad-one'],
      ['/orders', 'Bearer the-good-one'],
      // A test of the stored credentials, which the badge reports on.
      ['/orders', 'Bearer the-good-one'],
    ],
  })

  await page.getByRole('button', { name: 'Undo' }).click()
  await expect.poll(() => chosen.inputValue()).toBe('No auth')
  expect(await page.getByLabel('Title', { exact: false }).inputValue()).toBe('All orders')
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect.poll(() => page.getByLabel('Title', { exact: false }).inputValue()).toBe('')
  expect(problems).toEqual([])
})

test('an auth for a connector action is only for its connector, and a flow runs with it', async () => {
  const api = await startGuarded('good')
  const connector = await program.call<Connector>('POST', '/v1/connectors', {
    name: 'Guarded shop',
    base_domain: api.url,
    test_action: 'list',
  })
  await program.call('POST', '/v1/connector-actions', {
    connector_id: connector.id,
    name: 'list',
    method: 'GET',
    endpoint: '/list',
  })
  const flow = await aFlow('Shop', [
    { ref_id: 'list', type: 'connector_action', config: { connector_id: connector.id, action: 'list' } },
  ])
  const { page, problems } = await program.open({ path: `/flows/${flow.id}?step=list` })
  await page.getByRole('button', { name: 'New connector auth' }).click()
  const sheet = page.getByRole('dialog', { name: 'New connector auth' })
  await sheet.getByText('Guarded shop', { exact: true }).waitFor()
  await sheet.getByText('Connect calls “list” once', { exact: false }).waitFor()
  await sheet.getByLabel('Name', { exact: true }).fill('Mine')
  // A key press loses nothing that was typed.
  await page.keyboard.press('Escape')
  const asked = page.getByRole('alertdialog', { name: 'Leave without saving your changes?' })
  await asked.waitFor()
  await page.keyboard.press('Escape')
  await asked.waitFor({ state: 'detached' })
  expect(await sheet.getByLabel('Name', { exact: true }).inputValue()).toBe('Mine')
  await sheet.getByLabel('Token', { exact: true }).fill('good')
  await page.keyboard.press('ControlOrMeta+Enter')
  await sheet.waitFor({ state: 'detached' })
  await expect.poll(() => page.getByRole('combobox', { name: 'Connector auth' }).inputValue()).toBe('Mine')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('saved', { exact: false }).first().waitFor()
  await expect
    .poll(async () => (await program.call<Flow>('GET', `/v1/flows/${flow.id}`)).version)
    .toBeGreaterThan(flow.version)
  const run = await program.call<{ status: string }>('POST', `/v1/flows/${flow.id}/run?wait=true`, {})
  // Nothing is known about a token that replaces the one that worked.
  await page.getByText(/^Works · /).waitFor()
  const [mine] = await program.call<ConnectorAuth[]>('GET', '/v1/connector-auths?filter=name,eq,Mine')
  await program.call('PUT', `/v1/connector-auths/${mine?.id}`, { auth_token: 'another' })
  await page.getByText('Not tested', { exact: true }).waitFor()
  expect({ status: run.status, problems }).toEqual({ status: 'success', problems: [] })
})

test('a rejected call turns the badge of its auth everywhere, and the token is changed where it is chosen', async () => {
  let good = 'first'
  const api = await startThirdPartyApi(({ headers }, response) => {
    response.writeHead(headers.authorization === `Bearer ${good}` ? 200 : 401).end('{}')
  })
  const auth = await program.call<ConnectorAuth>('POST', '/v1/connector-auths', {
    connector_id: HTTP_CONNECTOR_ID,
    name: 'Kontor CRM',
    auth_type: 'bearer',
    auth_token: 'first',
    user_input: { url: api.url },
  })
  const flow = await aFlow('Contacts', [
    { ref_id: 'orders', type: 'rest', config: { method: 'GET', url: `${api.url}/o`, auth_id: auth.id } },
  ])
  const list = await program.open({ path: '/auths' })
  const { page, problems } = await program.open({ path: `/flows/${flow.id}?step=orders` })
  await page.getByText('Never used', { exact: true }).waitFor()
  await list.page.getByRole('table').getByText('Never used', { exact: true }).waitFor()
  const run = async () => await program.call('POST', `/v1/flows/${flow.id}/run?wait=true`, {})
  await run()
  await page.getByText(/^Works · /).waitFor()
  good = 'second'
  await run()
  await page.getByText(/^Rejected · /).waitFor()
  const row = list.page.getByRole('row').filter({ hasText: 'Kontor CRM' })
  await row.getByText(/^Rejected · /).waitFor()
  await row.getByRole('img', { name: /^Last 30 days: worked on 0 days, rejected on / }).waitFor()

  await page.getByRole('button', { name: 'Change token' }).first().click()
  const sheet = page.getByRole('dialog', { name: 'Change “Kontor CRM”' })
  await sheet.getByLabel('Token', { exact: true }).fill('second')
  await sheet.getByLabel('URL to request').fill(`${api.url}/o`)
  await sheet.getByRole('button', { name: 'Connect' }).click()
  await sheet.waitFor({ state: 'detached' })
  await page.getByText(/^Works · /).waitFor()
  await row.getByText(/^Works · /).waitFor()
  expect({ problems, list: list.problems }).toEqual({ problems: [], list: [] })
})

test('an API out of reach is said, and the credentials are stored without a test only if that is wanted', async () => {
  const { page, problems } = await program.open({ path: '/auths?create=true' })
  const sheet = page.getByRole('dialog', { name: 'New connector auth' })
  await sheet.getByRole('combobox', { name: 'Connector' }).fill('HTTP')
  await page.getByRole('option', { name: /^HTTP/ }).click()
  await sheet.getByLabel('Token', { exact: true }).fill('some token')
  // With nothing to call, the button says what it does.
  await sheet.getByRole('button', { name: 'Save without testing' }).waitFor()
  await sheet.getByLabel('URL to request').fill('http://127.0.0.1:9/me')
  await sheet.getByRole('button', { name: 'Connect' }).click()
  await sheet.getByText('connection refused', { exact: false }).first().waitFor()
  expect(await axeFindings(page)).toEqual([])
  await sheet.getByRole('button', { name: 'Save without testing' }).click()
  await sheet.waitFor({ state: 'detached' })
  await page.getByRole('row').filter({ hasText: 'HTTP connector auth' }).getByText('Never used').waitFor()
  expect(problems).toEqual([])
})
