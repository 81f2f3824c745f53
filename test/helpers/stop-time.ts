import type { Page } from 'playwright-core'

/**
 * From here on the page's time only moves by `page.clock`: a machine may need any time for what is done meanwhile. Frames
 * are not drawn either, so that `axeFindings` has to wait until it is resumed.
 */
export async function stopTime(page: Page): Promise<void> {
  await page.clock.install()
  await page.clock.pauseAt(Date.now() + 60_000)
}
