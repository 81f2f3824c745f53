import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { STEP_TYPES } from '../../src/shared/contract/step-types/index.ts'
import { useProgramInBrowser } from '../helpers/program-in-browser.ts'

const program = useProgramInBrowser()

/** Triggers are only offered as the first step. */
const TRIGGERS: Readonly<Record<string, string>> = {
  'New entries in a list': 'Look at',
  'Files in a folder': 'Folder',
  'Rows in a table': 'Table',
  Form: 'Fields',
  'Emails in a mailbox': 'Connector auth',
  Schedule: 'Runs',
  'Plug-in trigger': 'Plug-in',
}

/** Keyed by the titles in the menu, each with the label of a field in its form that isn't optional. */
const FORMS: Readonly<Record<string, string>> = {
  'Connector action': 'Connector',
  'HTTP request': 'Method',
  'Export job': 'Status URL',
  'Run another flow': 'Flow',
  'Send email': 'Subject',
  'Run a program': 'Arguments',
  'Plug-in step': 'Plug-in',
  SQL: 'Statement',
  Condition: 'Mode',
  Switch: 'Value',
  'Loop while': 'Continue while',
  Try: 'on error, retry, notes',
  Parallel: 'Branches',
  Delay: 'Wait',
  Callback: 'Wait for (hours)',
  'Ask a person': 'Question',
  Respond: 'Status code',
  Stop: 'End run with',
  'Set values': 'Values',
  JavaScript: 'JavaScript',
  'Key-value store': 'Operation',
  'Filter a list': 'Keep item if',
  'Sort a list': 'Sort by',
  'Aggregate a list': 'Results',
  'Merge lists': 'Method',
  'Read CSV': 'Separator',
  'Write CSV': 'Rows',
  'Read XML': 'Text',
  'Write XML': 'Value',
  'Read HTML': 'Fields',
  Markdown: 'Direction',
  'Read a file': 'Path',
  'Write a file': 'Content',
  'Write records': 'Target',
  'Where a sync stopped': 'Target',
  Table: 'Operation',
}

test('every step type is offered in its group, found by searching, and has a form', async () => {
  const { page, problems } = await newFlow('All of them', 'Manual')
  await page.getByRole('button', { name: 'Add step', exact: true }).click()
  for (const group of ['Start', 'Call', 'Decide and repeat', 'Values and lists', 'Text and files']) {
    await page.getByRole('group', { name: group }).waitFor()
  }
  const isType = page.getByRole('group', { name: /^(?:Start|Call|Decide|Values|Text)/ }).getByRole('option')
  await expect.poll(() => isType.count()).toBe(Object.keys({ ...TRIGGERS, ...FORMS }).length + 2)
  await page.keyboard.press('Escape')
  const undo = page.getByRole('button', { name: 'Undo' })
  for (const [label, field] of Object.entries({ ...TRIGGERS, ...FORMS })) {
    if (Object.hasOwn(TRIGGERS, label) && (await undo.isEnabled())) await undo.click()
    await addStep(page, label)
    await page.getByRole('heading', { name: label, exact: true }).waitFor()
    await page.getByText(field, { exact: true }).first().waitFor()
  }
  expect(problems).toEqual([])
})

test('a new flow begins with the trigger chosen for it, which stays a draft until it is complete', async () => {
  const { page, problems } = await newFlow('Invoices', 'Emails in a mailbox')
  await page.getByRole('heading', { name: 'Emails in a mailbox', exact: true }).waitFor()
  await page.reload()
  await page.getByRole('button', { name: /^1 email/ }).waitFor()
  await page.getByText('Unpublished changes (draft saved)').waitFor()
  expect(problems).toEqual([])
})

test('the cases of a switch are named in its form and can contain steps', async () => {
  const { page, problems } = await newFlow('Ways', 'Webhook')
  await addStep(page, 'Switch')
  await page.getByRole('button', { name: 'Add case' }).click()
  await page.getByLabel('Label of case 1').fill('paid')
  await page.getByRole('button', { name: 'Add a step to “paid” of switch' }).click()
  await page.getByRole('combobox', { name: 'Search services and steps' }).fill('stop')
  await page.getByRole('option', { name: /^Stop/ }).click()
  await page.getByRole('button', { name: /^2\.cases\.1\.steps\.1 stop/ }).waitFor()
  await page.getByRole('button', { name: 'Add a step to otherwise of switch' }).waitFor()
  expect(problems).toEqual([])
})

