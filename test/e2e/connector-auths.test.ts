import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import type { ConnectorAuth } from '../../src/shared/contract/connector-auths.ts'
import type { Connector } from '../../src/shared/contract/connectors.ts'
import { axeFindings } from '../helpers/axe.ts'
import { startAuthorizationServer } from '../helpers/authorization-server.ts'
import { SMTP, startMailServer } from '../helpers/mail-server.ts'
import { onPosix } from '../helpers/platform.ts'
import { useProgramInBrowser } from '../helpers/program-in-browser.ts'
import { GOOGLE_CLIENT, startSignInProvider } from '../helpers/sign-in-provider.ts'
import { temporaryFolder } from '../helpers/temporary-folder.ts'
import { startThirdPartyApi } from '../helpers/third-party-api.ts'

const program = useProgramInBrowser()

/** A connector with one action, which is also its test action. */
async function aConnector(name: string, base: string, more: object): Promise<Connector> {
  const connector = await program.call<Connector>('POST', '/v1/connectors', {
    name,
    base_domain: base,
    test_action: 'me',
    ...more,
  })
  await program.call('POST', '/v1/connector-actions', {
    connector_id: connector.id,
    name: 'me',
    method: 'GET',
    endpoint: '/me',
  })
  return connector
}

const save = async (page: Page, name: string) => {
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText(`Connector auth “${name}” saved`).first().waitFor()
}

/** Fills in the sheet. */
const connect = async (page: Page, name: string) => {
  const sheet = page.getByRole('dialog', { name: 'New connector auth' })
  await sheet.getByRole('button', { name: 'Connect' }).click()
  await page.getByText(`Connector auth “${name}” saved`).first().waitFor()
  await sheet.waitFor({ state: 'detached' })
}

test('an auth of each type is connected from the list and used', async () => {
  const api = await startThirdPartyApi((request, response) => {
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ to: request.target }))
  })
  const connector = await aConnector('Every type', api.url, {})
  const { page, problems, go } = await program.open({ path: '/auths' })
  for (const [label, fields] of [
    ['Bearer token', { Token: 'token-of-the-walk' }],
    ['Basic, pre-encoded', { 'Value of the Authorization header': 'Basic walk' }],
    ['Username and password', { Username: 'ann', Password: 'password-of-the-walk' }],
    ['API key', { Key: 'key-of-the-walk' }],
    ['None', {}],
  ] as const) {
    await go(`/auths/new?connector=${connector.id}`)
    await page.getByRole('heading', { name: 'New connector auth' }).waitFor()
    // The name is that of the connector.
    await page.getByLabel('Token', { exact: true }).and(page.locator(':focus')).waitFor()
    const sheet = page.getByRole('dialog', { name: 'New connector auth' })
    await sheet.getByLabel('Name', { exact: true }).fill(label)
    await sheet.getByLabel('Type', { exact: true }).click()
    await page.getByRole('option', { name: new RegExp(`^${label}`) }).click()
    for (const [field, value] of Object.entries(fields))
      await page.getByLabel(field, { exact: true }).fill(value)
    await connect(page, label)
    await page.getByRole('link', { name: label, exact: true }).click()
    await page.getByRole('heading', { name: label, level: 1 }).waitFor()
    await page.getByRole('button', { name: 'Test credentials' }).click()
    await page.getByText('Credentials work.').waitFor()
    expect(await page.content()).not.toContain('of-the-walk')
  }
  expect(await axeFindings(page)).toEqual([])
  const sent = api.received.map(({ headers }) => headers['x-api-key'] ?? headers.authorization ?? null)
  // Each is sent before it is stored, after that, and by the button.
  expect(sent.filter((_, at) => at % 3 === 0)).toEqual([
    'Bearer token-of-the-walk',
    'Basic walk',
    `Basic ${Buffer.from('ann:password-of-the-walk').toString('base64')}`,
    'key-of-the-walk',
    null,
  ])
  expect(problems).toEqual([])
})

