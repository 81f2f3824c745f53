/** What is deleted on the page can be restored for ten seconds. It is deleted after that, or when the page is left. */
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import type { ConnectorAuth } from '../../src/shared/contract/connector-auths.ts'
import { axeFindings } from '../helpers/axe.ts'
import { useProgramInBrowser } from '../helpers/program-in-browser.ts'
import { stopTime } from '../helpers/stop-time.ts'

const program = useProgramInBrowser()

const namesOf = async (path: string, key: string) =>
  (await program.call<Record<string, string>[]>('GET', path)).map((one) => one[key])
const toast = (page: Page, name: string) => page.getByRole('group', { name })

async function aTable(name: string): Promise<string> {
  const columns = [{ name: 'email', type: 'text' }]
  const { id } = await program.call<{ id: string }>('POST', '/v1/data-tables', { name, columns })
  await program.call('POST', `/v1/data-tables/${id}/rows`, { rows: [{ email: 'a@b' }, { email: 'c@d' }] })
  return id
}

async function deleteTable(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: `Delete ${name}` }).click()
  await page.getByRole('button', { name: 'Delete table' }).click()
  await toast(page, `Table “${name}” deleted`).waitFor()
}

test('a table disappears at once, comes back with Undo, and is deleted after ten seconds without it', async () => {
  await aTable('orders')
  const { page, problems } = await program.open({ path: '/data-tables' })
  await stopTime(page)
  await deleteTable(page, 'orders')
  await page.getByText('No tables yet').waitFor()
  await page.clock.fastForward(9_000)
  await toast(page, 'Table “orders” deleted').getByRole('button', { name: 'Undo' }).click()
  await page.getByRole('link', { name: 'orders' }).waitFor()
  await page.clock.fastForward(20_000)
  expect(await namesOf('/v1/data-tables', 'name')).toEqual(['orders'])

  await page.clock.resume()
  await deleteTable(page, 'orders')
  expect(await axeFindings(page)).toEqual([])
  await page.clock.fastForward(10_000)
  await toast(page, 'Table “orders” deleted').waitFor({ state: 'detached' })
  await expect.poll(() => namesOf('/v1/data-tables', 'name')).toEqual([])
  expect(problems).toEqual([])
})

test('whoever reloads within ten seconds finds it deleted, even if the request was lost on the way', async () => {
  await aTable('left')
  await aTable('lost')
  const { page } = await program.open({ path: '/data-tables' })
  await deleteTable(page, 'left')
  await page.reload()
  await page.getByRole('link', { name: 'lost' }).waitFor()
  await expect.poll(() => namesOf('/v1/data-tables', 'name')).toEqual(['lost'])

  await page.route('**/v1/data-tables/*', (route) => route.abort())
  await deleteTable(page, 'lost')
  const request = page.waitForEvent('requestfailed')
  await page.reload()
  await request
  await page.unroute('**/v1/data-tables/*')
  await page.reload()
  await expect.poll(() => namesOf('/v1/data-tables', 'name')).toEqual([])
})

test('the name of what was just deleted is free', async () => {
  await aTable('again')
  const { page, problems } = await program.open({ path: '/data-tables' })
  await deleteTable(page, 'again')
  await page.getByRole('button', { name: 'New table' }).first().click()
  await page.getByRole('dialog').getByLabel('Name').fill('again')
  await page.getByRole('dialog').getByRole('button', { name: 'Save table' }).click()
  await page.waitForURL('**/data-tables/*')
  expect(await namesOf('/v1/data-tables', 'name')).toEqual(['again'])
  expect(problems).toEqual([])
})

test('a row is deleted without a question, and Undo brings it back; one that can’t be deleted comes back with the reason', async () => {
  const id = await aTable('people')
  const { page } = await program.open({ path: `/data-tables/${id}` })
  const rows = await program.call<{ _id: number }[]>('GET', `/v1/data-tables/${id}/rows?sort=_id`)
  const [one, other] = rows.map(({ _id }) => String(_id))
  const remove = (row: string | undefined) =>
    page.getByRole('button', { name: `Delete row ${row}`, exact: true }).click()
  await stopTime(page)
  await remove(one)
  await page.getByText('1 row', { exact: true }).waitFor()
  await toast(page, `Row ${one} deleted`).getByRole('button', { name: 'Undo' }).click()
  await page.getByText('2 rows', { exact: true }).waitFor()
  await page.route('**/rows?filter*', (route) =>
    route.request().method() === 'DELETE' ? route.abort() : route.continue(),
  )
  await remove(one)
  await page.getByText('1 row', { exact: true }).waitFor()
  await page.clock.fastForward(10_000)
  await toast(page, `Couldn’t delete “${one}”`).waitFor()
  await page.getByText('2 rows', { exact: true }).waitFor()
  await page.unroute('**/rows?filter*')
  await remove(other)
  await page.getByText('1 row', { exact: true }).waitFor()
  await page.clock.fastForward(10_000)
  await expect.poll(() => namesOf(`/v1/data-tables/${id}/rows`, 'email')).toEqual(['a@b'])
  await page.getByText('1 row', { exact: true }).waitFor()
})

test('flows, files, variables and auths can be brought back as well', async () => {
  const flow = await program.call<{ id: string }>('POST', '/v1/flows', { name: 'Kept flow', steps: [] })
  await program.call('POST', '/v1/env-variables', { name: 'kept', type: 'text', value: 'x', secret: true })
  const connector = await program.call<{ id: string }>('POST', '/v1/connectors', {
    name: 'Own',
    base_domain: 'http://127.0.0.1:9',
  })
  const auth = await program.call<ConnectorAuth>('POST', '/v1/connector-auths', {
    connector_id: connector.id,
    name: 'Kept auth',
    auth_type: 'none',
  })
  const { page, go, problems } = await program.open({ path: `/flows/${flow.id}?view=settings` })
  const undo = async (name: string, deleted: string) => {
    await toast(page, deleted).getByRole('button', { name: 'Undo' }).click()
    await page.getByRole('link', { name }).waitFor()
  }
  await page.getByRole('button', { name: 'Delete flow' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete flow' }).click()
  await undo('Kept flow', 'Flow “Kept flow” deleted')

  await go('/files')
  await page
    .getByLabel('Files to upload')
    .setInputFiles({ name: 'kept.txt', mimeType: 'text/plain', buffer: Buffer.from('text') })
  await page.getByRole('button', { name: 'Delete kept.txt' }).click()
  await page.getByRole('button', { name: 'Delete file' }).click()
  await undo('kept.txt', 'File “kept.txt” deleted')

  await go('/env-variables')
  await page.getByRole('button', { name: 'Delete kept' }).click()
  await page.getByRole('button', { name: 'Delete variable' }).click()
  await undo('kept', 'Variable “kept” deleted')

  await go(`/auths/${auth.id}`)
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  await page.getByRole('button', { name: 'Delete connector auth' }).click()
  await undo('Kept auth', 'Connector auth “Kept auth” deleted')
  expect(problems).toEqual([])
})
