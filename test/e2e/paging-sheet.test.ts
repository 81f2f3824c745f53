/** Pagination is one line of a form. It is set up and tested in a sheet, or in the tester, without losing anything. */
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import type { ConnectorAuth } from '../../src/shared/contract/connector-auths.ts'
import { type Connector, HTTP_CONNECTOR_ID } from '../../src/shared/contract/connectors.ts'
import type { Flow, WorkingCopy } from '../../src/shared/contract/flows.ts'
import { axeFindings } from '../helpers/axe.ts'
import { replaceCode } from '../helpers/keyboard.ts'
import { useProgramInBrowser } from '../helpers/program-in-browser.ts'
import { startThirdPartyApi } from '../helpers/third-party-api.ts'

const program = useProgramInBrowser()

const aFlow = (name: string, steps: readonly object[]) =>
  program.call<Flow>('POST', '/v1/flows', { name, steps })

/** The pagination of a step in the editor's draft. */
async function keptPagination({ id }: Flow, refId: string): Promise<unknown> {
  const { steps } = await program.call<WorkingCopy>('GET', `/v1/flows/${id}/working-copy`)
  const all = steps as { ref_id: string; config: Record<string, unknown> }[]
  return all.find((step) => step.ref_id === refId)?.config['pagination'] ?? null
}

const line = (page: Page) => page.getByRole('group', { name: 'Pagination' })
const sheetOf = (page: Page) => page.getByRole('dialog', { name: 'Pagination' })

async function openSheet(page: Page) {
  await line(page).getByRole('button', { name: 'Set up pagination' }).click()
  const sheet = sheetOf(page)
  await sheet.getByRole('heading', { name: 'Configuration' }).waitFor()
  return sheet
}

/** Writes a configuration in place of the one in the editor. */
async function writeJson(page: Page, text: string) {
  await page.getByRole('tab', { name: 'JSON', exact: true }).first().click()
  await replaceCode(page.getByRole('textbox', { name: 'Pagination configuration' }), text)
}

test('an HTTP step gets its pagination from Suggest, tries it in the sheet, and shows it as one line with its state', async () => {
  const flow = await aFlow('Tickets', [
    { ref_id: 'web1', type: 'webhook' },
    { ref_id: 'users', type: 'rest', config: { method: 'GET', url: '{{ playground_url }}/tickets' } },
  ])
  const { page, problems } = await program.open({ path: `/flows/${flow.id}?step=users` })
  await line(page).getByText('Off', { exact: true }).waitFor()
  const sheet = await openSheet(page)
  await sheet.getByText('Filled in').waitFor()
  await sheet.getByRole('button', { name: 'Run', exact: true }).click()
  await sheet.getByText('64 records on').waitFor()
  await sheet.getByRole('img', { name: 'Records per page: 10, 10, 10, 10, 10, 10, 4' }).waitFor()
  await sheet.getByText('Every page').click()
  await sheet.getByRole('option').last().waitFor()
  expect({
    pages: await sheet.getByRole('option').count(),
    findings: await axeFindings(page),
  }).toEqual({ pages: 7, findings: [] })
  await sheet.getByRole('button', { name: /^Use pagination/ }).click()
  await line(page).getByText('Cursor').waitFor()
  await line(page).getByText('7 pages').waitFor()
  await expect.poll(() => keptPagination(flow, 'users')).toMatchObject({ response_jsonpath: '$.results' })

  await page.getByRole('button', { name: 'Undo' }).click()
  await line(page).getByText('Off', { exact: true }).waitFor()
  expect(problems).toEqual([])
})

test('the best suggestion is filled in by itself, and one press of the button takes it', async () => {
  const flow = await aFlow('At once', [
    { ref_id: 'users', type: 'rest', config: { method: 'GET', url: '{{ playground_url }}/tickets' } },
  ])
  const { page, problems } = await program.open({ path: `/flows/${flow.id}?step=users` })
  const sheet = await openSheet(page)
  await sheet.getByRole('button', { name: 'Use pagination: Cursor' }).click()
  await line(page).getByText('Cursor').waitFor()
  await expect.poll(() => keptPagination(flow, 'users')).toMatchObject({ response_jsonpath: '$.results' })

  // What was typed stays as it is: no suggestion overwrites it.
  const again = await openSheet(page)
  await writeJson(page, '{"response_jsonpath": "$.mine", "query": "{\\"page\\": {{ page + 1 }}}"}')
  await again.getByRole('button', { name: 'Suggest' }).click()
  await again.getByRole('button', { name: 'Fill in: Cursor' }).waitFor()
  await again.getByRole('button', { name: /^Use pagination: Page/ }).click()
  await expect.poll(() => keptPagination(flow, 'users')).toMatchObject({ response_jsonpath: '$.mine' })
  expect(problems).toEqual([])
})