test('a new auth from a flow starts with the type and name of a connector that was just imported', async () => {
  const { page, problems, go } = await program.open({ path: '/auths' })
  await page.getByRole('heading', { name: 'Connector auths' }).waitFor()
  // From here on nothing updates the auths screen.
  await go('/connectors')
  await page.getByRole('heading', { name: 'Connectors', exact: true }).waitFor()
  const connector = await aConnector('Imported since', 'http://127.0.0.1:9', {
    auth_config: { auth_types: ['api_key'] },
  })
  await go(`/connectors/${connector.id}`)
  await page.locator('header').getByRole('button', { name: 'New connector auth' }).click()
  const sheet = page.getByRole('dialog', { name: 'New connector auth' })
  await expect
    .poll(() => sheet.getByLabel('Name', { exact: true }).inputValue())
    .toBe('Imported since connector auth')
  // The connector accepts no other type.
  expect(await sheet.getByLabel('Type', { exact: true }).count()).toBe(0)
  await sheet.getByLabel('Key', { exact: true }).fill('the key')
  await sheet.getByRole('button', { name: 'Connect' }).click()
  await sheet.getByText('connection refused', { exact: false }).first().waitFor()
  await sheet.getByRole('button', { name: 'Save without testing' }).click()
  await page.getByText('Connector auth “Imported since connector auth” saved').first().waitFor()
  expect(problems).toEqual([])
})

test("without a test action, the test asks what to call, and the connector's test action is chosen from a list", async () => {
  const api = await startThirdPartyApi((_request, response) => void response.writeHead(200).end('{}'))
  const connector = await aConnector('No test action', api.url, { test_action: null })
  const auth = await program.call<ConnectorAuth>('POST', '/v1/connector-auths', {
    connector_id: connector.id,
    name: 'Good',
    auth_type: 'bearer',
    auth_token: 'good',
  })
  const { page, problems, go } = await program.open({ path: `/auths/${auth.id}` })
  const tested = page.getByRole('button', { name: 'Test credentials' })
  await page.getByText('The connector has no test action.', { exact: false }).waitFor()
  expect(await tested.isDisabled()).toBe(true)
  await page.getByLabel('URL to request').fill('/whoami')
  await tested.click()
  await page.getByText('Credentials work.').waitFor()
  const call = page.getByRole('combobox', { name: 'Call' })
  await call.fill('me')
  await page.getByRole('option', { name: /^me/ }).waitFor()
  // A change elsewhere renders the screen again, but doesn't touch typed text.
  await program.call('PUT', `/v1/connector-auths/${auth.id}`, { name: 'Good elsewhere' })
  await expect.poll(() => page.title()).toContain('Good elsewhere')
  expect(await call.inputValue()).toBe('me')
  await page.getByRole('option', { name: /^me/ }).click()
  await tested.click()
  await expect.poll(() => api.received.map(({ target }) => target)).toEqual(['/whoami', '/me'])

  await go(`/connectors/${connector.id}?view=connection`)
  await page.getByRole('combobox', { name: 'Test action for connector auths' }).fill('me')
  await page.getByRole('option', { name: /^me/ }).and(page.locator('[data-highlighted]')).waitFor()
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('Connector “No test action” saved').first().waitFor()
  const saved = await program.call<Connector>('GET', `/v1/connectors/${connector.id}`)
  expect({ action: saved.test_action, problems }).toEqual({ action: 'me', problems: [] })
})

