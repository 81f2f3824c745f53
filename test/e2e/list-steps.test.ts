/**
 * What the editor knows about values before anything runs: fields of an item, what can follow a value, what a step
 * makes of a list.
 */
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import type { Flow } from '../../src/shared/contract/flows.ts'
import { replaceCode } from '../helpers/keyboard.ts'
import { useProgramInBrowser } from '../helpers/program-in-browser.ts'
import { startThirdPartyApi } from '../helpers/third-party-api.ts'

const program = useProgramInBrowser()

const orders = Array.from({ length: 57 }, (_, index) => ({ id: index, total: index * 10 }))
const outcome = (page: Page) => page.getByRole('status', { name: 'With these values' })
const completions = (page: Page) => page.locator('.cm-tooltip-autocomplete')
const option = (page: Page, label: string) =>
  completions(page)
    .getByRole('option')
    .filter({ has: page.getByText(label, { exact: true }) })

/** A flow whose trigger has a pinned result, so that nothing needs to run. */
async function aFlow(name: string, steps: readonly object[], pin: object): Promise<string> {
  const { id } = await program.call<Flow>('POST', '/v1/flows', {
    name,
    steps: [{ ref_id: 'web1', type: 'webhook' }, ...steps],
  })
  await program.call('PUT', `/v1/flows/${id}/pins/web1`, { value: pin })
  return id
}

test('the item is known as soon as a list is named, and a filter shows how many items it keeps', async () => {
  const id = await aFlow('Kept', [{ ref_id: 'open', type: 'filter', config: { over: [], when: '1' } }], {
    orders,
  })
  const { page, problems } = await program.open({ path: `/flows/${id}?step=open` })
  await replaceCode(page.getByLabel('List', { exact: true }), '{{ web1.orders }}')
  await page.getByLabel('Keep item if').and(page.locator('.cm-content')).click()
  await page.getByRole('treeitem', { name: 'item.total, number, 560' }).waitFor()
  await page.keyboard.press('Backspace')
  await page.keyboard.type('item.to')
  await option(page, 'total').click()
  await page.keyboard.type(' > 420')
  await outcome(page).getByText('14 of 57 kept').waitFor()
  await outcome(page).getByText('{"id":43,"total":430}').waitFor()
  await page.keyboard.press('Backspace')
  await page.keyboard.press('Backspace')
  await outcome(page).getByText('56 of 57 kept').waitFor()

  await replaceCode(page.getByLabel('List', { exact: true }), '{{ web1.orders[:3] }}')
  await outcome(page).getByText('2 of 3 kept').waitFor()
  await page.getByLabel('Keep item if').and(page.locator('.cm-content')).click()
  await page.getByRole('treeitem', { name: 'item.total, number, 20' }).waitFor()
  await page
    .getByRole('group', { name: 'Item of open' })
    .getByRole('button', { name: 'Previous item' })
    .click()
  await page.getByRole('treeitem', { name: 'item.total, number, 10' }).waitFor()
  expect(problems).toEqual([])
})