test('Suggest calls the API itself, says why nothing can be suggested, and works as soon as it answers', async () => {
  let isGood = false
  const api = await startThirdPartyApi(({ target }, response) => {
    const at = Number(new URL(target, 'http://a').searchParams.get('page') ?? 1)
    response.writeHead(isGood ? 200 : 401, { 'content-type': 'application/json' })
    response.end(JSON.stringify(isGood ? { page: at, pages: 3, users: [{ id: at }] } : { error: 'expired' }))
  })
  const flow = await aFlow('Users', [
    { ref_id: 'web1', type: 'webhook' },
    { ref_id: 'users', type: 'rest', config: { method: 'GET', url: `${api.url}/users?page=1` } },
    { ref_id: 'told', type: 'rest', config: { method: 'GET', url: `${api.url}/{{ web1.plan }}` } },
  ])
  const { page, problems, go } = await program.open({ path: `/flows/${flow.id}?step=users` })
  const sheet = await openSheet(page)
  // Nobody asked for it yet, so it is a quiet message.
  await sheet.getByRole('status').getByText('The API returned 401.', { exact: false }).waitFor()
  expect(await sheet.getByRole('alert').count()).toBe(0)
  await sheet.getByRole('button', { name: 'Suggest' }).click()
  await sheet.getByRole('alert').getByText('The API returned 401.', { exact: false }).waitFor()
  isGood = true
  await sheet.getByRole('button', { name: 'Suggest' }).click()
  await sheet.getByText('Filled in').waitFor()
  await sheet.getByRole('alert').waitFor({ state: 'detached' })
  await sheet.getByRole('button', { name: /^Use pagination/ }).click()
  await line(page).getByText('Page number').waitFor()

  // The URL needs data, so nothing can be called before there is some, but the form still works.
  await go(`/flows/${flow.id}?step=told`)
  await line(page).getByText('Off', { exact: true }).waitFor()
  const waiting = await openSheet(page)
  await waiting.getByText('No data for web1 yet', { exact: false }).waitFor()
  expect({
    suggest: await waiting.getByRole('button', { name: 'Suggest' }).isEnabled(),
    style: await waiting.getByLabel('Style').isEnabled(),
    asked: api.received.map(({ target }) => target),
  }).toEqual({ suggest: false, style: true, asked: ['/users?page=1', '/users?page=1', '/users?page=1'] })
  await waiting.getByRole('button', { name: 'Cancel' }).click()
  await program.call('POST', `/v1/flows/${flow.id}/run?wait=true`, { input: { plan: 'users' } })
  // The sheet takes the values of the run that is shown when it opens.
  await page.getByRole('region', { name: 'Run of step told' }).getByText(/^Ran /).waitFor()
  const ready = await openSheet(page)
  await ready.getByRole('heading', { name: 'Suggested from the first response' }).waitFor()
  expect(problems).toEqual([])
})

test("presets, problems and completion work as in the tester, and a click doesn't discard what is typed", async () => {
  const flow = await aFlow('Typed', [
    { ref_id: 'users', type: 'rest', config: { method: 'GET', url: '{{ playground_url }}/contacts' } },
  ])
  const { page, problems } = await program.open({ path: `/flows/${flow.id}?step=users` })
  const sheet = await openSheet(page)
  await sheet.getByRole('tab', { name: 'JSON' }).click()
  await sheet.getByRole('button', { name: 'Presets' }).click()
  await page.getByRole('menuitem', { name: /^Page number, records in an object/ }).click()
  await sheet.getByText('No problems').waitFor()
  await writeJson(page, '{"query": "{\\"x\\": {{ pag }}}"}')
  await sheet.getByText("'pag' is undefined").waitFor()
  await sheet.getByRole('button', { name: 'Close' }).click()
  const asked = page.getByRole('alertdialog', { name: 'Leave without saving your changes?' })
  await asked.getByRole('button', { name: 'Cancel' }).click()
  await asked.waitFor({ state: 'detached' })
  await sheet.getByText("'pag' is undefined").waitFor()
  expect(problems).toEqual([])
})

