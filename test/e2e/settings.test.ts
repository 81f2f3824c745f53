import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Flow } from '../../src/shared/contract/flows.ts'
import { freePort } from '../helpers/free-port.ts'
import { axeFindings } from '../helpers/axe.ts'
import { useProgramInBrowser } from '../helpers/program-in-browser.ts'
import { temporaryFolder } from '../helpers/temporary-folder.ts'

const program = useProgramInBrowser()

test('the settings have a list of their cards and a search, which leaves the cards that say it', async () => {
  const { page, problems } = await program.open({ path: '/settings' })
  const cards = page.getByRole('main').locator('section:visible > header h2')
  const list = page.getByRole('navigation', { name: 'Settings on this page' })
  await list.getByRole('link', { name: 'History' }).click()
  await page.waitForURL('**/settings#History')
  expect(await list.getByRole('link').allInnerTexts()).toEqual(await cards.allInnerTexts())

  const search = page.getByRole('searchbox', { name: 'Search settings' })
  await search.fill('retry-after')
  await expect.poll(() => cards.allInnerTexts()).toEqual(['Webhooks'])
  expect(await list.getByRole('link').allInnerTexts()).toEqual(['Webhooks'])
  await search.fill('nothing like it')
  await page.getByText('No settings match').waitFor()
  expect(await axeFindings(page)).toEqual([])
  await search.fill('')
  await list.getByRole('link', { name: 'Appearance' }).waitFor()
  await page.setViewportSize({ width: 640, height: 800 })
  await search.fill('history size')
  await expect.poll(() => cards.allInnerTexts()).toEqual(['History'])
  expect(problems).toEqual([])
})

