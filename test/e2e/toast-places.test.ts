/**
 * Toasts don't cover what the user is working on, in windows of every width: no focused field, no primary button, no
 * dialog.
 */
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import type { Flow } from '../../src/shared/contract/flows.ts'
import { useProgramInBrowser } from '../helpers/program-in-browser.ts'

const program = useProgramInBrowser()
const WIDTHS = [1280, 640, 320] as const

/** Found by attributes, because an open dialog hides them from roles. */
const toasts = (page: Page) => page.locator('[aria-label="Notices"] [role="group"]')

/** Causes a failure, whose toast stays, so that it is shown while the app is used. */
async function fail(page: Page): Promise<void> {
  await page.route('**/v1/file-uploads**', (route) =>
    route.request().method() === 'GET' ? route.continue() : route.abort(),
  )
  await page
    .getByLabel('Files to upload')
    .setInputFiles({ name: 'prices.txt', mimeType: 'text/plain', buffer: Buffer.from('text') })
  await toasts(page).filter({ hasText: 'Couldn’t upload “prices.txt”' }).waitFor()
}

/** The elements that a toast partly covers: the focused control, primary buttons, dialogs. */
const covered = (page: Page) =>
  page.evaluate(() => {
    const region = document.querySelector('[role="region"][aria-label="Notices"]')
    const boxes = [...(region?.querySelectorAll('[role="group"]') ?? [])].map((one) =>
      one.getBoundingClientRect(),
    )
    const inUse = [
      document.activeElement?.closest('.cm-editor') ?? document.activeElement,
      ...document.querySelectorAll('[data-look="primary"], [role="dialog"], [role="dialog"] button'),
    ]
    return inUse.flatMap((element) => {
      if (element === null || element === document.body || region?.contains(element)) return []
      const rect = element.getBoundingClientRect()
      // The element is a whole pane that takes the focus in order to scroll.
      if (element === document.activeElement && rect.height > innerHeight / 2) return []
      return boxes.flatMap((box) => {
        const [left, right] = [Math.max(box.left, rect.left), Math.min(box.right, rect.right)]
        const [top, bottom] = [Math.max(box.top, rect.top), Math.min(box.bottom, rect.bottom)]
        if (left >= right || top >= bottom) return []
        // If no place is free, the toast is behind the open dialog.
        const above = document.elementFromPoint((left + right) / 2, (top + bottom) / 2)
        return region?.contains(above) ? [element.outerHTML.slice(0, 100)] : []
      })
    })
  })

test('toasts come up in one corner: at the right, and as far down as nothing is in use', async () => {
  const { page, go } = await program.open({ path: '/files' })
  await fail(page)
  const place = () =>
    toasts(page)
      .first()
      .evaluate((element) => {
        const { right, bottom } = element.getBoundingClientRect()
        return [Math.round(innerWidth - right), Math.round(innerHeight - bottom)]
      })
  for (const path of ['/files', '/settings', '/flows', '/tokens', '/']) {
    await go(path)
    await page.getByRole('heading', { level: 1 }).first().waitFor()
    await expect.poll(place).toEqual([16, 40])
  }
})

test.each(WIDTHS)(
  'at %d px no toast covers a focused control, a primary button or a dialog',
  async (width) => {
    const { id } = await program.call<Flow>('POST', '/v1/flows', {
      name: `Toasts ${width}`,
      steps: [{ ref_id: 'web1', type: 'webhook' }],
    })
    const { page, go } = await program.open({ path: '/files' })
    await page.setViewportSize({ width, height: 800 })
    await fail(page)
    const measure = async () => {
      await expect.poll(() => covered(page)).toEqual([])
    }
    await measure()
    for (const path of ['/settings', '/env-variables', `/flows/${id}?step=web1`]) {
      await go(path)
      await page.getByRole('heading', { level: 1 }).first().waitFor()
      for (let tab = 0; tab < 40; tab += 1) {
        await page.keyboard.press('Tab')
        await measure()
      }
    }
    await go('/tokens')
    await page.getByRole('button', { name: 'Create token', exact: true }).first().click()
    await page.getByRole('dialog').waitFor()
    await measure()
    await toasts(page).waitFor()
  },
)
