/** What the editor shows of earlier steps is also what previews and single-step runs use. */
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import type { Flow } from '../../src/shared/contract/flows.ts'
import { useProgramInBrowser } from '../helpers/program-in-browser.ts'

const program = useProgramInBrowser()

const aFlow = (name: string, steps: readonly object[]) =>
  program.call<Flow>('POST', '/v1/flows', { name, steps })

const set = (ref_id: string, values: object) => ({ ref_id, type: 'set', config: { values } })

const runStep = (page: Page) => page.getByRole('button', { name: 'Test step' }).click()
const output = (page: Page, refId: string) =>
  page.getByRole('region', { name: `Run of step ${refId}` }).getByRole('tree')
const preview = (page: Page) => page.getByRole('region', { name: 'Field preview' })

test('a step runs on the displayed data: a list that was run by itself, typed values, or the chosen run', async () => {
  const { id } = await aFlow('Shown', [
    { ref_id: 'web1', type: 'webhook' },
    set('users', { list: [{ id: 1 }, { id: 2 }, { id: 3 }] }),
    {
      ref_id: 'open',
      type: 'filter',
      config: { over: '{{ users.list }}', when: '{{ item.id > web1.above }}' },
    },
  ])
  const { page, problems } = await program.open({ path: `/flows/${id}?step=users` })
  await runStep(page)
  await page.getByText(/^Single-step test/).waitFor()
  await page.getByRole('button', { name: /^3 open/ }).click()
  await page.getByRole('combobox', { name: 'Values to show' }).click()
  await page.getByRole('option', { name: /^Custom JSON/ }).click()
  await page.getByLabel('Custom values').fill('{"web1": {"above": 1}}')
  await runStep(page)
  await output(page, 'open').getByText('2 items').waitFor()

  await program.call('POST', `/v1/flows/${id}/run?wait=true`, { input: { above: 2 } })
  await program.call('POST', `/v1/flows/${id}/run?wait=true`, { input: { above: 0 } })
  await page.getByRole('combobox', { name: 'Values to show' }).click()
  await page
    .getByRole('option', { name: /^Run from/ })
    .nth(1)
    .click()
  await output(page, 'open').getByText('1 item', { exact: true }).waitFor()
  await runStep(page)
  await page.getByText(/^Single-step test/).waitFor()
  await output(page, 'open').getByText('1 item', { exact: true }).waitFor()
  expect(problems).toEqual([])
})

test('in a loop, one control chooses the item that is shown, previewed and run', async () => {
  const { id } = await aFlow('Items', [
    { ref_id: 'web1', type: 'webhook' },
    {
      ref_id: 'each',
      type: 'loop',
      config: { over: '{{ web1.list }}' },
      steps: [set('ten', { of: '{{ item * 10 }}' }), set('text', { text: '{{ item }} then {{ ten.of }}' })],
    },
  ])
  await program.call('POST', `/v1/flows/${id}/run?wait=true`, { input: { list: [1, 2, 3] } })
  const { page, problems } = await program.open({ path: `/flows/${id}?step=text` })
  const item = page.getByRole('textbox', { name: 'Item of each' })
  await expect.poll(() => item.inputValue()).toBe('3')
  await page.getByLabel('Value of text').click()
  const shows = async (text: string, value: number) => {
    await preview(page).getByText(text, { exact: true }).waitFor()
    await output(page, 'text').getByText(`"${text}"`).waitFor()
    await page.getByRole('treeitem', { name: `item, number, ${value}` }).waitFor()
    await page.getByRole('treeitem', { name: `ten.of, number, ${value * 10}` }).waitFor()
  }
  await page.getByRole('treeitem', { name: /^ten, object/ }).waitFor()
  await shows('3 then 30', 3)
  await page.getByRole('button', { name: 'Previous item' }).click()
  await shows('2 then 20', 2)
  await item.fill('1')
  await shows('1 then 10', 1)
  await runStep(page)
  await page.getByText(/^Single-step test/).waitFor()
  await shows('1 then 10', 1)
  expect(problems).toEqual([])
})