test('an auth whose URL has moved says so in the list and in its form, and works once its secret is entered again', async () => {
  const connector = await aConnector('Moved', 'http://127.0.0.1:9', {})
  const auth = await program.call<ConnectorAuth>('POST', '/v1/connector-auths', {
    connector_id: connector.id,
    name: 'Of the moved API',
    auth_type: 'bearer',
    auth_token: 'stored-for-the-old-address',
  })
  const { page, problems, go } = await program.open({ path: `/connectors/${connector.id}?view=connection` })
  await page.getByLabel('Base URL', { exact: true }).fill('http://127.0.0.1:10')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('Of the moved API', { exact: false }).first().waitFor()
  await go('/auths')
  await page.getByRole('row').filter({ hasText: 'Of the moved API' }).getByText('Re-enter secret').waitFor()
  await go(`/auths/${auth.id}`)
  await page.getByText('This connector auth now points to http://127.0.0.1:10', { exact: false }).waitFor()
  await page.locator('input[type=password]').fill('entered-for-the-new-address')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  // Nothing listens there.
  await page.getByText('Not saved: the test couldn’t be run.').waitFor()
  await page.getByRole('button', { name: 'Save without testing' }).click()
  await page.getByText('Connector auth “Of the moved API” saved').first().waitFor()
  const { state } = await program.call<ConnectorAuth>('GET', `/v1/connector-auths/${auth.id}`)
  expect({ state, problems }).toEqual({ state: 'ok', problems: [] })
})

test('edits of an auth, a connector and the settings are only discarded after a question', async () => {
  const connector = await aConnector('Edited', 'http://127.0.0.1:9', {})
  const auth = await program.call<ConnectorAuth>('POST', '/v1/connector-auths', {
    connector_id: connector.id,
    name: 'Edited auth',
    auth_type: 'none',
  })
  const { page, problems, go } = await program.open({ path: `/auths/${auth.id}` })
  const asked = page.getByRole('alertdialog', { name: 'Leave without saving your changes?' })
  const edits: readonly [path: string, label: string, text: string][] = [
    [`/auths/${auth.id}`, 'Name', 'Other name'],
    [`/connectors/${connector.id}?view=connection`, 'Base URL', 'http://127.0.0.1:10'],
    ['/settings', 'Max concurrent runs', '7'],
  ]
  for (const [path, label, text] of edits) {
    await go(path)
    const field = page.getByLabel(label, { exact: true })
    await field.fill(text)
    await page.getByRole('link', { name: 'Runs', exact: true }).click()
    await asked.getByRole('button', { name: 'Cancel' }).click()
    await asked.waitFor({ state: 'detached' })
    expect(await field.inputValue()).toBe(text)
    await page.getByRole('link', { name: 'Runs', exact: true }).click()
    await asked.getByRole('button', { name: 'Leave' }).click()
    await page.getByRole('heading', { name: 'Runs', exact: true }).waitFor()
  }
  expect(problems).toEqual([])
})

test('signing in with OAuth opens a separate window, and the result appears by itself', async () => {
  const server = await startAuthorizationServer({ asks: true })
  const connector = await aConnector('Team Work', server.url, { auth_config: server.config })
  const { page, problems } = await program.open({ path: `/auths/new?connector=${connector.id}` })
  const sheet = page.getByRole('dialog', { name: 'New connector auth' })
  await sheet.getByLabel('Name', { exact: true }).fill('Signed in')
  await sheet.getByRole('button', { name: 'Connect' }).click()
  await sheet.getByText('Not signed in.').waitFor()
  await sheet.getByRole('button', { name: 'Use without testing' }).click()
  await page.getByRole('link', { name: 'Signed in', exact: true }).click()
  await page.getByText('Not signed in.').waitFor()
  expect(await page.getByRole('textbox', { name: 'Redirect URL' }).inputValue()).toBe(
    `${program.served.url}/v1/oauth2/callback/team%20work`,
  )
  expect(await axeFindings(page)).toEqual([])

  const signIn = async () => {
    const opened = page.context().waitForEvent('page')
    await page.getByRole('button', { name: /^Sign in/ }).click()
    const popup = await opened
    await popup.getByRole('link', { name: 'Allow' }).click()
    return popup
  }
  server.deny()
  const denied = await signIn()
  await denied.getByRole('heading', { name: 'Not signed in' }).waitFor()
  await page.getByRole('alert').getByText('access_denied').waitFor()
  await denied.close()

  const allowed = await signIn()
  await allowed.getByRole('heading', { name: 'Signed in' }).waitFor()
  expect(await axeFindings(allowed)).toEqual([])
  await allowed.close()
  await page.getByText('Signed in. Flows can now use this connector auth.').waitFor()
  await page.getByText('is refreshed automatically').waitFor()
  await page.getByRole('button', { name: 'Test credentials' }).click()
  await page.getByText('Credentials work.').waitFor()

  server.revokeAll()
  await page.getByRole('button', { name: 'Test credentials' }).click()
  await page.getByText('Test failed.').waitFor()
  await page.getByText('The API revoked access.', { exact: false }).waitFor()
  expect(problems).toEqual([])
})

