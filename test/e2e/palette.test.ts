import { expect, test } from 'vitest'
import { axeFindings } from '../helpers/axe.ts'
import { useProgramInBrowser } from '../helpers/program-in-browser.ts'

const program = useProgramInBrowser()

test('the search leads to a flow, a connector and a screen by keyboard only', async () => {
  const { page, problems } = await program.open()
  const find = async (typed: string) => {
    await page.keyboard.press('ControlOrMeta+k')
    await page
      .locator('input:focus')
      .and(page.getByRole('combobox', { name: 'Search flows' }))
      .waitFor()
    await page.keyboard.type(typed)
  }
  await find('order')
  await page
    .getByRole('group', { name: 'Flows' })
    .getByRole('option', { name: /^Receive an order/ })
    .waitFor()
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Receive an order' }).waitFor()

  await find('github')
  await page.getByRole('option', { name: 'GitHub', exact: true }).waitFor()
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'GitHub' }).waitFor()

  await find('zzz nowhere')
  await page.getByText('No results for').waitFor()
  await page.keyboard.press('Escape')
  await find('pagi')
  await page.getByRole('option', { name: 'Pagination tester' }).waitFor()
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Pagination tester' }).waitFor()
  expect(problems).toEqual([])
})

test('the search runs the commands of the current screen, and opens dialogs of others', async () => {
  const { page, problems } = await program.open({ path: '/tokens' })
  await page.getByRole('button', { name: 'Search' }).click()
  await page
    .locator('input:focus')
    .and(page.getByRole('combobox', { name: 'Search flows' }))
    .waitFor()
  await page.keyboard.type('new flow')
  await page.keyboard.press('Enter')
  await page.getByRole('dialog', { name: 'New flow' }).waitFor()
  await page.keyboard.press('Escape')
  await page.keyboard.press('ControlOrMeta+k')
  await page
    .locator('input:focus')
    .and(page.getByRole('combobox', { name: 'Search flows' }))
    .waitFor()
  await page.keyboard.type('dark')
  await page.keyboard.press('Enter')
  await page.locator('html[data-theme="dark"], html.dark').waitFor()
  expect(problems).toEqual([])
})

test('the search tests and pauses a flow, leads to its runs and steps, and imports', async () => {
  const { page, problems } = await program.open()
  const choose = async (typed: string, name: string | RegExp) => {
    await page.keyboard.press('ControlOrMeta+k')
    await page
      .locator('input:focus')
      .and(page.getByRole('combobox', { name: 'Search flows' }))
      .waitFor()
    await page.keyboard.type(typed)
    await page.getByRole('option', { name }).first().click()
  }
  await choose('activate receive', 'Switch “Receive an order” to active')
  await page.getByText('“Receive an order” is now Active').waitFor()
  await choose('pause receive', 'Pause “Receive an order”')
  await expect
    .poll(() => program.call<{ status: string }[]>('GET', '/v1/flows').then(([flow]) => flow?.status))
    .toBe('paused')
  await choose('runs of', 'Runs of “Receive an order”')
  await page.waitForURL('**/runs?flow=*')
  await choose('test receive', 'Test “Receive an order”')
  await page.getByRole('dialog', { name: 'Test run' }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog', { name: 'Test run' }).waitFor({ state: 'detached' })
  await choose('newcomer', 'newcomer')
  await page.waitForURL('**/flows/*?step=newcomer')
  for (const [typed, title] of [
    ['import flows', 'Import flows'],
    ['import a connector', 'Import connector'],
    ['new connector', 'New connector'],
  ] as const) {
    await choose(typed, title)
    await page.getByRole('dialog', { name: title }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog', { name: title }).waitFor({ state: 'detached' })
  }
  expect(problems).toEqual([])
})

test('the search opens the action that was found, not the first one of its connector', async () => {
  const { id } = await program.call<{ id: string }>('POST', '/v1/connectors', {
    name: 'Parcels',
    base_domain: 'http://127.0.0.1:9',
  })
  for (const title of ['Ask for rates', 'Weigh parcels']) {
    const action = { connector_id: id, name: title.replaceAll(' ', '_').toLowerCase(), title }
    await program.call('POST', '/v1/connector-actions', { ...action, method: 'GET', endpoint: 'x' })
  }
  const { page, problems } = await program.open()
  await page.keyboard.press('ControlOrMeta+k')
  await page
    .locator('input:focus')
    .and(page.getByRole('combobox', { name: 'Search flows' }))
    .waitFor()
  await page.keyboard.type('weigh parc')
  await page.getByRole('option', { name: /^Weigh parcels/ }).waitFor()
  await page.keyboard.press('Enter')
  await page.waitForURL(`**/connectors/${id}?**`)
  await expect.poll(() => page.getByLabel('Title', { exact: true }).inputValue()).toBe('Weigh parcels')
  expect(problems).toEqual([])
})

test('axe finds nothing in the search', async () => {
  const { page } = await program.open({ path: '/flows' })
  await page.keyboard.press('ControlOrMeta+k')
  await page.getByRole('option', { name: /^Receive an order/ }).waitFor()
  expect(await axeFindings(page)).toEqual([])
})

test('the search finds the documentation by the words people use, and opens the section found', async () => {
  const { page, problems } = await program.open({ path: '/runs' })
  const field = page.getByRole('combobox', { name: 'Search flows' })
  await page.keyboard.press('ControlOrMeta+k')
  for (const [typed, found] of [
    ['docs', 'Help'],
    ['documentation', 'Help'],
    ['getting started', /^Getting started/],
    ['credentials', /^Connector auths/],
    ['connections', /^Connector auths/],
    ['environment variable', /^Variables/],
    ['pagination not working', /^Pagination isn't working/],
    ['ngrok', /^How does the internet reach my webhook/],
  ] as const) {
    await field.fill(typed)
    await page.getByRole('option', { name: found }).first().waitFor()
  }
  await page
    .getByRole('option', { name: /^How does the internet reach my webhook/ })
    .first()
    .click()
  const help = page.getByRole('complementary', { name: 'Help' })
  await help.getByRole('heading', { name: /How does the internet reach my webhook/ }).waitFor()
  expect(problems).toEqual([])
})
