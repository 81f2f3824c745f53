/** What axe finds wrong with a page by the rules of WCAG 2.2 AA and its own of good practice. */
import { source } from 'axe-core'
import type axeCore from 'axe-core'
import type { RunOptions } from 'axe-core'
import type { Page } from 'playwright-core'

/** Any number of places may satisfy a rule: to describe those too takes longer than to judge all. */
const OPTIONS: RunOptions = { resultTypes: ['violations'], preload: false }

/**
 * All rules in the theme as it is, then the contrast of the other one, where the same screen has other colours alone.
 *
 * @param within selector of the parts to judge, where the rest was judged before; absent: the whole page
 */
export async function axeFindings(page: Page, within?: string): Promise<readonly string[]> {
  // What is still appearing is see-through for a moment.
  await page.waitForFunction(() => document.querySelector('[data-starting-style]') === null)
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
  // Over the debugger, as the policy of the page lets in no foreign script; once for as long as the document stays.
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

/** What still fades shows colours of both themes, and what inherits them may begin anew: one look is not enough. */
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