test('signing in with a code shows it and where to enter it, can be cancelled, and says how it ended', async () => {
  const server = await startAuthorizationServer({ pollSeconds: 1 })
  const connector = await aConnector('Lobby', server.url, { auth_config: server.deviceConfig })
  const auth = { connector_id: connector.id, name: 'Television', auth_type: 'oauth2' }
  const { id } = await program.call<ConnectorAuth>('POST', '/v1/connector-auths', auth)
  const { page, problems } = await program.open({ path: `/auths/${id}` })
  await page.getByText('Not signed in.', { exact: true }).waitFor()
  expect(await page.getByRole('textbox', { name: 'Redirect URL' }).count()).toBe(0)
  const code = page.getByRole('textbox', { name: 'Code', exact: true })
  const waitForCode = async () => {
    server.polls.push(...Array.from({ length: 1_000 }, () => 'authorization_pending'))
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await expect.poll(() => code.inputValue()).toBe('WDJB-MJHT')
  }
  await waitForCode()
  await page.getByText(`Enter it at ${server.url}/device, in any browser.`, { exact: true }).waitFor()
  const link = page.getByRole('link', { name: 'Open the sign-in page yourself' })
  expect(await link.getAttribute('href')).toBe(`${server.url}/device?user_code=WDJB-MJHT`)
  expect(await axeFindings(page)).toEqual([])
  await page.getByRole('button', { name: 'Cancel sign-in', exact: true }).click()
  await code.waitFor({ state: 'detached' })

  await waitForCode()
  server.polls.splice(0, Infinity, 'access_denied')
  await page.getByRole('alert').getByText('access_denied').waitFor()
  await code.waitFor({ state: 'detached' })

  await waitForCode()
  server.polls.splice(0)
  await page.getByText('Signed in. Flows can now use this connector auth.').waitFor()
  await code.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Test credentials' }).click()
  await page.getByText('Credentials work.').waitFor()
  expect(problems).toEqual([])
})

