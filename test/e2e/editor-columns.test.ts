/**
 * The editor in windows of every width: steps, form, and data and result; and the way from a problem to its field.
 */
import type { Locator, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { axeFindings } from '../helpers/axe.ts'
import { keyboardOf } from '../helpers/keyboard.ts'
import { useProgramInBrowser } from '../helpers/program-in-browser.ts'

const program = useProgramInBrowser()

const aFlow = async (name: string, steps: readonly object[]) =>
  (await program.call<{ id: string }>('POST', '/v1/flows', { name, steps })).id

const GREETING = [
  { ref_id: 'web1', type: 'webhook', config: { response_body: '{"text": "{{ greet.text }}"}' } },
  { ref_id: 'greet', type: 'set', config: { values: { text: 'Dear {{ web1.name }}' } } },
]

const greet = async (input: object = { name: 'Ada' }) => {
  const id = await aFlow('Greeting', GREETING)
  const run = await program.call<{ id: string }>('POST', `/v1/flows/${id}/run?wait=true`, { input })
  return { id, runId: run.id }
}

/** The visible parts side by side, in the order of the screen. */
async function arrangement(page: Page) {
  const parts: readonly [string, Locator][] = [
    ['steps', page.locator('[data-step="greet"]')],
    ['form', page.getByLabel('Reference name')],
    ['input', page.getByRole('tree', { name: 'Data of earlier steps' })],
    ['output', page.getByRole('tree', { name: 'Output of step greet' })],
  ]
  const boxes = await Promise.all(
    parts.map(async ([name, part]) => ({
      name,
      box: (await part.isVisible()) ? await part.boundingBox() : null,
    })),
  )
  return boxes.flatMap(({ name, box }) => (box === null ? [] : [{ name, ...box }]))
}

test.each([1280, 1600, 1920])(
  'at %i px steps, form, input and output are on screen together',
  async (width) => {
    const { id } = await greet()
    const { page, problems } = await program.open({
      path: `/flows/${id}?step=greet`,
      size: { width, height: 900 },
    })
    await page.getByRole('tree', { name: 'Output of step greet' }).waitFor()
    await page.getByRole('treeitem', { name: /^web1\.name, text, Ada/ }).waitFor()
    const [steps, form, input, output] = await arrangement(page)
    if (!steps || !form || !input || !output) throw new Error('A part of the editor is not on screen')
    expect({
      formAfterSteps: form.x >= steps.x + steps.width,
      inputAfterForm: input.x >= form.x + form.width,
      outputBesideInput: output.x >= input.x + input.width,
      outputBelowInput: output.y >= input.y + input.height,
      isBarOneRow: ((await page.locator('main header').boundingBox())?.height ?? 99) < 56,
    }).toEqual({
      formAfterSteps: true,
      inputAfterForm: true,
      outputBesideInput: width >= 1600,
      outputBelowInput: width < 1600,
      isBarOneRow: true,
    })
    expect(await axeFindings(page)).toEqual([])
    expect(problems).toEqual([])
  },
)

test('the name of a flow stays whole while there are unpublished changes', async () => {
  const id = await aFlow('Leads from the website', GREETING)
  const { page, problems } = await program.open({ path: `/flows/${id}?step=greet` })
  await page.getByText('Saved', { exact: true }).waitFor()
  const widthOf = async () =>
    (await page.getByRole('navigation', { name: 'Breadcrumb' }).boundingBox())?.width
  const before = await widthOf()
  await page.getByRole('textbox', { name: /^Title/ }).fill('Greet')
  await page.getByText('Unpublished changes (draft saved)').waitFor()
  expect({ width: await widthOf(), problems }).toEqual({ width: before, problems: [] })
})

test('next to the help, the form keeps a usable width', async () => {
  const { id } = await greet()
  const { page, problems } = await program.open({
    path: `/flows/${id}?step=greet`,
    size: { width: 1440, height: 900 },
  })
  await page.getByLabel('Reference name').waitFor()
  await page.keyboard.press('F1')
  await page.getByRole('complementary', { name: 'Help' }).waitFor()
  const [steps, data] = await Promise.all(
    ['Steps width', 'Data width'].map((name) => page.getByRole('separator', { name }).boundingBox()),
  )
  expect((data?.x ?? 0) - (steps?.x ?? 0)).toBeGreaterThanOrEqual(360)
  expect(problems).toEqual([])
})

test('below 900 px one part is on screen at a time and keeps its place, and picking a value leads back to its field', async () => {
  const { id } = await greet()
  const { page, problems } = await program.open({
    path: `/flows/${id}?step=greet`,
    size: { width: 640, height: 700 },
  })
  const shown = async () => (await arrangement(page)).map(({ name }) => name)
  const value = page.getByLabel('Value of text').and(page.locator('.cm-content'))
  await value.click()
  await page.keyboard.press('End')
  expect(await shown()).toEqual(['form'])
  expect(await axeFindings(page)).toEqual([])
  await page.getByRole('tab', { name: 'Data', exact: true }).click()
  await expect.poll(shown).toEqual(['input', 'output'])
  await page.getByRole('treeitem', { name: /^web1\.name, text, Ada/ }).click()
  await expect.poll(() => value.textContent()).toBe('Dear {{ web1.name }}{{ web1.name }}')
  await value.and(page.locator(':focus')).waitFor()
  await expect.poll(shown).toEqual(['form'])
  await page.getByRole('tab', { name: 'Steps', exact: true }).first().waitFor()
  await page.setViewportSize({ width: 900, height: 700 })
  await expect.poll(shown).toEqual(['steps', 'form', 'input', 'output'])
  await value.and(page.locator(':focus')).waitFor()
  expect(problems).toEqual([])
})

test('the preview is only under the focused field', async () => {
  const id = await aFlow('Two fields', [
    { ref_id: 'web1', type: 'webhook' },
    { ref_id: 'two', type: 'set', config: { values: { one: '{{ 1 + 1 }}', other: '{{ 2 + 3 }}' } } },
  ])
  const { page, problems } = await program.open({ path: `/flows/${id}?step=two` })
  const preview = page.getByRole('region', { name: 'Field preview' })
  const one = page.getByLabel('Value of one').and(page.locator('.cm-content'))
  const other = page.getByLabel('Value of other').and(page.locator('.cm-content'))
  await one.click()
  await preview.getByText('2', { exact: true }).waitFor()
  const isBetween = async () => {
    const [above, box, below] = await Promise.all([one, preview, other].map((each) => each.boundingBox()))
    return (above?.y ?? 0) < (box?.y ?? 0) && (box?.y ?? 0) < (below?.y ?? 0)
  }
  expect(await isBetween()).toBe(true)
  await other.click()
  await preview.getByText('5', { exact: true }).waitFor()
  await page.keyboard.press('End')
  await page.keyboard.insertText('{{ wrong')
  await preview.getByText(/^Line 1, column/).waitFor()
  expect({ previews: await preview.count(), between: await isBetween() }).toEqual({
    previews: 1,
    between: false,
  })
  expect(problems).toEqual([])
})

test('after a request arrives that the editor waited for, the first line of the data is its response, with the body open', async () => {
  const { id } = await greet()
  const { page, problems } = await program.open({ path: `/flows/${id}?step=web1` })
  const answer = page.getByRole('region', { name: 'Response', exact: true })
  await page.getByRole('button', { name: 'Listen for test request' }).click()
  const { webhook } = await program.call<{ webhook: { url: string; token: string } }>(
    'GET',
    `/v1/flows/${id}`,
  )
  const headers = { authorization: `Bearer ${webhook.token}`, 'content-type': 'application/json' }
  await fetch(webhook.url, { method: 'POST', headers, body: '{"name": "Grace"}' })
  await answer.getByLabel('Response body').filter({ hasText: 'Dear Grace' }).waitFor()
  await answer.getByRole('button', { name: /^200 · application\/json · / }).click()
  await answer.getByLabel('Response body').waitFor({ state: 'detached' })
  expect(problems).toEqual([])
})

test("a test run shows the response that a caller would get, in the editor and on the run's page", async () => {
  const id = await aFlow('Greeting', GREETING)
  const { page, problems } = await program.open({ path: `/flows/${id}?step=greet` })
  const response = page.getByRole('region', { name: 'Response', exact: true })
  await page.getByRole('button', { name: 'Test', exact: true }).click()
  await page.getByRole('dialog').locator('.cm-content').click()
  await page.keyboard.press('ControlOrMeta+a')
  await page.keyboard.insertText('{"name": "Joan"}')
  await page.keyboard.press('ControlOrMeta+Enter')
  await response.getByLabel('Response body').filter({ hasText: '"text": "Dear Joan"' }).waitFor()
  await response.getByRole('button', { name: /^200 · application\/json · / }).waitFor()
  const tree = page.getByRole('tree', { name: 'Data of earlier steps' })
  const [line, data] = await Promise.all([response, tree].map((each) => each.boundingBox()))
  expect((line?.y ?? 99) < (data?.y ?? 0)).toBe(true)
  expect(await axeFindings(page)).toEqual([])

  const [run] = await program.call<{ id: string }[]>('GET', `/v1/flow-runs?filter=flow_id,eq,${id}`)
  await page.goto(new URL(`/runs/${run?.id}`, page.url()).href)
  await page.getByRole('definition').filter({ hasText: '{"text": "Dear Joan"}' }).getByText('200').waitFor()
  expect(problems).toEqual([])
})

test('a new step focuses its first required field; a problem names the field by its label and leads to it', async () => {
  const id = await aFlow('Problems', [{ ref_id: 'web1', type: 'webhook' }])
  const { page, problems } = await program.open({ path: `/flows/${id}` })
  await page.getByRole('button', { name: 'Add step' }).click()
  await page
    .getByRole('combobox', { name: 'Search services and steps' })
    .and(page.locator(':focus'))
    .waitFor()
  await page.keyboard.type('HTTP request')
  await page.keyboard.press('Enter')
  const address = page.getByLabel('URL', { exact: true })
  await address.and(page.locator(':focus')).waitFor()
  for (const line of ['Query', 'Headers', 'Body –'])
    await page
      .getByText(line, { exact: true })
      .or(page.locator('label, span', { hasText: line }))
      .first()
      .waitFor()
  expect(await page.getByLabel('Body content').count()).toBe(0)

  await page.locator('[data-step="web1"]').click()
  const problem = page
    .getByRole('region', { name: 'Problems' })
    .getByRole('button', { name: /URL is required/ })
  await problem.click()
  await address.and(page.locator(':focus')).waitFor()
  expect(problems).toEqual([])
})

test('Add step adds exactly one step: letters typed on the button, a second click and Enter add no more', async () => {
  const id = await aFlow('Hasty', [{ ref_id: 'web1', type: 'webhook' }])
  const { page, problems } = await program.open({ path: `/flows/${id}` })
  const steps = page.locator('[data-step]')
  const refIds = () => steps.evaluateAll((all) => all.map((step) => step.getAttribute('data-step')))
  const search = page.getByRole('combobox', { name: 'Search services and steps' })
  await steps.first().waitFor()
  const button = page.getByRole('button', { name: 'Add step' })
  // The list has been open once, so the button knows its values.
  await button.click()
  await search.and(page.locator(':focus')).waitFor()
  await page.keyboard.press('Escape')
  await button.and(page.locator(':focus')).waitFor()
  await page.keyboard.type('del')
  await page.keyboard.press('Enter')
  await search.and(page.locator(':focus')).waitFor()
  expect(await refIds()).toEqual(['web1'])

  await page.keyboard.type('delay')
  await page.getByRole('option', { name: /^Delay/ }).evaluate((option: HTMLElement) => {
    option.click()
    option.click()
  })
  await page.getByRole('heading', { name: 'Delay', exact: true }).waitFor()
  expect(await refIds()).toEqual(['web1', 'wait'])

  await button.click()
  await search.and(page.locator(':focus')).waitFor()
  await page.keyboard.type('set values')
  await page.getByRole('option', { name: /^Set values/ }).waitFor()
  await search.evaluate((field) => {
    for (const key of ['Enter', 'Enter'])
      field.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }))
  })
  await page.getByRole('heading', { name: 'Set values', exact: true }).waitFor()
  expect({ steps: (await refIds()).length, problems }).toEqual({ steps: 3, problems: [] })
})

