/** The search over services, their actions, step types and samples, wherever a step is added. */
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { axeFindings } from '../helpers/axe.ts'
import { useProgramInBrowser } from '../helpers/program-in-browser.ts'

const program = useProgramInBrowser()

interface Named {
  readonly id: string
  readonly name: string
}

test('“hubspot contacts” and Enter is a step with connector, action and the only auth', async () => {
  const hubspot = await connectorNamed('HubSpot')
  const id = await aFlow('One auth')
  const without = await program.open({ path: `/flows/${id}` })
  await addFirst(without.page, 'hubspot contacts', 'HubSpot')
  await without.page.getByText('HubSpot has no connector auth yet.').waitFor()
  await without.page.getByRole('button', { name: 'New connector auth' }).waitFor()

  const auth = await anAuth(hubspot, 'Kontor CRM')
  await addFirst(without.page, 'contacts hubspot', 'HubSpot with Kontor CRM')
  await expect
    .poll(() => stepsOf(id))
    .toMatchObject([
      { type: 'connector_action', config: { connector_id: hubspot, action: 'list_contacts' } },
      {
        type: 'connector_action',
        title: 'List contacts',
        config: { connector_id: hubspot, action: 'list_contacts', auth_id: auth },
      },
    ])
  await without.page.getByText('HubSpot has no connector auth yet.').waitFor({ state: 'detached' })
  expect(without.problems).toEqual([])
})

test('of several auths the one used last is filled in, and the list says which', async () => {
  const playground = await connectorNamed('Playground')
  await anAuth(playground, 'Used')
  const used = await program.call<readonly Named[]>('GET', '/v1/connector-auths')
  const first = used.find(({ name }) => name === 'Used')?.id
  await program.call('POST', `/v1/connector-auths/${first}/test`, { action: 'list_contacts' })
  await anAuth(playground, 'Newer, never used')
  const id = await aFlow('Several auths')
  const { page, problems } = await program.open({ path: `/flows/${id}` })
  await addFirst(page, 'playground orders', 'Playground with Used')
  await expect
    .poll(() => stepsOf(id))
    .toMatchObject([{ config: { connector_id: playground, auth_id: first } }])
  expect(problems).toEqual([])
})

test('by keyboard: into a service, back out, and what was used here and elsewhere comes first', async () => {
  const id = await aFlow('By keyboard')
  const { page, problems } = await program.open({ path: `/flows/${id}` })
  const field = page.getByRole('combobox', { name: 'Search services and steps' })
  await openPicker(page)
  await page.keyboard.type('google')
  await page.getByRole('group', { name: /^Google Sheets/ }).waitFor()
  expect(await axeFindings(page)).toEqual([])
  const more = page.getByRole('option', { name: /^\d+ more of Google Sheets/ })
  await expect.poll(() => page.locator('[role=option]').first().getAttribute('data-highlighted')).toBe('')
  await pressUntil(page, 'ArrowDown', more)
  await page.keyboard.press('Enter')
  await page.getByRole('option', { name: 'All services and steps' }).waitFor()
  await page.getByRole('option', { name: /^Get a spreadsheet/ }).waitFor()
  await expect.poll(() => page.getByRole('group', { name: /^Google Drive/ }).count()).toBe(0)
  await field.fill('')
  expect(await axeFindings(page)).toEqual([])
  await page.keyboard.press('Backspace')
  await page.getByRole('group', { name: 'Start' }).waitFor()
  await field.fill('github issues')
  await page
    .getByRole('option', { name: /^List issues/ })
    .first()
    .waitFor()
  await page.keyboard.press('Enter')
  await expect.poll(() => page.getByLabel('Connector', { exact: true }).inputValue()).toBe('GitHub')

  await openPicker(page)
  await page
    .getByRole('group', { name: 'Used in this flow' })
    .getByRole('option', { name: /^List issues.*GitHub/ })
    .waitFor()
  expect(await axeFindings(page)).toEqual([])
  await page.keyboard.press('Escape')
  const other = await aFlow('Another')
  await page.goto(`${program.served.url}/flows/${other}`)
  await openPicker(page)
  await page
    .getByRole('group', { name: 'Recent' })
    .getByRole('option', { name: /^List issues/ })
    .waitFor()
  await expect
    .poll(() => page.getByRole('group').first().getByRole('option').first().innerText())
    .toMatch(/issues/)
  expect(problems).toEqual([])
})

test('a sample found in the search becomes a flow of its own', async () => {
  const id = await aFlow('Before')
  const { page, problems } = await program.open({ path: `/flows/${id}` })
  await openPicker(page)
  await page.keyboard.type('nightly report')
  await page.getByRole('option', { name: /^Nightly report/ }).click()
  await page.getByRole('heading', { name: 'Nightly report' }).waitFor()
  expect(await stepsOf(id)).toEqual([])
  expect(problems).toEqual([])
})

