/** Tests of a flow on its page: made from a run, run, accepted, with a fault, deleted and restored. */
import { expect, test } from 'vitest'
import type { Flow } from '../../src/shared/contract/flows.ts'
import type { FlowRun } from '../../src/shared/contract/flow-runs.ts'
import type { StoredTest, WholeStoredTest } from '../../src/shared/contract/flow-tests.ts'
import { axeFindings } from '../helpers/axe.ts'
import { useProgramInBrowser } from '../helpers/program-in-browser.ts'
import { startThirdPartyApi } from '../helpers/third-party-api.ts'

const program = useProgramInBrowser()

const stepsFor = (url: string, sum: string) => [
  { ref_id: 'hook', type: 'webhook', config: { response_body: '{{ sum.sum }}' } },
  { ref_id: 'orders', type: 'rest', config: { url: `${url}/orders` } },
  { ref_id: 'sum', type: 'set', config: { values: { sum, currency: 'EUR' } } },
]
const SUM = "{{ orders.body | sum(attribute='total') }}"

async function aRun() {
  const api = await startThirdPartyApi((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end('[{"total": 19}, {"total": 23}]')
  })
  const { id } = await program.call<Flow>('POST', '/v1/flows', {
    name: 'Sum of orders',
    steps: stepsFor(api.url, SUM),
  })
  const run = await program.call<FlowRun>('POST', `/v1/flows/${id}/run?wait=true`, {})
  return { api, id, run }
}

test('a run becomes a test, which fails after a change, and accepts the new result', async () => {
  const { api, id, run } = await aRun()
  const { page, problems } = await program.open({ path: `/runs/${run.id}` })
  const notices = page.getByRole('region', { name: 'Notices' })
  await page.getByRole('button', { name: 'More' }).click()
  await page.getByRole('menuitem', { name: 'Make this a test…' }).click()
  const sheet = page.getByRole('dialog', { name: 'Make a test from this run' })
  await sheet.getByLabel('Name').fill('Two orders')
  await sheet.getByLabel('sum', { exact: true }).click()
  await page.getByRole('option', { name: 'Only these members' }).click()
  expect(await axeFindings(page)).toEqual([])
  await sheet.getByRole('button', { name: 'Save test' }).click()
  await notices.getByText('Test “Two orders” saved').waitFor()
  await notices.getByRole('button', { name: 'Show tests' }).click()

  const list = page.getByRole('navigation', { name: 'Tests' })
  await list.getByRole('button', { name: /^Not run yet Two orders/ }).waitFor()
  await page.getByRole('button', { name: 'Run all tests' }).click()
  await notices.getByText('1 test passed').waitFor()
  const calls = api.received.length

  await program.call('PUT', `/v1/flows/${id}/working-copy`, { steps: stepsFor(api.url, '{{ 7 }}') })
  await page.getByRole('button', { name: 'Run test' }).click()
  await notices.getByText('1 of 1 test failed').waitFor()
  await list.getByRole('button', { name: /^Failed Two orders/ }).waitFor()
  const difference = page.getByRole('table', { name: 'Result of step "sum" differs' })
  const table = page.getByRole('region', { name: 'Result' }).getByRole('table').last()
  expect(await table.getByRole('row').allInnerTexts()).toEqual(['Path\tExpected\tActual', 'sum\t42\t7'])
  expect(await difference.count()).toBeLessThanOrEqual(1)
  expect(await axeFindings(page)).toEqual([])
  await page.getByRole('button', { name: 'Accept new result' }).click()
  await list.getByRole('button', { name: /^Passed Two orders/ }).waitFor()
  const accepted = await program.call<WholeStoredTest>('GET', `/v1/flows/${id}/tests/Two%20orders`)
  expect({ sent: api.received.length - calls, results: accepted.test.expect.results }).toMatchObject({
    sent: 0,
    results: { sum: { exact: { sum: 7, currency: 'EUR' } } },
  })
  expect(problems).toEqual([])
})

test('a fault is added on the page, and a deleted test can be brought back', async () => {
  const { id, run } = await aRun()
  const { test: recorded } = await program.call<{ test: object }>('POST', `/v1/flow-runs/${run.id}/test`, {
    name: 'Two orders',
  })
  await program.call('POST', `/v1/flows/${id}/tests`, { test: recorded })
  const { page, problems } = await program.open({ path: `/flows/${id}?view=tests` })
  const notices = page.getByRole('region', { name: 'Notices' })
  await page.getByRole('button', { name: 'Edit test' }).click()
  const sheet = page.getByRole('dialog', { name: 'Edit test' })
  await sheet.getByRole('button', { name: 'Add fault' }).click()
  await sheet.getByLabel('Times').fill('3')
  await sheet.getByRole('button', { name: 'Save test' }).click()
  await notices.getByText('Test “Two orders” saved').waitFor()
  await page.getByRole('button', { name: 'Run test' }).click()
  await notices.getByText('1 test passed').waitFor()
  const whole = await program.call<WholeStoredTest>('GET', `/v1/flows/${id}/tests/Two%20orders`)
  expect(whole.test.calls).toMatchObject([{ fault: { kind: 'status', status: 429, times: 3 } }])

  const list = page.getByRole('navigation', { name: 'Tests' })
  await page.getByRole('button', { name: 'Delete test' }).click()
  await page.getByText('No tests').waitFor()
  await notices.getByRole('button', { name: 'Undo' }).click()
  await list.getByRole('button', { name: /Two orders/ }).waitFor()
  expect(await program.call<StoredTest[]>('GET', `/v1/flows/${id}/tests`)).toHaveLength(1)
  expect(problems).toEqual([])
})

test('a run whose calls were cut is replayed with a recording', async () => {
  const api = await startThirdPartyApi((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ long: 'x'.repeat(40_000) }))
  })
  const { id } = await program.call<Flow>('POST', '/v1/flows', {
    name: 'Long list',
    steps: stepsFor(api.url, '{{ orders.body.long | length }}'),
  })
  const run = await program.call<FlowRun>('POST', `/v1/flows/${id}/run?wait=true`, {})
  const { page, problems } = await program.open({ path: `/runs/${run.id}` })
  const make = async () => {
    await page.getByRole('button', { name: 'More' }).click()
    await page.getByRole('menuitem', { name: 'Make this a test…' }).click()
  }
  const sheet = page.getByRole('dialog', { name: 'Make a test from this run' })
  await make()
  await sheet.getByText(/only the beginning of GET .* was kept/).waitFor()
  await sheet.getByRole('button', { name: 'Replay and record' }).click()
  await page.waitForURL((url) => url.pathname.startsWith('/runs/') && !url.pathname.includes(run.id))
  await page
    .getByRole('button', { name: 'Compare' })
    .or(page.getByRole('link', { name: 'Compare' }))
    .waitFor()
  await make()
  await sheet.getByRole('button', { name: 'Save test' }).click()
  await page
    .getByRole('region', { name: 'Notices' })
    .getByText(/^Test “.*” saved$/)
    .waitFor()
  expect(problems.filter((problem) => !problem.includes('409'))).toEqual([])
})
