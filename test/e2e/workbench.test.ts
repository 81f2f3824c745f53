import type { Locator, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { replaceCode } from '../helpers/keyboard.ts'
import { useProgramInBrowser } from '../helpers/program-in-browser.ts'

const program = useProgramInBrowser()

test('five steps are built from an empty page with completion and the picker, and run', async () => {
  const { page, problems } = await program.open({ path: '/flows' })
  await page.getByRole('button', { name: 'New flow' }).first().click()
  await page.getByLabel('Name', { exact: true }).fill('Count lines')
  await page.getByRole('button', { name: 'Create flow' }).click()
  await page.getByRole('heading', { name: 'Count lines' }).waitFor()
  await runTest(page, '{"name": "Ada", "lines": [{"sku": "A-1"}, {"sku": "B-2"}]}')
  await page.getByRole('treeitem', { name: /^web1, object/ }).waitFor()

  await addStep(page, page.getByText('Add step', { exact: true }), 'Set values')
  await addValue(page, 'count')
  await page.getByLabel('Value of count').click()
  await page.keyboard.type('{{ web1.li')
  await choose(page, 'lines')
  await page.keyboard.type(' | len')
  await choose(page, 'length')
  await expect.poll(() => page.getByLabel('Value of count').textContent()).toBe('{{ web1.lines | length }}')
  await preview(page).getByText('2', { exact: true }).waitFor()

  await addStep(page, page.getByText('Add step', { exact: true }), 'Condition')
  await page.getByLabel('When', { exact: true }).click()
  await page.getByLabel('Search data').fill('name')
  await page.getByRole('treeitem', { name: /^web1\.name, text, Ada/ }).click()
  const when = page.getByLabel('When', { exact: true })
  await when.and(page.locator('.cm-content:focus')).waitFor()
  await page.keyboard.type(" == 'Ada'")
  await expect.poll(() => when.textContent()).toBe("web1.name == 'Ada'")
  await preview(page).getByText('true', { exact: true }).waitFor()

  await page.getByLabel('Search data').fill('')
  await addStep(page, page.getByLabel('Add a step to then of check'), 'Loop')
  await page.getByLabel('List', { exact: true }).click()
  await page.getByLabel('Search data').fill('lines')
  await page.getByRole('treeitem', { name: /^web1\.lines, list/ }).click()
  const list = page.getByLabel('List', { exact: true })
  await expect.poll(() => list.textContent()).toBe('{{ web1.lines }}')
  // The field receives the focus a frame after the click; text typed before that would go elsewhere.
  await list.and(page.locator('.cm-content:focus')).waitFor()
  await page.getByLabel('Search data').fill('')

  await addStep(page, page.getByLabel(/^Add a step to each iteration of loop/), 'Set values')
  await addValue(page, 'code')
  await page.getByRole('treeitem', { name: /^item, object/ }).waitFor()
  await page.getByLabel('Value of code').click()
  await page.keyboard.type('{{ item.')
  await choose(page, 'sku')
  await preview(page).getByText('B-2', { exact: true }).waitFor()

  await page.getByText('No problems').waitFor()
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('Saved', { exact: true }).waitFor()
  await runTest(page, '{"name": "Ada", "lines": [{"sku": "A-1"}, {"sku": "B-2"}]}')
  await page.getByRole('treeitem').filter({ hasText: '"B-2"' }).waitFor()
  await expect.poll(() => page.locator('[data-step]').count()).toBe(5)
  expect(problems).toEqual([])
})

test("a pinned step doesn't run in a test, and every view says so", async () => {
  const id = await aFlow('Pinned', [
    { ref_id: 'web1', type: 'webhook' },
    { ref_id: 'person', type: 'set', config: { values: { name: '{{ web1.name }}' } } },
    { ref_id: 'text', type: 'set', config: { values: { text: 'Hello {{ person.name }}' } } },
  ])
  await program.call('POST', `/v1/flows/${id}/run?wait=true`, { input: { name: 'Ada' } })
  const { page, problems } = await program.open({ path: `/flows/${id}?step=person` })
  await page.getByRole('button', { name: 'Pin', exact: true }).click()
  await replaceCode(page.getByRole('dialog').getByRole('textbox'), '{"name": "Grace"}')
  await page.getByRole('button', { name: 'Pin value' }).click()
  await page.getByText(/^Pinned. Test runs use this value/).waitFor()
  await page.getByRole('button', { name: '2 person, Set values, pinned' }).waitFor()

  await page.getByRole('button', { name: /^3 text/ }).click()
  await page.getByLabel('Value of text').click()
  await preview(page).getByText('Hello Grace', { exact: true }).waitFor()
  await runTest(page, '{"name": "Ada"}')
  await page.getByRole('treeitem').filter({ hasText: '"Hello Grace"' }).waitFor()
  expect(problems).toEqual([])
})

test('the settings of a flow show the URL and the token of its webhook, and the user menu leads to access tokens', async () => {
  const id = await aFlow('Where', [{ ref_id: 'web1', type: 'webhook', config: { async: true } }])
  const { page, problems } = await program.open({ path: `/flows/${id}` })
  await page.locator('[data-step="web1"]').click()
  await page.getByText(/^Makes the webhook async/).waitFor()
  await page.getByRole('tab', { name: 'Settings' }).click()
  const settings = page.getByRole('tabpanel', { name: 'Settings' })
  await settings
    .getByText(new RegExp(`/v1/flow-webhook/${id}`))
    .first()
    .waitFor()
  await settings.getByRole('button', { name: /token/i }).first().waitFor()
  await page.getByRole('button', { name: /^Signed in as / }).click()
  await page.getByRole('menuitem', { name: 'Access tokens' }).click()
  await page.waitForURL(/\/tokens$/)
  expect(problems).toEqual([])
})

test('a pasted curl command that needs a file of its machine leaves a problem in the flow', async () => {
  const id = await aFlow('Upload', [{ ref_id: 'web1', type: 'webhook' }])
  const { page, problems } = await program.open({ path: `/flows/${id}` })
  await page.locator('[data-step="web1"]').waitFor()
  await page.evaluate(() =>
    navigator.clipboard.writeText('curl https://api.example.com/x -d @order.json -k\nnot-curl --at-all'),
  )
  await page.getByRole('button', { name: /^Paste steps, or a curl/ }).click()
  await page.getByText('Not everything could be pasted: not-curl --at-all:').waitFor()
  await page
    .getByRole('region', { name: 'Problems' })
    .getByText(/the content of the file order\.json/)
    .waitFor()
  expect(problems).toEqual([])
})

test('a curl command becomes a step, and steps are moved by dragging and back by undo', async () => {
  const id = await aFlow('Moves', [
    { ref_id: 'web1', type: 'webhook' },
    { ref_id: 'check', type: 'condition', config: { when: 'true' }, then: [], else: [] },
    { ref_id: 'last', type: 'set', config: { values: {} } },
  ])
  const { page, problems } = await program.open({ path: `/flows/${id}` })
  await page.locator('[data-step="last"]').waitFor()
  await page.evaluate(() => navigator.clipboard.writeText("curl -X PUT https://api.example.com/x -d 'a=1'"))
  await page.getByRole('button', { name: /^Paste steps, or a curl/ }).click()
  const address = page.getByLabel('URL', { exact: true })
  await expect.poll(() => address.textContent()).toBe('https://api.example.com/x')

  await page.locator('[data-step="last"]').hover()
  await page.mouse.down()
  await page.mouse.move(300, 300, { steps: 3 })
  await page.locator('[data-drop="1.then.0"]').hover({ force: true })
  await page.mouse.up()
  await page.getByRole('button', { name: /^2\.then\.1 last/ }).waitFor()
  // If two lists end at one place, the pointer selects the one whose steps start to its left.
  await page.locator('[data-step="rest"]').hover()
  await page.mouse.down()
  await page.mouse.move(300, 300, { steps: 3 })
  await page.locator('[data-drop="1.then.1"] > div').hover({ force: true })
  await page.mouse.up()
  await page.getByRole('button', { name: /^2\.then\.2 rest/ }).waitFor()
  // Moves by keyboard into the next branch and back, while the step stays in view.
  await page.locator('[data-step="rest"]').click()
  await page.keyboard.press('Alt+ArrowDown')
  await page.getByRole('button', { name: /^2\.else\.1 rest/ }).waitFor()
  await page.keyboard.press('Alt+ArrowUp')
  await page.getByRole('button', { name: /^2\.then\.2 rest/ }).waitFor()
  for (let changes = 0; changes < 4; changes += 1) await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByRole('button', { name: /^3 last/ }).waitFor()
  expect(problems).toEqual([])
})

const preview = (page: Page) => page.getByRole('region', { name: 'Field preview' })

async function addStep(page: Page, trigger: Locator, type: string): Promise<void> {
  await trigger.click()
  await page.getByLabel('Search services and steps').fill(type)
  await page
    .getByRole('option', { name: new RegExp(`^${type}`) })
    .first()
    .click()
  await page.getByRole('heading', { name: type, exact: true }).waitFor()
}

async function addValue(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: 'Add value' }).click()
  await page.getByLabel('Name of value 1').fill(name)
}

/** Takes the first completion, which must be this one. */
async function choose(page: Page, label: string): Promise<void> {
  const list = page.locator('.cm-tooltip-autocomplete')
  // While the list is rebuilt, because more names are known by now, it is dimmed and accepts nothing.
  await page.locator('.cm-tooltip-autocomplete:not(.cm-tooltip-autocomplete-disabled)').waitFor()
  await list.locator('[aria-selected="true"]').filter({ hasText: label }).click()
  await list.waitFor({ state: 'detached' })
}

async function runTest(page: Page, input: string): Promise<void> {
  await page.getByRole('button', { name: 'Test', exact: true }).click()
  await replaceCode(page.getByRole('dialog').getByRole('textbox'), input)
  await page.getByRole('dialog').getByRole('button', { name: 'Run', exact: true }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
}

async function aFlow(name: string, steps: readonly object[]): Promise<string> {
  const flow = await program.call<{ id: string }>('POST', '/v1/flows', { name, steps })
  return flow.id
}
