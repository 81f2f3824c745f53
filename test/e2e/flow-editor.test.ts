import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { axeFindings } from '../helpers/axe.ts'
import { replaceCode } from '../helpers/keyboard.ts'
import { useProgramInBrowser } from '../helpers/program-in-browser.ts'

const program = useProgramInBrowser()

test('a flow is built, rejected at its missing field, saved and run, and its run is opened', async () => {
  const { page, problems } = await program.open()
  await page.getByRole('link', { name: 'New flow' }).click()
  await page.getByLabel('Name', { exact: true }).fill('Greet')
  await page.getByRole('button', { name: 'Create flow' }).click()
  await page.getByRole('heading', { name: 'Greet' }).waitFor()

  await addStep(page, 'HTTP request')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  const refusal = page.getByRole('alert').filter({ hasText: 'Kept as a draft' })
  expect(await refusal.textContent()).toContain('URL is required in “HTTP request”')
  await page.getByText('Unpublished changes (draft saved)').waitFor()
  await page.getByRole('tab', { name: 'Settings' }).click()
  await refusal.getByRole('button', { name: /URL is required/ }).click()
  await page.getByRole('button', { name: /rest, HTTP request, has errors/ }).waitFor()
  const address = page.getByLabel('URL', { exact: true })
  await expect.poll(() => address.getAttribute('aria-invalid')).toBe('true')

  await page.getByRole('button', { name: 'More for rest' }).click()
  await page.getByRole('menuitem', { name: 'Delete' }).click()
  await addStep(page, 'Set values')
  await page.getByLabel('Reference name').fill('greeting')
  await page.getByLabel('Reference name').press('Enter')
  await page.getByRole('button', { name: 'Add value' }).click()
  await page.getByLabel('Name of value 1').fill('text')
  await replaceCode(page.getByLabel('Value of text'), 'Hello {{ web1.name }}')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('Saved', { exact: true }).waitFor()

  await page.getByRole('button', { name: 'Test', exact: true }).click()
  await replaceCode(page.getByRole('dialog').getByRole('textbox'), '{"name": "Ada"}')
  await page.getByRole('dialog').getByRole('button', { name: 'Run', exact: true }).click()
  await page.getByRole('treeitem').filter({ hasText: '"Hello Ada"' }).waitFor()

  await page.getByRole('link', { name: /^Ran / }).click()
  await page.getByRole('treeitem').filter({ hasText: 'greeting' }).first().waitFor()
  expect(problems).toEqual([])
})

test('at 1280 px the name of an edited flow is readable, and a refused setting is called as on screen', async () => {
  const flow = await program.call<{ id: string }>('POST', '/v1/flows', {
    name: 'Active contacts',
    status: 'active',
    steps: [{ ref_id: 'web1', type: 'webhook' }],
  })
  const { page, problems } = await program.open({
    path: `/flows/${flow.id}?view=settings`,
    size: { width: 1280, height: 800 },
  })
  await page.getByLabel('Run timeout (seconds)').fill('0')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  const refusal = page.getByRole('alert').filter({ hasText: 'Couldn’t save flow' })
  await refusal.getByText('Run timeout (seconds)').waitFor()
  expect(await refusal.textContent()).not.toContain('timeout_seconds')
  const heading = page.getByRole('heading', { name: 'Active contacts', level: 1 })
  expect(await heading.evaluate((element) => element.scrollWidth - element.clientWidth)).toBe(0)
  expect(problems).toEqual([])
})

test('opening the URL of a step far down scrolls to it, and a single button offers a run that shows its fields', async () => {
  const steps = Array.from({ length: 60 }, (_, n) => ({ ref_id: `s${n}`, type: 'set' }))
  const { id } = await program.call<{ id: string }>('POST', '/v1/flows', { name: 'Long', steps })
  const { page, problems } = await program.open({ path: `/flows/${id}?step=s50` })
  await page.waitForFunction(() => {
    const chosen = document.querySelector('[data-step="s50"][aria-current="true"]')
    const { x = 0, y = 0, width = 0, height = 0 } = chosen?.getBoundingClientRect() ?? {}
    return chosen?.contains(document.elementFromPoint(x + width / 2, y + height / 2)) === true
  })
  await page.getByRole('treeitem', { name: /^s49,/ }).waitFor()
  expect(await page.getByRole('button', { name: 'Run once to see fields' }).count()).toBe(1)
  expect(problems).toEqual([])
})

