import { expect, test } from 'vitest'
import type { Flow } from '../../src/shared/contract/flows.ts'
import type { FlowRun } from '../../src/shared/contract/flow-runs.ts'
import { axeFindings } from '../helpers/axe.ts'
import { useProgramInBrowser } from '../helpers/program-in-browser.ts'

const program = useProgramInBrowser()

async function aFlow(name: string, values: object = { total: '{{ web1.n * 2 }}' }): Promise<string> {
  const { id } = await program.call<Flow>('POST', '/v1/flows', {
    name,
    steps: [
      { ref_id: 'web1', type: 'webhook' },
      { ref_id: 'price', type: 'set', config: { values } },
      { ref_id: 'tax', type: 'set', config: { values: { total: '{{ price.total }}' } } },
    ],
  })
  return id
}

async function aTestRun(flowId: string): Promise<string> {
  const body = { input: { n: 4 }, test: true }
  const started = await program.call<{ flow_run_id: string }>('POST', `/v1/flows/${flowId}/run`, body)
  return started.flow_run_id
}

async function endOf(runId: string): Promise<FlowRun> {
  await expect
    .poll(async () => (await program.call<FlowRun>('GET', `/v1/flow-runs/${runId}`)).finished_at)
    .not.toBe(null)
  return await program.call<FlowRun>('GET', `/v1/flow-runs/${runId}`)
}

test('a breakpoint is set in the list, shown there and on the canvas; a test run stops, steps over and continues', async () => {
  const flowId = await aFlow('Stop here')
  const { page, problems, go } = await program.open({ path: `/flows/${flowId}?step=price` })
  await page.getByRole('button', { name: 'More for price', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Breakpoint…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Breakpoint before price', exact: true })
  expect(await axeFindings(page, '[role=dialog]')).toEqual([])
  await dialog.getByRole('button', { name: 'Set breakpoint', exact: true }).click()
  await dialog.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: /price.*, breakpoint/ }).waitFor()
  await go(`/flows/${flowId}?view=canvas`)
  await page.locator('[data-canvas-step=price] [data-breakpoint]').waitFor()

  const runId = await aTestRun(flowId)
  await go(`/runs/${runId}`)
  const first = page.getByRole('region', { name: 'Stopped before price', exact: true })
  await first.getByText('"total": 8').waitFor()
  expect(await axeFindings(page)).toEqual([])
  await first.getByRole('button', { name: 'Step over', exact: true }).click()
  const second = page.getByRole('region', { name: 'Stopped before tax', exact: true })
  await second.locator('.cm-content').click()
  await page.keyboard.press('ControlOrMeta+a')
  await page.keyboard.insertText('{"values": {"total": 9}}')
  await second.getByRole('button', { name: 'Continue', exact: true }).click()
  await second.waitFor({ state: 'detached' })
  expect((await endOf(runId)).status).toBe('success')
  expect(await program.call('GET', `/v1/flow-runs/${runId}/results`)).toMatchObject({ tax: { total: 9 } })
  expect(problems).toEqual([])
})

test("in the editor's run panel, a stopped step is skipped with a result in its place", async () => {
  const flowId = await aFlow('Skip here', {
    total: '{{ web1.n * 2 }}',
    rows: Array.from({ length: 40 }, (_, id) => ({ id })),
  })
  await program.call('PUT', `/v1/flows/${flowId}/breakpoints/price`, {})
  const { page, problems } = await program.open({ path: `/flows/${flowId}?step=price` })
  const runId = await aTestRun(flowId)
  const stop = page.getByRole('region', { name: 'Stopped before price', exact: true })
  // The buttons come first, and the panel scrolls instead of the editor.
  await stop.getByText('Data at this point').or(stop.locator('.cm-content')).first().waitFor()
  const next = stop.getByRole('button', { name: 'Continue', exact: true })
  expect(await next.evaluate((button) => button.getBoundingClientRect().bottom < innerHeight)).toBe(true)
  const main = page.getByRole('main')
  expect(await main.evaluate((element) => element.scrollHeight - element.clientHeight)).toBe(0)
  const panel = page.getByRole('region', { name: 'Run of step price', exact: true })
  await panel.getByText(/^Started/).waitFor()
  await panel.getByText('Step “price” hasn’t run yet.').waitFor()
  await stop.getByRole('button', { name: 'Skip…', exact: true }).click()
  const dialog = page.getByRole('dialog', { name: 'Skip price', exact: true })
  await dialog.locator('.cm-content').click()
  await page.keyboard.press('ControlOrMeta+a')
  await page.keyboard.insertText('{"total": 1}')
  await dialog.getByRole('button', { name: 'Skip step', exact: true }).click()
  await dialog.waitFor({ state: 'detached' })
  await stop.waitFor({ state: 'detached' })
  expect((await endOf(runId)).status).toBe('success')
  expect(await program.call('GET', `/v1/flow-runs/${runId}/results`)).toMatchObject({ tax: { total: 1 } })
  expect(problems).toEqual([])
})