test('the tester opens with the request and its auth, and returns the configuration as one change', async () => {
  const api = await startThirdPartyApi(({ target, headers }, response) => {
    const at = Number(new URL(target, 'http://a').searchParams.get('page') ?? 1)
    const isGood = headers.authorization === 'Bearer of-the-shop'
    const users = at <= 3 ? [{ id: at }] : []
    response.writeHead(isGood ? 200 : 401, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ users }))
  })
  const auth = await program.call<ConnectorAuth>('POST', '/v1/connector-auths', {
    connector_id: HTTP_CONNECTOR_ID,
    name: 'Shop',
    auth_type: 'bearer',
    auth_token: 'of-the-shop',
  })
  const flow = await aFlow('With auth', [
    { ref_id: 'web1', type: 'webhook' },
    {
      ref_id: 'users',
      type: 'rest',
      config: {
        method: 'GET',
        url: `${api.url}/users`,
        query: { plan: '{{ web1.plan }}' },
        auth_id: auth.id,
        pagination: { query: '{"page": {{ page + 1 }}}' },
      },
    },
  ])
  const { page, problems, go } = await program.open({ path: `/flows/${flow.id}?step=users` })
  const title = page.getByLabel('Title', { exact: false })
  await title.fill('All users')
  const told = await openSheet(page)
  await told.getByText('No data for web1 yet', { exact: false }).waitFor()
  await told.getByRole('button', { name: 'Cancel' }).click()
  await program.call('POST', `/v1/flows/${flow.id}/run?wait=true`, { input: { plan: 'pro' } })

  await go('/flows')
  await page.getByRole('heading', { name: 'Flows', level: 1 }).waitFor()
  await go(`/flows/${flow.id}?step=users`)
  await expect.poll(() => title.inputValue()).toBe('All users')
  // The sheet takes the values of the run that is shown when it opens.
  await page.getByRole('region', { name: 'Run of step users' }).getByText(/^Ran /).waitFor()
  await title.fill('Every user')
  await expect.poll(() => page.getByRole('button', { name: 'Undo' }).isEnabled()).toBe(true)
  const sheet = await openSheet(page)
  await sheet.getByText(`GET ${api.url}/users`).waitFor()
  await sheet.getByRole('button', { name: 'Open in tester' }).click()
  await page.getByRole('heading', { name: 'Pagination tester' }).waitFor()
  await expect.poll(() => page.getByRole('combobox', { name: 'Connector auth' }).inputValue()).toBe('Shop')
  await writeJson(page, '{"response_jsonpath": "$.users", "query": "{\\"page\\": {{ page + 1 }}}"}')
  api.received.length = 0
  await page.getByRole('button', { name: 'Run', exact: true }).click()
  await page.getByText('3 records on').waitFor()
  expect(api.received.map(({ target, headers }) => [target, headers.authorization])).toEqual(
    ['/users?plan=pro', '/users?plan=pro&page=2', '/users?plan=pro&page=3', '/users?plan=pro&page=4'].map(
      (target) => [target, 'Bearer of-the-shop'],
    ),
  )
  expect(await page.content()).not.toContain('of-the-shop')

  await page.getByRole('button', { name: 'Apply to step' }).click()
  await line(page).getByText('Page number').waitFor()
  const applied = { response_jsonpath: '$.users', query: '{"page": {{ page + 1 }}}' }
  await expect.poll(() => keptPagination(flow, 'users')).toMatchObject(applied)
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect.poll(() => keptPagination(flow, 'users')).toMatchObject({ query: '{"page": {{ page + 1 }}}' })
  expect(await title.inputValue()).toBe('Every user')
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect.poll(() => title.inputValue()).toBe('All users')
  expect(problems).toEqual([])
})

