/** A flow that several triggers start: in the editor, on the canvas, in a test run, and in its runs. */
import { expect, test } from 'vitest'
import type { Flow } from '../../src/shared/contract/flows.ts'
import type { FlowRun } from '../../src/shared/contract/flow-runs.ts'
import { axeFindings } from '../helpers/axe.ts'
import { useProgramInBrowser } from '../helpers/program-in-browser.ts'

const program = useProgramInBrowser()

const web1 = { ref_id: 'web1', type: 'webhook' }
const schedule = { ref_id: 'nightly', type: 'schedule', config: { interval: 'daily', at: '02:00' } }
const seen = { ref_id: 'seen', type: 'set', config: { values: { by: '{{ trigger.ref_id }}' } } }

const aFlow = (name: string, steps: readonly object[]) =>
  program.call<Flow>('POST', '/v1/flows', { name, steps })

test('another trigger is added above the steps; a test run begins with the chosen one, and the run says which', async () => {
  const { id } = await aFlow('Several', [web1, seen])
  const { page, problems } = await program.open({ path: `/flows/${id}` })
  await page.getByText('1 trigger', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Add another trigger' }).click()
  // The URL of the flow already has its trigger.
  await page.getByRole('option', { name: /^Schedule/ }).waitFor()
  expect(await page.getByRole('option', { name: /^(Webhook|Form|Set values)/ }).count()).toBe(0)
  await page.getByRole('option', { name: /^Schedule/ }).click()
  await page.getByText('2 triggers', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('“Several” saved').waitFor()
  const { steps } = await program.call<Flow>('GET', `/v1/flows/${id}`)
  expect(steps.map(({ type }) => type)).toEqual(['webhook', 'schedule', 'set'])
  const refId = steps[1]?.ref_id ?? ''
  expect(await axeFindings(page)).toEqual([])

  await page.getByRole('button', { name: 'Test', exact: true }).click()
  const dialog = page.getByRole('dialog', { name: 'Test run' })
  await dialog.getByRole('combobox', { name: 'Trigger' }).click()
  await page.getByRole('option', { name: /^Schedule/ }).click()
  await dialog.getByRole('button', { name: 'Run', exact: true }).click()
  await dialog.waitFor({ state: 'detached' })
  const runs = () => program.call<FlowRun[]>('GET', `/v1/flow-runs?filter=flow_id,eq,${id}`)
  await expect
    .poll(async () => (await runs()).map(({ status, trigger_ref: ref }) => [status, ref]))
    .toEqual([['success', refId]])

  const [run] = await runs()
  await page.goto(new URL(`/runs/${run?.id}`, page.url()).href)
  await page.locator('dd').filter({ hasText: 'Editor test' }).getByText(refId, { exact: true }).waitFor()
  await page.goto(new URL('/runs', page.url()).href)
  await page.getByText(`Editor test · ${refId}`).waitFor()
  expect(problems).toEqual([])
})

test('on the canvas, triggers are side by side, and another one is added beside them', async () => {
  const { id } = await aFlow('Drawn', [web1, schedule, seen])
  const { page, problems } = await program.open({ path: `/flows/${id}?view=canvas` })
  const boxOf = async (refId: string) => {
    const node = page.locator(`[data-canvas-step="${refId}"]`)
    await node.waitFor()
    const box = await node.boundingBox()
    if (box === null) throw new Error(`The canvas doesn't show ${refId}`)
    return box
  }
  const [left, right, below] = [await boxOf('web1'), await boxOf('nightly'), await boxOf('seen')]
  expect({
    sameRow: Math.abs(left.y - right.y) < 1,
    beside: right.x > left.x + left.width,
    below: below.y > left.y + left.height,
  }).toEqual({ sameRow: true, beside: true, below: true })

  await page.getByRole('button', { name: 'Add another trigger' }).click()
  await page.getByRole('option', { name: /^Files in a folder/ }).click()
  const steps = async () =>
    (
      await program.call<{ steps: { ref_id: string; type: string }[] | null }>(
        'GET',
        `/v1/flows/${id}/working-copy`,
      )
    ).steps?.map(({ type }) => type)
  await expect.poll(steps).toEqual(['webhook', 'schedule', 'folder_trigger', 'set'])
  expect(problems).toEqual([])
})
