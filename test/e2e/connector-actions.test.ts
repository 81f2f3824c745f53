/** Actions of a custom connector, in a real Chromium. */
import { expect, test } from 'vitest'
import { axeFindings } from '../helpers/axe.ts'
import { useProgramInBrowser } from '../helpers/program-in-browser.ts'
import { startThirdPartyApi } from '../helpers/third-party-api.ts'

const program = useProgramInBrowser()

test('a path with parameters in braces gets a field for each, and a try sends what is entered there', async () => {
  const api = await startThirdPartyApi(({ target }, response) => response.end(JSON.stringify({ target })))
  const { id } = await program.call<{ id: string }>('POST', '/v1/connectors', {
    name: 'Staff',
    base_domain: api.url,
  })
  const { page, problems } = await program.open({ path: `/connectors/${id}` })
  await page.getByRole('button', { name: 'New action' }).click()
  const path = page.getByLabel('Path', { exact: true })
  await page.getByLabel('Name', { exact: true }).fill('get_user')
  await path.pressSequentially('users/{user_id}/notes/{id}')
  await path.press('Tab')
  expect(await path.inputValue()).toBe('users/{user_id}/notes/{id}')
  expect(await axeFindings(page)).toEqual([])
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('Connector “Staff” saved').first().waitFor()
  await page.getByRole('tab', { name: 'Try it' }).click()
  await page.getByText('GET users/{user_id}/notes/{id}').first().waitFor()
  await page.getByLabel('User id').fill('a/b c')
  await page.getByLabel('Id', { exact: true }).fill('7')
  await page.getByRole('button', { name: 'Run action' }).click()
  await page.getByText('Success.').waitFor()
  await page.getByText('/users/a%2Fb%20c/notes/7').first().waitFor()
  const [action] = await program.call<{ endpoint: string }[]>(
    'GET',
    `/v1/connector-actions?filter=connector_id,eq,${id}`,
  )
  expect(action?.endpoint).toBe(
    "users/{{ input.user_id | urlencode | replace('/', '%2F') }}/notes/{{ input.id | urlencode | replace('/', '%2F') }}",
  )
  expect(problems).toEqual([])
})

test('all actions of a connector and all flows that use it are known, however many there are', async () => {
  const { id } = await program.call<{ id: string }>('POST', '/v1/connectors', {
    name: 'Warehouse',
    base_domain: 'https://warehouse.example',
  })
  let last = ''
  for (let index = 0; index < 260; index += 1) {
    const name = `call_${String(index).padStart(3, '0')}`
    const action = { connector_id: id, name, title: name, method: 'GET', endpoint: name }
    const made = await program.call<{ id: string }>('POST', '/v1/connector-actions', action)
    last = made.id
  }
  for (let index = 0; index < 250; index += 1) {
    const config = { connector_id: id, action: 'call_259' }
    const steps = [{ ref_id: 'stock', type: 'connector_action', config }]
    await program.call('POST', '/v1/flows', { name: `Stock ${index}`, steps })
  }
  const { page, problems, go } = await program.open({ path: '/connectors' })
  const row = page.getByRole('row').filter({ hasText: 'Warehouse' })
  await row.getByText('260', { exact: true }).waitFor()
  await row.getByText('250', { exact: true }).waitFor()

  await go(`/connectors/${id}?action=${last}&tab=try`)
  await page.getByText('GET call_259').first().waitFor()
  await page.getByRole('button', { name: 'Use in a flow' }).click()
  await page.getByRole('combobox', { name: 'Flow' }).fill('Stock 0')
  await page.getByRole('option', { name: 'Stock 0', exact: true }).click()
  await page.getByRole('button', { name: 'Add as last step' }).click()
  await expect.poll(() => page.getByRole('combobox', { name: 'Action' }).inputValue()).toBe('call_259')
  expect(problems).toEqual([])
})
