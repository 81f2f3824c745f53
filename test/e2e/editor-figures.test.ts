/**
 * What the editor shows about a flow besides its steps: when it would run, how often a step ran, who pinned a value.
 */
import { expect, test } from 'vitest'
import { replaceCode } from '../helpers/keyboard.ts'
import { useProgramInBrowser } from '../helpers/program-in-browser.ts'

const program = useProgramInBrowser()

test('the next times follow the schedule as it is typed, in its zone and the local one, and report invalid cron', async () => {
  const { id } = await program.call<{ id: string }>('POST', '/v1/flows', {
    name: 'Every night',
    steps: [
      { ref_id: 'night', type: 'schedule', config: { interval: 'cron', cron: '0 3 * * *', timezone: 'UTC' } },
    ],
  })
  const { page, problems } = await program.open({ path: `/flows/${id}` })
  const times = page.getByRole('region', { name: 'Next runs' })
  const hours = () =>
    times
      .getByRole('time')
      .evaluateAll((all) => all.map((time) => time.getAttribute('datetime')?.slice(11, 16)))
  await times
    .getByText(/at 03:00:00/)
    .first()
    .waitFor()
  const cron = page.getByLabel('Cron expression')
  await cron.fill('30 4 * * *')
  await times
    .getByText(/at 04:30:00/)
    .first()
    .waitFor()
  await expect.poll(hours).toEqual(Array(5).fill('04:30'))

  await cron.fill('30 4 * *')
  await page.getByText(/^must be five fields, or six with seconds first/).waitFor()
  await times.waitFor({ state: 'detached' })
  await expect.poll(() => cron.getAttribute('aria-invalid')).toBe('true')

  // A zone without daylight saving time, which no test browser is in.
  await cron.fill('0 6 * * *')
  await page.getByLabel('Time zone').fill('Kiritimati')
  await page.getByRole('option', { name: 'Pacific/Kiritimati' }).click()
  await times.getByText('Pacific/Kiritimati').waitFor()
  await times
    .getByText(/at 06:00:00/)
    .first()
    .waitFor()
  await expect.poll(hours).toEqual(Array(5).fill('16:00'))
  await expect.poll(() => times.getByText(/ local time$/).count()).toBe(5)

  // Nothing of it was saved.
  const saved = await program.call<{ next: string[] }>('GET', `/v1/flows/${id}/schedule`)
  expect(saved.next.map((moment) => moment.slice(11, 16))).toEqual(Array(5).fill('03:00'))
  expect(problems).toEqual([])
})

test('the canvas shows how often a step ran in total, even thousands of times', async () => {
  const { id } = await program.call<{ id: string }>('POST', '/v1/flows', {
    name: 'Many turns',
    steps: [
      {
        ref_id: 'each',
        type: 'loop',
        config: { over: '{{ range(2500) }}' },
        steps: [{ ref_id: 'turn', type: 'set', config: { values: { n: '{{ item }}' } } }],
      },
    ],
  })
  await program.call('POST', `/v1/flows/${id}/run?wait=true`, {})
  const { page, problems } = await program.open({ path: `/flows/${id}?view=canvas&step=turn` })
  await page.locator('[data-canvas-step="turn"]').getByText('2,500 iterations').waitFor()
  await page
    .getByRole('status')
    .filter({ hasText: /turn, Set values, .*2,500 iterations, longest:/ })
    .waitFor()
  expect(problems).toEqual([])
})

test('a pin shows who made it, when, and from which run; a typed value has no run', async () => {
  const { id } = await program.call<{ id: string }>('POST', '/v1/flows', {
    name: 'Pins',
    steps: [
      { ref_id: 'web1', type: 'webhook' },
      { ref_id: 'person', type: 'set', config: { values: { name: '{{ web1.name }}' } } },
    ],
  })
  await program.call('POST', `/v1/flows/${id}/run?wait=true`, { input: { name: 'Ada' } })
  const [run] = await program.call<{ id: string }[]>('GET', `/v1/flow-runs?filter=flow_id,eq,${id}`)
  const { page, problems } = await program.open({ path: `/flows/${id}?step=person` })
  // Until the run is loaded, Pin asks for a value to be typed.
  await page.getByRole('region', { name: 'Run of step person' }).getByText('Ada').first().waitFor()
  await page.getByRole('button', { name: 'Pin', exact: true }).click()
  await page.getByRole('button', { name: 'Pin value' }).click()
  const origin = page.getByText(/Pinned .* by Local user/)
  await origin.waitFor()
  expect(await page.getByRole('link', { name: 'from this run' }).getAttribute('href')).toBe(
    `/runs/${run?.id}`,
  )

  await page.getByRole('button', { name: 'Change', exact: true }).click()
  await replaceCode(page.getByRole('dialog').getByRole('textbox'), '{"name": "Grace"}')
  await page.getByRole('button', { name: 'Pin value' }).click()
  // The page behind an open dialog has no roles, so the dialog must close first.
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await page.getByRole('link', { name: 'from this run' }).waitFor({ state: 'detached' })
  await origin.waitFor()
  expect(await program.call('GET', `/v1/flows/${id}/pins`)).toMatchObject([
    { ref_id: 'person', value: { name: 'Grace' }, pinned_by: { name: 'Local user' }, flow_run_id: null },
  ])
  expect(problems).toEqual([])
})
