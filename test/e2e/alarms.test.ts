import { expect, test } from 'vitest'
import type { AlarmReceiver } from '../../src/shared/contract/alarms.ts'
import type { Flow } from '../../src/shared/contract/flows.ts'
import type { Settings } from '../../src/shared/contract/settings.ts'
import { startMailServer, SMTP } from '../helpers/mail-server.ts'
import { useProgramInBrowser } from '../helpers/program-in-browser.ts'
import { startThirdPartyApi } from '../helpers/third-party-api.ts'

const program = useProgramInBrowser()

test('alarms are added, changed, tested and deleted in one list in Settings', async () => {
  const server = await startMailServer()
  const api = await startThirdPartyApi((_request, response) => void response.writeHead(204).end())
  const { id: authId } = await program.call<{ id: string }>('POST', '/v1/connector-auths', {
    connector_id: SMTP,
    name: 'Office mail',
    auth_type: 'username_password',
    username: 'ada@example.test',
    password: 'right',
    api_endpoint: server.url,
  })
  const { page, problems } = await program.open({ path: '/settings' })
  const save = () => page.keyboard.press('ControlOrMeta+s')
  const dialog = page.getByRole('dialog')
  const rows = page.getByRole('list', { name: 'Alarms' }).getByRole('listitem')
  const list = () => program.call<AlarmReceiver[]>('GET', '/v1/alarms')

  await page.getByLabel('No run for (minutes)').fill('90')
  await page.getByRole('combobox', { name: 'Mail server' }).click()
  await page.getByRole('option', { name: 'Office mail' }).click()
  expect(await page.getByRole('button', { name: 'Send test alarm' }).isDisabled()).toBe(true)
  await save()
  await page.getByText('Settings saved').waitFor()

  await page.getByRole('button', { name: 'Add alarm' }).click()
  await dialog.getByLabel('Email addresses').fill('nobody')
  await dialog.getByRole('button', { name: 'Save alarm' }).click()
  await dialog
    .getByText(/must be an email address/)
    .first()
    .waitFor()
  await dialog.getByLabel('Email addresses').fill('grace@example.test')
  await dialog.getByRole('switch', { name: 'A flow missed its time' }).click()
  await dialog.getByLabel('Email addresses').press('Enter')
  await dialog.waitFor({ state: 'detached' })

  await page.getByRole('button', { name: 'Add alarm' }).click()
  await dialog.getByRole('combobox', { name: 'Notify' }).click()
  await page.getByRole('option', { name: 'At a URL' }).click()
  await dialog.getByLabel('URL').fill(api.url)
  await dialog.getByRole('button', { name: 'Save alarm' }).click()
  await page.getByRole('button', { name: `Edit ${api.url}` }).click()
  await dialog.getByRole('switch', { name: 'A flow works again' }).click()
  await dialog.getByRole('button', { name: 'Save alarm' }).click()
  await dialog.waitFor({ state: 'detached' })

  const { alarms, alarm_mail } = await program.call<Settings>('GET', '/v1/settings')
  expect({
    silent: alarms.silent_after_minutes,
    alarm_mail,
    list: (await list()).map(({ kind, events, flows }) => [kind, events, flows]),
    rows: await rows.count(),
  }).toEqual({
    silent: 90,
    alarm_mail: { auth_id: authId, from: null },
    list: [
      ['notification', ['failed', 'silent', 'recovered'], 'default'],
      ['email', ['failed', 'missed', 'recovered'], 'all'],
      ['url', ['failed'], 'all'],
    ],
    rows: 3,
  })

  await page.getByRole('button', { name: 'Send test alarm' }).click()
  await page.getByText('Email: Sent to grace@example.test').waitFor()
  await page.getByText(`URL: Sent to ${api.url}`).waitFor()
  await page.getByRole('button', { name: `Test ${api.url}` }).click()
  await expect.poll(() => api.received.length).toBe(2)
  expect(server.received.length).toBe(1)

  await page.getByRole('button', { name: `Delete ${api.url}` }).click()
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByRole('button', { name: `Delete ${api.url}` }).waitFor()
  await page.getByRole('button', { name: 'Delete Email to grace@example.test' }).click()
  await expect.poll(async () => (await list()).map(({ kind }) => kind)).toEqual(['notification', 'url'])
  expect(problems).toEqual([])
})

test("a flow can have its own alarms, but can't be its own alarm", async () => {
  const handler = await program.call<Flow>('POST', '/v1/flows', { name: 'Handler', steps: [] })
  const flow = await program.call<Flow & { webhook: { url: string; token: string } }>('POST', '/v1/flows', {
    name: 'Orders',
    status: 'active',
    steps: [{ ref_id: 'web1', type: 'webhook', config: {} }],
  })
  const { page, problems } = await program.open({ path: `/flows/${flow.id}` })
  await page.getByRole('tab', { name: 'Settings' }).click()
  await page.getByRole('combobox', { name: 'Notify me' }).click()
  await page.getByRole('option', { name: 'Custom for this flow' }).click()
  await page.getByRole('switch', { name: 'Failed runs' }).click()
  await page.getByRole('combobox', { name: 'Start a flow' }).click()
  expect(await page.getByRole('option', { name: 'Orders' }).count()).toBe(0)
  await page.getByRole('option', { name: 'Handler' }).click()
  await page.keyboard.press('ControlOrMeta+s')
  const test = page.getByRole('button', { name: 'Send test alarm' })
  await page.getByText('Save first.').waitFor({ state: 'detached' })
  const { settings } = await program.call<Flow>('GET', `/v1/flows/${flow.id}`)
  await test.click()
  await page.getByText(/^Flow: Started "Handler"/).waitFor()
  await page.getByRole('link', { name: 'Settings, Alarms' }).click()
  await page.getByRole('combobox', { name: 'Mail server' }).waitFor()
  // On that page itself, there is no link to it.
  expect(await page.getByRole('link', { name: 'Settings, Alarms' }).count()).toBe(0)
  expect({ settings: settings.alarms, problems }).toEqual({
    settings: {
      on_failure: false,
      on_missed: false,
      silent_after_minutes: null,
      notify: true,
      email_to: [],
      flow_id: handler.id,
    },
    problems: [],
  })
})