test('the steps of a try are added to try, catch and finally, in list and canvas', async () => {
  const { page, problems } = await newFlow('Careful', 'Webhook')
  await addStep(page, 'Try')
  await page.getByRole('button', { name: 'Add a step to try of attempt' }).waitFor()
  await page.getByRole('button', { name: 'Add a step to catch of attempt' }).click()
  await page.getByRole('combobox', { name: 'Search services and steps' }).fill('stop')
  await page.getByRole('option', { name: /^Stop/ }).click()
  await page.getByRole('button', { name: /^2\.catch\.1 stop/ }).waitFor()
  await page.getByRole('button', { name: 'Add a step to finally of attempt' }).waitFor()
  await page.getByRole('tab', { name: 'Canvas' }).click()
  for (const words of ['try', 'catch', 'finally'])
    await page.getByText(words, { exact: true }).first().waitFor()
  expect(problems).toEqual([])
})

test('the branches of a parallel step are named in its form, and shown in list, canvas and run', async () => {
  const set = (ref_id: string) => ({ ref_id, type: 'set', config: { values: { of: ref_id } } })
  const cases = ['orders', 'contacts'].map((label) => ({ label, steps: [set(`last_${label}`)] }))
  const { id } = await program.call<{ id: string }>('POST', '/v1/flows', {
    name: 'At once',
    steps: [{ ref_id: 'both', type: 'parallel', config: {}, cases }],
  })
  const { flow_run_id: runId } = await program.call<{ flow_run_id: string }>('POST', `/v1/flows/${id}/run`)
  const { page, problems, go } = await program.open({ path: `/runs/${runId}` })
  const steps = page.getByRole('tree', { name: 'Steps' }).getByRole('treeitem')
  await steps.filter({ hasText: 'last_orders' }).waitFor()
  await steps.filter({ hasText: 'last_contacts' }).waitFor()
  await page.locator('header').getByText('success').waitFor()
  await picture(page, 'parallel-run')

  await go(`/flows/${id}?step=both`)
  await page.getByRole('heading', { name: 'Parallel', exact: true }).waitFor()
  await page.getByRole('button', { name: 'Add branch', exact: true }).click()
  await page.getByLabel('Name of branch 3', { exact: true }).fill('invoices')
  for (const name of ['orders', 'contacts', 'invoices'])
    await page.getByRole('button', { name: `Add a step to “${name}” of both`, exact: true }).waitFor()
  await picture(page, 'parallel-list')
  await page.getByRole('tab', { name: 'Canvas' }).click()
  for (const name of ['orders', 'contacts', 'invoices'])
    await page.getByText(`“${name}”`, { exact: true }).first().waitFor()
  await picture(page, 'parallel-canvas')
  expect(problems).toEqual([])
})

test('a call for each item of a list is set up in its section, and its run shows the items', async () => {
  const { id } = await program.call<{ id: string }>('POST', '/v1/flows', {
    name: 'Children',
    steps: [
      { ref_id: 'found', type: 'set', config: { values: { shops: [{ name: 'North' }, { name: 'South' }] } } },
      {
        ref_id: 'orders',
        type: 'rest',
        config: {
          url: '{{ playground_url }}/orders',
          pagination: { query: '{"page": {{ page + 1 }}}', max_pages: 1 },
        },
      },
    ],
  })
  const { page, problems, go } = await program.open({ path: `/flows/${id}?step=orders` })
  await page.getByRole('heading', { name: 'HTTP request', exact: true }).waitFor()
  const section = page.getByRole('region', { name: 'For each item of a list', exact: true })
  await section.getByRole('button', { expanded: false }).click()
  await section.getByRole('textbox', { name: /^List/ }).fill('{{ found.shops }}')
  await section.getByRole('textbox', { name: /^Keep from the item/ }).fill('name')
  await page.getByText('for each of {{ found.shops }}').first().waitFor()
  await picture(page, 'for-each-form')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  const saved = () => program.call<{ steps: { config: { keep?: string[] } }[] }>('GET', `/v1/flows/${id}`)
  await expect.poll(async () => (await saved()).steps[1]?.config.keep).toEqual(['name'])
  const { flow_run_id: runId } = await program.call<{ flow_run_id: string }>('POST', `/v1/flows/${id}/run`)
  await go(`/runs/${runId}`)
  const steps = page.getByRole('tree', { name: 'Steps' }).getByRole('treeitem')
  await page.locator('header').getByText('success').waitFor()
  await steps.filter({ hasText: 'North' }).waitFor()
  await steps.filter({ hasText: 'South' }).waitFor()
  await picture(page, 'for-each-run')
  const [first] = await program.call<{ id: string; output: { parent_name: string }[] }[]>(
    'GET',
    `/v1/flow-runs/${runId}/steps?filter=ref_id,eq,orders`,
  )
  expect({ first: first?.output[0], problems }).toMatchObject({
    first: { parent_name: 'North' },
    problems: [],
  })
})

