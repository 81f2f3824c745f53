import type { Page } from 'playwright-core'

/** Mouse clicks in the window so far. */
export async function countClicks(page: Page): Promise<() => Promise<number>> {
  await page.evaluate(() => {
    const counted = window as unknown as { presses: number }
    counted.presses = 0
    addEventListener(
      'pointerdown',
      (event) => {
        if (event.isTrusted) counted.presses += 1
      },
      true,
    )
  })
  return () => page.evaluate(() => (window as unknown as { presses: number }).presses)
}
