import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import type { Action } from '../../src/shared/contract/connectors.ts'
import type { Har } from '../../src/shared/har.ts'
import { replaceCode } from '../helpers/keyboard.ts'
import { useProgramInBrowser } from '../helpers/program-in-browser.ts'
import type { OpenedPage } from '../helpers/open-page.ts'
import { startThirdPartyApi } from '../helpers/third-party-api.ts'

const PLAYGROUND = 'f306cd0c-aa4f-4195-8fec-ae5b83201da5'
const SHAPES = [
  'list_contacts',
  'list_orders',
  'list_tickets',
  'query_contacts',
  'list_orders_by_offset',
  'list_tickets_by_skip',
  'list_contacts_by_header',
  'list_orders_linked',
]

const program = useProgramInBrowser()
let opened: OpenedPage
let page: Page
/** The titles of the playground's actions, as the page shows them. */
let titles: ReadonlyMap<string, string>
beforeAll(async () => {
  const actions = await program.call<Action[]>(
    'GET',
    `/v1/connector-actions?filter=connector_id,eq,${PLAYGROUND}&per_page=200`,
  )
  titles = new Map(actions.map(({ name, title }) => [name, title || name]))
  opened = await program.open()
  page = opened.page
})

test('all eight styles of the playground are read completely', async () => {
  const read: string[] = []
  for (const action of SHAPES) {
    await choose(action)
    await press('Run')
    await page.getByText('64 records on').waitFor()
    await page.getByText('No duplicate records.').waitFor()
    read.push(action)
  }
  expect(read).toEqual(SHAPES)
})

test('of several configurations, the form shows the chosen one, and nothing of what was typed for another', async () => {
  await choose('list_contacts')
  await showForm()
  const configuration = page.getByRole('combobox', { name: 'Configuration', exact: true })
  const shown = async (number: number) => {
    await configuration.click()
    await page.getByRole('option', { name: new RegExp(`^${number}: `) }).click()
  }
  const records = page.getByRole('textbox', { name: 'Records path' })
  await shown(2)
  const second = await records.inputValue()
  await shown(1)
  await records.fill('$.typed_for_the_first')
  await shown(2)
  expect(await records.inputValue()).toBe(second)
  await shown(1)
  expect(await records.inputValue()).toBe('$.typed_for_the_first')
  await showJson()
  await page.getByRole('list', { name: 'Configurations, in order' }).waitFor()
})

