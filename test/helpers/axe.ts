/** What axe finds wrong with a page according to WCAG 2.2 AA and its own best practices. */
import { source } from 'axe-core'
import type axeCore from 'axe-core'
import type { RunOptions } from 'axe-core'
import type { Page } from 'playwright-core'

/** Any number of places can satisfy a rule, and describing those, too, takes longer than checking everything. */
const OPTIONS: RunOptions = { resultTypes: ['violations'], preload: false }

/**
 * Checks all rules in the current theme, then the contrast in the other one, in which only the colors differ.
 *
 * @param within selector of the parts to check, if the rest was checked before; defaults to the whole page
 */
export async function axeFindings(page: Page, within?: string): Promise<readonly string[]> {
  // An element that is still appearing is briefly transparent.
  await page.waitForFunction(() => document.querySelector('[data-starting-style]') === null)
  await settled(page)
  const found = await run(page, within, OPTIONS)
  const dark = await page.evaluate(() => matchMedia('(prefers-color-scheme: dark)').matches)
  await page.emulateMedia({ colorScheme: dark ? 'light' : 'dark' })
  await settled(page)
  const contrast = await run(page, within, { ...OPTIONS, runOnly: ['color-contrast'] })
  await page.emulateMedia({ colorScheme: dark ? 'dark' : 'light' })
  await settled(page)
  return [...found, ...contrast]
}

async function run(page: Page, within: string | undefined, options: RunOptions): Promise<readonly string[]> {
  // Injected by the debugger, since the page's policy doesn't allow foreign scripts; once per document.
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(source)
  return await page.evaluate(
    async ([parts, asked]) => {
      const { violations } = await globalThis.axe.run(parts ?? document, asked)
      return violations.flatMap(({ id, nodes }) =>
        nodes.map(
          ({ target, html, failureSummary = '' }) =>
            `${id} at ${target.join(' ')}: ${html.slice(0, 300)} ${failureSummary}`,
        ),
      )
    },
    [within, options] as const,
  )
}

declare global {
  var axe: typeof axeCore
}

/**
 * Fading elements show colors of both themes, and elements that inherit colors may start fading again, so one check
 * isn't enough.
 */
async function settled(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const fading = () =>
      document.getAnimations().filter(({ effect }) => effect?.getComputedTiming().endTime !== Infinity)
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve))
    for (let still = 0; still < 2; still = fading().length === 0 ? still + 1 : 0) {
      await Promise.allSettled(fading().map(({ finished }) => finished))
      await frame()
    }
  })
}
