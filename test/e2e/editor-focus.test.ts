/** Key presses reach the field that was clicked or opened last, whatever is rendered again around it. */
import type { Locator, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import type { Connector } from '../../src/shared/contract/connectors.ts'
import type { Flow } from '../../src/shared/contract/flows.ts'
import { useProgramInBrowser } from '../helpers/program-in-browser.ts'

const program = useProgramInBrowser()

const aFlow = (name: string, steps: readonly object[]) =>
  program.call<Flow>('POST', '/v1/flows', { name, steps })

const focused = (field: Locator) => field.and(field.page().locator(':focus')).waitFor()

/** Selects everything in a field and types over it, key by key. */
async function typeOver(field: Locator, text: string): Promise<void> {
  await field.click()
  await field.page().keyboard.press('ControlOrMeta+A')
  await field.page().keyboard.type(text)
}

async function expectTyped(field: Locator, text: string): Promise<void> {
  await expect.poll(() => field.textContent()).toBe(text)
  await focused(field)
}

test('JSON can be typed key by key in every JSON field of the editor and of a connector', async () => {
  const flow = await aFlow('Custom JSON', [
    { ref_id: 'web1', type: 'webhook' },
    { ref_id: 'users', type: 'rest', config: { url: 'https://api.example.test/users' } },
  ])
  const { page, problems, go } = await program.open({ path: `/flows/${flow.id}?step=users` })
  await page.getByRole('button', { name: 'Set up pagination' }).click()
  const sheet = page.getByRole('dialog', { name: 'Pagination' })
  const pagination = sheet.getByRole('textbox', { name: 'Pagination configuration' })
  await sheet.getByRole('tab', { name: 'JSON' }).click()
  await pagination.click()
  // While no text is being typed, these keys open a dialog or another screen.
  await page.keyboard.type('n?g r')
  await expectTyped(pagination, 'n?g r')
  await sheet.getByRole('button', { name: 'Cancel' }).click()
  await sheet.waitFor({ state: 'detached' })

  await page.getByRole('button', { name: 'JSON', exact: true }).click()
  const config = page.getByRole('textbox', { name: 'Config' })
  await typeOver(config, '{"url": "https://b.test/", "method": "GET"}')
  await expectTyped(config, '{"url": "https://b.test/", "method": "GET"}')

  const [playground] = await program.call<Connector[]>('GET', '/v1/connectors?filter=name,eq,Playground')
  const own = await program.call<Connector>('POST', `/v1/connectors/${playground?.id}/copy`, { name: 'Own' })
  await go(`/connectors/${own.id}?view=paging`)
  await page.getByRole('button', { name: 'Set up remote search' }).click()
  const searching = page.getByRole('dialog', { name: 'Remote search' })
  await searching.getByRole('tab', { name: 'JSON' }).click()
  const search = searching.getByRole('textbox', { name: 'Search configuration' })
  await typeOver(search, '{"page": ')
  await program.call('PUT', `/v1/connectors/${own.id}`, { name: 'Renamed elsewhere' })
  await page.locator('main', { hasText: 'Renamed elsewhere' }).waitFor({ state: 'attached' })
  await page.keyboard.type('2}')
  await expectTyped(search, '{"page": 2}')
  expect(problems).toEqual([])
})

test('a test run of a form begins with a value for each of its fields, and of a folder with its newest file', async () => {
  const { id } = await aFlow('Form', [
    {
      ref_id: 'form',
      type: 'form_trigger',
      config: {
        fields: [
          { name: 'mail', type: 'email' },
          { name: 'size', type: 'select', options: ['small', 'large'] },
        ],
      },
    },
    { ref_id: 'text', type: 'set', config: { values: { text: '{{ form.mail }} wants {{ form.size }}' } } },
  ])
  const { page, problems, go } = await program.open({ path: `/flows/${id}?step=text` })
  // The values that the form will return are known before anybody has filled it in.
  await page
    .getByRole('treeitem')
    .filter({ hasText: /^mail\s*text/ })
    .waitFor()
  await page.getByRole('button', { name: 'Test', exact: true }).click()
  await page.getByText('Enter what a person would enter.').waitFor()
  await page.getByText('Input, available as {{ form.key }}').waitFor()
  await focused(page.getByRole('dialog', { name: 'Test run' }).getByRole('textbox'))
  await page.keyboard.press('ControlOrMeta+Enter')
  await page.getByRole('treeitem').filter({ hasText: '"ada@example.test wants small"' }).waitFor()

  const folder = await aFlow('Folder', [
    { ref_id: 'file', type: 'folder_trigger', config: { path: 'inbox' } },
  ])
  await go(`/flows/${folder.id}`)
  await page.getByRole('heading', { name: 'Folder', exact: true }).waitFor()
  await page.getByRole('button', { name: 'Test', exact: true }).click()
  await page.getByText('If it is left empty, the newest file is used.').waitFor()
  await page.getByRole('button', { name: 'Cancel' }).click()

  await go('/webhooks')
  await page.getByRole('button', { name: 'Send a test request to “Form”' }).click()
  await page.getByRole('textbox').filter({ hasText: '"mail": "ada@example.test"' }).waitFor()
  await page.getByRole('button', { name: 'Send request' }).click()
  await page.getByText(/^200 in /).waitFor()
  expect(problems).toEqual([])
})

test('the test dialog focuses its input: a space runs nothing, and Ctrl+Enter runs the typed input', async () => {
  const { id } = await aFlow('Typed input', [
    { ref_id: 'web1', type: 'webhook' },
    { ref_id: 'text', type: 'set', config: { values: { text: 'Hello {{ web1.name }}' } } },
  ])
  const { page, problems } = await program.open({ path: `/flows/${id}?step=text` })
  await page.getByRole('button', { name: 'Test', exact: true }).click()
  const dialog = page.getByRole('dialog', { name: 'Test run' })
  const input = dialog.getByRole('textbox')
  await focused(input)
  await page.keyboard.press('Space')
  await page.keyboard.press('ControlOrMeta+A')
  await page.keyboard.type('{"name": ')
  await expect.poll(() => input.getAttribute('aria-invalid')).toBe('true')
  expect(await dialog.getByRole('button', { name: 'Run', exact: true }).isDisabled()).toBe(true)
  await page.keyboard.press('ControlOrMeta+Enter')
  await page.keyboard.type('"Ada"}')
  await page.keyboard.press('ControlOrMeta+Enter')
  await dialog.waitFor({ state: 'detached' })
  await page.getByRole('treeitem').filter({ hasText: '"Hello Ada"' }).waitFor()
  const runs = await program.call<unknown[]>('GET', `/v1/flow-runs?filter=flow_id,eq,${id}`)
  expect({ runs: runs.length, problems }).toEqual({ runs: 1, problems: [] })
})

test('renaming a step keeps the focus where the user moves it, and undo restores the name with its step selected', async () => {
  const { id } = await aFlow('Renamed', [
    { ref_id: 'web1', type: 'webhook' },
    { ref_id: 'users', type: 'rest', config: { url: 'https://a.test/' } },
  ])
  const { page, problems } = await program.open({ path: `/flows/${id}?step=users` })
  const name = page.getByLabel('Reference name')
  const address = page.getByLabel('URL', { exact: true }).and(page.locator('.cm-content'))
  await address.waitFor()
  await name.fill('people')
  await address.click()
  await page.keyboard.press('End')
  await page.keyboard.type('gnr?')
  await page.getByRole('button', { name: /^2 people/ }).waitFor()
  await expectTyped(address, 'https://a.test/gnr?')

  await name.fill('persons')
  await name.press('Enter')
  await page.keyboard.type('s2')
  await expect.poll(() => name.inputValue()).toBe('personss2')
  await focused(name)
  await page.keyboard.press('Escape')
  await expect.poll(() => name.inputValue()).toBe('persons')
  await expect.poll(() => new URL(page.url()).searchParams.get('step')).toBe('persons')
  await page.keyboard.press('ControlOrMeta+z')
  await page.getByRole('button', { name: /^2 people/ }).waitFor()
  await expect.poll(() => name.inputValue()).toBe('people')
  await page.locator('[data-step="people"][aria-current="true"]').waitFor()
  expect(problems).toEqual([])
})

test('a new header can be typed at once, Tab accepts a completion, and Enter accepts the exact match', async () => {
  for (const name of ['Shop of shoes', 'Shop'])
    await program.call('POST', '/v1/connectors', { name, base_domain: program.served.url })
  const { id } = await aFlow('By keys', [
    { ref_id: 'web1', type: 'webhook' },
    { ref_id: 'users', type: 'rest', config: { url: `${program.served.url}/nowhere` } },
    { ref_id: 'call', type: 'connector_action', config: { connector_id: '{{ web1.id }}', action: 'none' } },
  ])
  await program.call('POST', `/v1/flows/${id}/run?wait=true`, { input: { customer: 'Ada' } })
  const { page, problems } = await program.open({ path: `/flows/${id}?step=users` })
  await page.getByRole('button', { name: 'Add header' }).click()
  await page.keyboard.type('X-Customer')
  await page.keyboard.press('Tab')
  const value = page.getByLabel('Value of X-Customer').and(page.locator('.cm-content'))
  await focused(value)
  await page.getByRole('treeitem', { name: /^web1, object/ }).waitFor()
  await page.keyboard.type('{{ web1.cus')
  await completionOf(page, 'customer')
  await page.keyboard.press('Tab')
  await expectTyped(value, '{{ web1.customer }}')
  await page.keyboard.press('Tab')
  await focused(page.getByRole('button', { name: 'Remove X-Customer' }))

  await page.getByRole('button', { name: /^3 call/ }).click()
  const connector = page.getByRole('combobox', { name: 'Connector', exact: true })
  await connector.click()
  await page.keyboard.type('shop')
  await page.getByRole('option', { name: 'Shop of shoes' }).waitFor()
  await page.keyboard.press('Enter')
  await expect.poll(() => connector.inputValue()).toBe('Shop')
  expect(problems).toEqual([])
})

test('a new button and a new field of a question can be typed at once, and a template typed in full gets no second space', async () => {
  const { id } = await aFlow('Asks', [
    { ref_id: 'web1', type: 'webhook' },
    { ref_id: 'approval', type: 'ask_person', config: { question: 'Pay?' } },
  ])
  const { page, problems } = await program.open({ path: `/flows/${id}?step=approval` })
  const question = page.getByLabel('Question', { exact: true }).and(page.locator('.cm-content'))
  await typeOver(question, 'Pay {{ web1.number }}?')
  await expectTyped(question, 'Pay {{ web1.number }}?')
  for (const [number, label] of [
    [1, 'Yes'],
    [2, 'No'],
  ] as const) {
    await page.getByRole('button', { name: 'Add button', exact: true }).click()
    await focused(page.getByLabel(`Label of button ${number}`, { exact: true }))
    await page.keyboard.type(label)
  }
  await page.getByRole('button', { name: 'Add field', exact: true }).click()
  const name = page.getByLabel('Field name', { exact: true })
  await focused(name)
  await page.keyboard.type('note')
  await expect.poll(() => name.inputValue()).toBe('note')
  await page.getByRole('button', { name: /^note/ }).waitFor()
  expect(problems).toEqual([])
})

async function completionOf(page: Page, label: string): Promise<void> {
  // While a list is being completed, no key accepts anything from it.
  const list = page.locator('.cm-tooltip-autocomplete:not(.cm-tooltip-autocomplete-disabled)')
  await list.locator('[aria-selected="true"]').filter({ hasText: label }).waitFor()
}
