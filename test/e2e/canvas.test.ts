/** The canvas is edited like the list: by mouse, and by keyboard only. Each change is one undo step. */
import type { Locator } from 'playwright-core'
import { beforeEach, expect, test } from 'vitest'
import { axeFindings } from '../helpers/axe.ts'
import { keyboardOf } from '../helpers/keyboard.ts'
import { useProgramInBrowser } from '../helpers/program-in-browser.ts'

const program = useProgramInBrowser()

interface Outline {
  readonly ref_id: string
  readonly disabled?: boolean
  readonly then?: readonly Outline[]
  readonly else?: readonly Outline[]
}

const set = (refId: string) => ({ ref_id: refId, type: 'set', config: { values: { a: 1 } } })
let flowId = ''
beforeEach(async () => {
  const flow = await program.call<{ id: string }>('POST', '/v1/flows', {
    name: 'Drawn',
    steps: [
      set('first'),
      { ref_id: 'check', type: 'condition', config: { when: 'true' }, then: [set('yes')], else: [] },
      set('last'),
    ],
  })
  flowId = flow.id
})

/** `first, check(yes), last-off`, as stored in the draft. */
async function outline(): Promise<string> {
  const { steps } = await program.call<{ steps: readonly Outline[] | null }>(
    'GET',
    `/v1/flows/${flowId}/working-copy`,
  )
  const tell = (list: readonly Outline[]): string =>
    list
      .map(({ ref_id: refId, disabled, then, else: other }) => {
        const inner = [...(then ?? []), ...(other ?? [])]
        return `${refId}${disabled === true ? '-off' : ''}${inner.length === 0 ? '' : `(${tell(inner)})`}`
      })
      .join(' ')
  return tell(steps ?? [])
}

test('by mouse: a step is added on a line, dragged into a branch, several are selected, and a branch is folded', async () => {
  const { page, problems } = await program.open({ path: `/flows/${flowId}?view=canvas` })
  const node = (refId: string) => page.locator(`[data-canvas-step="${refId}"]`)
  await node('yes').waitFor()

  await page.locator('[data-canvas-spot="2"]').click()
  await page.getByRole('combobox', { name: 'Search services and steps' }).fill('delay')
  await page.getByRole('option', { name: /Delay/ }).click()
  await node('wait').waitFor()
  await expect.poll(outline).toBe('first check(yes) wait last')

  const from = await node('last').boundingBox()
  const to = await page.locator('[data-canvas-spot="1.then.1"]').boundingBox()
  if (from === null || to === null) throw new Error('The canvas shows neither the step nor its place')
  await page.mouse.move(from.x + from.width / 2, from.y + 4)
  await page.mouse.down()
  await page.mouse.move(to.x + 20, to.y + 20, { steps: 8 })
  await page.mouse.move(to.x + to.width / 2, to.y + to.height / 2 + 4, { steps: 4 })
  await page.mouse.up()
  await expect.poll(outline).toBe('first check(yes last) wait')
  await page.keyboard.press('ControlOrMeta+z')
  await expect.poll(outline).toBe('first check(yes) wait last')

  await node('first').click()
  await node('last').click({ modifiers: ['Shift'] })
  await page.getByText('2 selected').first().waitFor()
  await page.getByRole('button', { name: 'Turn on or off' }).click()
  await expect.poll(outline).toBe('first-off check(yes) wait last-off')
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  await expect.poll(outline).toBe('check(yes) wait')

  await page.locator('[data-canvas-fold="check"]').click()
  await node('yes').waitFor({ state: 'detached' })
  await node('check').getByText('+1').waitFor()
  await node('check').dblclick()
  await page.getByRole('button', { name: 'Close form' }).waitFor()
  expect(await axeFindings(page)).toEqual([])
  expect(problems).toEqual([])
})

test('by keyboard only: a step is added, moved, duplicated, edited next to the canvas and deleted, and each change is undone', async () => {
  const { page, problems } = await program.open({ path: `/flows/${flowId}?view=canvas` })
  const { press, tabTo, type } = keyboardOf(page)
  await page.locator('[data-canvas-step="yes"]').waitFor()
  await tabTo(/^Flow canvas$/)
  await press('ArrowDown')
  await page.getByRole('status').filter({ hasText: '2 check' }).waitFor({ state: 'attached' })
  await press('a')
  await page
    .getByRole('combobox', { name: 'Search services and steps' })
    .and(page.locator(':focus'))
    .waitFor()
  await type('delay')
  await page
    .getByRole('option', { name: /^Delay/ })
    .and(page.locator('[data-highlighted]'))
    .waitFor()
  await press('Enter')
  await expect.poll(outline).toBe('first check(yes) wait last')

  await expect
    .poll(() => page.evaluate(() => document.activeElement?.getAttribute('role')))
    .toBe('application')
  await press('Alt+ArrowUp')
  await expect.poll(outline).toBe('first wait check(yes) last')
  await press('ControlOrMeta+z')
  await expect.poll(outline).toBe('first check(yes) wait last')
  await press('ControlOrMeta+d')
  await expect.poll(outline).toBe('first check(yes) wait wait2 last')
  await press('Shift+ArrowUp')
  await page.getByText('2 selected').first().waitFor()
  await press('Delete')
  await expect.poll(outline).toBe('first check(yes) last')

  await press('Enter')
  await expect
    .poll(() => page.evaluate(() => document.activeElement?.closest('[data-help]') !== null))
    .toBe(true)
  await page.getByRole('button', { name: 'Close form' }).waitFor()
  expect(problems).toEqual([])
})

