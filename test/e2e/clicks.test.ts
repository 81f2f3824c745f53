/** How many clicks common tasks take. Every mouse click counts, even into a field; keys don't. */
import { join } from 'node:path'
import Database from 'better-sqlite3'
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

/** 230 customers, read by cursor with the right token. */
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

/** Types into a field that received the focus automatically. */
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
  // Users who have written a file before have such a folder.
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

const TEAMS = [
  { id: 't1', name: 'Harbour' },
  { id: 't2', name: 'Airport' },
]
const LISTS = [
  { id: 'l1', name: 'Inbox', team: 't1' },
  { id: 'l2', name: 'Inbox', team: 't2' },
  { id: 'l3', name: 'Repairs', team: 't2' },
]
const TASKS = Array.from({ length: 30 }, (_, at) => ({
  id: `k${at}`,
  title: `Task ${at}`,
  list: at < 25 ? 'l3' : 'l1',
}))
const NOTES = Array.from({ length: 360 }, (_, at) => ({
  id: `n${at}`,
  text: `Note ${at}`,
  task: `k${at % 30}`,
}))

/** Lists of teams, their tasks, and twelve notes of each task; ten per page. */
const startTaskService = () =>
  startThirdPartyApi(({ target, headers }, response) => {
    const { pathname, searchParams } = new URL(target, 'http://x')
    const [, noun, id, inner] = pathname.split('/')
    const page = Number(searchParams.get('page') ?? 1)
    const all =
      noun === 'teams'
        ? inner === undefined
          ? TEAMS
          : LISTS.filter(({ team }) => team === id)
        : noun === 'lists'
          ? TASKS.filter(({ list }) => list === id)
          : NOTES.filter(({ task }) => task === id)
    const isGood = headers.authorization === `Bearer ${TOKEN}`
    const body = { data: all.slice(page * 10 - 10, page * 10), page, total_pages: Math.ceil(all.length / 10) }
    response.writeHead(isGood ? 200 : 401, { 'content-type': 'application/json' })
    response.end(JSON.stringify(isGood ? body : { message: 'Bad credentials' }))
  })

function describeTaskService(url: string) {
  const text = { type: 'string' }
  const page = { name: 'page', in: 'query', schema: { type: 'integer', default: 1 } }
  const records = (...keys: string[]) => ({
    type: 'array',
    items: { type: 'object', properties: Object.fromEntries(keys.map((key) => [key, text])) },
  })
  const get = (operationId: string, summary: string, id: string | null, ...keys: string[]) => ({
    get: {
      operationId,
      summary,
      parameters: [page, ...(id === null ? [] : [{ name: id, in: 'path', required: true, schema: text }])],
      responses: {
        200: {
          description: 'A page',
          content: {
            'application/json': {
              schema: {
                type: 'object',
                properties: {
                  data: records(...keys),
                  page: { type: 'integer' },
                  total_pages: { type: 'integer' },
                },
              },
            },
          },
        },
      },
    },
  })
  return JSON.stringify({
    openapi: '3.1.0',
    info: { title: 'Works', version: '1' },
    servers: [{ url }],
    security: [{ token: [] }],
    components: { securitySchemes: { token: { type: 'http', scheme: 'bearer' } } },
    paths: {
      '/teams': get('list_teams', 'List teams', null, 'id', 'name'),
      '/teams/{team_id}/lists': get('list_lists', 'List lists of a team', 'team_id', 'id', 'name'),
      '/lists/{list_id}/tasks': get('list_tasks', 'List tasks', 'list_id', 'id', 'title'),
      '/tasks/{task_id}/notes': get('list_notes', 'List notes', 'task_id', 'id', 'text'),
    },
  })
}

