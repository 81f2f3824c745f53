/**
 * Every screen in windows as narrow as zoom makes them: 640 px are 200 % and 320 px are 400 % of 1280. Only tables,
 * code and diagrams scroll sideways there (WCAG 2.2, 1.4.10), and no control is outside.
 */
import { beforeAll, expect, test } from 'vitest'
import { fillProgram } from '../helpers/fill-program.ts'
import type { Filled } from '../helpers/fill-program.ts'
import type { OpenedPage } from '../helpers/open-page.ts'
import { useProgramInBrowser } from '../helpers/program-in-browser.ts'
import { SCREENS } from '../helpers/screens.ts'

const program = useProgramInBrowser()
const LONG = 'Donaudampfschifffahrtsgesellschaftskapitänsmützen of the northern warehouse, every morning'

let filled: Filled
let further: readonly string[]
beforeAll(async () => {
  filled = await fillProgram(program.served)
  const flow = await program.call<{ id: string }>('POST', '/v1/flows', {
    name: LONG,
    description: LONG,
    tags: ['a-rather-long-tag-of-this-flow', 'another-of-its-tags'],
    steps: [
      {
        ref_id: 'sched',
        type: 'schedule',
        config: { interval: 'weekly', at: '09:00', weekdays: ['monday', 'sunday'] },
      },
      {
        ref_id: 'a_name_in_templates_that_is_rather_long_for_a_step',
        type: 'set',
        title: LONG,
        config: { values: { [`key_${'x'.repeat(80)}`]: 'v'.repeat(200) } },
      },
      {
        ref_id: 'gone',
        type: 'rest',
        title: LONG,
        config: { method: 'GET', url: `{{ playground_url }}/nothing/${'segment/'.repeat(20)}` },
      },
    ],
  })
  const run = await program.call<{ id: string }>('POST', `/v1/flows/${flow.id}/run?wait=true`, {})
  await program.call('POST', '/v1/teams', { name: LONG })
  await program.call('POST', '/v1/env-variables', {
    name: `A_VARIABLE_${'X'.repeat(60)}`,
    type: 'text',
    value: 'v'.repeat(120),
  })
  await program.call('POST', '/v1/personal-access-tokens', {
    note: LONG,
    scopes: ['automation:webhook_run'],
    expiration: 3,
  })
  further = [
    `/flows/${flow.id}`,
    `/flows/${flow.id}?step=a_name_in_templates_that_is_rather_long_for_a_step`,
    `/flows/${flow.id}?view=settings`,
    `/runs/${run.id}`,
    `/runs?flow=${flow.id}`,
  ]
})

test.each(['en', 'de'])('nothing scrolls sideways in the language %s', async (language) => {
  await program.call('PUT', '/v1/settings', { language })
  const narrow = await program.open({ size: { width: 640, height: 512 } })
  const found: string[] = []
  for (const path of [...SCREENS.map(([, pathOf]) => pathOf(filled)), ...further]) {
    await goTo(narrow, path)
    // At 200 %, a list shows the columns that fit; the rest is on the screen of the record.
    found.push(...(await settled(narrow, wideLists)).map((what) => `${path}: ${what}`))
    for (const width of [640, 320]) {
      await narrow.page.setViewportSize({ width, height: 512 })
      found.push(...(await settled(narrow, lookSideways)).map((what) => `${path} at ${width} px: ${what}`))
    }
    await narrow.page.setViewportSize({ width: 640, height: 512 })
  }
  expect([...found, ...(await ofTheTester(narrow))]).toEqual([])
})

/** Checks the tester before a test, while a test waits for its next page, and at its end. */
async function ofTheTester(narrow: OpenedPage): Promise<readonly string[]> {
  const { page, go } = narrow
  await go('/pagination')
  const actions = page.locator('main > div > header button')
  await page.getByRole('combobox', { name: /^(?:Configuration|Konfiguration)$/ }).waitFor()
  // Presses Step, then all pages, which is the second of the three buttons, and again the second while it waits.
  await actions.nth(2).click()
  await page.locator('[role=progressbar] .bg-paused').waitFor()
  const paused = await settled(narrow, lookSideways)
  await actions.nth(2).click()
  await page.locator('[role=progressbar]:not(:has(*))').waitFor()
  return [...paused, ...(await settled(narrow, lookSideways))].map((what) => `the tester: ${what}`)
}

/** Goes via another screen that can be recognized, so that the next screen isn't mistaken for the previous one. */
async function goTo({ page, go }: OpenedPage, path: string): Promise<void> {
  await go('/between')
  await page.locator('main').getByText('/between').first().waitFor()
  if (path === '/nowhere') return // This is the screen in between.
  await go(path)
  await page.waitForFunction(() => {
    const main = document.querySelector('main')
    return main?.querySelector('h1, h2') && !main.innerText.includes('/between')
  })
  await page.waitForFunction(() => document.querySelector('main .late-pulse') === null)
}

/** Checks again for a while if something is found, because a font may still load, or a pane may still be measured. */
async function settled({ page }: OpenedPage, look: () => readonly string[]): Promise<readonly string[]> {
  const until = performance.now() + 20_000
  for (;;) {
    const found = await page.evaluate(look)
    if (found.length === 0 || performance.now() > until) return found
    await page.evaluate(() => new Promise(requestAnimationFrame))
  }
}

/** Runs in the page. */
function wideLists(): readonly string[] {
  return [...document.querySelectorAll('[role=table]')].flatMap((table) => {
    const { scrollWidth, clientWidth } = table.parentElement ?? table
    return scrollWidth > clientWidth + 1
      ? [`${table.getAttribute('aria-label')} is ${scrollWidth} px wide`]
      : []
  })
}

/** Runs in the page. */
function lookSideways(): readonly string[] {
  const free = 'table, [role=table], [role=grid], [role=tree], pre, .cm-editor, .react-flow, [data-wide]'
  // A container of only a table is scrolled with it.
  const holdsFree = `[data-wide], :has(> :is(${free}))`
  const found = new Set<string>()
  if (document.documentElement.scrollWidth > innerWidth)
    found.add(`the page, ${document.documentElement.scrollWidth} px`)
  for (const element of document.querySelectorAll<HTMLElement>('body *')) {
    if (element.closest(free) !== null || !element.checkVisibility()) continue
    const name = `<${element.localName} class="${element.className}">`
    const { overflowX, position } = getComputedStyle(element)
    const scrolls = overflowX === 'auto' || overflowX === 'scroll'
    const isCut = element.scrollWidth > element.clientWidth + 1
    if (scrolls && isCut && position !== 'absolute' && !element.matches(holdsFree))
      found.add(`${element.scrollWidth} of ${element.clientWidth} px in ${name}`)
    const { left, right, width } = element.getBoundingClientRect()
    const isControl = element.matches('button, a, input, select, textarea, [tabindex="0"]')
    const isOutside = width > 0 && (left < -1 || right > innerWidth + 1)
    if (isControl && isOutside && element.closest(holdsFree) === null)
      found.add(`${Math.round(left)} to ${Math.round(right)} px: ${name}`)
  }
  return [...found]
}