test('by keyboard only: a branch is folded and opened again, and steps of a long flow are found', async () => {
  const many = Array.from({ length: 30 }, (_, at) => set(`step${at}`))
  const { id } = await program.call<{ id: string }>('POST', '/v1/flows', {
    name: 'Long',
    steps: [
      set('first'),
      {
        ref_id: 'check',
        type: 'condition',
        config: { when: 'true' },
        then: [set('needle1'), set('other')],
        else: [],
      },
      ...many,
      set('needle2'),
    ],
  })
  const { page, problems } = await program.open({ path: `/flows/${id}?view=canvas` })
  const { press, tabTo, type, focused } = keyboardOf(page)
  const node = (refId: string) => page.locator(`[data-canvas-step="${refId}"]`)
  const status = (text: string) =>
    page.getByRole('status').filter({ hasText: text }).waitFor({ state: 'attached' })
  await node('needle1').waitFor()
  await tabTo(/^Flow canvas$/)
  await press('ArrowDown')
  await status('2 check')
  await press('Space')
  await node('needle1').waitFor({ state: 'detached' })
  await node('check').getByText('+2').waitFor()
  await status('2 nested steps hidden')
  await press('ArrowDown')
  await status('3 step0')
  await press('ArrowUp', 'Space')
  await node('needle1').waitFor()
  await press('Space')
  await node('needle1').waitFor({ state: 'detached' })

  await press('/')
  await expect.poll(focused).toBe('Find step')
  await type('needle')
  await page.getByText('2 found').waitFor()
  // The first match is in the folded branch, which opens.
  await press('Enter')
  await status('2.then.1 needle1')
  await expect.poll(() => isOnScreen(node('needle1'))).toBe(true)
  await press('Enter')
  await status('33 needle2')
  await expect.poll(() => isOnScreen(node('needle2'))).toBe(true)
  await press('Escape')
  await expect.poll(focused).toBe('Flow canvas')
  await press('ArrowUp')
  await status('32 step29')
  expect({ axe: await axeFindings(page), problems }).toEqual({ axe: [], problems: [] })
})

async function isOnScreen(node: Locator): Promise<boolean> {
  const box = await node.boundingBox()
  return box !== null && box.x >= 0 && box.y >= 0 && box.x + box.width <= 1280 && box.y + box.height <= 800
}

test('in the list, several steps are selected with Shift, switched off and deleted together', async () => {
  const { page, problems } = await program.open({ path: `/flows/${flowId}` })
  const { press, tabTo } = keyboardOf(page)
  await page.getByRole('button', { name: /^1 first/ }).waitFor()
  await tabTo(/^1 first/)
  await press('Shift+ArrowDown')
  await page.getByRole('group', { name: 'Selected steps' }).getByText('2 selected').waitFor()
  await press('ControlOrMeta+/')
  await expect.poll(outline).toBe('first-off check-off(yes) last')
  await press('Delete')
  await expect.poll(outline).toBe('last')
  await press('ControlOrMeta+z')
  await expect.poll(outline).toBe('first-off check-off(yes) last')
  expect(problems).toEqual([])
})

test('the step whose form is opened stays in view, and the flow in the middle of a window that becomes wider', async () => {
  const steps = Array.from({ length: 15 }, (_, index) => set(`s${index + 1}`))
  const { id } = await program.call<{ id: string }>('POST', '/v1/flows', { name: 'Long', steps })
  const { page } = await program.open({ path: `/flows/${id}?view=canvas` })
  const drawing = page.getByRole('application', { name: 'Flow canvas' })
  const middle = async (element: Locator) => {
    const box = await element.boundingBox()
    return box === null
      ? null
      : { x: Math.round(box.x + box.width / 2), y: box.y, bottom: box.y + box.height }
  }
  const last = page.locator('[data-canvas-step="s15"]')
  await page.locator('[data-canvas-step="s1"]').click()
  for (let step = 1; step < 15; step++) await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Close form' }).waitFor()
  await expect
    .poll(async () => {
      const [area, step] = [await middle(drawing), await middle(last)]
      return area !== null && step !== null && step.y >= area.y && step.bottom <= area.bottom
    })
    .toBe(true)

  await page.setViewportSize({ width: 1920, height: 1000 })
  await expect
    .poll(async () => Math.abs(((await middle(last))?.x ?? 0) - ((await middle(drawing))?.x ?? 0)))
    .toBeLessThan(3)
})
