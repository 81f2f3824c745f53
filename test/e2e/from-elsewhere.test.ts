/** The app behind a proxy with TLS, in browsers that sign in there. */
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { launchChromium } from '../../scripts/lib/chromium.ts'
import type { PageSession } from '../../src/shared/contract/page-sessions.ts'
import { axeFindings } from '../helpers/axe.ts'
import { openPage, showScreen } from '../helpers/open-page.ts'
import { createHome, type Served } from '../helpers/program.ts'
import { callOrThrow } from '../helpers/served-api.ts'
import { PROXY_HOST, startTlsProxy, type TlsProxy } from '../helpers/tls-proxy.ts'

const ALL = ['automation', 'company', 'connector_auth', 'connectors']

const home = createHome()
let proxy: TlsProxy
let served: Served
let browser: Browser
let contexts: BrowserContext[] = []

beforeAll(async () => {
  proxy = await startTlsProxy()
  const mapped = `--host-resolver-rules=MAP ${PROXY_HOST} 127.0.0.1`
  ;[browser] = await Promise.all([launchChromium(mapped), serve('0')])
})
afterEach(async () => {
  await Promise.all(contexts.map((context) => context.close()))
  contexts = []
  const sessions = await callOrThrow<PageSession[]>(served, 'GET', '/v1/page-sessions')
  for (const { id } of sessions) await callOrThrow(served, 'DELETE', `/v1/page-sessions/${id}`)
})
afterAll(async () => {
  await browser?.close()
  await proxy?.close()
  await home.remove()
})

async function serve(port: string): Promise<void> {
  served = await home.serve({ args: ['--port', port], env: { MILLRACE_PAGE_URL: proxy.url } })
  proxy.target = Number(new URL(served.url).port)
}

async function elsewhere(path = '/', options: BrowserContextOptions = {}): Promise<Page> {
  const context = await browser.newContext({ ignoreHTTPSErrors: true, reducedMotion: 'reduce', ...options })
  contexts.push(context)
  const page = await context.newPage()
  page.setDefaultTimeout(45_000)
  await page.goto(`${proxy.url}${path}`)
  return page
}

const aToken = (scopes: readonly string[] = ALL) =>
  callOrThrow<{ id: string; token: string }>(served, 'POST', '/v1/personal-access-tokens', {
    scopes,
    expiration: null,
    note: 'Tablet',
  })

async function signIn(page: Page, token: string): Promise<void> {
  await page.getByLabel('Millrace access token').fill(token)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}

const live = (page: Page) => page.locator('footer').getByText('live', { exact: true }).waitFor()
const asked = (page: Page) => page.getByRole('heading', { name: 'Sign in to Millrace' }).waitFor()

test('the sign-in screen is in the language of the browser, readable in both themes, and says what is wrong', async () => {
  const page = await elsewhere('/flows')
  await asked(page)
  const findings = await axeFindings(page)
  await signIn(page, 'mr_pat_wrong')
  await page
    .getByText('The access token isn’t valid')
    .or(page.getByText("The access token isn't valid"))
    .waitFor()
  const german = await elsewhere('/', { locale: 'de-DE' })
  await german.getByRole('heading', { name: 'Bei Millrace anmelden' }).waitFor()
  await signInGerman(german)
  expect({ findings, wrong: await axeFindings(page), title: await german.title() }).toEqual({
    findings: [],
    wrong: [],
    title: 'Bei Millrace anmelden',
  })
})

async function signInGerman(page: Page): Promise<void> {
  await page.getByLabel('Zugriffstoken von Millrace').fill('mr_pat_falsch')
  await page.getByRole('button', { name: 'Anmelden', exact: true }).click()
  await page.getByText('Das Zugriffstoken ist ungültig').waitFor()
}

