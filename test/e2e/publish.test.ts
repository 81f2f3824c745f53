import { expect, test } from 'vitest'
import { useProgramInBrowser } from '../helpers/program-in-browser.ts'

const program = useProgramInBrowser()

interface Created {
  readonly id: string
}

async function writeAsAgent(flowId: string, steps: readonly object[]): Promise<void> {
  const body = { expiration: null, scopes: ['automation:manage'], note: 'Claude' }
  const { token } = await program.call<{ token: string }>('POST', '/v1/personal-access-tokens', body)
  const answer = await fetch(`${program.served.url}/v1/flows/${flowId}/working-copy`, {
    method: 'PUT',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ steps }),
  })
  expect(answer.status).toBe(200)
}

const WEBHOOK = { ref_id: 'web1', type: 'webhook', config: {} }
const rest = (url: string) => ({ ref_id: 'call', type: 'rest', config: { url } })

test('what an agent wrote is shown with what the flow may reach before it is published, by keyboard', async () => {
  const flow = { name: 'Orders', steps: [WEBHOOK, rest('https://api.example.com/orders')] }
  const { id } = await program.call<Created>('POST', '/v1/flows', flow)
  const { page, problems } = await program.open({ path: `/flows/${id}` })
  await page.getByText('Saved', { exact: true }).waitFor()
  await writeAsAgent(id, [WEBHOOK, rest('https://{{ web1.host }}/orders')])
  await page.getByText('Unpublished changes (draft saved)').waitFor()

  await page.keyboard.press('ControlOrMeta+s')
  const sheet = page.getByRole('dialog', { name: 'Publish changes' })
  await sheet.getByText('Written with the access token “Claude”. Review it before it runs.').waitFor()
  const changes = sheet.getByRole('list', { name: 'Changes' })
  await changes.getByText('https://{{ web1.host }}/orders').waitFor()
  const reach = sheet.getByRole('region', { name: 'What the flow may reach' })
  await reach.getByText('any host').waitFor()
  await reach.getByText('new', { exact: true }).waitFor()
  const saved = () => program.call<{ version: number }>('GET', `/v1/flows/${id}`)
  expect((await saved()).version).toBe(1)

  await page.keyboard.press('Escape')
  await sheet.waitFor({ state: 'detached' })
  expect((await saved()).version).toBe(1)
  await page.getByRole('button', { name: 'Review changes' }).click()
  await page.keyboard.press('ControlOrMeta+Enter')
  await sheet.waitFor({ state: 'detached' })
  await page.getByText('Saved', { exact: true }).waitFor()
  expect((await saved()).version).toBe(2)
  expect(problems).toEqual([])
})

test('a person can look at their own changes before they save them, and save without that', async () => {
  const { id } = await program.call<Created>('POST', '/v1/flows', { name: 'Own', steps: [WEBHOOK] })
  const { page, problems } = await program.open({ path: `/flows/${id}` })
  await page.getByText('Saved', { exact: true }).waitFor()
  await program.call('PUT', `/v1/flows/${id}/working-copy`, {
    steps: [
      { ...WEBHOOK, config: { response_status_code: '201' } },
      { ref_id: 'sum', type: 'set', config: { values: { a: 1 } } },
    ],
  })
  await page.getByText('Unpublished changes (draft saved)').waitFor()
  await page.keyboard.press('ControlOrMeta+Shift+s')
  const sheet = page.getByRole('dialog', { name: 'Publish changes' })
  await sheet.getByText('Nothing outside of the flow.').waitFor()
  await sheet.getByText('Step added').waitFor()
  await sheet.getByText('“Response status code” changed').waitFor()
  await sheet.getByRole('button', { name: 'Cancel' }).click()
  await sheet.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('Saved', { exact: true }).waitFor()
  expect((await program.call<{ version: number }>('GET', `/v1/flows/${id}`)).version).toBe(2)
  expect(problems).toEqual([])
})
