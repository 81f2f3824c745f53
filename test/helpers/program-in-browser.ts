/**
 * A fresh program for all tests of a file, which ends with it, and a Chromium for all files of a worker. A page ends
 * with the test that opened it.
 */
import type { Browser, BrowserContext } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest'
import { launchChromium } from '../../scripts/lib/chromium.ts'
import { openPage, type OpenedPage, type OpenPageOptions } from './open-page.ts'
import { createHome, type Home, type Served } from './program.ts'
import { callOrThrow } from './served-api.ts'

export interface ProgramInBrowser {
  readonly home: Home
  /** Available from the file's first `beforeAll` on. */
  readonly served: Served
  readonly browser: Browser
  /** A separate window, like that of another user. Opened in a `beforeAll` it stays for all tests. */
  readonly open: (options?: OpenPageOptions) => Promise<OpenedPage>
  /**
   * Calls as the page does.
   *
   * @throws Error with the response unless it is a success
   */
  readonly call: <T>(method: string, path: string, body?: unknown) => Promise<T>
}

export function useProgramInBrowser(): ProgramInBrowser {
  const home = createHome()
  let served: Served
  let browser: Browser
  let opened: BrowserContext[] = []
  beforeAll(async () => {
    ;[served, browser] = await Promise.all([home.serve(), sharedChromium()])
  })
  beforeEach(() => {
    opened = []
  })
  afterEach(async ({ task }) => {
    if (task.result?.state === 'fail') await takePictures(opened, task.name)
    await Promise.all(opened.map((context) => context.close()))
  })
  afterAll(async () => {
    await Promise.all(browser?.contexts().map((context) => context.close()) ?? [])
    await home.remove()
  })
  return {
    home,
    get served() {
      return served
    },
    get browser() {
      return browser
    },
    async open(options) {
      const page = await openPage(browser, served, options)
      opened.push(page.page.context())
      return page
    },
    call: (method, path, body) => callOrThrow(served, method, path, body),
  }
}

let chromium: Promise<Browser> | undefined

/** The browser ends with the worker; each file has its own contexts in it. */
async function sharedChromium(): Promise<Browser> {
  const earlier = await chromium
  if (earlier?.isConnected() !== true) chromium = launchChromium()
  return await (chromium as Promise<Browser>)
}

/** Pictures of what a failed test saw, in `test-results`. */
async function takePictures(contexts: readonly BrowserContext[], test: string): Promise<void> {
  const name = test.replaceAll(/\W+/g, '-').slice(0, 80)
  const pages = contexts.flatMap((context) => context.pages())
  await Promise.all(
    pages.map((page, index) => page.screenshot({ path: `test-results/${name}-${index + 1}.png` })),
  )
}