test('the search of all screens finds the same: it adds to the flow that is open, and elsewhere leads there', async () => {
  const id = await aFlow('By the search')
  const { page, problems, go } = await program.open({ path: `/flows/${id}` })
  const find = async (typed: string) => {
    await page.keyboard.press('ControlOrMeta+k')
    await page
      .locator('input:focus')
      .and(page.getByRole('combobox', { name: 'Search flows' }))
      .waitFor()
    await page.keyboard.type(typed)
  }
  await find('stripe customers')
  const adding = page.getByRole('group', { name: 'Add to this flow' })
  await adding.getByRole('option', { name: /^List customers\s*Stripe/ }).waitFor()
  expect(await axeFindings(page)).toEqual([])
  await page.keyboard.press('Enter')
  await expect.poll(() => page.getByLabel('Connector', { exact: true }).inputValue()).toBe('Stripe')
  await expect.poll(() => stepsOf(id)).toMatchObject([{ config: { action: 'list_customers' } }])

  await go('/connectors')
  await page.getByRole('row').nth(3).waitFor()
  await find('stripe customers')
  await page.getByRole('group', { name: 'Connector actions' }).getByRole('option').first().click()
  await page.waitForURL('**/connectors/*?**')
  await find('every day')
  await page
    .getByRole('group', { name: 'New flow that starts with' })
    .getByRole('option', { name: 'Schedule' })
    .click()
  await page.getByRole('dialog', { name: 'New flow' }).getByText('Schedule', { exact: true }).waitFor()
  expect(problems).toEqual([])
})

test('steps show the mark of their service in the list, on the canvas and in a run', async () => {
  const playground = await connectorNamed('Playground')
  const { id } = await program.call<Named>('POST', '/v1/connectors', { name: 'Warehouse' })
  const config = { connector_id: playground, action: 'list_contacts' }
  const { id: flow } = await program.call<Named>('POST', '/v1/flows', {
    name: 'Marked',
    steps: [
      { ref_id: 'contacts', type: 'connector_action', config },
      {
        ref_id: 'stock',
        type: 'connector_action',
        disabled: true,
        config: { connector_id: id, action: 'x' },
      },
    ],
  })
  const { page, problems, go } = await program.open({ path: `/flows/${flow}` })
  const letters = (part: string) => page.locator(part).locator('[data-monogram]').first().innerText()
  await page.locator('[data-step=contacts] [data-icon=flask-conical]').waitFor()
  const own = await letters('[data-step=stock]')
  expect(own).toMatch(/^W\p{Lu}$/u)
  await go(`/flows/${flow}?view=canvas`)
  await page.locator('[data-canvas-step=contacts] [data-icon=flask-conical]').waitFor()
  expect(await letters('[data-canvas-step=stock]')).toBe(own)
  const run = await program.call<Named>('POST', `/v1/flows/${flow}/run?wait=true`, { input: {} })
  await go(`/runs/${run.id}`)
  await page.locator('main [data-icon=flask-conical]').first().waitFor()
  await go('/connectors')
  await expect.poll(() => letters('[role=row]:has-text("Warehouse")')).toBe(own)
  await page.locator('[role=row]:has-text("HubSpot") svg path').first().waitFor()
  expect(problems).toEqual([])
})

async function openPicker(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Add step', exact: true }).click()
  await page.getByRole('combobox', { name: 'Search services and steps' }).waitFor()
  // Once the services are shown, their actions are, too.
  await page.getByRole('group', { name: 'Services', exact: true }).waitFor()
}

/** Presses Enter to add the first option, once the first group has this name. */
async function addFirst(page: Page, typed: string, group: string): Promise<void> {
  await openPicker(page)
  await page.keyboard.type(typed)
  const first = page.getByRole('listbox').getByRole('group').first()
  await expect
    .poll(async () => (await first.innerText()).replaceAll('\n', ' '))
    .toMatch(new RegExp(`^${group}`))
  await expect.poll(() => highlighted(page)).toMatch(/contacts|orders/)
  await page.keyboard.press('Enter')
  await page.getByRole('combobox', { name: 'Search services and steps' }).waitFor({ state: 'detached' })
}

const highlighted = (page: Page) => page.locator('[role=option][data-highlighted]').innerText()

async function pressUntil(page: Page, key: string, option: ReturnType<Page['locator']>): Promise<void> {
  for (let times = 0; times < 20 && (await option.getAttribute('data-highlighted')) === null; times += 1)
    await page.keyboard.press(key)
}

async function connectorNamed(name: string): Promise<string> {
  const found = await program.call<readonly Named[]>('GET', '/v1/connectors?per_page=200')
  return found.find((one) => one.name === name)?.id ?? ''
}

async function anAuth(connector: string, name: string): Promise<string> {
  const body = { connector_id: connector, name, auth_type: 'bearer', auth_token: 'secret' }
  return (await program.call<Named>('POST', '/v1/connector-auths', body)).id
}

async function aFlow(name: string): Promise<string> {
  return (await program.call<Named>('POST', '/v1/flows', { name })).id
}

/** The steps of its unsaved draft, if there is one. */
async function stepsOf(id: string): Promise<unknown> {
  const flow = await program.call<{ steps: unknown }>('GET', `/v1/flows/${id}`)
  const draft = await program
    .call<{ steps: unknown }>('GET', `/v1/flows/${id}/working-copy`)
    .catch(() => flow)
  return draft.steps
}