test('a page shows what changed in its request, its templates before and after, and its records marked', async () => {
  await choose('list_tickets')
  await press('Run')
  await page.getByText('Ended because the response has no next page.').waitFor()
  await page.getByRole('option', { name: /^3/ }).click()
  const detail = page.getByRole('region', { name: 'Page 3' })
  await detail.getByText('after=ZnJvbTozMA==').waitFor()
  await press('Copy as curl')
  await expect
    .poll(() => page.evaluate(() => navigator.clipboard.readText()))
    .toMatch(/^curl -X GET 'http:.*\/tickets\?after=/)

  await page.getByRole('tab', { name: 'Templates' }).click()
  await detail.getByText('previous_request.paging.next.after', { exact: true }).waitFor()
  await detail.getByText('"ZnJvbTozMA=="').first().waitFor()
  await page.getByRole('tab', { name: 'Response' }).click()
  await detail.getByRole('treeitem').filter({ hasText: 'results' }).waitFor()
  await page.getByRole('tab', { name: 'Variables' }).click()
  await detail.getByRole('treeitem').filter({ hasText: 'previous_request:' }).waitFor()
  await page.getByRole('tab', { name: 'Cursors' }).click()
  await page.getByRole('table', { name: 'Cursors' }).getByText('ZnJvbTo2MA==').waitFor()
  await page.getByRole('table', { name: 'Cursors' }).getByText('nothing').waitFor()
})

test('a failing page is retried, and shows its wait and each of its responses', async () => {
  await choose('list_flaky_orders')
  await press('Run')
  await page.getByText('64 records on').waitFor({ timeout: 90_000 })
  await page
    .getByText(/^waited/)
    .first()
    .waitFor()
  const times = page.getByRole('slider', { name: 'Time per page' })
  await times.focus()
  await page.keyboard.press('Home')
  await expect.poll(() => times.getAttribute('aria-valuetext')).toMatch(/^Page 0, Response .*, Waited /)
  // The bars of a page are in the same place in both charts.
  const strip = page.getByRole('img', { name: /^Records per page: / })
  const barOf = async (at: number) => (await strip.locator('> span').nth(at).boundingBox())?.x ?? 0
  const startsAt = (await times.boundingBox())?.x ?? 0
  expect(Math.abs((await barOf(0)) - startsAt)).toBeLessThanOrEqual(2)
  const marked = times.locator('svg > rect').last()
  const lastAt = await barOf((await strip.locator('> span').count()) - 1)
  await page.keyboard.press('End')
  await expect
    .poll(async () => Math.abs(((await marked.boundingBox())?.x ?? 0) - lastAt))
    .toBeLessThanOrEqual(3)
  await page.getByRole('option', { name: /×2/ }).first().click()
  await page.getByRole('tab', { name: 'Response' }).click()
  await press('Attempt 1')
  await expect.poll(() => page.getByRole('group', { name: 'Attempts' }).getByRole('button').count()).toBe(2)
  await page.getByRole('treeitem').filter({ hasText: 'every third request fails' }).waitFor()
})

test('a wait counts down and is cancelled at once', async () => {
  // A wait that is far longer than anything this test waits for.
  const api = await startThirdPartyApi((_request, response, count) => {
    response.writeHead(count > 5 ? 429 : 200, { 'content-type': 'application/json', 'retry-after': '600' })
    response.end(JSON.stringify(Array.from({ length: 10 }, (_, index) => ({ id: count * 10 + index }))))
  })
  await chooseAddress(api.url)
  await press('Run')
  await page.getByText(/s left$/).waitFor()
  await press('Cancel')
  await page.getByText('Cancelled after 50 records.').waitFor()
  await expect.poll(() => page.getByRole('button', { name: 'Run', exact: true }).isEnabled()).toBe(true)
})

test('step by step, the next request is shown before it is sent', async () => {
  await choose('list_contacts')
  await press('Step')
  await page.getByText('Paused before page 1.').waitFor()
  await expect.poll(() => urlShown('Page 1')).toMatch(/page=2/)
  await press('Next page')
  await page.getByText('Paused before page 2.').waitFor()
  await expect.poll(() => urlShown('Page 2')).toMatch(/page=3/)
  await expect.poll(() => page.getByRole('option').count()).toBe(3)
  await press('Continue')
  await page.getByText('64 records on').waitFor()
})

test('a dry run shows the second request without sending it', async () => {
  await choose('list_orders')
  await press('Dry run')
  await page.getByText('Dry run: the first request was sent').waitFor()
  await page.getByText('planned, not sent').first().waitFor()
  await expect.poll(() => urlShown('Page 1')).toMatch(/page=2/)
})

test('problems are shown in place, keys are completed, and a list of configurations is put in order', async () => {
  await choose('list_tickets')
  await type('[{"when": "{{ page > 99 }}", "query": "{}"}, {"query": "{\\"x\\": {{ pag }}}"}]')
  const problems = page.getByRole('list', { name: 'Configuration problems' })
  await problems.getByText("'pag' is undefined").waitFor()
  await page.locator('.cm-lintRange-error').waitFor()
  await press('Move configuration 2 up')
  await page
    .getByRole('listitem')
    .filter({ hasText: 'matches everything else' })
    .filter({ hasText: '1' })
    .waitFor()
  await page
    .getByRole('button', { name: /did you mean|warning/i })
    .first()
    .waitFor()

  await type('{"response_jsonpath": "$.results", ')
  await page.keyboard.type('"sto')
  await page.locator('.cm-tooltip-autocomplete').getByText('stop_when').waitFor()
  await expect.poll(() => page.locator('.cm-tooltip-autocomplete li').count()).toBe(1)
  await page.keyboard.press('Escape')
})

test('one response is enough for a suggestion that reads the whole list', async () => {
  await choose('list_tickets')
  await type('{"query": "{}"}')
  await press('Suggest')
  await page.getByText('The key "paging.next.after" holds the cursor').waitFor()
  await press('Check with one request')
  await page.getByText('page 2 has new records').waitFor()
  await press('Fill in: Cursor')
  await press('Run')
  await page.getByText('64 records on').waitFor()
  await expect.poll(() => page.getByRole('option').count()).toBe(7)
})

test('the list is exported as JSON, NDJSON and CSV, and its requests as HAR', async () => {
  await choose('list_orders')
  await press('Run')
  await page.getByText('64 records on').waitFor()
  const files = []
  for (const format of ['JSON', 'NDJSON', 'CSV']) {
    await press('Export')
    const download = page.waitForEvent('download')
    await page.getByRole('menuitem', { name: new RegExp(`^${format}`) }).click()
    files.push(readFileSync(await (await download).path(), 'utf8'))
  }
  await press('More')
  const download = page.waitForEvent('download')
  await page.getByRole('menuitem', { name: 'Export HTTP requests (HAR)' }).click()
  files.push(readFileSync(await (await download).path(), 'utf8'))
  const [list = '', lines = '', table = '', har = ''] = files
  expect({
    records: (JSON.parse(list) as unknown[]).length,
    lines: lines.trim().split('\n').length,
    table: table.split('\r\n').slice(0, 2),
    calls: (JSON.parse(har) as Har).log.entries.length,
  }).toEqual({
    records: 64,
    lines: 64,
    table: ['id,contact_id,status,total,currency,created_at', expect.stringMatching(/^1001,\d+,/)],
    calls: 8,
  })
})

test('a configuration is saved to a copy of a built-in connector, which is tested from then on', async () => {
  await choose('list_contacts')
  await type(
    '{"response_jsonpath": "$.contacts", "query": "{\\"page\\": {{ page + 1 }}, \\"per_page\\": 10}"}',
  )
  await press('Save to connector')
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name of the copy').fill('My playground')
  await dialog.getByLabel(/^Only for “List contacts”/).check()
  await dialog.getByText("endpoint == 'contacts'").waitFor()
  await dialog.getByRole('button', { name: 'Save to connector' }).click()
  await page.getByText('Saved to “My playground”').waitFor()
  await page.getByRole('button', { name: 'Open connector' }).click()
  await page.waitForURL(/\/connectors\//)
  // The playground has eight, and this one comes before them.
  await page.getByText('9 configurations').waitFor()
  await page.goBack()
  const connector = page.getByRole('combobox', { name: 'Connector', exact: true })
  await expect.poll(() => connector.inputValue()).toBe('My playground')
  await press('Run')
  await page.getByText('64 records on').waitFor()
})

test('any URL starts without the configuration of a connector, which is there again with its calls', async () => {
  await choose('list_tickets')
  await chooseKind('Any URL')
  await page.getByText('8 configurations').waitFor({ state: 'detached' })
  await chooseKind('Connector action')
  await page.getByText('8 configurations').waitFor()
  await type('{"query": "{\\"page\\": {{ page + 1 }}}"}')
  await chooseKind('Any URL')
  await showJson()
  const typed = page.getByRole('textbox', { name: 'Pagination configuration' })
  await expect.poll(() => typed.textContent()).toContain('page + 1')
})

test('any URL can be tested, and of 100,000 records only the visible ones are drawn', async () => {
  const api = await startThirdPartyApi((request, response) => {
    const at = Number(new URL(request.target, 'http://a').searchParams.get('page') ?? 1) - 1
    const records = Array.from({ length: at < 100 ? 1_000 : 0 }, (_, index) => ({
      id: at * 1_000 + index,
      name: 'x',
    }))
    response.setHeader('content-type', 'application/json').end(JSON.stringify(records))
  })
  await chooseAddress(api.url)
  await press('Run')
  await page.getByText('100,000 records on').waitFor({ timeout: 90_000 })
  await page.getByRole('tab', { name: 'Table' }).click()
  const table = page.getByRole('region', { name: 'Records table' })
  await table.evaluate((element) => element.scrollTo({ top: element.scrollHeight }))
  await table.getByText('100000', { exact: true }).waitFor()
  const drawn = await page.getByRole('table', { name: 'Records' }).getByRole('row').count()
  await page.getByRole('tab', { name: 'Tree', exact: true }).click()
  await page.getByRole('tree', { name: 'Records' }).getByText('100,000 items').waitFor()
  await page.getByRole('tab', { name: 'JSON', exact: true }).last().click()
  await page.getByRole('region', { name: 'Records as JSON' }).getByText('"id"').first().waitFor()
  expect(drawn).toBeLessThan(60)
})

test('a list that is elsewhere in the response is named, and a button reads it from there', async () => {
  const api = await startThirdPartyApi((_request, response) => {
    const data = Array.from({ length: 25 }, (_, id) => ({ id }))
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ data }))
  })
  await chooseAddress(api.url)
  await type('{"query": "{\\"page\\": {{ page + 1 }}}", "response_jsonpath": "$.items"}')
  await press('Run')
  await page.getByRole('paragraph').filter({ hasText: '$.data has 25 records.' }).waitFor()
  await press('Use it')
  const config = page.getByRole('textbox', { name: 'Pagination configuration' })
  await expect.poll(() => config.textContent()).toContain('$.data')
  await press('Run')
  await page
    .getByText(/^25 records on/)
    .first()
    .waitFor()
})

