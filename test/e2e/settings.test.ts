import { expect, test } from 'vitest'
import { freePort } from '../helpers/free-port.ts'
import { useProgramInBrowser } from '../helpers/program-in-browser.ts'

const program = useProgramInBrowser()

test('a backup is taken and restored, and the port changed, from the settings', async () => {
  const { page, go } = await program.open({ path: '/settings' })
  const file = `${program.home.folder}/shop.db`
  await page.getByRole('button', { name: 'Back up' }).click()
  await page.getByRole('dialog').getByLabel('File').fill(file)
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
  expect(await page.getByRole('textbox', { name: 'Port' }).inputValue()).toBe(String(port))

  await go('/runs')
  await page.keyboard.press('ControlOrMeta+k')
  await page.getByRole('combobox', { name: 'Search flows' }).fill('pages of one list')
  await page.getByRole('option', { name: 'Pages of one list' }).waitFor()
  await page.keyboard.press('Enter')
  await page.locator('input:focus').and(page.getByLabel('Pages of one list')).waitFor()
})