test('a failed run leads to the field that failed', async () => {
  const id = await aFlow('Failing', [
    { ref_id: 'web1', type: 'webhook' },
    { ref_id: 'greet', type: 'set', config: { values: { text: 'Dear {{ web1.customer.name }}' } } },
  ])
  const { id: runId } = await program.call<{ id: string }>('POST', `/v1/flows/${id}/run?wait=true`, {
    input: {},
  })
  const { page, problems } = await program.open({ path: `/runs/${runId}` })
  await page.getByRole('link', { name: 'Open in editor' }).first().click()
  await page.getByLabel('Value of text').and(page.locator(':focus')).waitFor()
  // Named by the labels of the form.
  await page
    .getByRole('alert')
    .getByText("Values: text: line 1, column 23: 'dict object' has no attribute 'customer'")
    .waitFor()
  expect(problems).toEqual([])
})

test('a field that got the focus before its editor was loaded keeps it', async () => {
  const id = await aFlow('Focused early', [
    { ref_id: 'greet', type: 'set', config: { values: { text: 'Dear reader' } } },
  ])
  const { page, problems } = await program.open({ path: '/flows' })
  const loading = Promise.withResolvers<void>()
  await page.route(/code-editors/, async (route) => {
    await loading.promise
    await route.continue()
  })
  await page.goto(new URL(`/flows/${id}?step=greet&field=config.values.text`, page.url()).href)
  const field = page.getByLabel('Value of text')
  await field.and(page.locator('textarea:focus')).waitFor()
  loading.resolve()
  await field.and(page.locator('.cm-content:focus')).waitFor()
  expect(problems).toEqual([])
})

