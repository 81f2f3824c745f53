import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { useProgramInBrowser } from '../helpers/program-in-browser.ts'

const program = useProgramInBrowser()

test('a table is created, filled from a file, and edited and filtered with the keyboard', async () => {
  const { page, go } = await program.open({ size: { width: 1280, height: 800 } })
  await go('/data-tables')
  await page.getByRole('button', { name: 'New table' }).first().click()
  await page.getByRole('dialog').getByLabel('Name').fill('customers')
  await page.keyboard.press('Enter')
  await page.getByText('No columns yet').waitFor()

  const lines = Array.from({ length: 450 }, (_, n) => `${n}@example.com,${n}`)
  await page.getByLabel('File to import').setInputFiles({
    name: 'customers.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from(`email,orders\n${lines.join('\n')}\n`),
  })
  await page.getByRole('dialog').getByRole('button', { name: 'Import', exact: true }).click()
  await page.getByText('450 rows', { exact: true }).waitFor()
  // The newest rows come first, and only those in view are rendered.
  const cell = (text: string) => page.getByRole('gridcell', { name: text, exact: true })
  await cell('449@example.com').click()
  expect(await page.getByRole('row').count()).toBeLessThan(80)
  await page.keyboard.press('Control+End')
  await page.waitForFunction(
    () => document.activeElement?.getAttribute('data-cell')?.startsWith('199:') === true,
  )
  await page.keyboard.press('Control+Home')
  await page.waitForFunction(() => document.activeElement?.getAttribute('data-cell') === '0:0')

  await page.keyboard.press('ArrowRight')
  await page.waitForFunction(() => document.activeElement?.getAttribute('data-cell') === '0:1')
  await page.keyboard.type('7.5')
  await page.keyboard.press('Enter')
  await cell('7.5').waitFor()
  await page.waitForFunction(() => document.activeElement?.getAttribute('data-cell') === '1:1')
  await page.keyboard.type('many')
  await page.keyboard.press('Enter')
  await page.getByText('the column takes numbers').waitFor()

  await page.getByLabel('Filter rows').fill('449@')
  await page.getByText('1 row', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Export' }).click()
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('menuitem', { name: 'CSV' }).click(),
  ])
  const text = await readFile(await download.path(), 'utf8')
  expect({ first: text.split('\r\n')[0], last: text.trimEnd().split('\r\n').at(-1) }).toEqual({
    first: 'email,orders',
    last: '449@example.com,7.5',
  })
})
