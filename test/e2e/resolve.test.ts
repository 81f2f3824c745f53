import { expect, test } from 'vitest'
import { useProgramInBrowser } from '../helpers/program-in-browser.ts'

const program = useProgramInBrowser()

test('a cause is resolved on Home with a note, comes back with the next failure, and a run is reopened', async () => {
  const { id } = await program.call<{ id: string }>('POST', '/v1/flows', {
    name: 'Orders',
    steps: [{ ref_id: 'end', type: 'stop', config: { status: 'error', message: 'No stock' } }],
  })
  const fail = () => program.call<{ id: string }>('POST', `/v1/flows/${id}/run?wait=true`, {})
  await fail()
  const { id: runId } = await fail()
  const { page, problems } = await program.open()
  const dialog = page.getByRole('dialog')

  await page.getByText('2 runs failed at “end”').waitFor()
  await page.getByRole('button', { name: 'Resolve failures of Orders' }).click()
  await dialog.getByLabel('Note').fill('Restocked')
  await dialog.getByRole('button', { name: 'Resolve' }).click()
  await page.getByText('2 runs failed at “end”').waitFor({ state: 'detached' })
  await fail()
  await page.getByText('1 run failed at “end”').waitFor()

  await page.goto(`${page.url().replace(/\/$/, '')}/runs/${runId}`)
  await page.getByText('Marked as resolved: Restocked').waitFor()
  await page.getByRole('button', { name: 'Reopen' }).click()
  await page.getByRole('button', { name: 'Resolve…' }).waitFor()
  expect(await page.getByText('Marked as resolved: Restocked').count()).toBe(0)
  expect(problems).toEqual([])
})
