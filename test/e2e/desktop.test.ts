import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { useProgramInBrowser } from '../helpers/program-in-browser.ts'

const program = useProgramInBrowser()

test('a link from outside asks before it reads anything, and never imports without a preview', async () => {
  const reads: string[] = []
  const flow = { format: 'millrace-flow', version: 1, flows: [] }
  const server = createServer((request, response) => {
    reads.push(request.url ?? '')
    response.end(JSON.stringify(flow))
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/orders.json?a=b&c`
  const { id } = await program.call<{ id: string }>('POST', '/v1/flows', { name: 'Orders', steps: [] })
  const { page, problems, go } = await program.open()

  await go(`/open-link?flow=${id}`)
  await page.getByText('A link wants to open the flow “Orders”').waitFor()
  await page.getByRole('link', { name: 'Open flow' }).click()
  await page.getByRole('tab', { name: 'Steps' }).first().waitFor()

  await go(`/open-link?${new URLSearchParams({ import: url })}`)
  await page.getByText(url, { exact: true }).waitFor()
  const before = reads.length
  await page.getByRole('button', { name: 'Read and preview' }).click()
  await page.getByRole('dialog', { name: 'Import flows' }).waitFor()
  const flows = await program.call<unknown[]>('GET', '/v1/flows?filter=name,eq,Orders')
  server.close()

  await page.keyboard.press('Escape')
  await page.getByRole('dialog', { name: 'Import flows' }).waitFor({ state: 'detached' })
  await go(`/open-link?${new URLSearchParams({ import: 'https://example.test/flow.json' })}`)
  await page.getByRole('button', { name: 'Read and preview' }).click()
  await page.getByRole('link', { name: 'Download in the browser' }).waitFor()
  await go('/open-link?flow=00000000-0000-7000-8000-000000000000')
  await page.getByText('Flow not found').waitFor()
  expect({ before, reads, flows: flows.length, problems }).toEqual({
    before: 0,
    reads: ['/orders.json?a=b&c'],
    flows: 1,
    problems: [],
  })
})

test('Settings has the options of the desktop app only in the app', async () => {
  const { page, problems } = await program.open({ path: '/settings' })
  await page.getByRole('heading', { name: 'Data folder' }).waitFor()
  expect(await page.getByRole('heading', { name: 'Desktop app' }).count()).toBe(0)
  // The preload's interface, as test/electron/settings.test.ts gets it from the program.
  await page.addInitScript((bearer) => {
    const settings = {
      keep_running: null as boolean | null,
      has_tray: true,
      start_at_login: false,
      spell_check: false,
      downloads_dictionaries: true,
      command: { path: '/home/ada/.local/bin/millrace', state: 'absent', on_path: false },
      check_updates: false,
      update: { status: 'available', version: '9.9.9', message: null as string | null },
      key: { place: 'file', path: '/home/ada/.config/millrace/master.key', is_protected: false },
      data_folder: { path: '/home/ada/.local/share/millrace', is_given: false },
    }
    Object.assign(window, {
      desktop: {
        sessionBearer: () => Promise.resolve(bearer),
        onOpen: () => {},
        changePassphrase({ next }: { readonly next: string | null }) {
          settings.key.is_protected = next !== null
          return Promise.resolve()
        },
        moveDataFolder: () => Promise.reject(new Error('the disk is full')),
        settings: () => Promise.resolve(structuredClone(settings)),
        changeSettings({
          command,
          update,
          ...changes
        }: {
          readonly command?: boolean
          readonly update?: string
        }) {
          if (update === 'install') settings.update.status = 'waiting'
          if (update === 'cancel')
            settings.update = { status: 'failed', version: '9.9.9', message: 'no space' }
          if (command !== undefined) settings.command.state = command ? 'installed' : 'absent'
          Object.assign(settings, changes)
          return Promise.resolve(structuredClone(settings))
        },
      },
    })
  }, program.served.bearer)
  await page.reload()
  await page.getByRole('heading', { name: 'Desktop app' }).waitFor()
  const isOn = (name: string) => page.getByRole('switch', { name }).isChecked()
  await page.getByRole('switch', { name: 'Start when you log in' }).click()
  await page.getByRole('switch', { name: 'Keep running in the tray' }).click()
  await page.getByRole('switch', { name: 'Keep running in the tray', checked: true }).waitFor()
  await page.getByRole('button', { name: 'Install command' }).click()
  await page.getByText('Add its folder to your PATH').waitFor()
  await page.getByRole('button', { name: 'Remove command' }).click()
  await page.getByRole('button', { name: 'Install command' }).waitFor()
  await page.getByRole('button', { name: 'Update and restart' }).click()
  await page.getByRole('button', { name: 'Not now' }).click()
  await page.getByText('The update failed: no space').waitFor()
  await page.getByRole('button', { name: 'Protect with a passphrase' }).click()
  await page.getByLabel('New passphrase').fill('correct horse')
  await page.getByLabel('Repeat passphrase').fill('correct horse')
  await page.getByRole('dialog').getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('Millrace asks for its passphrase at each start.').waitFor()
  await page.getByRole('button', { name: 'Move…' }).click()
  await page.getByText('the disk is full').waitFor()
  expect({
    login: await isOn('Start when you log in'),
    spelling: await isOn('Check spelling in notes'),
    problems,
  }).toEqual({ login: true, spelling: false, problems: [] })
})