test('a run that ends while its flow is open shows the item and what a step makes of it', async () => {
  const [asked, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const api = await startThirdPartyApi((_request, response) => {
    asked.resolve()
    void released.promise.then(() =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(orders)),
    )
  })
  const { id } = await program.call<Flow>('POST', '/v1/flows', {
    name: 'Slow orders',
    steps: [
      { ref_id: 'rest', type: 'rest', config: { url: api.url } },
      { ref_id: 'open', type: 'filter', config: { over: '{{ rest.body }}', when: 'item.total > 420' } },
    ],
  })
  const { page, problems } = await program.open({ path: `/flows/${id}?step=open` })
  await page.getByLabel('Keep item if').and(page.locator('.cm-content')).click()
  await page.getByRole('button', { name: 'Test', exact: true }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Run', exact: true }).click()
  await asked.promise
  await page.locator('footer').getByText('1 active', { exact: true }).waitFor()
  released.resolve()
  await page.getByRole('treeitem', { name: 'item.total, number, 560' }).waitFor()
  await outcome(page).getByText('14 of 57 kept').waitFor()
  expect(problems).toEqual([])
})

test('fields of a call for each item read the item, in dictionaries as well; an export chooses its auth by name', async () => {
  const call = {
    url: 'https://shop.example.test',
    for_each: '{{ web1.orders }}',
    query: { id: '{{ item.id }}' },
  }
  const job = { url: 'https://shop.example.test/jobs', status_url: 'https://shop.example.test/jobs/1' }
  const steps = [
    { ref_id: 'rest', type: 'rest', config: call },
    { ref_id: 'job', type: 'export_job', config: job },
  ]
  const id = await aFlow('For each order', steps, { orders })
  const { page, problems } = await program.open({ path: `/flows/${id}?step=rest` })
  await page.locator('.cm-content').filter({ hasText: 'item.id' }).click()
  await page.getByRole('treeitem', { name: 'item.total, number, 560' }).waitFor()
  await page.getByRole('button', { name: /^3 job/ }).click()
  await page.getByRole('heading', { name: 'Export job', exact: true }).waitFor()
  await page.getByRole('combobox', { name: 'Connector auth' }).waitFor()
  expect(problems).toEqual([])
})

test('sort and aggregate offer the fields of an item by their paths, and show their first results', async () => {
  const steps = [
    { ref_id: 'sorted', type: 'sort', config: { over: '{{ web1.orders }}', descending: true } },
    {
      ref_id: 'sums',
      type: 'aggregate',
      config: { over: '{{ web1.orders }}', operations: [{ name: 'all', operation: 'sum', of: '' }] },
    },
  ]
  const id = await aFlow('Sums', steps, { orders })
  const { page, problems } = await program.open({ path: `/flows/${id}?step=sorted` })
  await page.getByLabel('Sort by', { exact: true }).and(page.locator('.cm-content')).click()
  await page.getByRole('treeitem', { name: 'item.total, number, 560' }).waitFor()
  await page.keyboard.type('to')
  await option(page, 'total').click()
  await outcome(page).getByText('{"id":56,"total":560}').waitFor()
  await page.getByRole('button', { name: /^3 sums/ }).click()
  await page.getByLabel('Field of result 1').and(page.locator('.cm-content')).click()
  await page.getByRole('treeitem', { name: 'item.id, number, 56' }).waitFor()
  await page.keyboard.type('to')
  await option(page, 'total').click()
  await outcome(page).getByText('{"all":15960}').waitFor()
  expect(problems).toEqual([])
})

test('aggregates by group and merged lists are shown while they are typed, and each join describes what it keeps', async () => {
  const steps = [
    {
      ref_id: 'groups',
      type: 'aggregate',
      config: { over: '{{ web1.orders }}', operations: [{ name: 'all', operation: 'sum', of: 'total' }] },
    },
    { ref_id: 'joined', type: 'merge', config: { over: '{{ web1.orders }}', with: '{{ web1.people }}' } },
  ]
  const list = [
    { id: 1, total: 5, status: 'paid' },
    { id: 2, total: 7, status: 'new' },
    { id: 3, total: 8, status: 'paid' },
  ]
  const people = [
    { order: 3, name: 'Ada' },
    { order: 9, name: 'Grace' },
  ]
  const id = await aFlow('Groups', steps, { orders: list, people })
  const { page, problems } = await program.open({ path: `/flows/${id}?step=groups` })
  await outcome(page).getByText('{"all":20}').waitFor()
  await page
    .getByLabel(/^Group by/)
    .and(page.locator('.cm-content'))
    .click()
  await page.getByRole('treeitem', { name: 'item.status, text, paid' }).waitFor()
  await page.keyboard.type('stat')
  await option(page, 'status').click()
  await outcome(page).getByText('{"status":"paid","all":13}').waitFor()
  await outcome(page).getByText('{"status":"new","all":7}').waitFor()

  await page.getByRole('button', { name: /^3 joined/ }).click()
  await outcome(page).getByText('{"order":9,"name":"Grace"}').waitFor()
  const method = page.getByRole('combobox', { name: 'Method' })
  const choose = async (label: string, keeps: string) => {
    await method.click()
    await page.getByRole('option', { name: label }).getByText(keeps).waitFor()
    await page.getByRole('option', { name: label }).click()
  }
  await choose('Left join', 'All items of the first list')
  await page
    .getByLabel(/^Match on field/)
    .and(page.locator('.cm-content'))
    .click()
  await page.keyboard.type('id')
  await page.keyboard.press('Escape')
  await page
    .getByLabel(/^Field in second list/)
    .and(page.locator('.cm-content'))
    .click()
  await page.keyboard.type('order')
  await page.keyboard.press('Escape')
  const first = outcome(page).getByText('{"id":1,"total":5,"status":"paid"}')
  const both = outcome(page).getByText('{"id":3,"total":8,"status":"paid","order":3,"name":"Ada"}')
  const second = outcome(page).getByText('{"order":9,"name":"Grace"}')
  await both.waitFor()
  expect([await first.count(), await second.count()]).toEqual([1, 0])
  await choose('Right join', 'All items of the second list')
  await second.waitFor()
  expect([await first.count(), await both.count()]).toEqual([0, 1])
  expect(problems).toEqual([])
})

test('a condition and a switch show the branch that the current item takes', async () => {
  const condition = { ref_id: 'big', type: 'condition', config: { when: 'item.total > 100' } }
  const route = {
    ref_id: 'route',
    type: 'switch',
    config: { value: '{{ item.status }}' },
    cases: [{ label: 'paid', steps: [] }],
  }
  const loop = {
    ref_id: 'each',
    type: 'loop',
    config: { over: '{{ web1.orders }}' },
    steps: [condition, route],
  }
  const list = [
    { total: 5, status: 'paid' },
    { total: 500, status: 'new' },
  ]
  const id = await aFlow('Ways', [loop], { orders: list })
  const { page, problems } = await program.open({ path: `/flows/${id}?step=big` })
  await outcome(page).getByText('Goes to “then”').waitFor()
  await page.getByRole('button', { name: 'Previous item' }).click()
  await outcome(page).getByText('Goes to “else”').waitFor()
  await page.getByRole('button', { name: /^\S+ route/ }).click()
  await outcome(page).getByText('Goes to the case “paid”').waitFor()
  await page.getByLabel('Label of case 1').fill('open')
  await outcome(page).getByText('Goes to “otherwise”: no case matches').waitFor()
  expect(problems).toEqual([])
})

test('a value offers the filters and methods that fit it, each with its result', async () => {
  const steps = [{ ref_id: 'out', type: 'set', config: { values: { text: '' } } }]
  const id = await aFlow('Fits', steps, { name: 'Ada Lovelace', total: 12.345 })
  const { page } = await program.open({ path: `/flows/${id}?step=out` })
  await page.getByRole('treeitem', { name: 'web1.name, text, Ada Lovelace' }).waitFor()
  // The editor itself closes braces, not the plain field that takes keys until the editor has loaded.
  const field = page.getByLabel('Value of text').and(page.locator('.cm-content'))
  await field.click()
  await page.keyboard.type('{{web1.')
  await option(page, 'get("name")').waitFor()
  await page.keyboard.type('name')
  await option(page, '| upper').getByText('→ ADA LOVELACE').waitFor()
  await option(page, ".split(',')").waitFor({ state: 'attached' })
  await option(page, '| upper').click()
  await expect.poll(() => field.innerText()).toBe('{{ web1.name | upper }}')

  await field.press('ControlOrMeta+a')
  await page.keyboard.type('{{web1.total |')
  await option(page, 'round(2)').getByText('→ 12.35').waitFor()
  expect(await option(page, 'upper').count()).toBe(0)

  await field.press('ControlOrMeta+a')
  await page.keyboard.type('{{web1.name.sp')
  await option(page, "split(',')").getByText("→ ['Ada Lovelace']").waitFor()
})

test('only the first thousand items of a long list are evaluated, and the screen says so', async () => {
  const step = { ref_id: 'even', type: 'filter', config: { over: '{{ web1.list }}', when: 'item % 2 == 0' } }
  const id = await aFlow('Long', [step], { list: Array.from({ length: 1_500 }, (_, index) => index) })
  const { page, problems } = await program.open({ path: `/flows/${id}?step=even` })
  await outcome(page).getByText('500 of the first 1,000 kept, out of 1,500 in the list').waitFor()
  expect(problems).toEqual([])
})
