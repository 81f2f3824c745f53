/** The page used without a mouse. */
import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'

export interface Keyboard {
  readonly press: (...keys: string[]) => Promise<void>
  /**
   * Presses the keys of a shortcut, such as `g` and `f`, without being held up by the page, because they count as one
   * shortcut only in quick succession.
   */
  readonly chord: (...keys: string[]) => Promise<void>
  readonly type: (text: string) => Promise<void>
  /** Presses Tab until something with this name has the focus, which must be visible. */
  readonly tabTo: (name: RegExp) => Promise<void>
  /** The accessible name of the focused element. */
  readonly focused: () => Promise<string>
}

const MOST_STOPS = 90

export function keyboardOf(page: Page): Keyboard {
  const focused = () =>
    page.evaluate(() => {
      const element = document.activeElement as HTMLInputElement | null
      const labelledBy = element?.getAttribute('aria-labelledby') ?? null
      const label = labelledBy === null ? null : document.getElementById(labelledBy)
      return (
        element?.getAttribute('aria-label') ??
        label?.textContent ??
        element?.labels?.[0]?.textContent ??
        element?.textContent ??
        ''
      )
    })

  async function press(...keys: string[]): Promise<void> {
    for (const key of keys) await page.keyboard.press(key)
  }

  return {
    press,
    async chord(...keys) {
      await Promise.all(keys.map((key) => page.keyboard.press(key)))
    },
    type: (text) => page.keyboard.type(text),
    focused,
    async tabTo(name) {
      const stops: string[] = []
      for (let at = await focused(); !name.test(at) && stops.length < MOST_STOPS; at = await focused()) {
        stops.push(at.slice(0, 40))
        await press('Tab')
      }
      const seen = await page.evaluate(() => {
        const element = document.activeElement as Element
        const around = element.closest('[class*="focus-within:"]') ?? element
        return [element, around].some((one) => getComputedStyle(one).outlineStyle !== 'none')
      })
      expect({ focused: await focused(), seen }, `on the way: ${stops.join(' | ')}`).toEqual({
        focused: expect.stringMatching(name),
        seen: true,
      })
    },
  }
}

/**
 * Replaces the text of a template or of code, once its editor has loaded, which must know the selection before the text
 * arrives.
 */
export async function replaceCode(field: Locator, text: string): Promise<void> {
  const page = field.page()
  await field.and(page.locator('.cm-content')).click()
  await page.keyboard.press('ControlOrMeta+a')
  await page.keyboard.insertText(text)
}