test('from an OpenAPI description to the notes of all tasks of a list in a table takes at most 40 clicks, and no pasted ID', async () => {
  const service = await startTaskService()
  const folder = temporaryFolder()
  await program.call('PUT', '/v1/settings', { file_folders: [folder] })
  const { page, problems } = await program.open()
  await page.getByRole('link', { name: 'Connectors', exact: true }).waitFor()
  const clicks = await countClicks(page)
  const addStep = async (button: Locator, name: string, option: RegExp) => {
    await button.click()
    await page.getByRole('combobox', { name: 'Search services and steps', exact: true }).fill(name)
    // Enter takes the first option, and a connector that was just imported appears among them a moment later.
    await expect.poll(() => page.getByRole('option').first().textContent()).toMatch(option)
    await page.keyboard.press('Enter')
  }

  await page.getByRole('link', { name: 'Connectors', exact: true }).click()
  await page.getByRole('button', { name: 'Import', exact: true }).click()
  await typeInto(page.getByLabel('curl commands'), describeTaskService(service.url))
  await page.getByRole('button', { name: 'Preview', exact: true }).click()
  await page.getByRole('button', { name: 'Create connector with 4 actions', exact: true }).click()
  await page.getByRole('heading', { name: 'Works', level: 1 }).waitFor()

  await page.getByRole('link', { name: 'Flows', exact: true }).click()
  await page.getByRole('button', { name: 'New flow', exact: true }).first().click()
  const created = page.getByRole('dialog', { name: 'New flow' })
  await typeInto(created.getByLabel('Name', { exact: true }), 'Notes of repairs')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Notes of repairs', level: 1 }).waitFor()

  await addStep(page.getByRole('button', { name: 'Add step', exact: true }), 'works tasks', /^WOList tasks/)
  await page.getByRole('button', { name: 'New connector auth', exact: true }).click()
  const auth = page.getByRole('dialog', { name: 'New connector auth' })
  await auth.getByLabel('Token', { exact: true }).click()
  await page.keyboard.insertText(TOKEN)
  await page.keyboard.press('Enter')
  await auth.waitFor({ state: 'detached' })
  const field = (name: string) => page.getByRole('combobox', { name })
  await chooseTyped(page, field('Team'), 'air', /^Airport/)
  await expect.poll(() => field('Team').inputValue()).toBe('Airport')
  await chooseTyped(page, field('List'), 'rep', /^Repairs/)
  await expect.poll(() => field('List').inputValue()).toBe('Repairs')

  await addStep(page.getByRole('button', { name: 'Add step', exact: true }), 'loop', /^Loop/)
  await typeInto(page.getByRole('textbox', { name: /^List/ }), '{{ action }}')
  await addStep(
    page.getByRole('button', { name: /^Add a step to each iteration of loop/ }),
    'works notes',
    /^WOList notes/,
  )
  await page.getByRole('textbox', { name: /^Task/ }).click()
  await page.keyboard.insertText('{{ item.id }}')
  await addStep(
    page.getByRole('button', { name: /^Add a step to each iteration of loop/ }),
    'Write records',
    /^Write records/,
  )
  await typeInto(page.getByRole('textbox', { name: /^Records/ }), '{{ action2 }}')
  await page.getByRole('combobox', { name: 'Target' }).click()
  await page.getByRole('option', { name: /^SQLite/ }).click()
  await page.getByRole('textbox', { name: /^Path/ }).click()
  await page.keyboard.insertText('works.db')
  await page.getByRole('textbox', { name: /^Table/ }).click()
  await page.keyboard.insertText('notes')
  await page.getByText('No problems').waitFor()
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('Saved', { exact: true }).first().waitFor()
  await page.getByRole('button', { name: /^Run/ }).first().click()
  const used = await clicks()
  console.info(`clicks: ${used}`)
  const flow = (await program.call<Flow[]>('GET', '/v1/flows?filter=name,eq,Notes of repairs'))[0]
  const run = await program.call<{ status: string; error: unknown }>(
    'POST',
    `/v1/flows/${flow?.id}/run?wait=true`,
    {},
  )
  expect({ status: run.status, error: run.error, problems }).toEqual({
    status: 'success',
    error: null,
    problems: [],
  })
  const database = new Database(join(folder, 'works.db'), { readonly: true })
  const ids = database.prepare('SELECT id FROM notes').pluck().all()
  database.close()
  expect(new Set(ids)).toEqual(
    new Set(NOTES.filter(({ task }) => Number(task.slice(1)) < 25).map(({ id }) => id)),
  )
  expect(used).toBeLessThanOrEqual(40)
})
