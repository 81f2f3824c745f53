import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import type { Flow } from '../../src/shared/contract/flows.ts'
import { openPage } from '../helpers/open-page.ts'
import { createHome } from '../helpers/program.ts'
import { useProgramInBrowser } from '../helpers/program-in-browser.ts'
import { callOrThrow } from '../helpers/served-api.ts'

const program = useProgramInBrowser()
const aFlow = () =>
  program.call<Flow>('POST', '/v1/flows', { name: 'Shared', steps: [{ ref_id: 'a', type: 'set' }] })
const title = (page: Page, words: string) =>
  page.waitForFunction(
    (wanted) => [...document.querySelectorAll('input')].some(({ value }) => value === wanted),
    words,
  )

test('two windows of one flow show what is typed in either, and a save in one applies to both', async () => {
  const { id } = await aFlow()
  const path = `/flows/${id}?step=a`
  const [one, two] = await Promise.all([program.open({ path }), program.open({ path })])
  await two.page.getByLabel('Title').waitFor()
  await one.page.getByLabel('Title').fill('Typed in the first')
  await title(two.page, 'Typed in the first')
  await two.page.getByLabel('Title').fill('Typed in the second')
  await title(one.page, 'Typed in the second')
  // The second change replaced the first one. The first window says so, and offers a way back.
  const notice = one.page.getByRole('status').filter({ hasText: 'Another window has changed a' })
  await notice.waitFor()
  expect(await two.page.getByText('Another window has changed').count()).toBe(0)
  await notice.getByRole('button', { name: 'Back to my version' }).click()
  await notice.waitFor({ state: 'detached' })
  await title(two.page, 'Typed in the first')
  await two.page.getByText('Another window has changed a').waitFor()
  await two.page.getByRole('button', { name: 'Back to my version' }).click()
  await title(one.page, 'Typed in the second')
  await one.page.getByRole('button', { name: 'Save', exact: true }).click()
  for (const { page } of [one, two]) await page.getByText('Saved', { exact: true }).waitFor()
  expect(await two.page.getByText('This flow was changed in another window').count()).toBe(0)
  const { steps, version } = await program.call<Flow>('GET', `/v1/flows/${id}`)
  expect({ title: steps[0]?.title, version }).toEqual({ title: 'Typed in the second', version: 2 })
  expect([...one.problems, ...two.problems]).toEqual([])
})

test("while the program is unreachable the page stays, says what isn't saved, and catches up by itself", async () => {
  const { id } = await aFlow()
  const { page } = await program.open({ path: `/flows/${id}?step=a` })
  await page.getByLabel('Title').waitFor()
  const network = page.context()
  await network.setOffline(true)
  await page.getByLabel('Title').fill('Typed meanwhile')
  // The code of the next screen isn't loaded yet.
  await page.getByText('Draft not saved').waitFor()
  await page.getByRole('link', { name: 'Runs', exact: true }).click()
  await network.setOffline(false)
  await page.getByRole('heading', { name: 'Runs', exact: true }).waitFor()
  await page.goBack()
  await page.getByText('Unpublished changes (draft saved)').waitFor()
  const copy = await program.call<{ steps: Flow['steps'] }>('GET', `/v1/flows/${id}/working-copy`)
  expect(copy.steps[0]?.title).toBe('Typed meanwhile')
})

test('a second tab is signed in by the first one; without one the page says how, and continues by itself', async () => {
  const context = await program.browser.newContext()
  const alone = await context.newPage()
  await alone.goto(`${program.served.url}/tokens`)
  await alone.getByRole('heading', { name: 'Sign in to Millrace' }).waitFor()
  await alone.getByText('millrace open', { exact: true }).waitFor()
  expect(await alone.locator('body').textContent()).not.toMatch(/Authorization|restarted/)

  const signedIn = await context.newPage()
  await signedIn.goto(`${program.served.url}/flows#session=${program.served.bearer}`)
  await signedIn.getByRole('heading', { name: 'Flows', exact: true }).waitFor()
  await alone.getByRole('heading', { name: 'Access tokens', exact: true }).waitFor()

  // A Ctrl+click is the browser's. Without windows, Chromium drops some of the tabs it should open then, so this one is
  // opened by the test.
  const link = signedIn.getByRole('link', { name: 'Runs', exact: true })
  await signedIn.evaluate(() => {
    document.addEventListener('click', ({ defaultPrevented }) =>
      Object.assign(globalThis, { defaultPrevented }),
    )
  })
  await link.click({ modifiers: ['ControlOrMeta'] })
  await expect
    .poll(() => signedIn.evaluate(() => (globalThis as { defaultPrevented?: boolean }).defaultPrevented))
    .toBe(false)
  const another = await context.newPage()
  await another.goto(new URL((await link.getAttribute('href')) ?? '', program.served.url).href)
  await another.getByRole('heading', { name: 'Runs', exact: true }).waitFor()
  await context.close()
})

