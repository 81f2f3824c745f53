/** The versions of a flow: changes in words, folded unchanged lines, names, authors. */
import { expect, test } from 'vitest'
import { axeFindings } from '../helpers/axe.ts'
import type { Flow } from '../../src/shared/contract/flows.ts'
import { useProgramInBrowser } from '../helpers/program-in-browser.ts'

const program = useProgramInBrowser()

const values = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`key${index}`, index]))
const stepsWith = (when: string, more: readonly object[] = []) => [
  { ref_id: 'web1', type: 'webhook' },
  { ref_id: 'long', type: 'set', config: { values } },
  { ref_id: 'big', type: 'condition', config: { when } },
  ...more,
]

test('a changed condition is described in words, unchanged lines are folded, and a version can be named', async () => {
  const { id } = await program.call<Flow>('POST', '/v1/flows', {
    name: 'Changed',
    steps: stepsWith('web1.total > 100'),
  })
  await program.call('PUT', `/v1/flows/${id}`, {
    steps: stepsWith('web1.total > 50', [{ ref_id: 'added', type: 'delay', config: { seconds: 1 } }]),
  })
  const { page, problems } = await program.open({ path: `/flows/${id}?tab=versions` })
  await page.getByRole('tab', { name: 'Versions' }).click()
  const changes = page.getByRole('list', { name: 'Changes' }).getByRole('listitem')
  await changes.first().waitFor()
  expect(await changes.allInnerTexts()).toEqual([
    'big Condition changed: web1.total > 100 → web1.total > 50',
    'added Step added',
  ])
  const difference = page.getByRole('region', { name: 'Difference' })
  const folded = difference.getByRole('button', { name: /unchanged lines$/ }).first()
  expect(await difference.getByText('"key7": 7').count()).toBe(0)
  await folded.click()
  await difference.getByText('"key7": 7').waitFor()

  await page.getByRole('button', { name: /^Version 1 .*Local user/ }).waitFor()
  await page.getByLabel('Name of version 1').fill('Before the sale')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: /^Version 1 · Before the sale/ }).waitFor()
  expect(await axeFindings(page)).toEqual([])
  await page.reload()
  await page.getByRole('tab', { name: 'Versions' }).click()
  await page.getByRole('button', { name: /^Version 1 · Before the sale/ }).waitFor()
  expect(problems).toEqual([])
})
