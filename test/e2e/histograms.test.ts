/** The bars above Runs and Webhooks: dragged over, moved by keys, clicked. */
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { axeFindings } from '../helpers/axe.ts'
import { useProgramInBrowser } from '../helpers/program-in-browser.ts'
import { callServed } from '../helpers/served-api.ts'

const program = useProgramInBrowser()

const SIZES = [
  { width: 1920, height: 1080 },
  { width: 1280, height: 800 },
  { width: 640, height: 900 },
] as const

/** Two runs that succeed and one that fails, each started by a request. */
async function aHistory(): Promise<string> {
  const { id } = await program.call<{ id: string }>('POST', '/v1/flows', {
    name: 'Price an order',
    settings: { webhook_token_enabled: false },
    steps: [
      { ref_id: 'web1', type: 'webhook' },
      { ref_id: 'price', type: 'set', config: { values: { total: '{{ web1.price * 2 }}' } } },
    ],
  })
  for (const price of [4, {}, 7])
    await callServed(program.served, 'POST', `/v1/flow-webhook/${id}?from=shop`, {
      price,
      note: `${'long '.repeat(60)} the larch is here`,
    })
  return id
}

const searchOf = (page: Page) => new URL(page.url()).searchParams

test('a part of the bars above Runs is chosen by dragging or by keys, and a status by a click', async () => {
  const id = await aHistory()
  const { page, problems } = await program.open({ path: `/runs?flow=${id}` })
  const rows = page.getByRole('table', { name: 'Runs', exact: true }).locator('[data-row]')
  const bars = page.getByRole('slider', { name: 'Runs by time' })
  await rows.nth(2).waitFor()
  await page.getByRole('button', { name: 'Failed 1' }).click()
  await expect.poll(() => searchOf(page).get('status')).toBe('error')
  await expect.poll(() => rows.count()).toBe(1)
  // The counts stay, so that the next click can choose another series.
  await page.getByRole('button', { name: 'Worked 2' }).click()
  await expect.poll(() => rows.count()).toBe(2)
  await page.getByRole('button', { name: 'Worked 2', pressed: true }).click()
  await expect.poll(() => rows.count()).toBe(3)

  // Selects a whole bar at the right; seven days have 168 bars.
  const box = await bars.boundingBox()
  const [x, y] = [(box?.x ?? 0) + (box?.width ?? 0), (box?.y ?? 0) + 10]
  await page.mouse.move(x - 200, y)
  await page.mouse.down()
  await page.mouse.move(x - 100, y)
  await page.mouse.move(x - 40, y)
  await page.mouse.up()
  await expect.poll(() => searchOf(page).has('from') && searchOf(page).has('until')).toBe(true)
  await page.getByText('No runs match').waitFor()
  await page.getByRole('button', { name: /^\w+,? \d+ \w+, \d+:00/ }).click()
  await expect.poll(() => searchOf(page).has('from')).toBe(false)
  await expect.poll(() => rows.count()).toBe(3)

  await bars.focus()
  await page.keyboard.press('End')
  await page.keyboard.press('Shift+ArrowLeft')
  await expect.poll(() => bars.getAttribute('aria-valuetext')).toMatch(/Worked 2, Failed 1$/)
  await page.keyboard.press('Enter')
  await expect
    .poll(() => Date.parse(searchOf(page).get('until') ?? '') - Date.parse(searchOf(page).get('from') ?? ''))
    .toBe(7_200_000)
  await expect.poll(() => rows.count()).toBe(3)
  // For two hours there is one bar per minute.
  await expect.poll(() => bars.getAttribute('aria-valuemax')).toBe('119')
  for (const size of SIZES) {
    await page.setViewportSize(size)
    expect({ size, findings: await axeFindings(page) }).toEqual({ size, findings: [] })
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true)
  }
  expect(problems).toEqual([])
})

test('a webhook has its method, path, type and true size, and the searched word is marked where it is', async () => {
  const id = await aHistory()
  const refused = await fetch(`${program.served.url}/v1/flow-webhook/${id}`, {
    method: 'POST',
    headers: { 'content-type': 'text/plain' },
    body: 'x'.repeat(7 * 1_048_576),
  }).then(
    ({ status }) => status,
    () => 413, // It was refused before all of it was sent.
  )
  expect(refused).toBe(413)
  const { page, problems, go } = await program.open({ path: `/webhooks?flow=${id}`, size: SIZES[0] })
  const rows = page.getByRole('table', { name: 'Webhook requests', exact: true }).locator('[data-row]')
  await expect.poll(() => rows.count()).toBe(4)
  const large = rows.first()
  await large.getByText('413', { exact: true }).waitFor()
  await large.getByText('7 MB', { exact: true }).waitFor()
  await large.getByText('Text', { exact: true }).waitFor()
  const order = rows.nth(1)
  await order.getByText('POST', { exact: true }).waitFor()
  await order.getByText(`${id.slice(0, 8)}…?from=shop`, { exact: true }).waitFor()
  await order.getByText('JSON', { exact: true }).waitFor()

  await page.getByRole('button', { name: 'Rejected (4xx) 1' }).click()
  await expect.poll(() => rows.count()).toBe(1)
  await page.getByRole('button', { name: 'Rejected (4xx) 1', pressed: true }).click()
  await page.getByRole('textbox', { name: 'Search paths and bodies' }).fill('larch')
  await expect.poll(() => rows.count()).toBe(3)
  const mark = rows.first().locator('mark')
  await expect.poll(() => mark.innerText()).toBe('larch')
  const [cell, marked] = await Promise.all([
    mark.locator('xpath=ancestor::*[@role="cell"]').boundingBox(),
    mark.boundingBox(),
  ])
  expect((marked?.x ?? 0) + (marked?.width ?? 0)).toBeLessThan((cell?.x ?? 0) + (cell?.width ?? 0))
  for (const size of SIZES) {
    await page.setViewportSize(size)
    expect({ size, findings: await axeFindings(page) }).toEqual({ size, findings: [] })
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true)
  }

  const height = async () => (await rows.first().boundingBox())?.height
  await expect.poll(height).toBe(36)
  await page.getByRole('button', { name: 'Compact rows' }).click()
  await expect.poll(height).toBe(28)
  await page.reload()
  await expect.poll(height).toBe(28)
  await go('/runs')
  await expect
    .poll(
      async () =>
        (
          await page
            .getByRole('table', { name: 'Runs', exact: true })
            .locator('[data-row]')
            .first()
            .boundingBox()
        )?.height,
    )
    .toBe(28)
  expect(problems).toEqual([])
})
