import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { keyboardOf } from '../helpers/keyboard.ts'
import { useProgramInBrowser } from '../helpers/program-in-browser.ts'

/** The main tasks, from the first start on, without a mouse. */

const program = useProgramInBrowser()

test("from the first start to a webhook's response and its run", async () => {
  const { page, problems } = await program.open()
  const { press, tabTo } = keyboardOf(page)
  await page.getByRole('heading', { name: 'What should Millrace do for you?' }).waitFor()
  await tabTo(/^Send an order/)
  await press('Enter')
  await page.getByRole('heading', { name: /^Response: 200 in / }).waitFor()
  await tabTo(/^Open run/)
  await press('Enter')
  await page.getByRole('heading', { name: /^A-1042/ }).waitFor()
  expect(problems).toEqual([])
})

test('a flow of five steps is built from an empty page with completion and the picker, and run', async () => {
  const { page, problems } = await program.open()
  const { chord, press, type, tabTo } = keyboardOf(page)
  const choose = (label: string) => takeFirst(page, label)
  const addStep = async (trigger: RegExp, name: string) => {
    await tabTo(trigger)
    await press('Enter')
    await page.getByLabel('Search services and steps').and(page.locator(':focus')).waitFor()
    await type(name)
    await page
      .getByRole('option', { name: new RegExp(`^${name}`) })
      .first()
      .waitFor()
    await press('Enter')
    await page.getByRole('heading', { name, exact: true }).waitFor()
  }
  const intoEditor = async (label: string) => {
    await page.getByLabel(label, { exact: true }).and(page.locator('.cm-content')).waitFor()
    await tabTo(new RegExp(`^${label}`))
  }

  await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor()
  await chord('g', 'f')
  await page.getByRole('heading', { name: 'Flows', level: 1 }).waitFor()
  await press('n')
  await page.getByRole('dialog', { name: 'New flow' }).waitFor()
  await type('Count lines')
  await press('Enter')
  await page.getByRole('heading', { name: 'Count lines' }).waitFor()
  await runTest(page, '{"name": "Ada", "lines": [{"sku": "A-1"}, {"sku": "B-2"}]}')
  await page.getByRole('treeitem', { name: /^web1, object/ }).waitFor()

  await addStep(/^Add step/, 'Set values')
  await tabTo(/^Add value/)
  await press('Enter')
  await tabTo(/^Name of value 1/)
  await type('count')
  await intoEditor('Value of count')
  await type('{{ web1.li')
  await choose('lines')
  await type(' | len')
  await choose('length')
  await preview(page).getByText('2', { exact: true }).waitFor()

  await addStep(/^Add step/, 'Condition')
  await intoEditor('When')
  await press('ControlOrMeta+i')
  await page.locator('input:focus').waitFor()
  await type('name')
  await page.getByRole('treeitem', { name: /^web1\.name, text, Ada/ }).waitFor()
  await press('Enter')
  await page.getByLabel('When', { exact: true }).and(page.locator('.cm-content:focus')).waitFor()
  await type(" == 'Ada'")
  await preview(page).getByText('true', { exact: true }).waitFor()

  await addStep(/^Add a step to then of check/, 'Loop')
  await intoEditor('List')
  await press('ControlOrMeta+i')
  await page.locator('input:focus').waitFor()
  await type('lines')
  await page.getByRole('treeitem', { name: /^web1\.lines, list/ }).waitFor()
  await press('Enter')
  await page.getByLabel('List', { exact: true }).and(page.locator('.cm-content:focus')).waitFor()
  await expect.poll(() => page.getByLabel('List', { exact: true }).innerText()).toBe('{{ web1.lines }}')

  await addStep(/^Add a step to each iteration of loop/, 'Set values')
  await tabTo(/^Add value/)
  await press('Enter')
  await tabTo(/^Name of value 1/)
  await type('code')
  await page.getByRole('treeitem', { name: /^item, object/ }).waitFor()
  await intoEditor('Value of code')
  await type('{{ item.')
  await choose('sku')
  await preview(page).getByText('B-2', { exact: true }).waitFor()

  await page.getByText('No problems').waitFor()
  await press('ControlOrMeta+s')
  await page.getByText('Saved', { exact: true }).waitFor()
  await runTest(page, '{"name": "Ada", "lines": [{"sku": "A-1"}, {"sku": "B-2"}]}')
  await page.getByRole('treeitem').filter({ hasText: '"B-2"' }).waitFor()
  await expect.poll(() => page.locator('[data-step]').count()).toBe(5)
  expect(problems).toEqual([])
})

test('a broken template is found from its run and repaired', async () => {
  const id = await aFlow('Broken', [
    { ref_id: 'web1', type: 'webhook' },
    { ref_id: 'greet', type: 'set', config: { values: { text: 'Dear {{ web1.customer.name }}' } } },
  ])
  const run = await program.call<Answered>('POST', `/v1/flows/${id}/run?wait=true`, {
    input: { client: { name: 'Ada' } },
  })
  const { page, problems } = await program.open({ path: `/runs/${run.id}` })
  const { press, type, tabTo } = keyboardOf(page)
  await page.getByRole('link', { name: 'Open in editor' }).waitFor()
  await tabTo(/^Open in editor/)
  await press('Enter')
  await page.locator('.cm-lintRange-error').first().waitFor()
  await tabTo(/^Value of text/)
  await preview(page)
    .getByText(/^Line 1, column \d+/)
    .waitFor()
  await press('ControlOrMeta+a')
  await type('Dear {{ web1.client.na')
  await takeFirst(page, 'name')
  await preview(page).getByText('Dear Ada', { exact: true }).waitFor()
  await expect.poll(() => page.locator('.cm-lintRange-error').count()).toBe(0)
  await tabTo(/^Test step/)
  await press('Enter')
  await page.getByRole('treeitem').filter({ hasText: '"Dear Ada"' }).waitFor()
  expect(problems).toEqual([])
})