test('“Run once to see fields” runs the steps before the unfinished one, and Home counts no test', async () => {
  const steps = [
    { ref_id: 'web1', type: 'webhook', config: {} },
    { ref_id: 'shop', type: 'set', config: { values: { orders: [1, 2, 3] } } },
  ]
  const { id } = await program.call<{ id: string }>('POST', '/v1/flows', { name: 'Unfinished', steps })
  const unfinished = { ref_id: 'kept', type: 'filter', config: {} }
  const responding = { ...steps[0], config: { response_body: '{{ kept }}' } }
  await program.call('PUT', `/v1/flows/${id}/working-copy`, { steps: [responding, steps[1], unfinished] })
  const { page, problems, go } = await program.open({ path: `/flows/${id}?step=kept` })
  await page.getByRole('button', { name: 'Run once to see fields' }).first().click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('Runs the steps before “kept”').waitFor()
  await dialog.getByRole('button', { name: 'Run', exact: true }).click()
  await page.getByRole('treeitem').filter({ hasText: 'orders' }).first().waitFor()
  expect(await page.getByText('500', { exact: true }).count()).toBe(0)

  await page.keyboard.press('ControlOrMeta+Enter')
  await dialog.getByRole('button', { name: 'Run', exact: true }).click()
  await page.getByRole('alert').filter({ hasText: 'List: is required' }).waitFor()
  expect(await page.getByText('config.over').count()).toBe(0)
  await go('/')
  await page.getByText('No failed runs in the last seven days.').waitFor()
  await go(`/runs?flow=${id}`)
  await expect.poll(() => page.getByRole('row').getByText('Editor test').count()).toBe(2)
  expect(problems).toEqual([])
})

test('a service is found by its name among the step types, and fills connector and action', async () => {
  const { id } = await program.call<{ id: string }>('POST', '/v1/flows', { name: 'By service' })
  const { page, problems } = await program.open({ path: `/flows/${id}` })
  await page.getByRole('button', { name: 'Add step', exact: true }).click()
  await page.getByRole('combobox', { name: 'Search services and steps' }).fill('hubspot list contacts')
  await page.getByRole('option', { name: /List contacts/ }).waitFor()
  await page.keyboard.press('Enter')
  await expect.poll(() => page.getByLabel('Connector', { exact: true }).inputValue()).toBe('HubSpot')
  await expect.poll(() => page.getByLabel('Action', { exact: true }).inputValue()).toBe('List contacts')
  const configOf = async () => {
    const path = `/v1/flows/${id}/working-copy`
    return (await program.call<{ steps: { config: object }[] }>('GET', path)).steps[0]?.config
  }
  await expect.poll(configOf).toMatchObject({ action: expect.stringMatching(/contacts/) })
  expect(problems).toEqual([])
})

test('a value goes into the field that had the focus, even if it was left at once for the data', async () => {
  const { page, problems } = await program.open({ path: '/flows' })
  await page.getByRole('link', { name: 'Receive an order' }).click()
  await page
    .getByRole('button', { name: /known, / })
    .first()
    .click()
  const field = page.getByLabel('When', { exact: true }).and(page.locator('.cm-content'))
  const search = page.getByLabel('Search data')
  await field.waitFor()
  const before = await field.innerText()
  const to = await search.elementHandle()
  // Both happen within one task, without a pause such as a person would make.
  await field.evaluate((from, next) => {
    ;(from as HTMLElement).focus()
    ;(next as HTMLElement).focus()
  }, to)
  await search.pressSequentially('match')
  await page
    .getByRole('treeitem', { name: /^match/ })
    .first()
    .waitFor()
  await search.press('Enter')
  await field.and(page.locator(':focus')).waitFor()
  await expect.poll(() => field.innerText()).not.toBe(before)
  expect(problems).toEqual([])
})

