/** Look-up fields in a real Chromium: how soon the choices from an API on this computer are shown. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser } from 'playwright-core'
import { launchChromium } from '../scripts/lib/chromium.ts'
import { aBoardsConnector, answerBoards } from '../test/helpers/boards-api.ts'
import { openPage } from '../test/helpers/open-page.ts'
import { createHome } from '../test/helpers/program.ts'
import type { Served } from '../test/helpers/program.ts'
import { callOrThrow } from '../test/helpers/served-api.ts'
import { type Benchmark, type Figure, median } from './lib/figure.ts'

const ROUNDS = 9
const MOST_MS = 300

export const benchmark: Benchmark = {
  title: 'Look-up fields in Chromium, the API on loopback',
  async run() {
    const home = createHome()
    const browser = await launchChromium()
    try {
      return await lookups(browser, await home.serve())
    } finally {
      await browser.close()
      await home.remove()
    }
  },
}

/**
 * The time from the key that opens a look-up field, or the first one typed in it, to the frame with choices from a
 * local API.
 */
async function lookups(browser: Browser, served: Served): Promise<Figure[]> {
  const api = createServer(({ url = '', headers }, response) =>
    answerBoards({ target: url, headers }, response),
  )
  await new Promise<void>((resolve) => api.listen(0, '127.0.0.1', resolve))
  try {
    const opened: number[] = []
    const typed: number[] = []
    for (const [key, times] of Array.from({ length: ROUNDS }, () => [
      ['ArrowDown', opened] as const,
      ['b', typed] as const,
    ]).flat())
      times.push(
        await choicesAfter(key, browser, served, `http://127.0.0.1:${(api.address() as AddressInfo).port}`),
      )
    return [withinGoal('opened with the arrow key', opened), withinGoal('typed in', typed)]
  } finally {
    api.close()
    api.closeAllConnections()
  }
}

/** Uses a separate connector, because lists are cached for a minute. */
async function choicesAfter(key: string, browser: Browser, served: Served, url: string): Promise<number> {
  const call = (path: string, body: object) => callOrThrow<{ id: string }>(served, 'POST', path, body)
  const { id } = await aBoardsConnector(call, url)
  const config = { connector_id: id, action: 'add_card', input: {} }
  const flow = await call('/v1/flows', {
    name: 'Cards',
    steps: [{ ref_id: 'card', type: 'connector_action', config }],
  })
  const { page } = await openPage(browser, served, { path: `/flows/${flow.id}?step=card` })
  await page.getByRole('combobox', { name: 'Board', exact: true }).focus()
  await page.evaluate(() => {
    addEventListener(
      'keydown',
      ({ timeStamp }) => {
        const look = (now: number) => {
          if (document.querySelector('[role=option]') === null) requestAnimationFrame(look)
          else Object.assign(window, { chosenAfter: now - timeStamp })
        }
        requestAnimationFrame(look)
      },
      { once: true, capture: true },
    )
  })
  await page.keyboard.press(key)
  await page.waitForFunction(() => 'chosenAfter' in window)
  const time = await page.evaluate(() => (window as typeof window & { chosenAfter: number }).chosenAfter)
  await page.context().close()
  return time
}

function withinGoal(what: string, times: readonly number[]): Figure {
  const ours = median(times)
  return {
    what: `first choices, ${what}`,
    unit: 'ms',
    ours,
    goal: `at most ${MOST_MS} ms`,
    isMet: ours <= MOST_MS,
  }
}
