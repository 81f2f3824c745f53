/**
 * Keys are pressed faster than the machine renders. What opens must receive them immediately, not in the next frame.
 */
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import type { Connector } from '../../src/shared/contract/connectors.ts'
import type { Flow } from '../../src/shared/contract/flows.ts'
import { keyboardOf } from '../helpers/keyboard.ts'
import { useProgramInBrowser } from '../helpers/program-in-browser.ts'

const program = useProgramInBrowser()

/** From here on no frame arrives, as on a machine that is busy for a long time. */
const holdFrames = (page: Page) => page.evaluate(() => void (globalThis.requestAnimationFrame = () => 0))

test('keys pressed before a list is drawn choose in it', async () => {
  const connector = await program.call<Connector>('POST', '/v1/connectors', {
    name: 'Of many types',
    base_domain: program.served.url,
  })
  const { page, problems } = await program.open({ path: `/auths/new?connector=${connector.id}` })
  const type = page.getByRole('dialog').getByLabel('Type', { exact: true })
  await type.focus()
  await holdFrames(page)
  const before = await type.textContent()
  for (const key of ['Enter', 'ArrowDown', 'Enter']) await page.keyboard.press(key)
  await expect.poll(() => type.textContent()).not.toBe(before)
  for (const key of ['Space', 'ArrowUp', 'Enter']) await page.keyboard.press(key)
  await expect.poll(() => type.textContent()).toBe(before)
  expect(await type.evaluate((button) => button === document.activeElement)).toBe(true)
  expect(problems).toEqual([])
})

test('keys pressed before a menu is drawn run its command', async () => {
  const { page, problems } = await program.open()
  await page.getByRole('button', { name: 'Theme' }).focus()
  await holdFrames(page)
  for (const key of ['Enter', 'ArrowDown', 'Enter']) await page.keyboard.press(key)
  await expect.poll(() => page.evaluate(() => document.documentElement.dataset['theme'])).toBe('light')
  expect(problems).toEqual([])
})

test('what is typed while a dialog opens is in its first field', async () => {
  const { page, problems } = await program.open({ path: '/tokens' })
  await page.getByRole('heading', { name: 'Access tokens', exact: true }).waitFor()
  await holdFrames(page)
  await page.keyboard.press('n')
  await page.keyboard.type('Till')
  await expect.poll(() => page.getByRole('dialog').getByLabel('Note').inputValue()).toBe('Till')
  await page.keyboard.press('Escape')
  await page
    .getByRole('alertdialog', { name: 'Leave without saving your changes?' })
    .getByRole('button', { name: 'Leave' })
    .click()
  await keyboardOf(page).chord('g', 'f')
  await page.getByRole('heading', { name: 'Flows', exact: true }).waitFor()
  expect(problems).toEqual([])
})

test('what is typed after the search key reaches a screen, a command and its dialog', async () => {
  const { page, problems } = await program.open()
  await page.keyboard.press('ControlOrMeta+k')
  await page.getByRole('combobox', { name: 'Search flows' }).waitFor()
  await page.keyboard.press('Escape')
  await holdFrames(page)
  await page.keyboard.press('ControlOrMeta+k')
  await page.keyboard.type('pagi')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Pagination tester' }).waitFor()
  await page.keyboard.press('ControlOrMeta+k')
  await page.keyboard.type('keyboard sho')
  await page.keyboard.press('Enter')
  await page.getByRole('region', { name: 'Shortcuts' }).getByText('Search and commands').waitFor()
  await page.keyboard.press('Escape')
  await keyboardOf(page).chord('g', 't')
  await page.getByRole('heading', { name: 'Access tokens', exact: true }).waitFor()
  expect(problems).toEqual([])
})

