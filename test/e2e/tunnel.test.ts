/** The public URL in the app: turned on and off on Home and next to a webhook, set up and watched in the settings. */
import { expect, onTestFinished, test } from 'vitest'
import type { Tunnel } from '../../src/shared/contract/reach/tunnel.ts'
import { useProgramInBrowser } from '../helpers/program-in-browser.ts'
import { startSshServer } from '../helpers/tunnel-servers.ts'

const program = useProgramInBrowser()

test('a tunnel is set up in the settings, accepts a host key, and is switched on from Home and from a webhook', async () => {
  const server = await startSshServer()
  onTestFinished(() => server.close())
  const { id } = await program.call<{ id: string }>('POST', '/v1/flows', {
    name: 'Receive an order',
    steps: [{ ref_id: 'web1', type: 'webhook' }],
  })
  const { page, problems, go } = await program.open({ path: '/settings' })
  await page.getByRole('button', { name: 'Set up tunnel' }).click()
  await page.getByLabel('Provider').click()
  await page.getByRole('option', { name: /^SSH server/ }).click()
  await page.getByLabel('SSH host').fill('127.0.0.1')
  await page.getByLabel('SSH port').fill(String(server.port))
  await page.getByLabel('SSH user').fill('ann')
  await page.getByLabel('SSH password').fill(server.password)
  await page.getByLabel('Remote port', { exact: true }).fill('0')
  await page.getByLabel('URL of the remote port').fill('http://127.0.0.1:{port}')
  await page.getByRole('button', { name: 'Save and turn on' }).click()
  await page.getByText("hasn't been accepted yet").first().waitFor()
  await page.getByRole('button', { name: 'Set up tunnel' }).click()
  await page.getByRole('button', { name: 'Accept host key' }).click()
  await page.getByRole('button', { name: 'Save tunnel' }).click()
  await page.getByText('Last response:').waitFor()
  const exposed = page.getByRole('region', { name: 'Reachable flows' })
  await exposed.getByRole('link', { name: 'Receive an order' }).first().waitFor()
  await exposed.getByRole('link', { name: 'Forward to a local program…' }).first().waitFor()
  await program.call('PUT', `/v1/flows/${id}/forward`, { url: 'http://localhost:3000/hooks' })
  await exposed.getByRole('link', { name: 'forwards to http://localhost:3000/hooks' }).waitFor()
  const on = await program.call<Tunnel>('GET', '/v1/tunnel')

  await go('/')
  await page
    .getByText(on.public_url ?? '')
    .first()
    .waitFor()
  await page.getByText(`${on.public_url}/v1/flow-webhook/${id}`).waitFor()
  await page.getByRole('button', { name: 'Turn off public URL' }).click()
  await page.getByText('Public URL is off').waitFor()
  const off = await program.call<Tunnel>('GET', '/v1/tunnel')

  await go(`/flows/${id}?view=settings`)
  // Home has such a button, too.
  const webhook = page.getByRole('region', { name: 'Webhook', exact: true })
  await webhook.getByRole('button', { name: 'Turn on public URL' }).click()
  const asks = page.getByRole('alertdialog', { name: 'Turn on public URL?' })
  await asks.getByText('question pages to the internet').waitFor()
  expect((await program.call<Tunnel>('GET', '/v1/tunnel')).state).toBe('off')
  await asks.getByRole('button', { name: 'Turn on' }).click()
  await page
    .getByText(/^POST http:\/\/127\.0\.0\.1:\d+\/v1\/flow-webhook\//)
    .nth(1)
    .waitFor()
  const again = await program.call<Tunnel>('GET', '/v1/tunnel')
  await page.getByText(`POST ${again.public_url}/v1/flow-webhook/${id}`).first().waitFor()
  expect({ off: off.state, shown: (await page.content()).includes(server.password), problems }).toEqual({
    off: 'off',
    shown: false,
    problems: [],
  })
})
