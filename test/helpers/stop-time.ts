import type { Page } from 'playwright-core'

/**
 * From here on, the page's time only moves by `page.clock`, because a machine may need any amount of time for what
 * happens meanwhile. Frames aren't drawn either, so `axeFindings` has to wait until time is resumed.
 */
export async function stopTime(page: Page): Promise<void> {
  await page.clock.install()
  await page.clock.pauseAt(Date.now() + 60_000)
}
