import { expect, test } from 'vitest'
import { axeFindings } from '../helpers/axe.ts'
import { useProgramInBrowser } from '../helpers/program-in-browser.ts'
import { stopTime } from '../helpers/stop-time.ts'
import { startThirdPartyApi } from '../helpers/third-party-api.ts'

const program = useProgramInBrowser()

test('a success is shown for five seconds, or longer while it is pointed at; a failure until it is dismissed', async () => {
  const { page, problems } = await program.open({ path: '/files' })
  await stopTime(page)
  const region = page.getByRole('region', { name: 'Notices' })
  const upload = (name: string) =>
    page
      .getByLabel('Files to upload')
      .setInputFiles({ name, mimeType: 'text/plain', buffer: Buffer.from('text') })

  await upload('prices.txt')
  const success = region.getByRole('group', { name: '“prices.txt” uploaded' })
  await success.waitFor()
  expect(await region.getAttribute('aria-live')).toBe('polite')
  await success.hover()
  await page.clock.fastForward(20_000)
  expect(await success.isVisible()).toBe(true)
  await page.mouse.move(5, 5)
  // Includes a few frames in which the toast disappears.
  await page.clock.runFor(5_200)
  await success.waitFor({ state: 'detached' })

  const [file] = await program.call<{ id: string }[]>('GET', '/v1/file-uploads')
  await page.route(`**/v1/file-uploads/${file?.id}/**`, (route) => route.abort())
  await page.getByRole('button', { name: 'Download prices.txt' }).click()
  const failure = region.getByRole('group', { name: 'Couldn’t download “prices.txt”' })
  await failure.waitFor()
  await upload('orders.txt')
  await region.getByRole('group', { name: '“orders.txt” uploaded' }).waitFor()
  await page.clock.resume()
  expect(await axeFindings(page)).toEqual([])

  await page.clock.fastForward(60_000)
  await expect.poll(() => region.getByRole('group').count()).toBe(1)
  await page.keyboard.press('F6')
  await page.keyboard.press('Tab')
  expect(await failure.evaluate((element) => element === document.activeElement)).toBe(true)
  await page.keyboard.press('Escape')
  await failure.waitFor({ state: 'detached' })
  expect(problems).toEqual([])
})

test('at most four toasts are shown, the newest ones', async () => {
  const { page } = await program.open({ path: '/files' })
  await stopTime(page)
  const names = ['1', '2', '3', '4', '5', '6'].map((number) => `list ${number}.txt`)
  await page
    .getByLabel('Files to upload')
    .setInputFiles(names.map((name) => ({ name, mimeType: 'text/plain', buffer: Buffer.from('text') })))
  const toasts = page.getByRole('region', { name: 'Notices' }).getByRole('group')
  await toasts.filter({ hasText: 'list 6.txt' }).waitFor()
  await expect
    .poll(async () => {
      // The frames in which the others disappear.
      await page.clock.runFor(20)
      return await toasts.allInnerTexts()
    })
    .toEqual(
      names
        .slice(2)
        .toReversed()
        .map((name) => `“${name}” uploaded`),
    )
})

