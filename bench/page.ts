/**
 * The page's speed in a real Chromium: first paint, script size, a long list, typing in a long template. The bundled
 * Chromium is headless and renders on the CPU, so a browser on a desktop is faster.
 */
import { gzipSync } from 'node:zlib'
import type { Browser, Page } from 'playwright-core'
import { launchChromium } from '../scripts/lib/chromium.ts'
import { openPage } from '../test/helpers/open-page.ts'
import { createHome } from '../test/helpers/program.ts'
import type { Served } from '../test/helpers/program.ts'
import { type Benchmark, type Figure, median } from './lib/figure.ts'

const RUNS = 10_000
const AT_ONCE = 40
const TEMPLATE_LINES = 500
const STEPS = 500

export const benchmark: Benchmark = {
  title: 'The page in Chromium, on loopback',
  async run() {
    const home = createHome()
    const browser = await launchChromium()
    try {
      const served = await home.serve({ env: { MILLRACE_WEBHOOK_RATE_LIMIT: 'off' } })
      return [
        ...(await firstPaint(browser, served)),
        await scriptSize(browser, served),
        ...(await typing(browser, served)),
        ...(await scrolling(browser, served)),
      ]
    } finally {
      await browser.close()
      await home.remove()
    }
  },
}

/**
 * Measured with an empty cache but a running browser. The first contentful paint is the frame in the HTML itself;
 * Home's own content appears once its lists are drawn.
 */
async function firstPaint(browser: Browser, served: Served): Promise<Figure[]> {
  const paints: number[] = []
  const whole: number[] = []
  for (let load = 0; load < 7; load += 1) {
    const context = await browser.newContext({
      viewport: { width: 1280, height: 800 },
      reducedMotion: 'reduce',
    })
    const page = await context.newPage()
    await page.addInitScript(() => {
      const look = () => {
        if (document.querySelector('main section h2') === null) requestAnimationFrame(look)
        else requestAnimationFrame((now) => Object.assign(window, { drawnAt: now }))
      }
      requestAnimationFrame(look)
    })
    await page.goto(served.sessionUrl)
    await page.waitForFunction(() => 'drawnAt' in window)
    const [paint, drawn] = await page.evaluate(() => [
      performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? NaN,
      (window as typeof window & { drawnAt: number }).drawnAt,
    ])
    paints.push(paint ?? Number.NaN)
    whole.push(drawn ?? Number.NaN)
    await context.close()
  }
  return [
    atMost('first paint of Home, its frame', 'ms', median(paints), 300),
    atMost('Home drawn with its data', 'ms', median(whole), 1_000),
  ]
}

/** Includes what the page fetches when idle, which is complete once nothing has loaded for a second. */
async function scriptSize(browser: Browser, served: Served): Promise<Figure> {
  const context = await browser.newContext()
  const page = await context.newPage()
  await page.goto(served.sessionUrl)
  await page.getByRole('heading', { level: 1 }).waitFor()
  let scripts: readonly string[] = []
  for (let seen = -1; seen < scripts.length;) {
    seen = scripts.length
    await page.waitForTimeout(1_000)
    scripts = await page.evaluate(() =>
      performance
        .getEntriesByType('resource')
        .map(({ name }) => name)
        .filter((name) => name.endsWith('.js')),
    )
  }
  await context.close()
  const bodies = await Promise.all(scripts.map(async (url) => (await fetch(url)).arrayBuffer()))
  const bytes = bodies.reduce((sum, body) => sum + gzipSync(body).length, 0)
  return atMost('scripts of Home, compressed', 'kB', bytes / 1_000, 350)
}

/** Measured in a long template, and in a flow of many steps. */
async function typing(browser: Browser, served: Served): Promise<Figure[]> {
  const text = Array.from(
    { length: TEMPLATE_LINES },
    (_, line) => `Line ${line}: {{ web1.name | upper }}`,
  ).join('\n')
  const long = [
    { ref_id: 'web1', type: 'webhook' },
    { ref_id: 'long', type: 'set', config: { values: { text } } },
  ]
  const many = [
    { ref_id: 'web1', type: 'webhook' },
    ...Array.from({ length: STEPS - 1 }, (_, at) => ({
      ref_id: `set${at}`,
      type: 'set',
      config: { values: { text: `Step ${at}: {{ web1.name | upper }}` } },
    })),
  ]
  return [
    ...(await typingIn(browser, served, `a template of ${TEMPLATE_LINES} lines`, long, 'long')),
    ...(await typingIn(browser, served, `a flow of ${STEPS} steps`, many, `set${STEPS / 2}`)),
  ]
}

