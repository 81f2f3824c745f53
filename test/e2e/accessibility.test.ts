/**
 * Every screen, empty and filled, checked by axe against WCAG 2.2 AA, in windows of half a screen, of a laptop and of
 * a large screen; contrast in both themes. Among all tests each screen has one of the widths, in turn; `npm run
 * test:screens` checks every screen in all of them.
 */
import type { Locator } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { axeFindings } from '../helpers/axe.ts'
import { fillProgram } from '../helpers/fill-program.ts'
import type { Filled } from '../helpers/fill-program.ts'
import { useProgramInBrowser } from '../helpers/program-in-browser.ts'
import type { OpenedPage } from '../helpers/open-page.ts'
import { SCREENS } from '../helpers/screens.ts'

const WIDTHS = [640, 1920, 1280]
const isLong = process.env.MODE === 'long'
let checked = 0
const nextWidths = () => (isLong ? WIDTHS : [WIDTHS[checked++ % WIDTHS.length] ?? 1280])

const program = useProgramInBrowser()
let opened: OpenedPage
beforeAll(async () => {
  opened = await program.open()
})

const EMPTY_SCREENS: readonly (readonly [name: string, path: string, sign: string])[] = [
  ['a first start', '/', 'What should Millrace do for you?'],
  ['no runs', '/runs', 'No runs yet'],
  ['no requests', '/webhooks', 'No requests yet'],
  ['no auths', '/auths', 'No connector auths yet'],
  ['no tokens', '/tokens', 'No tokens yet'],
]

describe('on a first start', () => {
  test.each(EMPTY_SCREENS)('%s: axe finds nothing', async (_name, path, sign) => {
    expect(await findingsAt(path, sign)).toEqual([])
  })
})

