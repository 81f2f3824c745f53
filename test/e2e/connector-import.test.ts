/** The way from `curl` to a connector, and the API reference, in a real Chromium. */
import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import type { Connector } from '../../src/shared/contract/connectors.ts'
import { axeFindings } from '../helpers/axe.ts'
import { useProgramInBrowser } from '../helpers/program-in-browser.ts'
import type { OpenedPage } from '../helpers/open-page.ts'
import { startThirdPartyApi } from '../helpers/third-party-api.ts'

const program = useProgramInBrowser()
let opened: OpenedPage
beforeAll(async () => {
  opened = await program.open()
})

test('a curl command is previewed as the action it becomes, then imported without its credential', async () => {
  const { page, go, problems } = opened
  await go('/connectors')
  await page.getByRole('button', { name: 'Import' }).click()
  await page
    .getByLabel('curl commands')
    .fill(`curl https://api.shop.example/v1/orders -H 'Authorization: Bearer secret-4711'`)
  expect(await axeFindings(page)).toEqual([])
  await page.getByRole('button', { name: 'Preview' }).click()
  await page.getByText('header Authorization').waitFor()
  expect(await axeFindings(page)).toEqual([])
  await page.getByRole('button', { name: 'Create connector with 1 action' }).click()
  await page.getByRole('heading', { name: 'shop.example' }).waitFor()
  await page.getByText('Get v1 orders').first().waitFor()
  expect(problems).toEqual([])
})

test('the reference is searched, and shows an endpoint as curl', async () => {
  const { page, go, problems } = opened
  await go('/reference')
  await page.getByLabel('Search the API').fill('create team')
  await page.getByRole('heading', { name: 'Create a team of users' }).waitFor()
  await page.getByText('"name": "Sales"').first().waitFor()
  // The content below it is longer than the window, and must not squeeze it.
  const tabs = page.getByRole('tablist', { name: 'Snippet language' })
  const snippet = page.getByRole('tabpanel', { name: 'curl' })
  for (const part of [tabs, snippet]) await part.click({ trial: true })
  expect(await axeFindings(page)).toEqual([])
  expect(problems).toEqual([])
})

const OPENAPI = {
  openapi: '3.1.0',
  info: { title: 'Stock', version: '1' },
  servers: [{ url: 'https://stock.example.test' }],
  paths: { '/items': { get: { summary: 'List items' } }, '/items/{id}': { get: { summary: 'Get item' } } },
}
const WORKFLOW = { name: 'Nightly', nodes: [{ name: 'Start' }, { name: 'Fetch' }], connections: {} }

/** Drops a file as if it were dragged from the desktop onto the page. */
async function dropFile(page: Page, name: string, content: string | number[]): Promise<void> {
  const transfer = await page.evaluateHandle(
    ({ name: filename, content: parts }) => {
      const made = new DataTransfer()
      made.items.add(new File([typeof parts === 'string' ? parts : new Uint8Array(parts)], filename))
      return made
    },
    { name, content },
  )
  await page
    .locator('main')
    .getByRole('heading', { level: 1 })
    .dispatchEvent('drop', { dataTransfer: transfer })
}

test('a file dropped on the list opens the dialog, is recognized, and is imported', async () => {
  const { page, go, problems } = opened
  await go('/connectors')
  await dropFile(page, 'stock.json', JSON.stringify(OPENAPI))
  const dialog = page.getByRole('dialog', { name: 'Import connector' })
  await dialog.getByText('OpenAPI 3.1, 2 paths').waitFor()
  expect(await axeFindings(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Preview' }).click()
  await page.getByRole('button', { name: 'Create connector with 2 actions' }).click()
  await page.getByRole('heading', { name: 'Stock', level: 1 }).waitFor()
  const created = program.call<Connector[]>('GET', '/v1/connectors?filter=name,eq,Stock')
  // New credentials are tested with the call that needs no input.
  expect((await created)[0]).toMatchObject({ test_action: 'get_items' })
  await page.getByRole('button', { name: 'New connector auth', exact: true }).click()
  const auth = page.getByRole('dialog', { name: 'New connector auth' })
  await auth.getByText('List items').first().waitFor()
  await page.keyboard.press('Escape')
  await go('/connectors?import=true')
  // The imported items aren't listed again.
  expect(await page.getByLabel('curl commands').inputValue()).toBe('')
  expect(problems).toEqual([])
})

test('a flow dropped on the list of connectors is recognized, and taken along to the list of flows', async () => {
  const { page, go, problems } = opened
  await go('/connectors')
  await dropFile(page, 'nightly.json', JSON.stringify(WORKFLOW))
  await page.getByText('n8n workflow, 2 nodes').waitFor()
  await page.getByRole('button', { name: 'Go to flows' }).click()
  const dialog = page.getByRole('dialog', { name: 'Import flows' })
  await dialog.getByText('n8n workflow, 2 nodes').waitFor()
  expect(await dialog.getByLabel('A flow exported from Millrace').inputValue()).toBe(JSON.stringify(WORKFLOW))
  await dialog.getByLabel('A flow exported from Millrace').fill(JSON.stringify(OPENAPI))
  await dialog.getByText('Import it on the Connectors page').waitFor()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  expect(problems).toEqual([])
})

test('a URL on this machine is read into the dialog; a rejected one has a sentence at the field', async () => {
  const { page, go, problems } = opened
  const api = await startThirdPartyApi((_, response) => response.end(JSON.stringify(OPENAPI)))
  await go('/connectors?import=true')
  const url = page.getByLabel('From a URL on this computer')
  await url.fill('http://93.184.216.34/openapi.json')
  await page.getByRole('button', { name: 'Read', exact: true }).click()
  await page.getByText('93.184.216.34 is a public address').waitFor()
  expect(await axeFindings(page)).toEqual([])
  await url.fill(`${api.url}/openapi.json`)
  await url.press('Enter')
  await page.getByText('OpenAPI 3.1, 2 paths').waitFor()
  await page.getByText('93.184.216.34').waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Cancel' }).click()
  expect(problems).toEqual([])
})

test("a chosen file replaces the text; one that isn't text, or is too large, is rejected by name", async () => {
  const { page, go, problems } = opened
  await go('/connectors?import=true')
  const choose = (name: string, buffer: Buffer) =>
    page.getByLabel('File to import').setInputFiles({ name, mimeType: 'application/octet-stream', buffer })
  await choose(
    'api.yaml',
    Buffer.from('openapi: 3.0.3\npaths:\n  /a:\n    get: {}\n  /b:\n    get: {}\ninfo: {}\n'),
  )
  await page.getByText('OpenAPI 3.0, 2 paths').waitFor()
  await choose('api.zip', Buffer.from([0x50, 0x4b, 0x03, 0x04, 0xff]))
  await page.getByText('“api.zip” isn’t a text file').waitFor()
  await choose('huge.json', Buffer.alloc(5_242_881, 'x'))
  await page.getByText('“huge.json” is 5 MB').waitFor()
  await page.getByRole('button', { name: 'Cancel' }).click()
  expect(problems).toEqual([])
})
