import type { Locator, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import type { FlowRun } from '../../src/shared/contract/flow-runs.ts'
import { HTTP_CONNECTOR_ID } from '../../src/shared/contract/connectors.ts'
import { axeFindings } from '../helpers/axe.ts'
import { replaceCode } from '../helpers/keyboard.ts'
import { useProgramInBrowser } from '../helpers/program-in-browser.ts'
import { callServed } from '../helpers/served-api.ts'
import { startThirdPartyApi } from '../helpers/third-party-api.ts'

const program = useProgramInBrowser()

const stepsOf = (page: Page) => page.getByRole('tree', { name: 'Steps' }).getByRole('treeitem')

/** Orders, one of which has a price that can't be added, and a list too long for the history. */
async function aHistory(): Promise<{ readonly flowId: string }> {
  const { id } = await program.call<{ id: string }>('POST', '/v1/flows', {
    name: 'Price an order',
    settings: { webhook_token_enabled: false, dynamic_title: 'Order of {{ web1.customer }}' },
    steps: [
      { ref_id: 'web1', type: 'webhook', config: { response_body: '{"total": {{ price.total }}}' } },
      {
        ref_id: 'order',
        type: 'set',
        title: 'Read the lines',
        config: { values: { lines: '{{ web1.lines }}', who: '{{ web1.customer }}' } },
      },
      { ref_id: 'price', type: 'set', config: { values: { total: '{{ order.lines[0].price * 2 }}' } } },
      {
        ref_id: 'many',
        type: 'code',
        config: {
          source:
            'return Array.from({ length: 3000 }, (_, id) => ({ id, name: "Contact " + id, city: "Passau" }))',
        },
      },
    ],
  })
  for (const [customer, price] of [
    ['Ada Lovelace', 4],
    ['Grace Hopper', {}],
    ['Zoë Quill', 7],
  ] as const)
    await callServed(program.served, 'POST', `/v1/flow-webhook/${id}`, {
      customer,
      mail: `${customer.split(' ')[1]}@teapot.example`,
      lines: [{ sku: 'A-1', price }],
    })
  return { flowId: id }
}

test('a failed run is found by a word of its payload, compared, run again with another input, and replayed with others', async () => {
  await aHistory()
  const { page, problems, go } = await program.open({ path: '/runs' })
  const rows = page.getByRole('table', { name: 'Runs' }).locator('[data-row]')
  await rows.filter({ hasText: 'Order of Zoë Quill' }).waitFor()

  await page.keyboard.press('/')
  await page.keyboard.type('hopper@teapo')
  await page.locator('mark').getByText('Hopper@teapot', { exact: true }).waitFor()
  await expect
    .poll(async () => [await rows.count(), new URL(page.url()).search])
    .toEqual([1, '?text=hopper%40teapo'])
  await rows.getByRole('link').click()

  await page.getByRole('alert').getByText('price').first().waitFor()
  await page.getByRole('treeitem', { selected: true }).filter({ hasText: 'web1' }).waitFor()
  const editor = await page.getByRole('link', { name: 'Open in editor' }).getAttribute('href')
  expect(editor).toMatch(/\?(?=.*\bstep=price\b)(?=.*\bfield=)/)
  await page.getByRole('link', { name: 'Compare with last success' }).click()
  await page.getByText('differ', { exact: false }).first().waitFor()
  await page.getByRole('option').filter({ hasText: 'Read the lines' }).filter({ hasText: 'order' }).click()
  const changes = page.getByRole('table', { name: 'Output changes' })
  await changes.getByRole('rowheader', { name: '$.lines[0].price' }).waitFor()
  await expect
    .poll(() => changes.getByRole('row').nth(1).getByRole('cell').allTextContents())
    .toEqual(['4', '{}'])
  await page.getByRole('option').filter({ hasText: 'many' }).filter({ hasText: 'did not run' }).waitFor()

  await page.goBack()
  await page.getByRole('button', { name: 'Rerun from step…' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('combobox', { name: 'Start at' }).click()
  await page.getByRole('option', { name: 'price', exact: true }).click()
  await replaceCode(
    dialog.getByRole('textbox', { name: 'Value of order' }),
    '{"who": "Grace", "lines": [{"price": 21}]}',
  )
  await dialog.getByRole('button', { name: 'Run from price' }).click()
  await dialog.waitFor({ state: 'detached' })
  await page.locator('header').getByText('success').waitFor()
  await stepsOf(page).filter({ hasText: 'price' }).click()
  await page.getByRole('treeitem', { name: /total: *42/ }).waitFor()

  await stepsOf(page).filter({ hasText: 'many' }).click()
  await page.getByRole('button', { name: 'Show full value' }).click()
  await page.getByRole('button', { name: 'Table' }).click()
  const table = page.getByRole('table', { name: 'Output of step many' })
  await expect.poll(() => table.getAttribute('aria-rowcount')).toBe('3001')
  await page.getByRole('button', { name: 'Tree' }).click()
  await page.getByLabel('Search in Output of step many').fill('contact 2999')
  await page.getByText('1 found').waitFor()
  await page.keyboard.press('Enter')
  await page.getByRole('tree', { name: 'Output of step many' }).focus()
  await page.keyboard.press('Shift+P')
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe('$[2999].name')
  await page.keyboard.press('p')
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe('{{ many[2999].name }}')

  await go('/runs')
  await rows.nth(3).waitFor()
  await rows.nth(1).getByRole('checkbox').click()
  await rows
    .nth(3)
    .getByRole('checkbox')
    .click({ modifiers: ['Shift'] })
  await page.getByText('3 runs selected').waitFor()
  await page.getByRole('button', { name: 'Replay', exact: true }).click()
  await page.getByRole('button', { name: 'Replay 3 runs' }).click()
  await page.getByText('3 runs started.').waitFor()
  await expect.poll(() => page.getByRole('link', { name: 'Open new run' }).count()).toBe(3)
  await page.getByRole('button', { name: 'Close' }).last().click()
  await rows.nth(6).waitFor()
  expect(problems).toEqual([])
})

test('a webhook run leads with its response and request, folds its iterations, and is replayed on a chosen version', async () => {
  const { id } = await program.call<{ id: string }>('POST', '/v1/flows', {
    name: 'Count the lines',
    settings: { webhook_token_enabled: false },
    steps: [
      { ref_id: 'web1', type: 'webhook', config: { response_body: '{"lines": {{ web1.lines | length }}}' } },
      {
        ref_id: 'each',
        type: 'loop',
        config: { over: '{{ web1.lines }}' },
        steps: [{ ref_id: 'line', type: 'set', config: { values: { sku: '{{ item.sku }}' } } }],
      },
    ],
  })
  await callServed(program.served, 'POST', `/v1/flow-webhook/${id}`, {
    order_id: 'B-7',
    lines: [{ sku: 'T-1' }, { sku: 'T-2' }],
  })
  const { page, problems } = await program.open({ path: '/runs' })
  await page.getByRole('link', { name: 'B-7', exact: true }).click()
  await page.getByText('{"lines": 2}', { exact: true }).waitFor()
  await page.getByText(`POST /v1/flow-webhook/${id}`).waitFor()

  const steps = page.getByRole('tree', { name: 'Steps' })
  await steps.getByRole('treeitem', { name: 'Iteration 2 T-2', expanded: false }).waitFor()
  expect(await steps.getByRole('treeitem').filter({ hasText: 'line' }).count()).toBe(0)
  await steps.getByRole('treeitem', { name: 'Iteration 1 T-1', expanded: false }).click()
  await page.keyboard.press('ArrowDown')
  await page.getByRole('treeitem', { name: /sku: *"T-1"/ }).waitFor()
  await page.keyboard.press('ArrowUp')
  await page.keyboard.press('ArrowLeft')
  await steps.getByRole('treeitem', { name: 'Iteration 1 T-1', expanded: false }).waitFor()

  await program.call('PUT', `/v1/flows/${id}`, { steps: [{ ref_id: 'web1', type: 'webhook' }] })
  await page.reload()
  await page.getByRole('button', { name: 'Replay', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Version 2 · current' }).waitFor()
  await page.getByRole('menuitem', { name: 'Version 1 · original' }).click()
  await page.getByRole('link', { name: 'Replay of an earlier run' }).waitFor()
  await page.getByText('{"lines": 2}', { exact: true }).waitFor()
  expect(problems).toEqual([])
})

test('a resumed run keeps its earlier calls and failure', async () => {
  let isGood = false
  const api = await startThirdPartyApi((_request, response) =>
    response
      .writeHead(isGood ? 200 : 401, { 'content-type': 'application/json' })
      .end('{"error": {"code": 7, "message": "token expired"}}'),
  )
  const auth = await program.call<{ id: string }>('POST', '/v1/connector-auths', {
    connector_id: HTTP_CONNECTOR_ID,
    name: 'Expired',
    auth_type: 'bearer',
    auth_token: 'of-last-year',
  })
  const { id } = await program.call<{ id: string }>('POST', '/v1/flows', {
    name: 'Ask once more',
    steps: [
      { ref_id: 'web1', type: 'webhook' },
      { ref_id: 'users', type: 'rest', config: { url: `${api.url}/api/users?page=3`, auth_id: auth.id } },
    ],
  })
  const run = await program.call<{ id: string }>('POST', `/v1/flows/${id}/run?wait=true`, {})
  const { page, problems } = await program.open({ path: `/runs/${run.id}?tab=http` })
  await page
    .getByText(/\/api\/users\?page=3 returned status 401/)
    .first()
    .waitFor()
  await page.getByText(`users: 401 from ${new URL(api.url).host} — token expired`).waitFor()
  await page.getByRole('alert').getByRole('button', { name: 'Change token' }).click()
  const sheet = page.getByRole('dialog', { name: /^Change “/ })
  await sheet.getByLabel('Token', { exact: true }).and(page.locator(':focus')).waitFor()
  await page.keyboard.press('Escape')
  await sheet.waitFor({ state: 'detached' })
  isGood = true
  await page.getByRole('button', { name: 'Resume from users' }).click()
  await page.getByRole('group', { name: 'Run resumed from users' }).waitFor()
  await page.locator('header').getByText('success').waitFor()
  await page.getByRole('treeitem', { selected: true }).filter({ hasText: 'users' }).waitFor()
  const facts = page.locator('main dl').first()
  await facts.getByText('Resumed').waitFor()
  await expect
    .poll(async () => (await facts.innerText()).replaceAll(/\s+/g, ' '))
    .toContain('HTTP requests 2')
  await page.getByRole('tab', { name: 'HTTP (2)' }).waitFor()
  await page.getByText(/^attempt 1 401 · resumed .* · 200$/).waitFor()
  // The gap in the axis is labeled, too.
  await page
    .getByText(/^resumed \d/)
    .and(page.locator(':visible'))
    .first()
    .waitFor()
  await page.getByRole('treeitem', { name: /users .*2 HTTP requests, resumed \d/ }).waitFor()
  await page.getByRole('tab', { name: 'Log' }).click()
  const log = page.getByRole('tabpanel', { name: 'Log' })
  await log.getByText('Resumed here').waitFor()
  await log.getByText(/→ 401/).waitFor()
  await log.getByText(/→ 200/).waitFor()
  await log.getByText(/returned status 401/).waitFor()
  expect(problems).toEqual([])
})

test('a run answers first: its result in a large line, then every step over the time, by title, page by page', async () => {
  let isBusy = true
  const api = await startThirdPartyApi((request, response) => {
    const page = Number(new URL(request.target, 'http://x').searchParams.get('page') ?? '0')
    if (page === 1 && isBusy) {
      isBusy = false
      response.writeHead(429, { 'retry-after': '1' }).end()
      return
    }
    const people = Array.from({ length: [8, 4][page] ?? 0 }, (_, id) => ({ id: `${page}-${id}` }))
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(people))
  })
  const { id } = await program.call<{ id: string }>('POST', '/v1/flows', {
    name: 'Read the people',
    steps: [
      { ref_id: 'web1', type: 'webhook' },
      {
        ref_id: 'people',
        type: 'rest',
        title: 'Read all people',
        config: { url: api.url, pagination: { query: '{"page": {{ page }}}', response_jsonpath: '$' } },
      },
      {
        ref_id: 'each',
        type: 'loop',
        title: 'Each of them',
        config: { over: '{{ people }}' },
        steps: [{ ref_id: 'one', type: 'set', config: { values: { id: '{{ item.id }}' } } }],
      },
    ],
  })
  const run = await program.call<FlowRun>('POST', `/v1/flows/${id}/run?wait=true`, {})
  const tookMs = run.duration_ms ?? 0
  const { page, problems } = await program.open({ path: `/runs/${run.id}` })
  const answer = page.getByRole('heading', { name: /^Worked · 200 · 12 records from 2 pages · [\d.]+ s$/ })
  await answer.waitFor()
  expect(await answer.evaluate((element) => getComputedStyle(element).fontSize)).toBe('24px')

  const steps = page.getByRole('tree', { name: 'Steps' })
  const people = steps.getByRole('treeitem', { name: /^Success Read all people people HTTP request/ })
  await people.getByText('12 records from 2 pages').first().waitFor()
  const widths = await Promise.all([steps, page.locator('main')].map((one) => one.boundingBox()))
  expect((widths[0]?.width ?? 0) / (widths[1]?.width ?? 1)).toBeGreaterThan(0.95)
  // A page of 8, the refused attempt, a page of 4, and the empty page that ended the list.
  const heights = await people
    .locator('div.bottom-0')
    .evaluateAll((pages) => pages.map((one) => Math.round(one.getBoundingClientRect().height)))
  expect(heights).toEqual([20, 20, 12, 4])
  // The rejected attempt, and the wait of a second that it asked for. On a slow machine, there are short waits between
  // pages, too.
  expect(await people.locator('.hatched.text-error').count()).toBe(1)
  const waits = await people
    .locator('.hatched.text-queued')
    .evaluateAll((all) => all.map((one) => one.clientWidth / (one.parentElement?.clientWidth ?? 0)))
  expect(Math.max(...waits) * tookMs).toBeGreaterThan(900)
  await page
    .getByText(tookMs < 3_000 ? /^\d00 ms$/ : /^\d+ s$/)
    .first()
    .waitFor()

  await people.click()
  await page.getByRole('tab', { name: 'HTTP (4)' }).waitFor()
  await page.keyboard.press('ArrowDown')
  const loop = steps.getByRole('treeitem', { name: /Each of them/ })
  await loop.and(page.locator(':focus')).waitFor()
  await page.getByText('Iteration 12', { exact: true }).waitFor()
  await page.keyboard.press('ArrowLeft')
  await loop.and(steps.getByRole('treeitem', { expanded: false })).waitFor()
  await expect.poll(() => steps.getByRole('treeitem').count()).toBe(3)
  expect(await axeFindings(page)).toEqual([])
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('End')
  await steps
    .getByRole('treeitem', { name: /Iteration 12/, expanded: false })
    .and(page.locator(':focus'))
    .waitFor()
  await page.keyboard.press('ArrowLeft')
  await loop.and(page.locator(':focus')).waitFor()
  expect(problems).toEqual([])
})

test('branches and iterations that ran at the same time are drawn in lanes of their step', async () => {
  const wait = (refId: string) => ({ ref_id: refId, type: 'delay', config: { seconds: 0.4 } })
  const { id } = await program.call<{ id: string }>('POST', '/v1/flows', {
    name: 'At once',
    steps: [
      {
        ref_id: 'both',
        type: 'parallel',
        cases: [
          { label: 'left', steps: [wait('l1')] },
          { label: 'right', steps: [wait('r1')] },
        ],
      },
      {
        ref_id: 'each',
        type: 'loop',
        config: { over: '{{ range(6) | list }}', concurrency: 3 },
        steps: [wait('w')],
      },
      { ref_id: 'turns', type: 'loop', config: { over: '{{ range(2) | list }}' }, steps: [wait('v')] },
    ],
  })
  const run = await program.call<{ id: string }>('POST', `/v1/flows/${id}/run?wait=true`, {})
  const { page, problems } = await program.open({ path: `/runs/${run.id}` })
  const row = (name: RegExp) => stepsOf(page).filter({ hasText: name })
  const both = stepsOf(page).and(page.getByRole('treeitem', { name: /both up to 2 at once/ }))
  await both.waitFor()
  const lanesOf = (item: Locator) =>
    item.locator('[data-lane]').evaluateAll((all) => all.map((one) => (one as HTMLElement).dataset['lane']))
  expect(await lanesOf(both)).toEqual(['0', '1'])
  const each = row(/each/).and(page.getByRole('treeitem', { name: /up to 3 at once/ }))
  expect(await lanesOf(each)).toEqual(['0', '1', '2', '0', '1', '2'])
  expect(await row(/turns/).first().locator('[data-lane]').count()).toBe(0)
  // The rows below start where the higher one ends, and the keys reach them.
  const box = async (item: Locator) => (await item.boundingBox()) ?? { y: 0, height: 0 }
  const above = await box(each)
  expect((await box(page.getByRole('treeitem', { name: /Iteration 1/ }).first())).y).toBe(
    above.y + above.height,
  )
  await both.click()
  await page.keyboard.press('ArrowDown')
  await row(/l1|r1/).and(page.locator(':focus')).waitFor()
  expect(await axeFindings(page)).toEqual([])
  expect(problems).toEqual([])
})

test('a run that is watched moves over its steps, and stays where it ended', async () => {
  let release = () => {}
  const released = new Promise<void>((resolve) => (release = resolve))
  const api = await startThirdPartyApi((_request, response) => void released.then(() => response.end('{}')))
  const { id } = await program.call<{ id: string }>('POST', '/v1/flows', {
    name: 'Slow',
    steps: [
      { ref_id: 'web1', type: 'webhook' },
      { ref_id: 'slow', type: 'rest', title: 'Ask the slow one', config: { url: api.url } },
      { ref_id: 'after', type: 'set', title: 'Take its answer', config: { values: { x: '1' } } },
    ],
  })
  const started = await program.call<{ flow_run_id: string }>('POST', `/v1/flows/${id}/run`, {})
  const { page, problems } = await program.open({ path: `/runs/${started.flow_run_id}` })
  await page.getByRole('heading', { name: /^Running · Ask the slow one · / }).waitFor()
  const selected = page.getByRole('treeitem', { selected: true })
  await selected.getByText('Ask the slow one').waitFor()
  // The test asks for reduced motion.
  await expect.poll(() => page.evaluate(() => document.getAnimations().length)).toBe(0)
  release()
  await selected.getByText('Take its answer').waitFor()
  await page.getByRole('heading', { name: /^Worked · 200 · 3 steps · / }).waitFor()
  expect(problems).toEqual([])
})

test('the list is grouped by day, shows the response to each webhook, and folds failures by cause', async () => {
  const api = await startThirdPartyApi((_request, response) =>
    response
      .writeHead(403, { 'content-type': 'application/json' })
      .end('{"error": {"message": "this key may not read users"}}'),
  )
  const hook = await program.call<{ id: string }>('POST', '/v1/flows', {
    name: 'Answer with a tree',
    settings: { webhook_token_enabled: false },
    steps: [{ ref_id: 'web1', type: 'webhook', config: { response_body: '{"tree": "{{ web1.tree }}"}' } }],
  })
  await callServed(program.served, 'POST', `/v1/flow-webhook/${hook.id}`, { order_id: 'T-1', tree: 'larch' })
  const failing = await program.call<{ id: string }>('POST', '/v1/flows', {
    name: 'Read the people',
    steps: [{ ref_id: 'people', type: 'rest', config: { url: api.url } }],
  })
  for (let run = 0; run < 2; run += 1) await program.call('POST', `/v1/flows/${failing.id}/run?wait=true`, {})
  const { page, problems } = await program.open({ path: '/runs', size: { width: 1920, height: 1080 } })
  const table = page.getByRole('table', { name: 'Runs' })
  await table.getByRole('rowheader', { name: 'Today' }).waitFor()
  const answered = table.locator('[data-row]').filter({ hasText: 'T-1' })
  await expect
    .poll(async () => await answered.getByRole('cell').nth(3).textContent())
    .toBe('200 {"tree": "larch"}')

  await page.getByRole('button', { name: 'Failures by cause' }).click()
  const causes = page.getByRole('table', { name: 'Failures by cause' })
  const cause = causes.locator('[data-row]').filter({ hasText: '403 at people' })
  await cause.getByText('2 runs').waitFor()
  await cause.getByText('this key may not read users').waitFor()
  await program.call('POST', `/v1/flows/${failing.id}/run?wait=true`, {})
  await cause.getByText('3 runs').waitFor()
  await cause.getByRole('link').focus()
  await page.keyboard.press('Enter')
  await expect.poll(() => table.locator('[data-row]').count()).toBe(3)
  await page.getByRole('button', { name: 'Back to all causes' }).click()
  await cause.waitFor()
  expect(problems).toEqual([])
})

test("the list doesn't move under the reader while runs arrive", async () => {
  const { id } = await program.call<{ id: string }>('POST', '/v1/flows', {
    name: 'Arrives',
    steps: [{ ref_id: 'one', type: 'set', config: { values: { x: '1' } } }],
  })
  const start = () => program.call<{ id: string }>('POST', `/v1/flows/${id}/run?wait=true`, {})
  for (let run = 0; run < 30; run += 1) await start()
  const { page, problems } = await program.open({ path: `/runs?flow=${id}` })
  const rows = page.getByRole('table', { name: 'Runs' }).locator('[data-row]')
  await rows.nth(20).waitFor()
  // The list is below the bars, and moves once they appear.
  await page.getByRole('slider', { name: 'Runs by time' }).waitFor()
  const scroller = page.getByRole('table', { name: 'Runs' }).locator('..')
  await scroller.evaluate((element) => element.scrollTo({ top: 200, behavior: 'instant' }))
  const looked = (await rows.nth(12).getAttribute('data-row')) ?? ''
  const row = page.locator(`[data-row="${looked}"]`)
  const before = await row.boundingBox()
  const added = [await start(), await start()]
  await page.getByRole('button', { name: '2 new' }).waitFor()
  const whileMore = await row.boundingBox()
  await program.call('DELETE', `/v1/flow-runs/${added[0]?.id}`)
  await page.getByRole('button', { name: '1 new' }).waitFor()
  expect({ whileMore, whileLess: await row.boundingBox() }).toEqual({ whileMore: before, whileLess: before })
  expect(problems).toEqual([])
})

test('copying a call whose body was too long to keep says what is missing', async () => {
  const api = await startThirdPartyApi((_request, response) => response.end('{}'))
  const { id } = await program.call<{ id: string }>('POST', '/v1/flows', {
    name: 'Long body',
    steps: [
      { ref_id: 'web1', type: 'webhook' },
      {
        ref_id: 'send',
        type: 'rest',
        config: { method: 'POST', url: `${api.url}/in`, body: "{{ 'x' * 20000 }}" },
      },
    ],
  })
  const { id: runId } = await program.call<{ id: string }>('POST', `/v1/flows/${id}/run?wait=true`, {})
  const { page } = await program.open({ path: `/runs/${runId}?step=send` })
  await stepsOf(page).filter({ hasText: 'send' }).click()
  await page.getByRole('tab', { name: /^HTTP/ }).click()
  await page.getByText('Only the beginning was kept.').waitFor()
  await page.getByRole('button', { name: 'Copy as curl' }).click()
  await expect
    .poll(() => page.evaluate(() => navigator.clipboard.readText()))
    .toMatch(/^# Incomplete request: only the first 16,384 characters of its body were kept\.\ncurl -X POST /)
  expect((await page.evaluate(() => navigator.clipboard.readText())).slice(-3)).toBe("xx'")
})

test('a run that read a list in doubt is amber everywhere, in English and German, and never a green success', async () => {
  const api = await startThirdPartyApi((_request, response) => {
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ total: 64, data: [{ id: 1 }], paging: { next: { after: 'b' } } }))
  })
  const { id } = await program.call<{ id: string }>('POST', '/v1/flows', {
    name: 'Doubtful',
    status: 'active',
    settings: { webhook_token_enabled: false, dynamic_title: 'Half a list' },
    steps: [
      { ref_id: 'web1', type: 'webhook' },
      {
        ref_id: 'things',
        type: 'rest',
        config: {
          url: api.url,
          pagination: {
            query: '{"after": "{{ previous_request.paging.next.aftr }}"}',
            response_jsonpath: '$.data',
          },
        },
      },
    ],
  })
  await callServed(program.served, 'POST', `/v1/flow-webhook/${id}`, {})
  const { page, problems, go } = await program.open({ path: '/runs' })
  const row = page
    .getByRole('table', { name: 'Runs' })
    .locator('[data-row]')
    .filter({ hasText: 'Half a list' })
  await row.getByText('In doubt').waitFor()
  await row.getByRole('link').click()
  await page.getByText('In doubt', { exact: true }).first().waitFor()
  await page.getByText('the API says 64 records; 1 were read').waitFor()
  await stepsOf(page).filter({ hasText: 'things' }).getByRole('img', { name: 'In doubt' }).waitFor()
  await go('/')
  await page
    .getByRole('link', { name: /Half a list/ })
    .getByRole('img', { name: 'In doubt' })
    .waitFor()
  await go(`/flows/${id}?step=things`)
  await page
    .getByRole('region', { name: 'Run of step things' })
    .getByRole('img', { name: 'In doubt' })
    .waitFor()
  await go(`/flows/${id}?view=canvas`)
  await page.locator('[data-canvas-step="things"] [aria-label="In doubt"]').waitFor()

  await program.call('PUT', '/v1/settings', { language: 'de' })
  await go('/runs')
  await page.getByText('Zweifelhaft').first().waitFor()
  await page.getByRole('link', { name: 'Half a list' }).click()
  await page.getByText('aber die API nennt 64 Datensätze; gelesen wurden 1').waitFor()
  await program.call('PUT', '/v1/settings', { language: 'system' })
  expect(problems).toEqual([])
})

test('a step that stops the run with an error looks like one, in the run and in the editor', async () => {
  const { id } = await program.call<{ id: string }>('POST', '/v1/flows', {
    name: 'Refuses',
    steps: [
      { ref_id: 'web1', type: 'webhook' },
      { ref_id: 'refuse', type: 'stop', config: { status: 'error', message: 'No stock' } },
    ],
  })
  const run = await program.call<{ id: string }>('POST', `/v1/flows/${id}/run?wait=true`, {})
  const { page, go, problems } = await program.open({ path: `/runs/${run.id}` })
  const step = page.getByRole('treeitem', { selected: true }).filter({ hasText: 'refuse' })
  await step.getByRole('img', { name: 'error' }).waitFor()
  expect([
    await step.locator('div.text-error').count(),
    await step.locator('div.text-success').count(),
  ]).toEqual([1, 0])
  await go('/')
  // The user's own text, without words added by Millrace.
  await page.getByText('No stock', { exact: true }).first().waitFor()
  await go(`/flows/${id}?step=refuse`)
  await page.getByRole('region', { name: 'Run of step refuse' }).getByRole('img', { name: 'error' }).waitFor()
  await expect.poll(() => page.getByRole('img', { name: 'success' }).count()).toBe(1)
  expect(problems).toEqual([])
})

test('a run that fails for want of an allowed folder leads to that setting', async () => {
  const { id } = await program.call<{ id: string }>('POST', '/v1/flows', {
    name: 'Reads a file',
    steps: [{ ref_id: 'read', type: 'file_read', config: { path: '/there/is/none.txt' } }],
  })
  const run = await program.call<{ id: string }>('POST', `/v1/flows/${id}/run?wait=true`, {})
  const { page, problems } = await program.open({ path: `/runs/${run.id}` })
  await page.getByRole('alert').getByRole('link', { name: 'Allow folder' }).click()
  await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor()
  const label = page.locator('label').filter({ hasText: 'Allowed folders' }).first()
  await expect
    .poll(() => label.evaluate((element) => element.getBoundingClientRect().bottom < innerHeight))
    .toBe(true)
  expect(problems).toEqual([])
})
