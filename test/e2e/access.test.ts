/**
 * Permissions, by keyboard only: tokens, users, variables, and an API from `curl` to a run. axe checks every screen.
 */
import { beforeAll, expect, test } from 'vitest'
import { axeFindings } from '../helpers/axe.ts'
import { keyboardOf } from '../helpers/keyboard.ts'
import type { Keyboard } from '../helpers/keyboard.ts'
import { useProgramInBrowser } from '../helpers/program-in-browser.ts'
import type { OpenedPage } from '../helpers/open-page.ts'
import { startThirdPartyApi } from '../helpers/third-party-api.ts'

const program = useProgramInBrowser()
let opened: OpenedPage
let chord: Keyboard['chord']
let press: Keyboard['press']
let tabTo: Keyboard['tabTo']
let type: Keyboard['type']
beforeAll(async () => {
  opened = await program.open()
  ;({ chord, press, tabTo, type } = keyboardOf(opened.page))
})

/** Typing starts only once the dialog has the focus. */
async function inDialog(): Promise<void> {
  await opened.page.waitForFunction(() =>
    document.activeElement?.matches('[role=dialog] :is(input, textarea)'),
  )
}

test('without a mouse: from curl to a connector, its action tried, taken into a flow and run', async () => {
  const { page, go } = opened
  const api = await startThirdPartyApi((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"orders":[{"id":7}]}')
  })
  await go('/')
  await chord('g', 'c')
  await page.getByRole('heading', { name: 'Connectors', exact: true }).waitFor()
  await press('i')
  const dialog = page.getByRole('dialog')
  await inDialog()
  await type(`curl ${api.url}/v1/orders`)
  await tabTo(/^Preview$/)
  await press('Enter')
  await dialog.getByRole('button', { name: 'Create connector with 1 action' }).waitFor()
  await tabTo(/^Create connector with 1 action$/)
  await press('Enter')
  await page.getByRole('heading', { name: 'Get v1 orders' }).waitFor()
  await tabTo(/^Edit$/)
  await press('ArrowRight')
  await page.getByRole('tab', { name: 'Try it', selected: true }).waitFor()

  await press('ControlOrMeta+Enter')
  await page.getByText('Success.').waitFor()
  await page.getByText('orders:').first().waitFor()
  expect(await axeFindings(page)).toEqual([])
  await tabTo(/^Use in a flow$/)
  await press('Enter')
  await dialog.getByRole('button', { name: 'Create flow' }).waitFor()
  await tabTo(/^Create flow$/)
  await press('Enter')
  await page.getByText('Reference name').waitFor()
  await tabTo(/^Test$/)
  await press('Enter')
  await page.getByRole('dialog', { name: 'Test run' }).locator('.cm-content:focus').waitFor()
  await press('ControlOrMeta+Enter')
  await page.getByText('Success').first().waitFor({ state: 'attached' })
  expect(api.received.map(({ target }) => target)).toEqual(['/v1/orders', '/v1/orders'])
})