test.runIf(onPosix)(
  'a token can stay in a vault: it is tested, read when it is used, and given a place of its own again',
  async () => {
    const api = await startThirdPartyApi(({ headers }, response) => {
      response.statusCode = headers.authorization === 'Bearer secret-of-a-vault' ? 200 : 401
      response.end('{}')
    })
    const path = join(temporaryFolder(), 'token')
    writeFileSync(path, 'secret-of-a-vault\n', { mode: 0o600 })
    const connector = await aConnector('Vaulted', api.url, { auth_config: { auth_types: ['bearer'] } })
    await program.call('PUT', '/v1/settings', { secret_environment: ['SHOP_TOKEN'] })
    const auth = {
      connector_id: connector.id,
      name: 'Kept elsewhere',
      auth_type: 'bearer',
      auth_token: 'old-token-of-it',
    }
    const { id } = await program.call<ConnectorAuth>('POST', '/v1/connector-auths', auth)
    const { page, problems } = await program.open({ path: `/auths/${id}` })
    const token = page.getByRole('textbox', { name: 'Token', exact: true })
    const save = page.getByRole('button', { name: 'Save', exact: true })
    await token.waitFor()
    await page.getByRole('switch', { name: 'From a vault', exact: true }).click()
    await page.getByText('and never stores it.', { exact: false }).waitFor()
    await page.getByRole('combobox', { name: 'Vault of Token', exact: true }).click()
    await page.getByRole('option', { name: 'File', exact: true }).click()
    await page.getByText('Enter the full path of a file that only you can read.', { exact: false }).waitFor()
    await token.fill('/there-is-nothing')
    expect(await axeFindings(page)).toEqual([])
    await save.click()
    await page
      .getByRole('alert')
      .filter({ hasText: 'Not saved: the test couldn’t be run.' })
      .getByText("can't be opened (ENOENT)")
      .waitFor()
    await token.fill(path)
    await save.click()
    await expect
      .poll(async () => (await program.call<ConnectorAuth>('GET', `/v1/connector-auths/${id}`)).references)
      .toEqual({ auth_token: `file:${path}` })
    await page.getByRole('button', { name: 'Test credentials' }).click()
    await page.getByText('Credentials work.').waitFor()

    await page.reload()
    await expect.poll(() => token.inputValue()).toBe(path)
    await page.getByRole('switch', { name: 'From a vault', exact: true, checked: true }).click()
    await expect.poll(() => token.getAttribute('type')).toBe('password')
    await token.fill('secret-of-a-vault')
    await save.click()
    await expect
      .poll(async () => (await program.call<ConnectorAuth>('GET', `/v1/connector-auths/${id}`)).secrets)
      .toEqual({ auth_token: true })
    // The request for the test that couldn't be run.
    expect(problems).toEqual([expect.stringMatching(/^503 .*\/test$/)])
  },
)

const EVERY_FIELD = [
  { name: 'site', label: 'Site', type: 'text', required: true },
  { name: 'notes', label: 'Notes', type: 'textarea' },
  { name: 'limit', label: 'Limit', type: 'number' },
  { name: 'mail', label: 'Mail', type: 'email' },
  { name: 'pin', label: 'Pin', type: 'password' },
  { name: 'region', label: 'Region', type: 'select', options: ['eu', 'us'] },
  { name: 'stage', label: 'Stage', type: 'select', options: ['test', 'live'], allowCreate: true },
  {
    name: 'parts',
    label: 'Parts',
    type: 'select',
    multiple: true,
    allowCreate: true,
    options: ['orders', 'users'],
  },
  { name: 'sandbox', label: 'Sandbox', type: 'switch' },
  { name: 'day', label: 'Day', type: 'date' },
  { name: 'moment', label: 'Moment', type: 'datetime' },
  { name: 'valid', label: 'Valid', type: 'daterange' },
  {
    name: 'proxy',
    label: 'Proxy',
    type: 'nested_object',
    fields: [{ name: 'host', label: 'Proxy host', type: 'text' }],
  },
]