test('what is typed while the search is loading is searched for', async () => {
  const { page, problems } = await program.open()
  const asked = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  await page.route(/\/palette-[^/]+\.js$/, async (route) => {
    asked.resolve()
    await released.promise
    await route.continue()
  })
  await page.reload()
  await page.locator('footer').getByText('live', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Theme' }).focus()
  await page.keyboard.press('ControlOrMeta+k')
  await page.keyboard.type('gr')
  await asked.promise
  released.resolve()
  const field = page.getByRole('combobox', { name: 'Search flows' })
  await expect.poll(() => field.inputValue()).toBe('gr')
  await page.keyboard.type('een')
  await expect.poll(() => field.inputValue()).toBe('green')
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Theme' }).and(page.locator(':focus')).waitFor()
  expect(problems).toEqual([])
})

test('what is typed while the list of step types opens adds a step', async () => {
  const flow = await program.call<Flow>('POST', '/v1/flows', { name: 'In a hurry' })
  const { page, problems } = await program.open({ path: `/flows/${flow.id}` })
  await page.getByRole('button', { name: 'Add step' }).first().focus()
  await holdFrames(page)
  await page.keyboard.press('Enter')
  await page.keyboard.type('Delay')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Delay' }).waitFor()
  expect(problems).toEqual([])
})

test('what is typed in a template while its editor is loading stays, and typing continues at the cursor', async () => {
  const flow = await program.call<Flow>('POST', '/v1/flows', {
    name: 'Typed ahead',
    steps: [{ ref_id: 'call', type: 'rest', config: { method: 'GET', url: '' } }],
  })
  const { page, problems } = await program.open()
  const released = Promise.withResolvers<void>()
  await page.route(/\/code-editors-[^/]+\.js$/, async (route) => {
    await released.promise
    await route.continue()
  })
  await page.goto(`${program.served.url}/flows/${flow.id}?step=call`)
  const plain = page.locator('textarea').and(page.getByLabel('URL', { exact: true }))
  await plain.focus()
  // A busy machine reports the selection after the text.
  await page.evaluate(() => {
    for (const type of ['selectionchange', 'select', 'keyup', 'mouseup'])
      window.addEventListener(type, (event) => event.stopImmediatePropagation(), true)
  })
  await page.keyboard.type('{{ playground_url }}/con')
  released.resolve()
  await page.locator('.cm-content:focus').waitFor()
  await page.keyboard.type('tacts')
  await expect
    .poll(() => page.locator('.cm-content:focus').textContent())
    .toBe('{{ playground_url }}/contacts')
  expect(problems).toEqual([])
})

test('a form is sent once, however often Enter or its button is pressed, and a double-click leaves its dialog open', async () => {
  const { page, problems } = await program.open({ path: '/flows' })
  const held = Promise.withResolvers<void>()
  // The first request is still under way when the second key press or click happens.
  await page.route('**/v1/{flows,connectors}', async (route) => {
    if (route.request().method() === 'POST') await held.promise
    await route.continue()
  })
  const sent: string[] = []
  page.on('request', (request) => {
    if (request.method() === 'POST') sent.push(new URL(request.url()).pathname)
  })
  const dialog = page.getByRole('dialog')
  await page.getByRole('button', { name: 'New flow' }).first().dblclick()
  await dialog.getByLabel('Name').fill('Once')
  for (const key of ['Enter', 'Enter', 'Enter']) await page.keyboard.press(key)
  for (let time = 0; time < 2; time += 1)
    await dialog.getByRole('button', { name: 'Create flow' }).dispatchEvent('click')
  held.resolve()
  await page.waitForURL(/\/flows\/[0-9a-f-]{36}/)
  await page.goto(`${program.served.url}/connectors?create=true`)
  await dialog.getByLabel('Name').fill('Once')
  await dialog.getByLabel('URL', { exact: true }).fill(program.served.url)
  await dialog.getByRole('button', { name: 'Create connector' }).dblclick()
  await page.waitForURL(/\/connectors\/[0-9a-f-]{36}/)
  expect(sent.filter((path) => /^\/v1\/(flows|connectors)$/.test(path))).toEqual([
    '/v1/flows',
    '/v1/connectors',
  ])
  expect(problems).toEqual([])
})