test('each setting is rejected at its field or stored as entered, and the public URL is shown next to the webhook', async () => {
  const { page, problems, go } = await program.open({ path: '/settings' })
  const enter = async (fields: Readonly<Record<string, string>>) => {
    for (const [label, value] of Object.entries(fields))
      await page.getByLabel(new RegExp(`^${label.replace(/[()]/g, '\\$&')}`)).fill(value)
    await page.keyboard.press('ControlOrMeta+s')
  }
  const wrong = { 'Max concurrent runs': '101', 'Public URL': 'hooks.example.com' }
  await enter(wrong)
  await page.getByText('Couldn’t save settings').waitFor()
  for (const label of Object.keys(wrong))
    await expect
      .poll(() => page.getByLabel(new RegExp(`^${label}`)).getAttribute('aria-invalid'), { message: label })
      .toBe('true')
  await page.getByText('must begin with http:// or https://').first().waitFor()

  await page.getByRole('switch', { name: 'Full-text search index' }).click()
  await page.getByRole('switch', { name: 'Expose the full API through proxies' }).click()
  await enter({
    Requests: '50',
    'Per (seconds)': '30',
    'Max webhook body (MB)': '0.5',
    'Max concurrent runs': '3',
    'Max pages per list': '500',
    'Max empty pages in a row': '7',
    'Template timeout (ms)': '400',
    'Allowed folders': '/srv/in \n \n/srv/out',
    'Max API body (MB)': '2',
    'Max file size (MB)': '1,5',
    'Max history size (MB)': '200',
    'Public URL': 'https://hooks.example.com',
  })
  await page.getByText('Settings saved').waitFor()
  expect(await program.call('GET', '/v1/settings')).toMatchObject({
    webhook_rate_limit_requests: 50,
    webhook_rate_limit_seconds: 30,
    webhook_body_limit_bytes: 524_288,
    concurrent_runs: 3,
    pagination_max_pages: 500,
    pagination_max_empty_pages: 7,
    template_time_limit_ms: 400,
    file_folders: ['/srv/in ', '/srv/out'],
    body_limit_bytes: 2_097_152,
    file_limit_bytes: 1_572_864,
    history_limit_mb: 200,
    search_index: false,
    expose_api: true,
    public_url: 'https://hooks.example.com',
  })

  await go('/webhooks')
  await page.getByText(/^POST https:\/\/hooks\.example\.com\/v1\/flow-webhook\//).waitFor()
  expect(problems).toEqual([])
})

test('AI clients get their configuration, and are offered flows with an input schema', async () => {
  const { page, problems, go } = await program.open({ path: '/settings' })
  await page.getByRole('switch', { name: 'MCP server' }).click()
  await page.keyboard.press('ControlOrMeta+s')
  await page.getByText('Settings saved').waitFor()
  const snippet = page.getByLabel('Client configuration')
  const command = await snippet.textContent()
  await page.getByRole('combobox', { name: 'Client' }).click()
  await page.getByRole('option', { name: 'VS Code' }).click()
  await expect.poll(() => snippet.textContent()).toContain('"servers"')
  const { servers } = JSON.parse((await snippet.textContent()) ?? '') as {
    servers: { millrace: { url: string } }
  }
  expect({ command, url: servers.millrace.url }).toEqual({
    command: expect.stringContaining(`millrace ${program.served.url}/v1/mcp --header`),
    url: `${program.served.url}/v1/mcp`,
  })

  await go('/flows')
  await page.getByRole('link', { name: 'Receive an order' }).click()
  await page.getByRole('tab', { name: 'Settings' }).click()
  await page.getByRole('switch', { name: 'Offer as a tool' }).click()
  const schema = page.getByLabel('Input schema').and(page.locator('.cm-content'))
  const write = async (text: string) => {
    await schema.click()
    await page.keyboard.press('ControlOrMeta+A')
    await page.keyboard.insertText(text)
  }
  await write('{"properties": {"id": {"type": "strin"}}}')
  await page.keyboard.press('ControlOrMeta+s')
  await page
    .getByText(/isn't a JSON Schema that Millrace can check/)
    .first()
    .waitFor()
  await write('{"properties": {"id": {"type": "string"}}}')
  await page.keyboard.press('ControlOrMeta+s')
  await page.getByText('Saved', { exact: true }).waitFor()
  const [flow] = await program.call<Flow[]>('GET', '/v1/flows')
  expect(flow?.settings.mcp_tool).toEqual({ input_schema: { properties: { id: { type: 'string' } } } })
  expect(problems.filter((problem) => !problem.includes('400'))).toEqual([])
})

test('where diagnostics miss a backup, one is taken right there', async () => {
  const { page, problems } = await program.open({ path: '/doctor' })
  await page.getByText('There is no automatic backup yet.').waitFor()
  await page.getByRole('button', { name: 'Back up', exact: true }).click()
  const dialog = page.getByRole('dialog', { name: 'Back up the database', exact: true })
  const file = join(temporaryFolder(), 'from-diagnostics.db')
  await dialog.getByRole('textbox', { name: 'File', exact: true }).fill(file)
  await dialog.getByRole('button', { name: 'Create backup', exact: true }).click()
  await dialog.waitFor({ state: 'detached' })
  expect(existsSync(file)).toBe(true)
  expect(problems).toEqual([])
})

test('the settings take and restore a backup, and change the port', async () => {
  const { page, go } = await program.open({ path: '/settings' })
  const file = `${program.home.folder}/shop.db`
  await page.getByRole('button', { name: 'Back up' }).click()
  await page.getByRole('dialog').getByLabel('File', { exact: true }).fill(file)
  await page.getByRole('dialog').getByLabel('Passphrase').fill('a passphrase of some length')
  await page.getByText('encrypted with the passphrase').waitFor()
  await page.getByRole('button', { name: 'Create backup' }).click()
  await page.getByText(`Backup created: ${file}`).waitFor()

  const rename = async (name: string) => {
    await page.getByLabel('Name', { exact: true }).fill(name)
    await page.keyboard.press('ControlOrMeta+s')
    await page.getByText('Saved', { exact: true }).waitFor()
  }
  await go('/flows')
  await page.getByRole('link', { name: 'Receive an order' }).click()
  await page.getByRole('tab', { name: 'Settings' }).click()
  await rename('Spoilt')

  await go('/settings')
  await page.getByRole('button', { name: 'Restore', exact: true }).click()
  const dialog = page.getByRole('dialog', { name: 'Restore backup' })
  await dialog.getByLabel('File').fill(`${program.home.folder}/none.db`)
  await dialog.getByRole('button', { name: 'Restore and restart' }).click()
  await dialog.getByText("none.db doesn't exist").waitFor()
  await dialog.getByLabel('File').fill(file)
  await dialog.getByLabel('Passphrase').fill('not the one of the backup')
  await page.keyboard.press('Enter')
  await dialog.getByText("The passphrase doesn't open").waitFor()
  await dialog.getByLabel('Passphrase').fill('a passphrase of some length')
  const loaded = page.waitForEvent('load')
  await page.keyboard.press('Enter')
  await loaded
  await page.locator('footer').getByText('live', { exact: true }).waitFor()
  await go('/flows')
  await page.getByRole('link', { name: 'Receive an order' }).waitFor()

  const port = await freePort()
  await go('/settings')
  await page.getByRole('textbox', { name: 'Port' }).fill(String(port))
  await page.getByRole('button', { name: `Switch to port ${port}` }).click()
  await page.waitForURL(`http://127.0.0.1:${port}/settings`)
  await page.locator('footer').getByText('live', { exact: true }).waitFor()
  await expect.poll(() => page.getByRole('textbox', { name: 'Port' }).inputValue()).toBe(String(port))

  await go('/runs')
  await page.keyboard.press('ControlOrMeta+k')
  await page.getByRole('combobox', { name: 'Search flows' }).fill('pages per list')
  await page.getByRole('option', { name: 'Max pages per list' }).waitFor()
  await page.keyboard.press('Enter')
  await page.locator('input:focus').and(page.getByLabel('Max pages per list')).waitFor()
})