test('a connector gets its pagination in its sheet and from the tester, and keeps its other unsaved changes', async () => {
  const called: string[] = []
  const api = await startThirdPartyApi(({ target }, response) => {
    called.push(new URL(target, 'http://a').pathname)
    const at = Number(new URL(target, 'http://a').searchParams.get('page') ?? 1)
    const users = at <= 3 ? [{ id: at }] : []
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ users }))
  })
  const connector = await program.call<Connector>('POST', '/v1/connectors', {
    name: 'Users of the shop',
    base_domain: api.url,
  })
  const { page, problems, go } = await program.open({ path: `/connectors/${connector.id}` })
  await page.getByRole('button', { name: 'New action' }).click()
  await page.getByRole('switch', { name: 'Retrieve all data' }).click()
  await page.getByText('Off', { exact: true }).waitFor()
  const unnamed = await openSheet(page)
  await unnamed.getByText('To test it here, add an action with a name.').waitFor()
  await unnamed.getByRole('button', { name: 'Cancel' }).click()
  await page.getByLabel('Name', { exact: true }).fill('list_users')
  await page.getByLabel('Path', { exact: true }).fill('users')
  // Nothing is saved yet, so the action on the screen is tested.
  const inAction = await openSheet(page)
  await expect.poll(() => inAction.getByRole('combobox', { name: 'Action' }).inputValue()).toBe('list_users')
  await inAction.getByRole('button', { name: 'Run', exact: true }).click()
  await inAction.getByRole('img', { name: /^Records per page: / }).waitFor()
  expect(called).toContain('/users')
  await inAction.getByLabel('Style').click()
  await page.getByRole('option', { name: /^Page number/ }).click()
  await inAction.getByRole('button', { name: /^Use pagination/ }).click()
  await line(page).getByText('Page number', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('Connector “Users of the shop” saved').first().waitFor()
  const read = () => program.call<Connector>('GET', `/v1/connectors/${connector.id}`)
  expect((await read()).pagination_config).toMatchObject({ query: '{"page": {{ page + 1 }}}' })

  await go(`/connectors/${connector.id}?view=about`)
  await page.getByRole('tab', { name: 'About', selected: true }).waitFor()
  await page.getByLabel('Name', { exact: true }).fill('Users of our shop')
  await page.getByRole('tab', { name: 'Pagination and search' }).click()
  const sheet = await openSheet(page)
  await expect.poll(() => sheet.getByRole('combobox', { name: 'Action' }).inputValue()).toBe('list_users')
  await sheet.getByRole('button', { name: 'Open in tester' }).click()
  await page.getByRole('heading', { name: 'Pagination tester' }).waitFor()
  await writeJson(page, '{"response_jsonpath": "$.users", "query": "{\\"page\\": {{ page + 1 }}}"}')
  await page.getByRole('button', { name: 'Run', exact: true }).click()
  await page.getByText('3 records on').waitFor()
  await page.getByRole('button', { name: 'Apply to connector' }).click()
  await line(page).getByText('Page number').waitFor()
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('Connector “Users of our shop” saved').first().waitFor()
  expect(await read()).toMatchObject({
    name: 'Users of our shop',
    pagination_config: { response_jsonpath: '$.users' },
  })
  expect(problems).toEqual([])
})