test('a request is pinned, used in a test, replayed, compared, edited and sent; an older version is restored', async () => {
  const answering = (version: number) => [
    {
      ref_id: 'web1',
      type: 'webhook',
      config: { response_body: `{"id": {{ web1.id }}, "version": ${version}}` },
    },
  ]
  const id = await aFlow('Echo', answering(1))
  await program.call<Answered>('PUT', `/v1/flows/${id}`, { steps: answering(2) })
  const { webhook } = await program.call<Answered>('GET', `/v1/flows/${id}`)
  const headers = { authorization: `Bearer ${webhook?.token}`, 'content-type': 'application/json' }
  await fetch(`${webhook?.url}?id=7`, { method: 'POST', headers, body: '{"id": 3}' })

  const { page, problems } = await program.open()
  const { chord, press, type, tabTo } = keyboardOf(page)
  await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor()
  await chord('g', 'w')
  await page.getByRole('row').filter({ hasText: 'Echo' }).waitFor()
  await press('j', 'Enter')
  await page
    .getByText('“id” is in both the body and the query. The query’s value is used. The body’s value was 3.')
    .waitFor()
  await press('p')
  await page.getByText('Test runs of “Echo” now use this request as web1').waitFor()
  await press('c')
  await page.getByRole('button', { name: /^Copied/ }).waitFor()
  await expect
    .poll(() => page.evaluate(() => navigator.clipboard.readText()))
    .toContain(`--data-raw '{"id": 3}'`)
  await press('r')
  await page.getByText('Same response.').waitFor()
  await tabTo(/^Version to run/)
  await press('Enter')
  await page.getByRole('option', { name: 'Version 1' }).waitFor()
  await press('ArrowDown', 'Enter')
  await tabTo(/^Replay and compare/)
  await press('Enter')
  await page.getByText('Response differs (− original, + replay).').waitFor()

  await press('e')
  await page.getByRole('dialog', { name: 'Edit and replay' }).locator('.cm-content:focus').waitFor()
  await tabTo(/^Query/)
  await press('ControlOrMeta+a')
  await type('?id=8')
  await tabTo(/^Send request/)
  await press('Enter')
  await page.getByRole('dialog').getByText('+').first().waitFor()
  await press('Escape')
  await page.getByRole('row').filter({ hasText: 'Echo' }).nth(1).waitFor()

  await chord('g', 'f')
  await page.getByRole('heading', { name: 'Flows', level: 1 }).waitFor()
  await page.getByRole('link', { name: 'Echo' }).waitFor()
  await press('j', 'Enter')
  await page.getByRole('heading', { name: 'Echo' }).waitFor()
  await press('ControlOrMeta+Enter')
  await page.getByText('Pinned, not executed: web1').waitFor()
  await tabTo(/^Run$/)
  await press('Enter')
  await page.getByRole('treeitem').filter({ hasText: '"7"' }).first().waitFor()
  await tabTo(/^Steps$/)
  await press('End', 'ArrowLeft', 'ArrowLeft', 'ArrowLeft')
  await page.getByRole('heading', { name: 'From version 1 to version 2, current' }).waitFor()
  await tabTo(/^Restore version 1/)
  await press('Enter')
  await page.getByRole('alertdialog').waitFor()
  await tabTo(/^Restore version$/)
  await press('Enter')
  await page.getByText('Steps of version 1 restored as version 3').waitFor()
  expect((await program.call<Answered>('GET', `/v1/flows/${id}`)).steps).toMatchObject(answering(1))
  expect(problems).toEqual([])
})

const preview = (page: Page) => page.getByRole('region', { name: 'Field preview' })

/** Takes the first completion, which must be this one. */
async function takeFirst(page: Page, label: string): Promise<void> {
  const list = page.locator('.cm-tooltip-autocomplete')
  await list.locator('[aria-selected="true"]').filter({ hasText: label }).waitFor()
  // While the next letters are looked up, the list shows the previous result and accepts nothing.
  await page.locator('.cm-tooltip-autocomplete:not(.cm-tooltip-autocomplete-disabled)').waitFor()
  await page.keyboard.press('Enter')
  await list.waitFor({ state: 'detached' })
}

async function runTest(page: Page, input: string): Promise<void> {
  const { press } = keyboardOf(page)
  await press('ControlOrMeta+Enter')
  await page.getByRole('dialog').locator('.cm-content:focus').waitFor()
  await press('ControlOrMeta+a')
  await page.keyboard.insertText(input)
  await press('ControlOrMeta+Enter')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
}

interface Answered {
  readonly id: string
  readonly steps?: unknown
  readonly webhook?: { readonly url: string; readonly token: string }
}

async function aFlow(name: string, steps: readonly object[]): Promise<string> {
  return (await program.call<Answered>('POST', '/v1/flows', { name, steps })).id
}
