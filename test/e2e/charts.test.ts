/** Charts as they are read: with the pointer, with arrow keys, and as a table. */
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import type { Flow } from '../../src/shared/contract/flows.ts'
import { axeFindings } from '../helpers/axe.ts'
import { type Filled, fillProgram } from '../helpers/fill-program.ts'
import { openPage } from '../helpers/open-page.ts'
import { createHome } from '../helpers/program.ts'
import { useProgramInBrowser } from '../helpers/program-in-browser.ts'
import { temporaryFolder } from '../helpers/temporary-folder.ts'

const program = useProgramInBrowser()
let filled: Filled
beforeAll(async () => {
  filled = await fillProgram(program.served)
})

test('the values of a chart are read with arrow keys, with the pointer, and as a table, in both themes', async () => {
  const { page, problems } = await program.open()
  const chart = page.getByRole('slider', { name: 'Runs an hour' })
  await chart.focus()
  await page.keyboard.press('End')
  await expect
    .poll(() => chart.getAttribute('aria-valuetext'))
    .toMatch(/^\w+,? \d+ \w+, \d+:00.+, Worked 2, Failed 1$/)
  await page.keyboard.press('Home')
  await expect.poll(() => chart.getAttribute('aria-valuenow')).toBe('0')
  expect(await chart.getAttribute('aria-valuetext')).toMatch(/Worked 0, Failed 0$/)

  // Each series is one shape, with failures on top of successes.
  const tops = await page
    .locator('[data-series]')
    .evaluateAll((shapes) => shapes.map((shape) => Math.round(shape.getBoundingClientRect().top)))
  expect(tops).toHaveLength(2)
  expect(tops[1]).toBeLessThan(tops[0] ?? 0)
  const box = await chart.boundingBox()
  await page.mouse.move((box?.x ?? 0) + (box?.width ?? 0) - 1, (box?.y ?? 0) + 50)
  await expect.poll(() => chart.innerText()).toMatch(/Worked\s+2\s+Failed\s+1/)
  expect(await axeFindings(page)).toEqual([])

  await page.getByRole('button', { name: 'Show as table' }).click()
  const table = page.getByRole('table', { name: 'Runs an hour' })
  await expect.poll(() => table.getByRole('row').count()).toBe(2)
  await expect.poll(() => table.getByRole('cell').allTextContents()).toEqual(['2', '1'])
  expect(await axeFindings(page)).toEqual([])
  expect(problems).toEqual([])
})

test('a flow shows how often it ran, for how long, and what its webhook got, over a day, a week and a month', async () => {
  const { page, problems } = await program.open({ path: `/flows/${filled.flowId}?view=activity` })
  const chart = page.getByRole('slider', { name: 'Runs an hour' })
  await chart.focus()
  await page.keyboard.press('End')
  await expect.poll(() => chart.getAttribute('aria-valuetext')).toMatch(/Worked \d+, Failed \d+$/)
  const durations = page.getByRole('slider', { name: 'Duration of runs' })
  await durations.focus()
  await page.keyboard.press('End')
  await expect
    .poll(() => durations.getAttribute('aria-valuetext'))
    .toMatch(/Half took at most .*, 95% took at most /)
  await page.getByRole('slider', { name: 'Webhook requests an hour' }).waitFor()
  await page.getByText(/^\d+ runs · .*% worked$/).waitFor()
  await page.getByRole('slider', { name: 'Calls an hour' }).waitFor()
  await page.getByText('Within the rate limits').waitFor()
  expect(await axeFindings(page)).toEqual([])
  await page.getByRole('tab', { name: '30 days' }).click()
  await page.getByRole('slider', { name: 'Runs a day' }).waitFor()
  await page.getByRole('tab', { name: '24 hours' }).click()
  await chart.waitFor()
  await page
    .getByRole('button', { name: /^Worked/ })
    .first()
    .click()
  await page.waitForURL(/\/runs\?.*status=success/)
  expect(problems).toEqual([])
})

test('a sync shows how many records were new, changed and unchanged', async () => {
  const folder = temporaryFolder()
  await program.call('PUT', '/v1/settings', { file_folders: [folder] })
  const { id } = await program.call<Flow>('POST', '/v1/flows', {
    name: 'Sync',
    steps: [
      {
        ref_id: 'synced',
        type: 'write_records',
        config: {
          records: [{ id: 1 }, { id: 2 }],
          target: 'sqlite',
          path: 'shop.db',
          table: 'items',
          mode: 'merge',
          key: ['id'],
        },
      },
    ],
  })
  const { page, problems } = await program.open({ path: `/flows/${id}?view=activity` })
  for (let time = 0; time < 2; time++) await program.call('POST', `/v1/flows/${id}/run?wait=true`, {})
  const chart = page.getByRole('slider', { name: 'Merged records an hour' })
  await chart.focus()
  await page.keyboard.press('End')
  await expect.poll(() => chart.getAttribute('aria-valuetext')).toMatch(/Unchanged 2, Changed 0, New 2$/)
  expect(await axeFindings(page)).toEqual([])
  expect(problems).toEqual([])
})

test('the settings show what takes the space of the data folder', async () => {
  const { page, problems } = await program.open({ path: '/settings' })
  const database = page.locator('[data-part=main]')
  await database.waitFor()
  expect((await database.boundingBox())?.width).toBeGreaterThan(0)
  expect(await axeFindings(page)).toEqual([])
  expect(problems).toEqual([])
})

test('the settings show how large the data folder was, and say so if nothing was measured', async () => {
  const { page, problems } = await program.open({ path: '/settings' })
  await page.getByText('Nothing has been measured yet.').waitFor()
  expect(problems).toEqual([])

  const home = createHome()
  onTestFinished(() => home.remove())
  const first = await home.serve()
  first.process.kill()
  await first.ended
  const db = new Database(join(home.dataDir, 'millrace.db'))
  const insert = db.prepare(
    "INSERT INTO figures (size, of, flow_key, at, status, count) VALUES (86400000, 'disk', 0, ?, ?, ?)",
  )
  const today = Math.floor(Date.now() / DAY_MS) * DAY_MS
  for (let day = 20; day >= 0; day--) {
    const sizes = { database: 3e7 - day * 1e6, tables: 2e6, files: 5e6, backups: 4e6 }
    for (const [name, bytes] of Object.entries(sizes)) insert.run(today - day * DAY_MS, name, bytes)
  }
  db.close()
  const measured = await openPage(program.browser, await home.serve(), { path: '/settings' })
  onTestFinished(() => measured.page.context().close())
  const chart = measured.page.getByRole('slider', { name: 'Size in the last 30 days' })
  await chart.focus()
  await measured.page.keyboard.press('End')
  await expect
    .poll(() => chart.getAttribute('aria-valuetext'))
    .toMatch(/Database 29 MB, Tables in it 1\.9 MB, Files 4\.8 MB, Backups 3\.8 MB$/)
  expect(await axeFindings(measured.page)).toEqual([])
  await measured.page.getByRole('button', { name: 'Show as table' }).click()
  await measured.page.getByRole('table', { name: 'Size in the last 30 days' }).waitFor()
  expect(measured.problems).toEqual([])
})

const DAY_MS = 86_400_000