test('a flow is created from a sample, and runs', async () => {
  const { page, problems, go } = await program.open({ path: '/flows' })
  await page.getByRole('button', { name: 'New from sample' }).first().click()
  const dialog = page.getByRole('dialog', { name: 'New flow from a sample' })
  await dialog.getByLabel('Search samples').fill('cursor')
  await dialog.getByRole('button', { name: 'Use sample Cursor pagination' }).click()
  await page.getByRole('heading', { name: 'Cursor pagination' }).waitFor()
  await page
    .getByRole('button', { name: /priorities/ })
    .first()
    .waitFor()

  // A test run begins with the input that the sample is made for.
  await go('/flows')
  await page.getByRole('button', { name: 'New from sample' }).first().click()
  await dialog.getByRole('button', { name: 'Use sample Run a program' }).click()
  await page.getByRole('heading', { name: 'Run a program' }).waitFor()
  await page.getByRole('button', { name: 'Test', exact: true }).click()
  await page.getByRole('dialog', { name: 'Test run' }).getByText('"Zoe"').waitFor()
  expect(problems).toEqual([])
})

async function picture(page: Page, name: string): Promise<void> {
  const folder = process.env['MILLRACE_PICTURES']
  if (folder !== undefined) await page.screenshot({ path: `${folder}/${name}.png` })
}

async function newFlow(name: string, start: string) {
  const opened = await program.open({ path: '/flows' })
  const { page } = opened
  await page.getByRole('button', { name: 'New flow' }).first().click()
  await page.getByLabel('Name', { exact: true }).fill(name)
  await page.getByLabel('Started by').click()
  await page.getByRole('option', { name: new RegExp(`^${start}`) }).click()
  await page.getByRole('button', { name: 'Create flow' }).click()
  await page.getByRole('heading', { name }).waitFor()
  return opened
}

async function addStep(page: Page, label: string): Promise<void> {
  await page.getByRole('button', { name: 'Add step', exact: true }).click()
  await page.getByRole('combobox', { name: 'Search services and steps' }).fill(label)
  // The list must become shorter before an item is clicked; otherwise another item would move under the pointer.
  await expect.poll(() => page.getByRole('option').count()).toBeLessThan(STEP_TYPES.length / 2)
  await page
    .getByRole('option', { name: new RegExp(`^${label}`) })
    .first()
    .click()
}

test('the fields of html_extract can be read and removed in a window of 1280', async () => {
  const { id } = await program.call<{ id: string }>('POST', '/v1/flows', {
    name: 'Narrow',
    steps: [
      {
        ref_id: 'read1',
        type: 'html_extract',
        config: {
          text: '<p>',
          fields: { link: { selector: '.link', take: 'attribute', attribute: 'href' } },
        },
      },
    ],
  })
  const { page } = await program.open({ path: `/flows/${id}?step=read1` })
  const widthOf = async (label: string) => (await page.getByLabel(label).boundingBox())?.width ?? 0
  await page.getByLabel('Name of field 1').waitFor()
  expect(Math.min(await widthOf('Name of field 1'), await widthOf('Selector of field 1'))).toBeGreaterThan(
    100,
  )
  await page.getByRole('button', { name: 'Remove field 1' }).click()
  await page.getByLabel('Name of field 1').waitFor({ state: 'detached' })
})

test('a trigger whose check found nothing new says so', async () => {
  const { id } = await program.call<{ id: string }>('POST', '/v1/flows', {
    name: 'Articles',
    status: 'active',
    steps: [
      { ref_id: 'entry', type: 'list_trigger', config: { source: 'feed', url: '{{ playground_url }}/feed' } },
    ],
  })
  await program.call('POST', `/v1/flows/${id}/trigger/check`)
  const { page } = await program.open({ path: `/flows/${id}?step=entry` })
  const state = page.getByRole('region', { name: 'State of the trigger' })
  await expect
    .poll(() => state.textContent())
    .toMatch(/Last checked .* Nothing new found so far\. Next check/)
})
