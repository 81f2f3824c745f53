import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { launchChromium } from '../../scripts/lib/chromium.ts'
import { openPage } from '../helpers/open-page.ts'
import { createHome } from '../helpers/program.ts'
import type { Served } from '../helpers/program.ts'

const home = createHome()
let served: Served
let browser: Browser
beforeAll(async () => {
  ;[served, browser] = await Promise.all([home.serve(), launchChromium()])
})
afterAll(async () => {
  await browser?.close()
  await home.remove()
})

test('without a mouse: to the flow, its steps moved, one added, saved, and the shortcuts read', async () => {
  const { page, problems } = await openPage(browser, served)
  const press = (...keys: string[]) =>
    keys.reduce(async (before, key) => (await before, page.keyboard.press(key)), Promise.resolve())

  await press('g', 'f')
  await page.getByRole('row').filter({ hasText: 'Receive an order' }).waitFor()
  await press('j', 'Enter')
  await page.getByRole('heading', { name: 'Receive an order' }).waitFor()

  await tabTo(page, /^1 web1/)
  await press('ArrowDown', 'ArrowDown', 'ArrowDown')
  expect(await focused(page)).toMatch(/^4 known/)
  await press('Alt+ArrowUp')
  expect(await focused(page)).toMatch(/^3 known/)
  await press('ControlOrMeta+z')
  await page.getByRole('button', { name: /^4 known/ }).waitFor()

  await tabTo(page, /^Add step/)
  await press('Enter')
  await page.getByRole('option', { name: 'Delay' }).waitFor()
  await page.keyboard.type('Del')
  await press('Enter')
  await page.getByRole('heading', { name: 'Delay' }).waitFor()
  await press('ControlOrMeta+s')
  await page.getByText('Saved', { exact: true }).waitFor()

  await page.keyboard.press('Escape')
  await press('?')
  await page.getByRole('dialog', { name: 'Shortcuts' }).getByText('Save the flow').waitFor()
  await press('Escape', 'g', 't')
  await page.getByRole('heading', { name: 'Tokens', exact: true }).waitFor()
  await press('n')
  await page.getByRole('dialog', { name: 'Create a token' }).waitFor()
  expect(await focused(page)).toBe('Note')
  expect(problems).toEqual([])
})

test('single keys type in a field, and can be switched off', async () => {
  const { page } = await openPage(browser, served, { path: '/flows' })
  await page.getByLabel('Search flows').fill('')
  await page.getByLabel('Search flows').press('g')
  await page.getByLabel('Search flows').press('t')
  expect(await page.getByLabel('Search flows').inputValue()).toBe('gt')

  await page.getByRole('link', { name: 'Settings' }).click()
  await page.getByRole('switch', { name: /^Shortcuts of single keys/ }).click()
  await page.locator('main').focus()
  await page.keyboard.press('g')
  await page.keyboard.press('f')
  expect(new URL(page.url()).pathname).toBe('/settings')
})

test('the first Tab leads past the navigation to the content', async () => {
  const { page } = await openPage(browser, served, { path: '/settings' })
  await page.getByText('Looks and keys').waitFor()
  await page.keyboard.press('Tab')
  expect(await focused(page)).toBe('Skip to the content')
  await page.keyboard.press('Enter')
  await page.keyboard.press('Tab')
  expect(await page.evaluate(() => document.activeElement?.closest('main') !== null)).toBe(true)
})

/** The name of what has the focus, as a screen reader says it. */
async function focused(page: Page): Promise<string> {
  return await page.evaluate(() => {
    const element = document.activeElement as HTMLInputElement | null
    return (
      element?.getAttribute('aria-label') ?? element?.labels?.[0]?.textContent ?? element?.textContent ?? ''
    )
  })
}

/** Presses Tab until something of this name has the focus, which must be seen. */
async function tabTo(page: Page, name: RegExp): Promise<void> {
  let presses = 0
  while (!name.test(await focused(page)) && presses < 80) {
    await page.keyboard.press('Tab')
    presses += 1
  }
  const outline = await page.evaluate(() => getComputedStyle(document.activeElement as Element).outlineStyle)
  expect([await focused(page), outline]).toEqual([expect.stringMatching(name), 'solid'])
}