test('without a mouse: a user is added, acted as, sees what they can see, and is deleted with what belongs to them', async () => {
  const { page, go } = opened
  await go('/')
  await chord('g', 'u')
  await page.getByRole('heading', { name: 'Users and teams' }).waitFor()
  expect(await axeFindings(page)).toEqual([])
  await press('n')
  await inDialog()
  await type('Bob')
  expect(await axeFindings(page, '[role=dialog]')).toEqual([])
  await press('Enter')
  await page.getByText('User “Bob” saved').waitFor()

  const [connector] = await program.call<{ id: string }[]>('GET', '/v1/connectors?filter=name,eq,Playground')
  await program.call('POST', '/v1/connector-auths', {
    connector_id: connector?.id,
    name: 'Mine alone',
    auth_type: 'none',
    access: { visibility: 'private', user_ids: [] },
  })
  await chord('g', 'a')
  await page.getByRole('link', { name: 'Mine alone' }).waitFor()
  await page.getByText('Private').first().waitFor()
  expect(await axeFindings(page)).toEqual([])

  await chord('g', 'u')
  await page.getByRole('button', { name: 'Act as Bob' }).waitFor()
  await tabTo(/^Act as Bob$/)
  await press('Enter')
  await page.getByText('You’re acting as Bob.').waitFor()
  await chord('g', 'a')
  await page.getByRole('heading', { name: 'No connector auths yet' }).waitFor()
  await chord('g', 't')
  await page.getByRole('heading', { name: 'No tokens yet' }).waitFor()
  await press('n')
  await inDialog()
  await type('Bob’s laptop')
  await tabTo(/^connectors: None$/)
  await press('ArrowRight')
  await tabTo(/^Create token$/)
  await press('Enter')
  await page.getByRole('dialog', { name: 'Copy this token now' }).waitFor()
  expect(await axeFindings(page, '[role=dialog]')).toEqual([])
  await tabTo(/^Done$/)
  await press('Enter')
  await page.getByText('Bob’s laptop').waitFor()
  expect(await axeFindings(page)).toEqual([])
  await tabTo(/^Stop acting as this user$/)
  await press('Enter')
  await page.getByRole('heading', { name: 'No tokens yet' }).waitFor()

  await chord('g', 'u')
  await page.getByRole('button', { name: 'Delete Bob' }).waitFor()
  await tabTo(/^Delete Bob$/)
  await press('Enter')
  await page.getByText('1 token will stop working: clients get 401.').waitFor()
  expect(await axeFindings(page, '[role=alertdialog]')).toEqual([])
  await tabTo(/^Delete user$/)
  await press('Enter')
  await page.getByText('User “Bob” deleted').waitFor()
})

test('without a mouse: a secret variable is stored and not shown again, and a file uploaded', async () => {
  const { page, go, problems } = opened
  await go('/')
  await chord('g', 'e')
  await page.getByRole('heading', { name: 'No variables yet' }).waitFor()
  await press('n')
  await inDialog()
  await type('shop_key')
  await tabTo(/^Value$/)
  await type('secret-of-the-walk')
  await tabTo(/^Secret$/)
  await press('Space')
  expect(await axeFindings(page, '[role=dialog]')).toEqual([])
  await tabTo(/^Save variable$/)
  await press('Enter')
  await page.getByRole('link', { name: 'shop_key' }).waitFor()
  expect(await page.content()).not.toContain('secret-of-the-walk')
  expect(await axeFindings(page)).toEqual([])

  await chord('g', 'l')
  await page.getByRole('heading', { name: 'No files yet' }).waitFor()
  const file = { name: 'orders.csv', mimeType: 'text/csv', buffer: Buffer.from('id\n7\n') }
  await page.locator('input[type=file]').setInputFiles(file)
  await page.getByRole('link', { name: 'orders.csv' }).waitFor()
  expect(await axeFindings(page)).toEqual([])
  const [stored] = await program.call<{ size: number; content_type: string }[]>('GET', '/v1/file-uploads')
  expect({ size: stored?.size, contentType: stored?.content_type, problems }).toEqual({
    size: 5,
    contentType: 'text/csv',
    problems: [],
  })
})

test('flows of a user who was deleted are listed until they are activated', async () => {
  const { page, go, problems } = await program.open()
  const { url, bearer } = program.served
  const bob = await program.call<{ id: string }>('POST', '/v1/users', { name: 'Bob' })
  const answer = await fetch(`${url}/v1/flows`, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${bearer}`,
      'Content-Type': 'application/json',
      'Millrace-User-Id': bob.id,
    },
    body: JSON.stringify({ name: 'Nightly export' }),
  })
  const { id } = (await answer.json()) as { id: string }
  await program.call('DELETE', `/v1/users/${bob.id}`)
  await go('/flows')
  const inherited = page.getByRole('region', { name: 'Flows of deleted users' })
  await inherited.getByRole('link', { name: 'Nightly export' }).waitFor()
  expect(await axeFindings(page)).toEqual([])
  await program.call('PUT', `/v1/flows/${id}`, { status: 'active' })
  await inherited.waitFor({ state: 'detached' })
  expect(problems).toEqual([])
})