test('the configuration on screen is used for an action that is not marked as paginated', async () => {
  const api = await startPages()
  const connector = await program.call<{ id: string }>('POST', '/v1/connectors', {
    name: 'Unmarked',
    base_domain: api.url,
  })
  const action = { connector_id: connector.id, name: 'list_things', method: 'GET', endpoint: '/things' }
  await program.call('POST', '/v1/connector-actions', action)
  await opened.go(`/pagination?connector=${connector.id}&action=list_things`)
  await expect
    .poll(() => page.getByRole('combobox', { name: 'Action', exact: true }).inputValue())
    .toBe('list_things')
  await type('{"query": "{\\"page\\": {{ page + 1 }}}"}')
  await press('Run')
  await page.getByText('6 records on').waitFor()
})

test('a failed test names the whole URL, and its time stops', async () => {
  const api = await startPages(3)
  await chooseAddress(api.url)
  await press('Run')
  await page.getByText(/GET http:\/\/127\.0\.0\.1:\d+\/records\?page=3 returned status 401/).waitFor()
  await page.getByText('The request had no credentials.', { exact: false }).waitFor()
  const took = () => page.locator('main dl').first().textContent()
  const before = await took()
  await page.clock.install()
  await opened.go('/runs')
  await page.getByRole('heading', { name: 'Runs', exact: true }).waitFor()
  await page.clock.fastForward(3_600_000)
  await opened.go('/pagination')
  await page.getByRole('region', { name: 'Page 2' }).waitFor()
  expect(await took()).toBe(before)
  await page.clock.resume()
})

