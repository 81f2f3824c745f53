import { expect, test } from 'vitest'
import { keyboardOf } from '../helpers/keyboard.ts'
import { useProgramInBrowser } from '../helpers/program-in-browser.ts'

const program = useProgramInBrowser()

test('without a mouse: a flow is opened, its steps moved, one added and saved, and the shortcuts read', async () => {
  const { page, problems } = await program.open()
  const { chord, press, tabTo, focused } = keyboardOf(page)

  await chord('g', 'f')
  await page.getByRole('row').filter({ hasText: 'Receive an order' }).waitFor()
  await press('j', 'Enter')
  await page.getByRole('heading', { name: 'Receive an order' }).waitFor()

  await tabTo(/^1 web1/)
  await press('ArrowDown', 'ArrowDown', 'ArrowDown')
  await expect.poll(focused).toMatch(/^4 known/)
  await press('Alt+ArrowUp')
  await expect.poll(focused).toMatch(/^3 known/)
  await press('ControlOrMeta+z')
  await page.getByRole('button', { name: /^4 known/ }).waitFor()

  await tabTo(/^Add step/)
  await press('Enter')
  await page.getByRole('option', { name: 'Delay' }).waitFor()
  await page.keyboard.type('Del')
  await page.getByRole('option', { name: 'Delay' }).and(page.locator('[data-highlighted]')).waitFor()
  await press('Enter')
  await page.getByRole('heading', { name: 'Delay' }).waitFor()
  await press('ControlOrMeta+s')
  await page.getByText('Saved', { exact: true }).waitFor()

  await page.keyboard.press('Escape')
  await press('?')
  await page.getByRole('region', { name: 'Shortcuts' }).getByText('Save flow').waitFor()
  await press('Escape')
  await chord('g', 't')
  await page.getByRole('heading', { name: 'Access tokens', exact: true }).waitFor()
  await press('n')
  await page.getByRole('dialog', { name: 'Create access token' }).waitFor()
  await expect.poll(focused).toBe('Note')
  expect(problems).toEqual([])
})

test('single keys type text in a field, and single-key shortcuts can be switched off', async () => {
  const { page } = await program.open({ path: '/flows' })
  await page.getByLabel('Search flows').fill('')
  await page.getByLabel('Search flows').press('g')
  await page.getByLabel('Search flows').press('t')
  expect(await page.getByLabel('Search flows').inputValue()).toBe('gt')

  await page.getByRole('link', { name: 'Settings' }).click()
  await page.getByRole('switch', { name: /^Single-key shortcuts/ }).click()
  await page.locator('main').focus()
  await page.keyboard.press('g')
  await page.keyboard.press('f')
  expect(new URL(page.url()).pathname).toBe('/settings')
})

test('the first Tab offers a link past the navigation to the content', async () => {
  const { page } = await program.open({ path: '/settings' })
  const { focused } = keyboardOf(page)
  await page.getByRole('heading', { name: 'Appearance' }).waitFor()
  await page.keyboard.press('Tab')
  await expect.poll(focused).toBe('Skip to content')
  await page.keyboard.press('Enter')
  await page.locator('main:focus').waitFor()
  await page.keyboard.press('Tab')
  await expect.poll(() => page.evaluate(() => document.activeElement?.closest('main') !== null)).toBe(true)
})

test('the sidebar leads to ten screens in groups, and Connectors and Settings to the ones inside them', async () => {
  const { page, problems } = await program.open()
  const sidebar = page.getByRole('navigation', { name: 'Pages' })
  const names = (links: ReturnType<typeof page.getByRole>) =>
    links.evaluateAll((all) => all.map((link) => link.textContent))
  await sidebar.getByRole('link', { name: 'Flows' }).waitFor()
  expect(await names(sidebar.getByRole('link'))).toEqual([
    'Home',
    'Flows',
    'Runs',
    'Webhooks',
    'Logs',
    'Connectors',
    'Tables',
    'Variables',
    'Files',
    'Access tokens',
    'Settings',
  ])

  for (const name of ['Tables', 'Files', 'Logs']) {
    await sidebar.getByRole('link', { name }).click()
    await page.getByRole('heading', { name, level: 1 }).waitFor()
    await expect
      .poll(() => sidebar.getByRole('link', { name }).getAttribute('class'))
      .toContain('bg-selected')
  }

  await sidebar.getByRole('link', { name: 'Connectors' }).click()
  const tabs = page.getByRole('navigation', { name: 'Connectors, auths and tester' })
  for (const name of ['Pagination tester', 'Connector auths', 'Connectors']) {
    await tabs.getByRole('link', { name, exact: true }).click()
    await page.getByRole('heading', { name, level: 1, exact: true }).waitFor()
    await expect
      .poll(() => sidebar.getByRole('link', { name: 'Connectors' }).getAttribute('class'))
      .toContain('bg-selected')
  }

  await sidebar.getByRole('link', { name: 'Settings' }).click()
  const inside = page.getByRole('navigation', { name: 'Settings', exact: true })
  await inside.getByRole('link', { name: 'General' }).waitFor()
  for (const name of ['Plug-ins', 'Users and teams', 'API reference', 'Diagnostics']) {
    await inside.getByRole('link', { name }).click()
    await page.getByRole('heading', { name, level: 1 }).waitFor()
    await expect
      .poll(async () => ({
        current: await names(inside.locator('[aria-current=page]')),
        marked: await sidebar.getByRole('link', { name: 'Settings' }).getAttribute('class'),
      }))
      .toEqual({ current: [name], marked: expect.stringContaining('bg-selected') })
  }
  expect(problems).toEqual([])
})