// Each flow fails once here, because later failures are combined into a second notice some seconds later.
test('a failure is reported in a toast, in the title and by the browser, and a click opens the run', async () => {
  const { id } = await program.call<{ id: string }>('POST', '/v1/flows', {
    name: 'Fails',
    steps: [{ ref_id: 'bad', type: 'set', config: { values: { x: '{{ 1 / 0 }}' } } }],
  })
  const { page, problems, go } = await program.open({ path: '/connectors' })
  await page.getByRole('heading', { name: 'Connectors', exact: true }).waitFor()
  const first = await program.call<{ id: string }>('POST', `/v1/flows/${id}/run?wait=true`, {})
  const toast = page.getByRole('group', { name: 'A run of “Fails” failed' })
  await toast.waitFor()
  await expect.poll(() => page.title()).toBe('(1) Connectors · Millrace')
  await toast.getByRole('button', { name: 'Open run' }).click()
  await page.waitForURL(`**/runs/${first.id}*`)
  await toast.waitFor({ state: 'detached' })
  await expect.poll(() => page.title()).not.toContain('(1)')

  // The tab is hidden, in a browser that allows notifications.
  await go('/connectors')
  await page.getByRole('heading', { name: 'Connectors', exact: true }).waitFor()
  await page.evaluate(() => {
    Object.defineProperty(document, 'visibilityState', { value: 'hidden', configurable: true })
    const shown: { body: string; click: () => void }[] = []
    class Shown extends EventTarget {
      static permission = 'granted'
      close() {}
      constructor(_title: string, { body }: { body: string }) {
        super()
        shown.push({ body, click: () => this.dispatchEvent(new Event('click')) })
      }
    }
    Object.assign(globalThis, { Notification: Shown, shown })
  })
  const other = await program.call<{ id: string }>('POST', '/v1/flows', {
    name: 'Fails too',
    steps: [{ ref_id: 'bad', type: 'set', config: { values: { x: '{{ 1 / 0 }}' } } }],
  })
  const second = await program.call<{ id: string }>('POST', `/v1/flows/${other.id}/run?wait=true`, {})
  const notified = () =>
    page.evaluate(() =>
      (globalThis as unknown as { shown: { body: string }[] }).shown.map(({ body }) => body),
    )
  await expect.poll(notified).toEqual(['A run of “Fails too” failed'])
  await page.evaluate(() => (globalThis as unknown as { shown: { click: () => void }[] }).shown[0]?.click())
  await page.waitForURL(`**/runs/${second.id}*`)
  // The run itself now shows the failure.
  const tooLate = page.getByRole('group', { name: 'A run of “Fails too” failed' })
  await tooLate.waitFor({ state: 'detached' })
  await go('/connectors')
  await program.call('POST', `/v1/flows/${other.id}/run?wait=true`, {})
  await tooLate.waitFor()
  await go(`/flows/${other.id}`)
  await tooLate.waitFor({ state: 'detached' })
  expect(problems).toEqual([])
})

test('a failure is no news any more once its run is on screen, resumed or deleted', async () => {
  let status = 401
  const api = await startThirdPartyApi((_request, response) => response.writeHead(status).end('{}'))
  const { id } = await program.call<{ id: string }>('POST', '/v1/flows', {
    name: 'Waits',
    steps: [{ ref_id: 'ask', type: 'rest', config: { url: `${api.url}/a` } }],
  })
  const { page, go, problems } = await program.open({ path: '/connectors' })
  await page.getByRole('heading', { name: 'Connectors', exact: true }).waitFor()
  const toast = page.getByRole('group', { name: 'A run of “Waits” failed' })
  const fail = async () => {
    const run = await program.call<{ id: string }>('POST', `/v1/flows/${id}/run?wait=true`, {})
    await toast.waitFor()
    return run.id
  }
  await go(`/runs/${await fail()}`)
  await toast.waitFor({ state: 'detached' })
  await go('/connectors')
  await program.call('DELETE', `/v1/flow-runs/${await fail()}`)
  await toast.waitFor({ state: 'detached' })
  const run = await fail()
  status = 200
  await program.call('POST', `/v1/flow-runs/${run}/resume`)
  await toast.waitFor({ state: 'detached' })
  expect(problems).toEqual([])
})

test('what was deleted and can be restored is brought back by a button, until something else changes', async () => {
  const { id } = await program.call<{ id: string }>('POST', '/v1/flows', {
    name: 'Two steps',
    steps: [
      { ref_id: 'first', type: 'set' },
      { ref_id: 'second', type: 'set' },
    ],
  })
  const { page, problems } = await program.open({ path: `/flows/${id}?step=second` })
  const toast = (name: string) => page.getByRole('group', { name })
  const steps = page.getByRole('button', { name: /^\d (first|second)/ })
  await steps.nth(1).click()
  await page.keyboard.press('Delete')
  await toast('Step second deleted').getByRole('button', { name: 'Undo' }).click()
  await toast('Step second deleted').waitFor({ state: 'detached' })
  await expect.poll(() => steps.count()).toBe(2)
  await steps.nth(1).click()
  await page.keyboard.press('Delete')
  await toast('Step second deleted').waitFor()
  await page.getByLabel('Title', { exact: false }).fill('A')
  await toast('Step second deleted').waitFor({ state: 'detached' })
  expect(problems).toEqual([])
})