/**
 * The time from a keystroke to the frame that shows it, as reported by the browser's event timing (in steps of 8 ms).
 */
async function typingIn(
  browser: Browser,
  served: Served,
  where: string,
  steps: readonly object[],
  refId: string,
): Promise<Figure[]> {
  const flow = await call(served, '/v1/flows', { name: 'Typing', steps })
  await call(served, `/v1/flows/${flow.id}/run?wait=true`, { input: { name: 'Ada' } })
  const { page } = await openPage(browser, served, { path: `/flows/${flow.id}?step=${refId}` })
  await page.locator('.cm-content').first().focus()
  await page.keyboard.press('ControlOrMeta+End')
  await page.evaluate(() => {
    const waits: number[] = []
    Object.assign(window, { waits })
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) if (entry.name === 'keydown') waits.push(entry.duration)
    }).observe({ type: 'event', durationThreshold: 16, buffered: false } as PerformanceObserverInit)
  })
  const keys = '{{ web1.name | default("nobody") }} and the rest of a sentence, typed at a fast pace'
  await page.keyboard.type(keys, { delay: 40 })
  await page.waitForTimeout(300)
  const slow = await page.evaluate(() => (window as typeof window & { waits: number[] }).waits)
  // Events shorter than 16 ms aren't reported.
  const waits = [...slow, ...Array.from({ length: Math.max(0, keys.length - slow.length) }, () => 16)]
  await page.context().close()
  return [
    atMost(`typing in ${where}, the median`, 'ms', median(waits), 50),
    atMost(`typing in ${where}, p95`, 'ms', percentile(waits, 0.95), 50),
    atMost(`typing in ${where}, the slowest of ${waits.length} keys`, 'ms', Math.max(...waits), 50),
  ]
}

async function scrolling(browser: Browser, served: Served): Promise<Figure[]> {
  const flow = await call(served, '/v1/flows', { name: 'Many', steps: [{ ref_id: 'web1', type: 'webhook' }] })
  const { webhook } = (await call(served, `/v1/flows/${flow.id}`)) as {
    webhook?: { url: string; token: string }
  }
  const headers = { authorization: `Bearer ${webhook?.token}`, 'content-type': 'application/json' }
  for (let sent = 0; sent < RUNS; sent += AT_ONCE)
    await Promise.all(
      Array.from({ length: AT_ONCE }, () =>
        fetch(webhook?.url ?? '', { method: 'POST', headers, body: '{}' }).then((answer) => answer.text()),
      ),
    )
  const { page } = await openPage(browser, served, { path: '/runs' })
  await page.getByRole('row').nth(10).waitFor()
  const frames = await framesWhileScrolling(page)
  await page.context().close()
  return [atLeast(`scrolling ${RUNS.toLocaleString('en')} runs`, 'frames/s', 1_000 / median(frames), 50)]
}

/** The time of each frame while a list scrolls down continuously, as with a mouse wheel. */
function framesWhileScrolling(page: Page): Promise<number[]> {
  return page.evaluate(async () => {
    const table = document.querySelector('[role="table"]')?.parentElement
    const times: number[] = []
    let last = performance.now()
    for (let frame = 0; frame < 240; frame += 1) {
      table?.scrollBy({ top: 120, behavior: 'instant' })
      await new Promise(requestAnimationFrame)
      times.push(performance.now() - last)
      last = performance.now()
    }
    return times
  })
}

function atMost(what: string, unit: string, ours: number, most: number): Figure {
  return { what, unit, ours, goal: `at most ${most} ${unit}`, isMet: ours <= most }
}

function atLeast(what: string, unit: string, ours: number, least: number): Figure {
  return { what, unit, ours, goal: `at least ${least} ${unit}`, isMet: ours >= least }
}

function percentile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN
}

async function call({ url, bearer }: Served, path: string, body?: object): Promise<{ readonly id: string }> {
  const headers = { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' }
  const answer = await fetch(url + path, {
    method: body === undefined ? 'GET' : 'POST',
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  return (await answer.json()) as { id: string }
}
