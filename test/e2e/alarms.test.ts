import { expect, test } from 'vitest'
import type { Flow } from '../../src/shared/contract/flows.ts'
import type { Settings } from '../../src/shared/contract/settings.ts'
import { startMailServer, SMTP } from '../helpers/mail-server.ts'
import { useProgramInBrowser } from '../helpers/program-in-browser.ts'
import { startThirdPartyApi } from '../helpers/third-party-api.ts'

const program = useProgramInBrowser()

test('the defaults, the mail server and the hook are set in Settings; a test alarm reaches them', async () => {
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
  const test = page.getByRole('button', { name: 'Send test alarm' })

  await page.getByLabel('Notify by email').fill('nobody')
  expect(await test.isDisabled()).toBe(true)
  await save()
  await page
    .getByText(/must be an email address/)
    .first()
    .waitFor()

  await page.getByLabel('Notify by email').fill('grace@example.test')
  await page.getByRole('switch', { name: 'Missed scheduled times' }).click()
  await page.getByLabel('No run for (minutes)').fill('90')
  await page.getByRole('combobox', { name: 'Mail server' }).click()
  await page.getByRole('option', { name: 'Office mail' }).click()
  await page.getByRole('switch', { name: 'Hook for all flows' }).click()
  await page.getByRole('switch', { name: 'A flow is silent' }).click()
  await page.getByLabel('Hook URL').fill(api.url)
  await save()
  await page.getByText('Settings saved').waitFor()
  const { alarms, alarm_mail, event_hook } = await program.call<Settings>('GET', '/v1/settings')
  expect({ alarms, alarm_mail, event_hook }).toEqual({
    alarms: {
      on_failure: true,
      on_missed: true,
      silent_after_minutes: 90,
      notify: true,
      email_to: ['grace@example.test'],
      flow_id: null,
    },
    alarm_mail: { auth_id: authId, from: null },
    event_hook: { events: ['failed', 'missed', 'recovered'], flow_id: null, url: api.url },
  })

  await test.click()
  await page.getByText('Email: Sent to grace@example.test').waitFor()
  await page.getByText(`Hook URL: Sent to ${api.url}`).waitFor()
  await page.getByText('This is a test alarm').first().waitFor()
  expect({ mails: server.received.length, posts: api.received.length }).toEqual({ mails: 1, posts: 1 })
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
  // On that page itself, nothing points to it.
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