test('without a mouse: a test is run, stepped through, looked at and cancelled', async () => {
  await choose('list_contacts')
  await page.locator('main').focus()
  await page.keyboard.press('ControlOrMeta+Enter')
  await page.getByText('64 records on').waitFor()
  await page.getByRole('listbox', { name: 'Pages' }).focus()
  await page.keyboard.press('Home')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowDown')
  await page.getByRole('region', { name: 'Page 2' }).getByText('page=3', { exact: true }).waitFor()
  await page.keyboard.press('Alt+n')
  await page.getByText('Paused before page 1.').waitFor()
  await page.keyboard.press('Alt+n')
  await page.getByText('Paused before page 2.').waitFor()
  await page.keyboard.press('Alt+c')
  await page.getByText('Cancelled after 20 records.').waitFor()
  await expect.poll(() => page.getByRole('option', { name: /planned, not sent/ }).count()).toBe(1)
})

test('the screen logged no errors', () => {
  expect(opened.problems).toEqual([])
})

/** Three pages of two records, starting at 1; one of them can be made to fail. */
function startPages(refused?: number) {
  return startThirdPartyApi(({ target }, response) => {
    const number = Number(new URL(target, 'http://x').searchParams.get('page') ?? 1)
    response.writeHead(number === refused ? 401 : 200, { 'content-type': 'application/json' })
    response.end(number > 3 ? '[]' : JSON.stringify([{ id: 2 * number }, { id: 2 * number + 1 }]))
  })
}

async function choose(action: string): Promise<void> {
  await opened.go(`/pagination?connector=${PLAYGROUND}&action=${action}`)
  await page.getByRole('heading', { name: 'Pagination tester' }).waitFor()
  await chooseKind('Connector action')
  const shown = page.getByRole('combobox', { name: 'Action', exact: true })
  await expect.poll(() => shown.inputValue()).toBe(titles.get(action))
  await showJson()
  await press('Presets')
  await page.getByRole('menuitem', { name: /^Configuration of Playground/ }).click()
  await page.getByText('8 configurations').waitFor()
}

/** Chooses a request to any URL, and enters this one. */
async function chooseAddress(url: string): Promise<void> {
  await opened.go('/pagination')
  await chooseKind('Any URL')
  await page.getByLabel('Base URL', { exact: true }).fill(url)
  await page.getByLabel('Endpoint').fill('records')
  await type('{"query": "{\\"page\\": {{ page + 1 }}}"}')
}

async function chooseKind(name: string): Promise<void> {
  await page.getByLabel('Call').click()
  await page.getByRole('option', { name }).click()
}

async function press(name: string): Promise<void> {
  await page.getByRole('button', { name, exact: true }).click()
}

async function type(text: string): Promise<void> {
  await showJson()
  await replaceCode(page.getByRole('textbox', { name: 'Pagination configuration' }), text)
}

async function showJson(): Promise<void> {
  await page.getByRole('tablist', { name: 'Edit as' }).getByRole('tab', { name: 'JSON' }).click()
}

async function showForm(): Promise<void> {
  await page.getByRole('tablist', { name: 'Edit as' }).getByRole('tab', { name: 'Form' }).click()
}

async function urlShown(label: string): Promise<string> {
  return (await page.getByRole('region', { name: label }).locator('p.font-mono').first().textContent()) ?? ''
}
