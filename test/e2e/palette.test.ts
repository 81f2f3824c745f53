import { expect, test } from 'vitest'
import { axeFindings } from '../helpers/axe.ts'
import { useProgramInBrowser } from '../helpers/program-in-browser.ts'

const program = useProgramInBrowser()

test('one field leads to a flow, a connector and a screen, by its keys alone', async () => {
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
  await page.getByRole('option', { name: /Receive an order/ }).waitFor()
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Receive an order' }).waitFor()

  await find('github')
  await page.getByRole('option', { name: 'GitHub', exact: true }).waitFor()
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'GitHub' }).waitFor()

  await find('nothing at all')
  await page.getByText('Nothing is called').waitFor()
  await page.keyboard.press('Escape')
  await find('pagi')
  await page.getByRole('option', { name: 'Pagination tester' }).waitFor()
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Pagination tester' }).waitFor()
  expect(problems).toEqual([])
})

test('it does what the screen behind it can do, and opens the dialogs of others', async () => {
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

test('axe finds nothing in it', async () => {
  const { page } = await program.open({ path: '/flows' })
  await page.keyboard.press('ControlOrMeta+k')
  await page.getByRole('option', { name: /Receive an order/ }).waitFor()
  expect(await axeFindings(page)).toEqual([])
})