test('what is typed survives closing the window, and an older version is restored', async () => {
  const first = await program.open({ path: '/flows' })
  await first.page.getByRole('link', { name: 'Receive an order' }).click()
  const title = first.page.getByLabel('Title')
  await title.waitFor()
  const address = new URL(first.page.url())
  const closed = first.page.waitForEvent('close')
  // Sent immediately, as by a user who assumes that it is saved.
  await title.fill('A parcel arrives')
  await first.page.close({ runBeforeUnload: true })
  await closed

  const { page } = await program.open({ path: address.pathname })
  await page.getByLabel('Title').waitFor()
  await expect.poll(() => page.getByLabel('Title').inputValue()).toBe('A parcel arrives')
  await page.keyboard.press('ControlOrMeta+s')
  await page.getByText('Saved', { exact: true }).waitFor()

  await page.getByRole('tab', { name: 'Versions' }).click()
  await page.getByRole('button', { name: 'Restore version 1' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Restore version' }).click()
  await page.getByRole('button', { name: /^Version 3 .* current$/ }).waitFor()
  await page.getByRole('tab', { name: 'Steps' }).click()
  await expect.poll(() => page.getByLabel('Title').inputValue()).toBe('An order arrives')
})

test('a shortcut pressed in a template saves, undoes and leaves with everything typed before it', async () => {
  const { page, problems } = await program.open({ path: '/flows' })
  await page.getByRole('button', { name: 'New flow' }).first().click()
  await page.getByLabel('Name', { exact: true }).fill('Typed fast')
  await page.getByRole('button', { name: 'Create flow' }).click()
  await page.getByRole('heading', { name: 'Typed fast' }).waitFor()
  await addStep(page, 'Set values')
  await page.getByRole('button', { name: 'Add value' }).click()
  await page.getByLabel('Name of value 1').fill('text')
  // Only the editor itself can undo what was typed.
  const template = page.getByLabel('Value of text').and(page.locator('.cm-content'))
  await template.click()
  await page.keyboard.insertText('one')
  await page.keyboard.press('ControlOrMeta+s')
  await page.getByText('Saved', { exact: true }).waitFor()
  const saved = await savedText(page)

  await page.keyboard.insertText(' two')
  await page.keyboard.press('ControlOrMeta+z')
  await expect.poll(() => template.textContent()).toBe('one')
  await page.keyboard.press('ControlOrMeta+Shift+z')
  await expect.poll(() => template.textContent()).toBe('one two')
  await page.keyboard.press('ControlOrMeta+End')
  await page.keyboard.insertText(' three')
  const address = new URL(page.url())
  const closed = page.waitForEvent('close')
  await page.close({ runBeforeUnload: true })
  await closed
  const again = await program.open({ path: address.pathname + address.search })
  await expect.poll(() => again.page.getByLabel('Value of text').textContent()).toBe('one two three')
  expect({ saved, problems }).toEqual({ saved: 'one', problems: [] })
})

test('a flow that was deleted elsewhere says so, and what was typed becomes a new flow', async () => {
  const steps = [{ ref_id: 'a', type: 'set' }]
  const { id } = await program.call<{ id: string }>('POST', '/v1/flows', { name: 'Deleted since', steps })
  const { page, problems } = await program.open({ path: `/flows/${id}?step=a` })
  await page.getByLabel('Title').waitFor()
  await program.call('DELETE', `/v1/flows/${id}`)
  await page.getByText('This flow was deleted in another window.', { exact: false }).waitFor()
  await page.getByLabel('Title').fill('Kept')
  for (const name of ['Test', 'Save'])
    expect(await page.getByRole('button', { name, exact: true }).isDisabled()).toBe(true)
  await page.getByRole('button', { name: 'Create new flow from this' }).click()
  await page.waitForURL((url) => /^\/flows\/(?!new)/.test(url.pathname) && !url.pathname.includes(id))
  await expect.poll(() => page.getByLabel('Title').inputValue()).toBe('Kept')
  expect(problems).toEqual([])
})

test('the canvas shows all steps of a long flow, and at 640 × 900 the form of a step has its full height', async () => {
  const steps = Array.from({ length: 111 }, (_, n) => ({ ref_id: `s${n}`, type: 'set' }))
  const { id } = await program.call<{ id: string }>('POST', '/v1/flows', { name: 'Very long', steps })
  const { page, problems, go } = await program.open({ path: `/flows/${id}?view=canvas` })
  await page.locator('.react-flow__node').first().waitFor()
  await page.getByRole('button', { name: 'Show all' }).click()
  await page.waitForFunction(() => {
    const area = document.querySelector('.react-flow')?.getBoundingClientRect()
    const nodes = [...document.querySelectorAll('.react-flow__node')].map((node) =>
      node.getBoundingClientRect(),
    )
    if (area === undefined || nodes.length < 111) return false
    return nodes.every(({ top, bottom }) => top >= area.top && bottom <= area.bottom)
  })
  await page.setViewportSize({ width: 640, height: 900 })
  await go(`/flows/${id}?step=s3`)
  const name = page.getByLabel('Reference name')
  await name.waitFor()
  const height = () =>
    name.evaluate((field) => field.closest('[data-help^="steps"]')?.getBoundingClientRect().height ?? 0)
  await expect.poll(height).toBeGreaterThan(240)
  expect(problems).toEqual([])
})

/** The program's state of the open flow. */
async function savedText(page: Page): Promise<unknown> {
  const id = /^\/flows\/([^/]+)/.exec(new URL(page.url()).pathname)?.[1] ?? ''
  const answer = await fetch(`${program.served.url}/v1/flows/${id}`, {
    headers: { authorization: `Bearer ${program.served.bearer}` },
  })
  const { steps } = (await answer.json()) as { steps: { config: { values?: { text?: unknown } } }[] }
  return steps.map(({ config }) => config.values?.text).find((text) => text !== undefined)
}

test('the JSON and the forms show the same flow', async () => {
  const { page } = await program.open({ path: '/flows' })
  await page.getByRole('link', { name: 'Receive an order' }).click()
  await page.getByRole('tab', { name: 'JSON' }).click()
  const editor = page.getByRole('textbox', { name: 'Flow as JSON' })
  await replaceCode(editor, '{"steps": [{"ref_id": "only", "type": "stop"}')
  await page.getByText('Not applied yet').waitFor()
  await page.keyboard.insertText(']}')
  await page.getByText('Not applied yet').waitFor({ state: 'detached' })
  await page.getByRole('tab', { name: 'Steps' }).click()
  await page.getByRole('button', { name: '1 only, Stop' }).waitFor()
  await expect.poll(() => page.getByRole('button', { name: /^2 / }).count()).toBe(0)
  await page.getByRole('button', { name: 'Discard' }).click()
  await page.getByRole('button', { name: /^1 web1/ }).waitFor()
})

async function addStep(page: Page, type: string): Promise<void> {
  await page.getByText('Add step', { exact: true }).click()
  await page.getByRole('option', { name: type }).click()
}

test('what a new step lacks is still to be filled in, and a problem only once the step is left or saved', async () => {
  const flow = await program.call<{ id: string }>('POST', '/v1/flows', {
    name: 'Quiet at first',
    steps: [{ ref_id: 'web1', type: 'webhook' }],
  })
  const { page, problems } = await program.open({ path: `/flows/${flow.id}` })
  const found = page.getByRole('region', { name: 'Problems' })
  await found.getByText('No problems').waitFor()
  await addStep(page, 'HTTP request')
  await found.getByText('1 to fill in').waitFor()
  await page.getByRole('button', { name: /rest, HTTP request, to fill in/ }).waitFor()
  expect(await axeFindings(page)).toEqual([])
  await page.getByLabel('Reference name').fill('orders')
  await page.getByLabel('Reference name').press('Enter')
  await page.getByRole('button', { name: /orders, HTTP request, to fill in/ }).waitFor()

  await page.locator('[data-step="web1"]').click()
  await found.getByText('1 problem').waitFor()
  await page.getByRole('button', { name: /orders, HTTP request, has errors/ }).waitFor()
  await found.getByRole('button', { name: /URL is required in “HTTP request”/ }).click()
  await page.getByLabel('URL', { exact: true }).and(page.locator(':focus')).waitFor()

  await addStep(page, 'Filter')
  await found.getByText(/1 problem, \d to fill in/).waitFor()
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByRole('button', { name: /, Filter.*, has errors/ }).waitFor()
  expect(problems.filter((problem) => !problem.includes('400'))).toEqual([])
})

test('a problem is fixed with its button, and undoing takes that back', async () => {
  const flow = await program.call<{ id: string }>('POST', '/v1/flows', {
    name: 'Misspelt',
    steps: [{ ref_id: 'web1', type: 'webhook' }],
  })
  await program.call('PUT', `/v1/flows/${flow.id}/working-copy`, {
    steps: [
      { ref_id: 'web1', type: 'webhook', config: {} },
      { ref_id: 'loud', type: 'set', config: { values: { text: '{{ web1.name | uper }}' } } },
    ],
  })
  const { page, problems } = await program.open({ path: `/flows/${flow.id}?step=loud` })
  const found = page.getByRole('region', { name: 'Problems' })
  await found.getByText('1 problem').waitFor()
  await found.getByRole('button', { name: /^Fix: / }).click()
  const text = page.getByLabel('Value of text')
  await text.getByText('web1.name | upper').waitFor()
  await found.getByText('No problems').waitFor()
  await page.keyboard.press('ControlOrMeta+z')
  await text.getByText('web1.name | uper').waitFor()
  await found.getByText('1 problem').waitFor()
  expect(problems).toEqual([])
})
