import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { useProgramInBrowser } from '../helpers/program-in-browser.ts'

const ASSETS = join(import.meta.dirname, '../../out/renderer/assets')

const SCREENS_WITHOUT_EDITOR = [
  '/',
  '/flows',
  '/runs',
  '/webhooks',
  '/connectors',
  '/auths',
  '/tokens',
  '/settings',
  '/plugins',
  '/reference',
]

const program = useProgramInBrowser()

test('every screen without a code editor loads at most 330 kB of compressed scripts', async () => {
  const { page } = await program.open()
  const built = new Set(readdirSync(ASSETS))
  const requested = new Set<string>()
  page.on('request', (request) => requested.add(request.url()))
  for (const path of SCREENS_WITHOUT_EDITOR) {
    requested.clear()
    await page.goto(`${program.served.url}${path}`)
    await page.getByRole('heading', { level: 1 }).waitFor()
    await page.locator('footer').getByText('live', { exact: true }).waitFor()
    const files = [...requested]
      .map((url) => url.slice(url.lastIndexOf('/') + 1))
      .filter((name) => name.endsWith('.js') && built.has(name))
    const bytes = files.reduce((sum, name) => sum + gzipSync(readFileSync(join(ASSETS, name))).length, 0)
    expect(files.filter((name) => name.startsWith('code-editor'))).toEqual([])
    expect({ path, scripts: files.length > 2, fits: bytes < 330_000 }).toEqual({
      path,
      scripts: true,
      fits: true,
    })
  }
})

test("the code editor loads when the first one opens, within the page's content security policy", async () => {
  const { page, problems, go } = await program.open()
  const requested: string[] = []
  page.on('request', (request) => requested.push(request.url()))
  await go('/flows')
  await page.getByRole('link', { name: 'Receive an order' }).waitFor()
  expect(requested.filter((url) => url.includes('code-editor'))).toEqual([])
  await page.getByRole('link', { name: 'Receive an order' }).click()
  await page.locator('.cm-content').first().waitFor()
  // The styles came with the nonce of this load; without them the text would use another font.
  const font = await page
    .locator('.cm-scroller')
    .first()
    .evaluate((element) => getComputedStyle(element).fontFamily)
  expect(font).toContain('JetBrains Mono')
  expect(problems).toEqual([])
})

test('a chosen theme applies to every window and the next start, from the first paint', async () => {
  const { page } = await program.open({ theme: 'light' })
  await page.getByRole('button', { name: /^Theme/ }).click()
  await page.getByRole('menuitem', { name: 'Dark' }).click()
  const other = await program.open({ theme: 'light' })
  await other.page.waitForFunction(() => document.documentElement.dataset.theme === 'dark')
  // The script that runs before the first paint sets it; no module of the page has run by then.
  await page.route('**/assets/*.js', (request) => request.abort())
  await page.reload({ waitUntil: 'commit' })
  await page.waitForFunction(() => document.documentElement.dataset.theme === 'dark')
  expect(await page.getByRole('heading', { level: 1 }).count()).toBe(0)
})

test('text is drawn in the fonts of the page', async () => {
  const { page } = await program.open()
  const heading = await page.getByRole('heading', { level: 1 }).boundingBox()
  const loadedFonts = () =>
    page.evaluate(() => {
      const loaded = [...document.fonts].filter((font) => font.status === 'loaded')
      return [...new Set(loaded.map((font) => font.family))].sort()
    })
  expect(heading?.width).toBeGreaterThan(0)
  await expect.poll(loadedFonts).toEqual(['Inter Variable', 'JetBrains Mono Variable'])
})

test("the frame is drawn before any script has loaded, and doesn't move when the scripts take over", async () => {
  const looks = [
    { path: '/runs', sidebar: 'wide', width: 1280, locale: 'en-GB', current: 'Runs' },
    { path: '/flows/none', sidebar: 'wide', width: 1280, locale: 'de-DE', current: 'Flows' },
    { path: '/', sidebar: 'narrow', width: 1280, locale: 'en-GB', current: '' },
    { path: '/settings', sidebar: 'wide', width: 800, locale: 'de-DE', current: '' },
  ]
  for (const { path, sidebar, width, locale, current } of looks) {
    const context = await program.browser.newContext({ viewport: { width, height: 800 }, locale })
    const page = await context.newPage()
    await page.addInitScript((kept) => localStorage.setItem('millrace.sidebar', kept), sidebar)
    await page.route('**/assets/*.js', (request) => request.abort())
    await page.goto(`${program.served.url}${path}#session=${program.served.bearer}`)
    await page.evaluate(() => document.fonts.ready)
    const frame = await measureNavigation(page)
    expect(frame.current).toEqual([current])
    await page.unroute('**/assets/*.js')
    await page.reload()
    await page.locator('main h1').waitFor()
    await page.evaluate(() => document.fonts.ready)
    expect(await measureNavigation(page)).toEqual(frame)
    await context.close()
  }
})

/** The position and text of each navigation link, and the current one. */
function measureNavigation(page: Page) {
  return page.evaluate(() => {
    const boxOf = (element: Element | null) => {
      const { x, y, width, height } = element?.getBoundingClientRect() ?? new DOMRect()
      return [x, y, width, height].map(Math.round)
    }
    const links = [...document.querySelectorAll<HTMLElement>('#root nav:not(main nav) a[href]')].filter(
      (link) => link.querySelector('svg') !== null,
    )
    const ground = links.map((link) => getComputedStyle(link).backgroundColor)
    return {
      links: links.map((link) => [link.getAttribute('href'), link.innerText, boxOf(link)]),
      icons: links.map((link) => boxOf(link.querySelector('svg'))),
      current: links.filter((_, at) => ground[at] !== 'rgba(0, 0, 0, 0)').map((link) => link.innerText),
      search: boxOf(document.querySelector('#root nav [data-icon=search]')),
      navigation: boxOf(document.querySelector('#root nav')),
      footer: boxOf(document.querySelector('#root footer')),
    }
  })
}

test('numbers are aligned with the end of their heading', async () => {
  const { page } = await program.open({ path: '/flows' })
  await page.getByRole('link', { name: 'Receive an order' }).waitFor()
  const ends = await page.evaluate(() =>
    ['Version', '1'].map((text) => {
      const range = document.createRange()
      const words = document.evaluate(`//*[@role="table"]//text()[.="${text}"]`, document).iterateNext()
      range.selectNode(words!)
      return Math.round(range.getBoundingClientRect().right)
    }),
  )
  expect(ends[0]).toBe(ends[1])
})