test('a form with every kind of field is filled in by keyboard only', async () => {
  const api = await startThirdPartyApi((_request, response) => void response.writeHead(200).end('{}'))
  const connector = await aConnector('Every field', api.url, {
    auth_config: { auth_types: ['none'], auth_form: EVERY_FIELD },
  })
  const { page, problems } = await program.open({ path: `/auths/new?connector=${connector.id}` })
  const keys = page.keyboard
  const reach = async (name: string) => {
    for (let presses = 0; presses < 80; presses++) {
      const focused = await page.evaluate(() => {
        const element = document.activeElement
        if (element === null || element === document.body) return []
        const named = (element.getAttribute('aria-labelledby') ?? '')
          .split(' ')
          .map((id) => document.getElementById(id))
        const labels = element instanceof HTMLInputElement ? [...(element.labels ?? [])] : []
        const own = element.id === '' ? null : document.querySelector(`label[for="${element.id}"]`)
        return [...named, ...labels, own].map(
          (label) => label?.textContent.replace(/optional$/, '').trim() ?? '',
        )
      })
      if (focused.includes(name)) return
      await keys.press('Tab')
    }
    throw new Error(`${name} cannot be reached`)
  }
  await page.getByLabel('Name', { exact: true }).focus()
  for (const [field, value] of [
    ['Site', 'https://site.example'],
    ['Notes', 'two'],
    ['Limit', '12.5'],
    ['Mail', 'ann@example.test'],
    ['Pin', 'pin-of-the-walk'],
  ] as const) {
    await reach(field)
    await keys.type(value)
  }
  await reach('Region')
  await keys.press('Enter')
  await keys.press('ArrowDown')
  await page.getByRole('option').and(page.locator('[data-highlighted]')).waitFor()
  await keys.press('Enter')
  await page.getByRole('listbox').waitFor({ state: 'detached' })
  await reach('Stage')
  await keys.type('staging')
  await reach('orders')
  await keys.press('Space')
  await reach('Other')
  await keys.type('invoices')
  await keys.press('Enter')
  await reach('Sandbox')
  await keys.press('Space')
  await reach('Day')
  await keys.type('03022026')
  await reach('Moment')
  await keys.type('03022026')
  await keys.press('ArrowRight')
  await keys.type('1030AM')
  await reach('From')
  await keys.type('01012026')
  await reach('To')
  await keys.type('02012026')
  await reach('Proxy host')
  await keys.type('proxy.example')
  expect(await axeFindings(page)).toEqual([])
  await keys.press('Control+Enter')
  await page
    .getByText(/^Connector auth .* saved/)
    .first()
    .waitFor()
  const [auth] = (await program.call<ConnectorAuth[]>('GET', '/v1/connector-auths')).filter(
    ({ connector_id: id }) => id === connector.id,
  )
  expect({ userInput: auth?.user_input, secrets: auth?.secrets }).toEqual({
    userInput: {
      site: 'https://site.example',
      notes: 'two',
      limit: 12.5,
      mail: 'ann@example.test',
      region: expect.stringMatching(/^(eu|us)$/),
      stage: 'staging',
      parts: ['orders', 'invoices'],
      sandbox: true,
      day: '2026-03-02',
      moment: '2026-03-02T10:30',
      valid: { from: '2026-01-01', to: '2026-02-01' },
      proxy: { host: 'proxy.example' },
    },
    secrets: { 'user_input.pin': true },
  })
  expect(problems).toEqual([])
})

test('the screen of an auth shows who can use it, its tags, and the flows that use it', async () => {
  const api = await startThirdPartyApi((_request, response) => void response.writeHead(200).end('{}'))
  const connector = await aConnector('Shared', api.url, {})
  await program.call('POST', '/v1/users', { name: 'Bob' })
  const auth = await program.call<ConnectorAuth>('POST', '/v1/connector-auths', {
    connector_id: connector.id,
    name: 'Shared one',
    auth_type: 'none',
  })
  const config = { connector_id: connector.id, action: 'me', auth_id: auth.id }
  await program.call('POST', '/v1/flows', {
    name: 'Nightly sync',
    steps: [{ ref_id: 'me', type: 'connector_action', config }],
  })
  const { page, problems } = await program.open({ path: `/auths/${auth.id}` })
  await page.getByRole('link', { name: 'Nightly sync' }).waitFor()
  await page.getByRole('button', { name: 'Copy ID', exact: true }).click()
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(auth.id)
  await page.getByLabel('Tags').fill('customer 7, eu')
  await page.getByLabel('Visible to').click()
  await page.getByRole('option', { name: /^Selected users/ }).click()
  await page.getByLabel('Bob').check()
  await save(page, 'Shared one')
  const stored = await program.call<ConnectorAuth>('GET', `/v1/connector-auths/${auth.id}`)
  expect({
    tags: stored.tags,
    visibility: stored.access.visibility,
    users: stored.access.user_ids.length,
  }).toEqual({ tags: ['customer 7', 'eu'], visibility: 'selected', users: 1 })
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  await page.getByRole('button', { name: 'Delete connector auth' }).click()
  await page.getByText('Nightly sync', { exact: false }).nth(1).waitFor()
  await page.getByRole('button', { name: 'Delete anyway' }).click()
  await page.getByText('Connector auth “Shared one” deleted').first().waitFor()
  expect(problems).toEqual([])
})

