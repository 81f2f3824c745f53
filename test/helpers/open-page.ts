/** The page of a served program in a real Chromium, as its user sees it. */
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import type { Served } from './program.ts'

export interface OpenPageOptions {
  /** `/flows?status=draft`; defaults to Home. */
  readonly path?: string
  readonly theme?: 'light' | 'dark'
  readonly size?: { readonly width: number; readonly height: number }
}

export interface OpenedPage {
  readonly page: Page
  /** Problems that the user doesn't see: console and page errors, policy violations, responses with 500. */
  readonly problems: readonly string[]
  /** Opens another screen as a click would, without reloading the page. Resolves once the previous screen is gone. */
  readonly go: (path: string) => Promise<void>
}

export async function openPage(
  browser: Browser,
  served: Served,
  options: OpenPageOptions = {},
): Promise<OpenedPage> {
  const { path = '/', theme = 'light', size = { width: 1280, height: 800 } } = options
  const settings: BrowserContextOptions = { viewport: size, colorScheme: theme, reducedMotion: 'reduce' }
  const context = await browser.newContext(settings)
  await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: served.url })
  const page = await context.newPage()
  await slowDown(page)
  // Far below a test's timeout, so that a failure names what was missing.
  page.setDefaultTimeout(45_000)
  const problems = watchProblems(page)
  await page.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', (event) => {
      console.error(`policy: ${event.violatedDirective} refused ${event.blockedURI} ${event.sample}`)
    })
  })
  await page.goto(`${served.url}${path}#session=${served.bearer}`)
  await page.locator('footer').getByText('live', { exact: true }).waitFor()
  return {
    page,
    problems,
    go: (to) => page.evaluate(showScreen, to),
  }
}

/** What the page's router leaves on its window. */
interface Router {
  readonly subscribe: (event: 'onResolved', listener: () => void) => () => void
}

/** Runs in the page: opens another screen, and waits until the previous one is gone. */
export async function showScreen(to: string): Promise<void> {
  const router = (globalThis as { __TSR_ROUTER__?: Router }).__TSR_ROUTER__
  await new Promise<void>((resolve) => {
    const stop = router?.subscribe('onResolved', () => {
      stop?.()
      resolve()
    })
    history.pushState(null, '', to)
    dispatchEvent(new PopStateEvent('popstate'))
  })
}

/** How many times slower than this machine the page runs, to find tests that only pass on a fast one. */
const SLOWDOWN = Number(process.env.MILLRACE_SLOW_PAGE ?? 1)

async function slowDown(page: Page): Promise<void> {
  if (SLOWDOWN <= 1) return
  const session = await page.context().newCDPSession(page)
  await session.send('Emulation.setCPUThrottlingRate', { rate: SLOWDOWN })
}

function watchProblems(page: Page): readonly string[] {
  const problems: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      problems.push(message.text())
  })
  page.on('pageerror', (error) => problems.push(error.message))
  page.on('response', (response) => {
    if (response.status() >= 500) problems.push(`${response.status()} ${response.url()}`)
  })
  return problems
}
