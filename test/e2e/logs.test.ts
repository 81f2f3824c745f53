import { appendFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { useProgramInBrowser } from '../helpers/program-in-browser.ts'

const program = useProgramInBrowser()

/** Writes lines as the program does, into its own file. */
function addLines(lines: readonly object[]): void {
  const folder = join(program.home.dataDir, 'logs')
  const [file = ''] = readdirSync(folder).filter((name) => name.startsWith('millrace.'))
  appendFileSync(join(folder, file), lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
}

const aLine = (level: number, n: number, more: object = {}) => ({
  level,
  time: new Date().toISOString(),
  ...more,
  msg: `Line ${n} of the log`,
})

test('the log is filtered, searched, followed and read to the end; a line shows its details', async () => {
  addLines(Array.from({ length: 1_000 }, (_, n) => aLine(30, n)))
  addLines([aLine(50, 1_000, { err: { message: 'the disk is full' } })])
  const { page, problems, go } = await program.open({ path: '/settings' })
  await page.getByRole('link', { name: 'Logs' }).click()
  const row = (text: string) => page.getByRole('row', { name: text })
  await row('Line 999 of the log').waitFor()
  const rendered = await page.getByRole('row').count()
  addLines([aLine(40, 1_001)])
  await row('Line 1001 of the log').waitFor()

  await page.getByRole('combobox', { name: 'Level' }).click()
  await page.getByRole('option', { name: 'Warnings and errors' }).click()
  await row('Line 999 of the log').waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Line 1000 of the log: the disk is full' }).click()
  await page.getByRole('region', { name: 'Line' }).getByText('"message": "the disk is full"').waitFor()

  await page.getByRole('combobox', { name: 'Level' }).click()
  await page.getByRole('option', { name: 'All levels' }).click()
  await page.getByLabel('Search the log').fill('line 17 OF')
  await row('Line 17 of the log').waitFor()
  await expect.poll(() => page.getByRole('row').count()).toBe(2)
  await page.getByLabel('Search the log').fill('Millrace started')
  await row('Millrace started').waitFor()
  expect({ rendered: rendered < 100, problems }).toEqual({ rendered: true, problems: [] })
  await page.getByText(join(program.home.dataDir, 'logs')).waitFor()
  await go('/settings')
})

test('calls of the API are shown with who made them, and filtered', async () => {
  const { token } = await program.call<{ token: string }>('POST', '/v1/personal-access-tokens', {
    expiration: null,
    scopes: ['connectors'],
    note: 'Nightly export',
  })
  const headers = { authorization: `Bearer ${token}` }
  await fetch(`${program.served.url}/v1/connectors`, { headers })
  await fetch(`${program.served.url}/v1/flows`, { headers })
  const { page, problems } = await program.open({ path: '/logs' })
  await page.getByRole('tab', { name: 'API calls' }).click()
  await page.getByRole('combobox', { name: 'Caller' }).click()
  await page.getByRole('option', { name: 'Access token' }).click()
  await page.getByRole('row', { name: /200 GET \/v1\/connectors Access token: Nightly export/ }).waitFor()
  await page.getByRole('switch', { name: 'Rejected and failed only' }).click()
  await page.getByRole('row', { name: /403 GET \/v1\/flows Access token: Nightly export/ }).waitFor()
  await expect.poll(() => page.getByRole('row', { name: /200 GET/ }).count()).toBe(0)
  await page.getByLabel('Search by method and path').fill('nothing like it')
  await page.getByText('No calls match').waitFor()
  expect(problems).toEqual([])
})