test('the sign-in at Google is guided in six steps, tested, and an error comes with what to do', async () => {
  const provider = await startSignInProvider()
  const { connector, actions } = provider.connector('Gmail')
  const { id } = await program.call<Connector>('POST', '/v1/connectors', { ...connector, name: 'My Gmail' })
  const profile = actions.find((action) => (action as { name: string }).name === 'get_profile')
  await program.call('POST', '/v1/connector-actions', { ...profile, connector_id: id })
  const { page, problems } = await program.open({ path: `/auths/new?connector=${id}` })
  const steps = page
    .getByRole('list')
    .filter({ hasText: 'Create a project' })
    .getByRole('heading', { level: 3 })
  await steps.first().waitFor()
  expect({ steps: await steps.allTextContents(), findings: await axeFindings(page) }).toEqual({
    steps: [
      'Create a project',
      'Enable the API',
      'Set up the consent screen',
      'Decide who can sign in',
      'Create the client',
      'Sign in and test',
    ],
    findings: [],
  })
  await page.getByText('https://console.cloud.google.com/apis/library/gmail.googleapis.com').waitFor()
  await page.getByLabel('Flows may').click()
  await page.getByRole('option', { name: 'Read only' }).click()
  const scope = 'https://www.googleapis.com/auth/gmail.readonly'
  await expect.poll(() => page.getByLabel('Scopes', { exact: true }).inputValue()).toBe(scope)
  const clientId = page.getByLabel('Client ID', { exact: true })
  await clientId.fill('GOCSPX-not-the-id')
  await page.getByText('A Google client ID ends in .apps.googleusercontent.com.').waitFor()
  await clientId.fill(` ${GOOGLE_CLIENT.client_id} `)
  await page.getByText('A client ID of Google ends in').waitFor({ state: 'detached' })
  await page.getByLabel('Client secret', { exact: true }).fill(GOOGLE_CLIENT.client_secret)
  const signIn = async (button: string, shown: string) => {
    const opened = page.context().waitForEvent('page')
    await page.getByRole('button', { name: button, exact: true }).click()
    const popup = await opened
    await popup.getByRole('heading', { name: shown }).waitFor()
    await popup.close()
  }
  provider.fail(['sign-in', 'access_denied', 'Not a test user'])
  await signIn('Sign in', 'Not signed in')
  await page.getByRole('alert').getByText('Add it in step 4', { exact: false }).waitFor()
  await page.getByText('access_denied: Not a test user').waitFor()
  await signIn('Sign in', 'Signed in')
  await page.getByText('Signed in as ann@gmail.example.').waitFor()
  const [auth] = (await program.call<ConnectorAuth[]>('GET', '/v1/connector-auths')).filter(
    ({ connector_id: connectorId }) => connectorId === id,
  )
  expect({ input: auth?.user_input, state: auth?.state, problems }).toEqual({
    input: { client_id: GOOGLE_CLIENT.client_id, scope },
    state: 'ok',
    problems: [],
  })
})

