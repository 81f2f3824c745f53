/** What was typed in a dialog isn't lost to a key press or a click outside it, and counts as soon as it is typed. */
import { expect, test } from 'vitest'
import type { Flow } from '../../src/shared/contract/flows.ts'
import type { FlowRun } from '../../src/shared/contract/flow-runs.ts'
import { axeFindings } from '../helpers/axe.ts'
import { useProgramInBrowser } from '../helpers/program-in-browser.ts'

const program = useProgramInBrowser()

test('Escape and a click outside ask before a note is lost, and nothing asks if nothing was typed', async () => {
  const { page, problems } = await program.open({ path: '/tokens?create=true' })
  const dialog = page.getByRole('dialog', { name: 'Create access token' })
  const asked = page.getByRole('alertdialog', { name: 'Leave without saving your changes?' })
  await dialog.getByLabel('Note').fill('Shop checkout')
  await page.keyboard.press('Escape')
  await asked.waitFor()
  expect(await axeFindings(page)).toEqual([])
  await page.keyboard.press('Escape')
  await asked.waitFor({ state: 'detached' })
  await page.mouse.click(5, 400)
  await asked.getByRole('button', { name: 'Cancel' }).click()
  await asked.waitFor({ state: 'detached' })
  expect(await dialog.getByLabel('Note').inputValue()).toBe('Shop checkout')
  await page.keyboard.press('Escape')
  await asked.getByRole('button', { name: 'Leave' }).click()
  await dialog.waitFor({ state: 'detached' })

  await page.getByRole('button', { name: 'Create token' }).first().click()
  await dialog.waitFor()
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  expect(await asked.count()).toBe(0)
  expect(problems).toEqual([])
})

test('the input of a test run begins inside the object, one Escape closes it, and the last key before Ctrl+Enter counts', async () => {
  const flow = await program.call<Flow>('POST', '/v1/flows', {
    name: 'Typed fast',
    steps: [
      { ref_id: 'web1', type: 'webhook' },
      { ref_id: 'a', type: 'set' },
    ],
  })
  const { page, problems } = await program.open({ path: `/flows/${flow.id}` })
  const dialog = page.getByRole('dialog', { name: 'Test run' })
  await page.getByRole('button', { name: 'Test', exact: true }).click()
  const editor = dialog.locator('.cm-content[data-first-focus]')
  await editor.waitFor()
  await expect.poll(() => editor.evaluate((element) => element === document.activeElement)).toBe(true)
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })

  // Half a value is typed text, too.
  await page.getByRole('button', { name: 'Test', exact: true }).click()
  await editor.waitFor()
  await expect.poll(() => editor.evaluate((element) => element === document.activeElement)).toBe(true)
  await page.keyboard.insertText('"n": ')
  await dialog.getByText('Invalid JSON').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('alertdialog').getByRole('button', { name: 'Leave' }).click()
  await dialog.waitFor({ state: 'detached' })

  await page.getByRole('button', { name: 'Test', exact: true }).click()
  await editor.waitFor()
  await expect.poll(() => editor.evaluate((element) => element === document.activeElement)).toBe(true)
  await page.evaluate(async () => {
    document.execCommand('insertText', false, '"n": 7')
    // What was typed has arrived in the editor, but nothing has been drawn yet.
    await Promise.resolve()
    document.activeElement?.dispatchEvent(
      new KeyboardEvent('keydown', { key: 'Enter', ctrlKey: true, bubbles: true, cancelable: true }),
    )
  })
  await dialog.waitFor({ state: 'detached' })
  const [run] = await program.call<FlowRun[]>('GET', `/v1/flow-runs?filter=flow_id,eq,${flow.id}`)
  // The dialog closes when the run has started; its first step follows.
  await expect
    .poll(async () => {
      const [first] = await program.call<{ output: unknown }[]>('GET', `/v1/flow-runs/${run?.id}/steps`)
      return first?.output
    })
    .toEqual({ n: 7 })
  expect(problems).toEqual([])
})
