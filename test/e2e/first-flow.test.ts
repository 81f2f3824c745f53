/**
 * A new user's second task: a webhook that reads a paginated API with a bearer token, keeps some of its records,
 * looks each of them up and responds. Every mouse click counts, even into a field.
 */
import type { Locator } from 'playwright-core'
import { expect, test } from 'vitest'
import type { Flow } from '../../src/shared/contract/flows.ts'
import { countClicks } from '../helpers/clicks.ts'
import { useProgramInBrowser } from '../helpers/program-in-browser.ts'
import { type ReceivedRequest, startThirdPartyApi } from '../helpers/third-party-api.ts'

const program = useProgramInBrowser()

const USERS = Array.from({ length: 57 }, (_, index) => ({
  id: index + 1,
  plan: index % 4 === 0 ? 'pro' : 'free',
}))
const PER_PAGE = 10
const TOKEN = 'token-of-the-new-user'

/** `/users` in pages with a link to the next one, and `/users/7`; both require the token. */
function startShop() {
  const shop = startThirdPartyApi(({ target, headers }: ReceivedRequest, response) => {
    const url = new URL(target, `http://${headers.host}`)
    if (headers.authorization !== `Bearer ${TOKEN}`) {
      response.writeHead(401, { 'content-type': 'application/json' }).end('{"message": "Bad credentials"}')
      return
    }
    const id = /^\/users\/(\d+)$/.exec(url.pathname)?.[1]
    const at = Number(url.searchParams.get('page') ?? 1)
    const isLast = at * PER_PAGE >= USERS.length
    const link = isLast ? {} : { link: `<${url.origin}/users?page=${at + 1}>; rel="next"` }
    const body =
      id === undefined
        ? USERS.slice((at - 1) * PER_PAGE, at * PER_PAGE)
        : { id: Number(id), mail: `u${id}@shop.test` }
    response
      .writeHead(200, { 'content-type': 'application/json', ...(id === undefined ? link : {}) })
      .end(JSON.stringify(body))
  })
  return shop
}

test('from an empty data folder to a flow that reads all pages and responds, in at most 24 clicks on one screen', async () => {
  const shop = await startShop()
  const { page, problems } = await program.open()
  await page.getByRole('heading', { name: 'What should Millrace do for you?' }).waitFor()
  const clicks = await countClicks(page)
  const typeInto = async (field: Locator, text: string) => {
    await field.click()
    // Braces and quotes are typed one by one: the editor closes some automatically, and lets the closing ones be typed
    // over.
    await page.keyboard.insertText(text)
  }
  /** The first field of a new step and of a new auth receives the focus automatically. */
  const typeAtOnce = async (field: Locator, text: string) => {
    await field.and(page.locator(':focus')).waitFor()
    await page.keyboard.insertText(text)
  }
  const addStep = async (name: string, heading: string, button = 'Add step') => {
    await page.getByRole('button', { name: button, exact: button === 'Add step' }).click()
    const search = page.getByRole('combobox', { name: 'Search services and steps' })
    await search.fill(name)
    await page
      .getByRole('option', { name: new RegExp(`^${heading}`) })
      .first()
      .waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: heading, exact: true }).waitFor()
  }

  await page.getByRole('link', { name: 'Flows', exact: true }).click()
  await page.getByRole('button', { name: 'New flow' }).first().click()
  await page.getByLabel('Name', { exact: true }).fill('Users of a plan')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Users of a plan', level: 1 }).waitFor()
  const [created] = await program.call<Flow[]>('GET', '/v1/flows?filter=name,eq,Users of a plan')
  const editor = `/flows/${created?.id}`
  const left: string[] = []
  page.on('framenavigated', (frame) => {
    const { pathname } = new URL(frame.url())
    if (pathname !== editor) left.push(pathname)
  })

  await addStep('HTTP', 'HTTP request')
  await typeAtOnce(page.getByRole('textbox', { name: /^URL/ }), `${shop.url}/users`)
  await page.getByRole('button', { name: 'New connector auth' }).click()
  const auth = page.getByRole('dialog', { name: 'New connector auth' })
  await typeAtOnce(auth.getByLabel('Token', { exact: true }), TOKEN)
  await auth.getByRole('button', { name: 'Connect' }).click()
  await auth.waitFor({ state: 'detached' })
  const paging = page.getByRole('group', { name: 'Pagination' })
  await paging.getByRole('button', { name: 'Set up pagination' }).click()
  const sheet = page.getByRole('dialog', { name: 'Pagination' })
  await sheet.getByText('Filled in').waitFor()
  await sheet.getByRole('button', { name: 'Run', exact: true }).click()
  await sheet.getByText('57 records on').waitFor()
  await sheet.getByRole('button', { name: /^Use pagination/ }).click()
  await paging.getByText('6 pages').waitFor()

  await addStep('filter', 'Filter a list')
  await typeAtOnce(page.getByRole('textbox', { name: /^(Over|List)/ }), '{{ rest }}')
  await typeInto(page.getByRole('textbox', { name: 'Keep item if' }), 'item.plan == web1.plan')

  await addStep('loop', 'Loop')
  await typeAtOnce(page.getByRole('textbox', { name: /^(Over|List)/ }), '{{ filtered }}')
  await addStep('HTTP', 'HTTP request', 'Add a step to')
  await typeAtOnce(page.getByRole('textbox', { name: /^URL/ }), `${shop.url}/users/{{ item.id }}`)
  await page.getByRole('combobox', { name: 'Connector auth' }).click()
  await page.getByRole('option', { name: /^127\.0\.0\.1/ }).click()
  await page.getByRole('button', { name: /^4 loop1, Loop/ }).click()
  await typeInto(page.getByRole('textbox', { name: /^Collect/ }), '{{ rest2.body.mail }}')

  await addStep('respond', 'Respond')
  await typeInto(page.getByRole('textbox', { name: /^Body/ }), '{"mails": {{ loop1 }}}')

  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByRole('button', { name: /Draft/ }).click()
  await page.getByRole('menuitem', { name: /Active/ }).click()
  await expect
    .poll(async () => {
      const { status, steps } = await program.call<Flow>('GET', `/v1${editor}`)
      return { status, saved: steps.length }
    })
    .toEqual({ status: 'active', saved: 5 })

  const { webhook } = await program.call<Flow>('GET', `/v1${editor}`)
  const answer = await fetch(webhook?.url ?? '', {
    method: 'POST',
    headers: { Authorization: `Bearer ${webhook?.token}`, 'content-type': 'application/json' },
    body: '{"plan": "pro"}',
  })
  const mails = USERS.filter(({ plan }) => plan === 'pro').map(({ id }) => `u${id}@shop.test`)
  expect({ status: answer.status, body: await answer.json() }).toEqual({ status: 200, body: { mails } })
  const used = await clicks()
  console.info(`clicks: ${used}`)
  expect(used).toBeLessThanOrEqual(24)
  expect({ left, problems }).toEqual({ left: [], problems: [] })
})