describe('after some days of use', () => {
  let filled: Filled
  beforeAll(async () => {
    filled = await fillProgram(program.served)
  })

  test.each(SCREENS)('%s: axe finds nothing', async (_name, path, sign) => {
    expect(await findingsAt(path(filled), sign)).toEqual([])
  })

  test('the tester with its pages: axe finds nothing', async () => {
    const { page, go } = opened
    await go('/pagination')
    await page.getByText('Watch every page being fetched').waitFor()
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    await page.getByText('Ended because').waitFor()
    expect(await axeFindings(page)).toEqual([])
  })

  test('every part of a page in the tester, and every view of the list: axe finds nothing', async () => {
    const { page, go } = opened
    await go('/pagination')
    await page.getByRole('button', { name: 'Step', exact: true }).click()
    await page.getByText('Paused before page 1.').waitFor()
    await page.getByRole('button', { name: 'Next page' }).click()
    await page.getByText('Paused before page 2.').waitFor()
    const findings = []
    const views = page.getByRole('tablist').filter({ hasNot: page.getByRole('tab', { name: 'Form' }) })
    const pairs = [
      ['Templates', 'Cursors'],
      ['Response', 'JSON'],
      ['Variables', 'Tree'],
      ['Request', 'Duplicates'],
    ]
    for (const pair of pairs) {
      for (const tab of pair) await views.getByRole('tab', { name: tab, exact: true }).click()
      findings.push(...(await axeFindings(page, '[role=tabpanel], [role=tablist]')))
    }
    await page.getByRole('button', { name: 'Cancel' }).click()
    expect(findings).toEqual([])
  })

  test('suggestions, problems and the dialog that saves: axe finds nothing', async () => {
    const { page, go } = opened
    await go('/pagination')
    await page.getByRole('button', { name: 'Suggest' }).click()
    await page.getByRole('heading', { name: 'Suggested from the first response' }).waitFor()
    await page.getByRole('tablist', { name: 'Edit as' }).getByRole('tab', { name: 'JSON' }).click()
    // The middle of it can be below the visible part.
    await page
      .getByRole('textbox', { name: 'Pagination configuration' })
      .and(page.locator('.cm-content'))
      .click({ position: { x: 20, y: 10 } })
    await page.keyboard.press('ControlOrMeta+A')
    await page.keyboard.insertText('[{"when": "{{ pag }}", "query": "{}"}, {"query": "{\\"limit\\": 500}"}]')
    await page.getByText("'pag' is undefined").waitFor()
    const beside = await axeFindings(page)
    await page.getByRole('button', { name: 'Save to connector' }).click()
    await page.getByRole('dialog').getByText('Changes').waitFor()
    const dialog = await axeFindings(page, '[role=dialog]')
    await page.keyboard.press('Escape')
    expect({ beside, dialog }).toEqual({ beside: [], dialog: [] })
  })

  test('without motion, the theme changes at once', async () => {
    const { page, go } = opened
    await go('/flows')
    await page.getByText('Started by').first().waitFor()
    const fading = await page.evaluate(() => {
      document.documentElement.dataset['theme'] = 'dark'
      const count = document.getAnimations().length
      delete document.documentElement.dataset['theme']
      return count
    })
    expect(fading).toBe(0)
  })

  test('with forced colors, selection, focus, disabled controls and states are still distinguishable', async () => {
    const { page, go } = opened
    await page.setViewportSize({ width: 1280, height: 800 })
    await page.emulateMedia({ forcedColors: 'active' })
    const outlineOf = (element: Locator) =>
      element.evaluate((shown) => {
        const { outlineStyle, outlineWidth } = getComputedStyle(shown)
        return outlineStyle === 'none' ? 'none' : `${outlineWidth} ${outlineStyle}`
      })
    const colorOf = (element: Locator, name: 'color' | 'background-color') =>
      element.evaluate((shown, property) => getComputedStyle(shown).getPropertyValue(property), name)
    await go(`/flows/${filled.flowId}?step=known`)
    await page.getByText('Reference name').waitFor()
    const steps = page.locator('[data-step]')
    const outlines = {
      step: await outlineOf(page.locator('[data-step="known"]').locator('..')),
      otherStep: await outlineOf(steps.first().locator('..')),
      screen: await outlineOf(
        page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Flows' }),
      ),
      above: await outlineOf(page.getByRole('navigation', { name: 'Breadcrumb' }).getByRole('link')),
      view: await outlineOf(page.getByRole('tab', { name: 'Steps' })),
      otherView: await outlineOf(page.getByRole('tab', { name: 'Canvas' })),
    }
    const canvas = await colorOf(page.locator('body'), 'background-color')
    const line = await colorOf(page.getByRole('separator').first(), 'background-color')
    const save = page.getByRole('button', { name: 'Save', exact: true })
    const colors = {
      line: line === canvas,
      disabled: (await colorOf(save, 'color')) === (await colorOf(page.locator('body'), 'color')),
    }
    await page.getByRole('button', { name: 'Test', exact: true }).focus()
    await page.keyboard.press('Shift+Tab')
    await page.keyboard.press('Tab')
    const focused = await outlineOf(page.locator(':focus'))
    await go('/runs')
    const state = page.locator('[data-row]').filter({ hasText: 'Error' }).first()
    await state.locator('svg').first().waitFor()
    await page.emulateMedia({ forcedColors: null })
    expect({ outlines, colors, focused }).toEqual({
      outlines: {
        step: '2px solid',
        otherStep: 'none',
        screen: '2px solid',
        above: 'none',
        view: '2px solid',
        otherView: 'none',
      },
      colors: { line: false, disabled: false },
      focused: '3px solid',
    })
  })

  test('none of these screens logged an error', () => {
    expect(opened.problems).toEqual([])
  })
})

async function findingsAt(path: string, sign: string): Promise<readonly string[]> {
  const { page, go } = opened
  // In a narrow table the columns that don't fit are hidden, and one of them may hold the text that identifies the
  // screen.
  await page.setViewportSize({ width: 1280, height: 800 })
  await go(path)
  await page.getByText(sign).first().waitFor()
  const findings: string[] = []
  for (const width of nextWidths()) {
    await page.setViewportSize({ width, height: 800 })
    findings.push(...(await axeFindings(page)).map((finding) => `${width} px: ${finding}`))
  }
  return findings
}