test('what a flow returns in the same browser gets no session, whatever it asks the tabs', async () => {
  const { page } = await program.open()
  const asks = `<title>waiting</title><script>
    const tabs = new BroadcastChannel('millrace-session')
    tabs.onmessage = ({ data }) => { document.title = JSON.stringify(data) }
    tabs.postMessage({ kind: 'ask' })
  </script>`
  const flow = await program.call<Flow>('POST', '/v1/flows', {
    name: 'Curious',
    status: 'active',
    steps: [
      {
        ref_id: 'web1',
        type: 'webhook',
        config: { response_body: asks, response_headers: { 'Content-Type': 'text/html' } },
      },
    ],
    settings: { webhook_token_enabled: false },
  })
  const other = await page.context().newPage()
  await other.setContent(`<form method="post" action="${flow.webhook?.url}"><button>Send</button></form>`)
  await other.getByRole('button', { name: 'Send' }).click()
  await other.waitForURL(flow.webhook?.url ?? '')
  expect(await other.evaluate(() => document.documentElement.outerHTML)).toContain('BroadcastChannel')
  expect({ origin: await other.evaluate(() => self.origin), title: await other.title() }).toEqual({
    origin: 'null',
    title: 'waiting',
  })
})

test('what was typed while the host was killed is sent to the next one, by a session from another tab and without a reload', async () => {
  const home = createHome()
  try {
    const before = await home.serve()
    const port = Number(new URL(before.url).port)
    const { id } = await callOrThrow<Flow>(before, 'POST', '/v1/flows', {
      name: 'Survivor',
      steps: [{ ref_id: 'a', type: 'set' }],
    })
    const { page } = await openPage(program.browser, before, { path: `/flows/${id}?step=a` })
    await page.getByLabel('Title').fill('Stored')
    await page.getByText('Unpublished changes (draft saved)').waitFor()
    before.process.kill('SIGKILL')
    await before.ended
    await page.getByLabel('Title').fill('Typed meanwhile')
    await page.getByText('Draft not saved').waitFor()
    const marked = await page.evaluate(() => Object.assign(globalThis, { marked: 1 }) && true)

    const after = await home.serve({ args: ['--port', String(port)] })
    const other = await page.context().newPage()
    await other.goto(`${after.url}/#session=${after.bearer}`)
    await page.bringToFront()
    await page.getByText('Unpublished changes (draft saved)').waitFor()
    await page.getByText('isn’t responding').waitFor({ state: 'detached' })
    const copy = await callOrThrow<{ steps: Flow['steps'] }>(after, 'GET', `/v1/flows/${id}/working-copy`)
    expect({
      title: copy.steps[0]?.title,
      isSamePage: marked && (await page.evaluate(() => 'marked' in globalThis)),
    }).toEqual({ title: 'Typed meanwhile', isSamePage: true })

    // The link is opened in the tab itself, from a screen with another path. This loads a new page, and nothing is lost
    // either.
    after.process.kill('SIGKILL')
    await after.ended
    await other.close()
    await page.getByLabel('Title').fill('Typed again')
    await page.getByText('Draft not saved').waitFor()
    const last = await home.serve({ args: ['--port', String(port)] })
    page.on('dialog', (dialog) => void dialog.accept())
    await page.goto(`${last.url}/#session=${last.bearer}`)
    await page.goto(`${last.url}/flows/${id}?step=a`)
    await page.getByText('Unpublished changes (draft saved)').waitFor()
    await expect.poll(() => page.getByLabel('Title').inputValue()).toBe('Typed again')
    await page.context().close()
  } finally {
    await home.remove()
  }
})
