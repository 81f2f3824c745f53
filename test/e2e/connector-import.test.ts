/** From `curl` to a connector, and the API reference, in a real Chromium. */
import { beforeAll, expect, test } from 'vitest'
import { axeFindings } from '../helpers/axe.ts'
import { useProgramInBrowser } from '../helpers/program-in-browser.ts'
import type { OpenedPage } from '../helpers/open-page.ts'

const program = useProgramInBrowser()
let opened: OpenedPage
beforeAll(async () => {
  opened = await program.open()
})

test('a curl command is shown as what it will make, then made; its credential is left out', async () => {
  const { page, go, problems } = opened
  await go('/connectors')
  await page.getByRole('button', { name: 'Import' }).click()
  await page
    .getByLabel('curl commands')
    .fill(`curl https://api.shop.example/v1/orders -H 'Authorization: Bearer secret-4711'`)
  expect(await axeFindings(page)).toEqual([])
  await page.getByRole('button', { name: 'Show what will be made' }).click()
  await page.getByText('header Authorization').waitFor()
  expect(await axeFindings(page)).toEqual([])
  await page.getByRole('button', { name: 'Make connector with 1 action' }).click()
  await page.getByRole('heading', { name: 'shop.example' }).waitFor()
  await page.getByText('Get v1 orders').first().waitFor()
  expect(problems).toEqual([])
})

test('the reference is searched and gives an endpoint as curl', async () => {
  const { page, go, problems } = opened
  await go('/reference')
  await page.getByLabel('Search the API').fill('create team')
  await page.getByRole('heading', { name: 'Create a team of users' }).waitFor()
  await page.getByText('"name": "Sales"').first().waitFor()
  // What stands below it is longer than the window, and must not press it together.
  const tabs = page.getByRole('tablist', { name: 'Language of the snippet' })
  const snippet = page.getByRole('tabpanel', { name: 'curl' })
  for (const part of [tabs, snippet]) await part.click({ trial: true })
  expect(await axeFindings(page)).toEqual([])
  expect(problems).toEqual([])
})