test('a test of typed credentials stores nothing, and the badge tells the last test of the stored ones', async () => {
  const api = await startThirdPartyApi(({ headers }, response) =>
    response.writeHead(headers.authorization === 'Bearer good' ? 200 : 401).end('{}'),
  )
  const connector = await aConnector('Kontor', api.url, {})
  const { id } = await program.call<ConnectorAuth>('POST', '/v1/connector-auths', {
    connector_id: connector.id,
    name: 'Kontor CRM',
    auth_type: 'bearer',
    auth_token: 'good',
  })
  const { page, problems, go } = await program.open({ path: `/auths/${id}` })
  const test = page.getByRole('button', { name: 'Test credentials' })
  await page.getByText('Never used', { exact: true }).waitFor()
  await test.click()
  await page.getByText(/^Works · /).waitFor()

  await page.getByLabel('Token', { exact: true }).fill('wrong')
  await test.click()
  await page.getByText('Test failed.').waitFor()
  expect({
    saved: await page.getByText('saved').count(),
    badge: await page.getByText(/^Works · /).count(),
    stored: (await program.call<{ ok: boolean }>('POST', `/v1/connector-auths/${id}/test`, {})).ok,
  }).toEqual({ saved: 0, badge: 1, stored: true })

  // Saving tests the credentials first, so working ones aren't overwritten by accident.
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('Not saved: the test failed', { exact: false }).waitFor()
  await page.getByRole('button', { name: 'Save anyway' }).click()
  await page.getByText('Connector auth “Kontor CRM” saved').first().waitFor()
  await test.click()
  await page.getByText(/^Rejected · /).waitFor()
  await go('/auths')
  await page
    .getByRole('table')
    .getByText(/^Rejected · /)
    .waitFor()

  // Credentials that a test found to work are shown as working once they are saved.
  await go(`/auths/${id}`)
  await page.getByLabel('Token', { exact: true }).fill('good')
  await test.click()
  await page.getByText('Credentials work.').waitFor()
  await save(page, 'Kontor CRM')
  await page.getByText(/^Works · /).waitFor()
  expect(problems).toEqual([])
})

test('credentials of a mail server are tested by signing in there, without choosing a call', async () => {
  const server = await startMailServer()
  const { id } = await program.call<ConnectorAuth>('POST', '/v1/connector-auths', {
    connector_id: SMTP,
    name: 'Post office',
    auth_type: 'username_password',
    username: 'ann',
    password: 'right',
    api_endpoint: server.url,
  })
  const { page, problems } = await program.open({ path: `/auths/${id}` })
  const test = page.getByRole('button', { name: 'Test credentials' })
  await page.getByText('Signs in to the mail server. No email is sent.').waitFor()
  expect(await page.getByLabel('URL to request').count()).toBe(0)
  await test.click()
  await page.getByText(/^Works · /).waitFor()
  await page.getByText('Signed in to the mail server').waitFor()

  await page.getByLabel('Password', { exact: true }).fill('wrong')
  await test.click()
  await page.getByText('Test failed.').waitFor()
  await page.getByText('rejected the login').waitFor()
  expect({
    badge: await page.getByText(/^Works · /).count(),
    sent: server.received,
    problems,
  }).toEqual({ badge: 1, sent: [], problems: [] })
})

test('an auth draws the calls of the last hour, and what is left of the limit of its API', async () => {
  let left = 5_000
  const api = await startThirdPartyApi((_, response) => {
    left -= 1
    response.writeHead(200, {
      'content-type': 'application/json',
      'x-ratelimit-limit': '5000',
      'x-ratelimit-remaining': String(left),
      'x-ratelimit-reset': '1800',
    })
    response.end('{}')
  })
  const { id: connectorId } = await aConnector('Limited', api.url, {})
  const { id } = await program.call<ConnectorAuth>('POST', '/v1/connector-auths', {
    connector_id: connectorId,
    name: 'Counted',
    auth_type: 'bearer',
    auth_token: 'counted-token',
  })
  const { page } = await program.open({ path: `/auths/${id}` })
  await page.getByRole('button', { name: 'Test credentials' }).click()
  await page.getByText(/^4,999 of 5,000 calls left · resets at /).waitFor()
  await page.getByRole('slider', { name: 'Calls left' }).waitFor()
  for (const description of ['Calls a minute', 'Calls left']) {
    const table = page
      .getByRole('button', { name: 'Show as table' })
      .and(page.locator(`[aria-description="${description}"]`))
    await table.click()
  }
  const cells = page.getByRole('region', { name: /^Calls (a minute|left)$/ }).getByRole('cell')
  await expect.poll(() => cells.allTextContents()).toEqual(['1', '4,999'])
  await page.setViewportSize({ width: 1280, height: 1100 })
  expect(await axeFindings(page)).toEqual([])
})