test('by keyboard only: a step is added, filled from the data, run, moved, deleted and restored, and the flow tested', async () => {
  const { id } = await greet()
  const { page, problems } = await program.open({ path: `/flows/${id}?step=greet` })
  const { press, type, tabTo } = keyboardOf(page)
  await page.getByRole('tree', { name: 'Output of step greet' }).waitFor()
  await tabTo(/^2 greet/)
  await tabTo(/^Add step/)
  await press('Enter')
  await page
    .getByRole('combobox', { name: 'Search services and steps' })
    .and(page.locator(':focus'))
    .waitFor()
  await type('set values')
  await page
    .getByRole('option', { name: /^Set values/ })
    .and(page.locator('[data-highlighted]'))
    .waitFor()
  await press('Enter')
  await page.getByRole('button', { name: 'Add value' }).and(page.locator(':focus')).waitFor()
  await press('Enter')
  await type('again')
  await press('Tab')
  const value = page.getByLabel('Value of again').and(page.locator('.cm-content'))
  await value.and(page.locator(':focus')).waitFor()
  await press('ControlOrMeta+i')
  await page.getByLabel('Search data').and(page.locator(':focus')).waitFor()
  await type('greet.text')
  await page.getByRole('treeitem', { name: /^greet\.text/ }).waitFor()
  await press('Enter')
  await expect.poll(() => value.textContent()).toBe('{{ greet.text }}')
  await tabTo(/^Test step/)
  await press('Enter')
  await page
    .getByRole('region', { name: /^Run of step/ })
    .getByText('"Dear Ada"')
    .waitFor()

  await page.locator('[data-step][aria-current="true"]').focus()
  await press('Alt+ArrowUp')
  await page.getByRole('button', { name: /^3 greet/ }).waitFor()
  await press('Delete')
  await expect.poll(() => page.locator('[data-step]').count()).toBe(2)
  await press('ControlOrMeta+z')
  await expect.poll(() => page.locator('[data-step]').count()).toBe(3)
  await press('ControlOrMeta+z')
  await page.getByRole('button', { name: /^2 greet/ }).waitFor()
  await press('ControlOrMeta+Enter')
  await page.getByRole('dialog').locator('.cm-content:focus').waitFor()
  await press('ControlOrMeta+Enter')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await expect
    .poll(async () => (await program.call<unknown[]>('GET', `/v1/flow-runs?filter=flow_id,eq,${id}`)).length)
    .toBe(2)
  expect(problems).toEqual([])
})