test('a token signs in; the page has no secret, shows what the token can read, and signs out', async () => {
  const page = await elsewhere('/flows')
  const { token } = await aToken(['automation:view'])
  await signIn(page, token)
  await live(page)
  const nav = page.getByRole('navigation', { name: 'Pages' })
  const [cookie] = await page.context().cookies()
  const shown = await nav.getByRole('link').allTextContents()
  const kept = await page.evaluate(() => [
    document.cookie,
    JSON.stringify(sessionStorage),
    JSON.stringify(localStorage),
    location.href,
  ])
  await page.getByRole('button', { name: /^Signed in as/ }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await asked(page)
  const { value = '', ...attributes } = cookie ?? {}
  expect({
    shown,
    attributes,
    secrets: kept.filter((text) => text.includes(value) || text.includes(token)),
    cookies: await page.context().cookies(),
    sessions: await callOrThrow(served, 'GET', '/v1/page-sessions'),
  }).toEqual({
    shown: [
      'Home',
      'Flows',
      'Runs',
      'Webhooks',
      'Connector auths',
      'Tables',
      'Variables',
      'Files',
      'Access tokens',
      'Plug-ins',
    ],
    attributes: expect.objectContaining({
      name: '__Host-millrace',
      domain: PROXY_HOST,
      path: '/',
      httpOnly: true,
      secure: true,
      sameSite: 'Strict',
    }),
    secrets: [],
    cookies: [],
    sessions: [],
  })
})

test("a token that can't receive live changes sees its data without them", async () => {
  const page = await elsewhere('/connectors')
  await signIn(page, (await aToken(['connectors:view'])).token)
  await page.locator('footer').getByText('no live updates', { exact: true }).waitFor()
  await page.getByText('GitHub', { exact: true }).first().waitFor()
  const shown = page.getByRole('navigation', { name: 'Pages' }).getByRole('link')
  expect(await shown.allTextContents()).toEqual(['Home', 'Connectors', 'Access tokens', 'API reference'])
})

test('a read-only token sees everything, and the reason why each command is missing', async () => {
  const flow = await callOrThrow<{ id: string }>(served, 'POST', '/v1/flows', {
    name: 'Looked at',
    steps: [{ ref_id: 'one', type: 'set', config: { values: { x: '1' } } }],
  })
  const run = await callOrThrow<{ id: string }>(served, 'POST', `/v1/flows/${flow.id}/run?wait=true`, {})
  const page = await elsewhere(`/flows/${flow.id}`)
  const views = ['automation', 'company', 'connector_auth', 'connectors'].map((name) => `${name}:view`)
  await signIn(page, (await aToken(views)).token)
  await live(page)
  const needs = (scope: string) => `Your access token doesn’t allow this. It needs the scope ${scope}.`
  await page.getByText(`Changes on this page can’t be saved. ${needs('automation:manage')}`).waitFor()
  const findings = await axeFindings(page)
  const found: unknown[] = []
  const look = async (path: string, names: readonly (string | RegExp)[]) => {
    await page.evaluate(showScreen, path)
    for (const name of names) {
      const button = page.getByRole('button', { name, exact: true }).first()
      found.push([
        name,
        await button.getAttribute('aria-disabled'),
        await button.getAttribute('aria-description'),
      ])
    }
  }
  await look(`/flows/${flow.id}`, ['Test', 'Save'])
  await look(`/flows/${flow.id}?view=settings`, ['Delete flow'])
  await look('/flows', ['New flow', 'Import'])
  await page.keyboard.press('n')
  await page.keyboard.press('ControlOrMeta+k')
  await page.getByRole('combobox', { name: 'Search flows' }).fill('new')
  await page.getByRole('option', { name: /./ }).first().waitFor()
  const offered = await page.getByRole('option', { name: /^New flow|^New connector/ }).count()
  await page.keyboard.press('Escape')
  await look(`/runs/${run.id}`, ['Rerun from step…'])
  await look('/connectors', ['New connector'])
  await look('/auths', ['New connector auth'])
  await look('/env-variables', ['New variable'])
  await look('/data-tables', ['New table'])
  await look('/files', ['Upload files'])
  await look('/users', ['Add user'])
  await look('/tokens', ['Create token'])
  expect({ offered, findings, dialogs: await page.getByRole('dialog').count(), found }).toEqual({
    offered: 0,
    findings: [],
    dialogs: 0,
    found: [
      ['Test', 'true', needs('automation:manage')],
      ['Save', 'true', needs('automation:manage')],
      ['Delete flow', 'true', needs('automation')],
      ['New flow', 'true', needs('automation:manage')],
      ['Import', 'true', needs('automation:manage')],
      ['Rerun from step…', 'true', needs('automation:manage')],
      ['New connector', 'true', needs('connectors:manage')],
      ['New connector auth', 'true', needs('connector_auth:manage')],
      ['New variable', 'true', needs('company:manage')],
      ['New table', 'true', needs('company:manage')],
      ['Upload files', 'true', needs('company:manage')],
      ['Add user', 'true', needs('company:manage')],
      ['Create token', 'true', 'Your access token doesn’t allow this. It’s read-only.'],
    ],
  })
  // Nothing happens, and sighted users see the reason.
  await page.getByRole('button', { name: 'Create token' }).focus()
  await page.getByText('It’s read-only.').waitFor()
  await page.keyboard.press('Enter')
  expect(await page.getByRole('dialog').count()).toBe(0)
})

test("live changes, uploads and downloads work from elsewhere; what is only for this computer isn't shown", async () => {
  const page = await elsewhere('/flows')
  await signIn(page, (await aToken()).token)
  await live(page)
  await callOrThrow(served, 'POST', '/v1/flows', { name: 'Made at home', steps: [] })
  await page.getByText('Made at home').waitFor()
  await page.goto(`${proxy.url}/files`)
  await live(page)
  const uploaded = page.waitForResponse((response) => response.request().method() === 'POST')
  await page
    .locator('input[type=file]')
    .first()
    .setInputFiles({
      name: 'prices.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from('a;b\n'),
    })
  await uploaded
  await page.getByText('prices.csv').first().waitFor()
  const content = await page.evaluate(async () => {
    const [file] = (await (await fetch('/v1/file-uploads')).json()) as { id: string }[]
    return await (await fetch(`/v1/file-uploads/${file?.id}/content`)).text()
  })
  await page.goto(`${proxy.url}/settings`)
  await page.getByRole('heading', { name: 'Signed-in browsers' }).waitFor()
  const local = [
    'Logs',
    'Data folder',
    'Expose the full API through proxies',
    'App URL for other devices',
    'Port',
  ]
  expect({
    content,
    local: await Promise.all(local.map((text) => page.getByText(text, { exact: true }).count())),
    findings: await axeFindings(page),
  }).toEqual({ content: 'a;b\n', local: [0, 0, 0, 0, 0], findings: [] })
})

test('sessions survive a killed program; revoking their token ends them at once', async () => {
  const page = await elsewhere('/flows')
  const { id, token } = await aToken()
  await signIn(page, token)
  await live(page)
  const port = new URL(served.url).port
  served.process.kill('SIGKILL')
  await served.ended
  await page.getByText('Millrace isn’t responding. Retrying…').waitFor()
  await serve(port)
  await live(page)
  await callOrThrow(served, 'DELETE', `/v1/personal-access-tokens/${id}`)
  await asked(page)
  expect(await callOrThrow(served, 'GET', '/v1/page-sessions')).toEqual([])
})

test('a link from the command line shows a button that signs one browser in; Settings lists the session and ends it', async () => {
  const printed = await home.run(['sign-in-link', '--json'])
  const { url } = JSON.parse(printed.stdout) as { url: string }
  const [first, second] = [
    await elsewhere(url.slice(proxy.url.length)),
    await elsewhere(url.slice(proxy.url.length)),
  ]
  await first.getByText('You opened a sign-in link.').waitFor()
  const address = first.url()
  await first.getByRole('button', { name: 'Sign in', exact: true }).click()
  await live(first)
  await second.getByRole('button', { name: 'Sign in', exact: true }).click()
  await second.getByText('The sign-in link has been used').waitFor()
  const [session] = await callOrThrow<PageSession[]>(served, 'GET', '/v1/page-sessions')
  const { page } = await openPage(browser, served, { path: '/settings' })
  contexts.push(page.context())
  await page.getByRole('button', { name: `Sign out ${session?.client}` }).click()
  await asked(first)
  expect({ code: printed.code, address, note: session?.token_note, agent: session?.user_agent }).toEqual({
    code: 0,
    address: `${proxy.url}/`,
    note: 'Signed in with a link',
    agent: expect.stringContaining('Chrome'),
  })
})