test('the strip shows each page, waits and the number that the API names; a list in doubt is amber and says why', async () => {
  const refused = new Set<string>()
  const api = await startThirdPartyApi(({ target }, response) => {
    const { pathname, searchParams } = new URL(target, 'http://a')
    const at = Number(searchParams.get('cursor') ?? 0)
    const isLimited = at === 50 && !refused.has(target)
    refused.add(target)
    const isCut = pathname === '/cut' && at > 0
    const next = at + 25 < 230 && !isCut ? `${at + 25}` : null
    const data = Array.from({ length: Math.min(25, 230 - at) }, (_, index) => ({ id: at + index }))
    response.writeHead(isLimited ? 429 : 200, { 'content-type': 'application/json', 'retry-after': '0' })
    response.end(JSON.stringify({ data, total: 230, paging: { next_cursor: next } }))
  })
  const flow = await aFlow('Contacts', [
    { ref_id: 'whole', type: 'rest', config: { method: 'GET', url: `${api.url}/whole` } },
    { ref_id: 'cut', type: 'rest', config: { method: 'GET', url: `${api.url}/cut` } },
  ])
  const { page, problems, go } = await program.open({ path: `/flows/${flow.id}?step=whole` })
  const sheet = await openSheet(page)
  await sheet.getByText('25 records found').waitFor()
  await sheet.getByRole('button', { name: 'Run', exact: true }).click()
  await sheet.getByText('230 of 230').waitFor()
  const counts = `${'25, '.repeat(9)}5`
  await sheet.getByRole('img', { name: `Records per page: ${counts}; 1 wait or retry` }).waitFor()
  const primary = await sheet.locator('[data-look="primary"]').allInnerTexts()
  const findings = []
  for (const width of [640, 1920]) {
    await page.setViewportSize({ width, height: 900 })
    findings.push(...(await axeFindings(page)))
  }
  await page.setViewportSize({ width: 1280, height: 800 })
  await sheet.getByRole('button', { name: 'Use pagination: Cursor' }).click()
  await line(page).getByText('10 pages').waitFor()

  await go(`/flows/${flow.id}?step=cut`)
  await line(page).getByText('Off', { exact: true }).waitFor()
  const cut = await openSheet(page)
  await cut.getByText('Filled in').waitFor()
  await cut.getByRole('button', { name: 'Run', exact: true }).click()
  await cut.getByText('50 of 230').waitFor()
  await cut.getByRole('listitem').getByText('the API says 230 records; 50 were read').waitFor()
  expect({ primary, findings, problems }).toEqual({
    primary: ['Use pagination: Cursor'],
    findings: [],
    problems: [],
  })
})

test('by keyboard alone, the form changes what it shows and keeps the rest, and JSON shows the same', async () => {
  const flow = await aFlow('By keyboard', [
    {
      ref_id: 'users',
      type: 'rest',
      config: {
        method: 'GET',
        url: '{{ playground_url }}/orders',
        pagination: { query: '{"per_page": 10, "page": {{ page + 1 }}}', max_pages: 3 },
      },
    },
  ])
  const { page, problems } = await program.open({ path: `/flows/${flow.id}?step=users` })
  const sheet = await openSheet(page)
  await sheet.getByText('per_page: 10, max_pages: 3').waitFor()
  // It has a configuration, so no suggestion overwrites it.
  expect(await sheet.getByRole('region', { name: 'Suggestions' }).count()).toBe(0)
  await sheet.getByLabel('Records path').focus()
  await page.keyboard.type('$.orders')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await page.getByRole('option', { name: 'when a value in the response is false' }).waitFor()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await sheet.getByLabel('Value that ends the list').fill('meta.more')
  await sheet.getByRole('tab', { name: 'Form' }).focus()
  await page.keyboard.press('ArrowRight')
  const editor = sheet.getByRole('textbox', { name: 'Pagination configuration' })
  await expect.poll(() => editor.textContent()).toContain('not previous_request.meta.more')
  await page.keyboard.press('ArrowLeft')

  // Choosing another style and going back loses nothing.
  await sheet.getByLabel('Style').focus()
  await page.keyboard.press('Enter')
  const highlighted = page.locator('[role=option][data-highlighted]')
  await page.keyboard.press('Home')
  await highlighted.filter({ hasText: 'None' }).waitFor()
  await page.keyboard.press('Enter')
  await sheet.getByText('Only one request is sent.').waitFor()
  await page.keyboard.press('Enter')
  await page.keyboard.type('P')
  await highlighted.filter({ hasText: 'Page number' }).waitFor()
  await page.keyboard.press('Enter')
  await sheet.getByLabel('Records path').waitFor()
  await page.keyboard.press('Tab')
  await sheet.getByRole('button', { name: 'Use pagination: Page number' }).press('Enter')
  await expect
    .poll(() => keptPagination(flow, 'users'))
    .toEqual({
      query: '{"per_page": 10, "page": {{ page + 1 }}}',
      max_pages: 3,
      replace_body: false,
      response_jsonpath: '$.orders',
      stop_when: 'not previous_request.meta.more',
    })

  // What a form can't show is shown as JSON, with the reason.
  const again = await openSheet(page)
  await writeJson(page, '{"query": "{\\"a\\": {{ page }}, \\"b\\": {{ count }}}"}')
  await again.getByText('The form can’t show how “query” is built.').waitFor()
  await again.getByRole('tab', { name: 'Form' }).click()
  await expect.poll(() => editor.textContent()).toContain('{{ count }}')
  expect(problems).toEqual([])
})
