import { expect, test } from 'vitest'
import { freePort } from '../helpers/free-port.ts'
import { useProgramInBrowser } from '../helpers/program-in-browser.ts'

const program = useProgramInBrowser()

test('each setting is refused at its field or stored as entered, and the outer address stands beside the webhook', async () => {
  const { page, problems, go } = await program.open({ path: '/settings' })
  const enter = async (fields: Readonly<Record<string, string>>) => {
    for (const [label, value] of Object.entries(fields))
      await page.getByLabel(new RegExp(`^${label.replace(/[()]/g, '\\$&')}`)).fill(value)
    await page.keyboard.press('ControlOrMeta+s')
  }
  const wrong = { 'Runs at the same time': '101', 'Address shown to others': 'hooks.example.com' }
  await enter(wrong)
  await page.getByText('The settings were not saved').waitFor()
  for (const label of Object.keys(wrong))
    expect({ label, invalid: await page.getByLabel(label).getAttribute('aria-invalid') }).toEqual({
      label,
      invalid: 'true',
    })
  await page.getByText('must begin with http:// or https://').first().waitFor()

  await page.getByRole('switch', { name: 'Index the words of the history' }).click()
  await page.getByRole('switch', { name: 'Let requests through a proxy reach the whole API' }).click()
  await enter({
    Requests: '50',
    'Within seconds': '30',
    'Max webhook body (MB)': '0.5',
    'Runs at the same time': '3',
    'Pages of one list': '500',
    'Pages without records in a row': '7',
    'Milliseconds of one template': '400',
    'Folders for flows': '/srv/in\n\n/srv/out',
    'Max body of API calls (MB)': '2',
    'Max file size (MB)': '1,5',
    'Megabytes of history': '200',
    'Address shown to others': 'https://hooks.example.com',
  })
  await page.getByText('Saved the settings').waitFor()
  expect(await program.call('GET', '/v1/settings')).toMatchObject({
    webhook_rate_limit_requests: 50,
    webhook_rate_limit_seconds: 30,
    webhook_body_limit_bytes: 524_288,
    concurrent_runs: 3,
    pagination_max_pages: 500,
    pagination_max_empty_pages: 7,
    template_time_limit_ms: 400,
    file_folders: ['/srv/in', '/srv/out'],
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

test('a backup is taken and restored, and the port changed, from the settings', async () => {
  const { page, go } = await program.open({ path: '/settings' })
  const file = `${program.home.folder}/shop.db`
  await page.getByRole('button', { name: 'Back up' }).click()
  await page.getByRole('dialog').getByLabel('File', { exact: true }).fill(file)
  await page.getByRole('button', { name: 'Write backup' }).click()
  await page.getByText(`Wrote the backup to ${file}`).waitFor()

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
  const dialog = page.getByRole('dialog', { name: 'Restore a backup' })
  await dialog.getByLabel('File').fill(`${program.home.folder}/none.db`)
  await dialog.getByRole('button', { name: 'Restore and start again' }).click()
  await dialog.getByText('none.db is not there').waitFor()
  await dialog.getByLabel('File').fill(file)
  const loaded = page.waitForEvent('load')
  await page.keyboard.press('Enter')
  await loaded
  await page.locator('footer').getByText('live', { exact: true }).waitFor()
  await go('/flows')
  await page.getByRole('link', { name: 'Receive an order' }).waitFor()

  const port = await freePort()
  await go('/settings')
  await page.getByRole('textbox', { name: 'Port' }).fill(String(port))
  await page.getByRole('button', { name: `Go to port ${port}` }).click()
  await page.waitForURL(`http://127.0.0.1:${port}/settings`)
  await page.locator('footer').getByText('live', { exact: true }).waitFor()
  await expect.poll(() => page.getByRole('textbox', { name: 'Port' }).inputValue()).toBe(String(port))

  await go('/runs')
  await page.keyboard.press('ControlOrMeta+k')
  await page.getByRole('combobox', { name: 'Search flows' }).fill('pages of one list')
  await page.getByRole('option', { name: 'Pages of one list' }).waitFor()
  await page.keyboard.press('Enter')
  await page.locator('input:focus').and(page.getByLabel('Pages of one list')).waitFor()
})
