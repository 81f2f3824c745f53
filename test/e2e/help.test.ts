import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { FIELDS } from '../../src/renderer/features/shell/help/content/fields.ts'
import { SCREENS, VIEWS } from '../../src/renderer/features/shell/help/content/screens.ts'
import type { English } from '../../src/renderer/lib/i18n.ts'
import { DEFAULT_ALARMS } from '../../src/shared/contract/alarms.ts'
import { axeFindings } from '../helpers/axe.ts'
import { fillProgram, type Filled } from '../helpers/fill-program.ts'
import { useProgramInBrowser } from '../helpers/program-in-browser.ts'

const program = useProgramInBrowser()
let filled: Filled
beforeAll(async () => {
  filled = await fillProgram(program.served)
})

const words = (sentence: English) => sentence as unknown as string
const helpOf = (page: Page) => page.getByRole('complementary', { name: 'Help' })

test('“?” opens help next to the screen, which stays usable; Escape closes it and leads back', async () => {
  const { page, problems } = await program.open({ path: '/tokens' })
  const help = helpOf(page)
  const search = page.getByRole('button', { name: 'Check token' })
  await search.focus()
  await page.keyboard.press('?')
  await help.getByRole('heading', { name: 'Access tokens', level: 2 }).and(page.locator(':focus')).waitFor()
  const main = await page.locator('main').boundingBox()
  const beside = await help.boundingBox()
  expect({ width: beside?.width, ends: (main?.x ?? 0) + (main?.width ?? 0) }).toEqual({
    width: 360,
    ends: beside?.x,
  })
  await help.getByText('Create access token').waitFor()
  expect(await help.getByText('Search and commands').count()).toBe(0)
  await help.getByRole('button', { name: 'Keys that work everywhere' }).click()
  await help.getByText('Search and commands').waitFor()
  await page.getByRole('button', { name: 'Create token', exact: true }).click()
  await page.getByRole('dialog', { name: 'Create access token' }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })

  await page.reload()
  await help.getByRole('heading', { name: 'Access tokens', level: 2 }).waitFor()
  await search.focus()
  await page.keyboard.press('F6')
  await page.locator('[data-help-panel] :focus').waitFor()
  await page.keyboard.press('Escape')
  await help.waitFor({ state: 'detached' })
  await search.and(page.locator(':focus')).waitFor()
  await page.reload()
  await page.getByRole('heading', { name: 'Access tokens', level: 1 }).waitFor()
  expect({ help: await help.count(), problems }).toEqual({ help: 0, problems: [] })
})

test('in a narrow window it lies over the screen and is closed at the next start', async () => {
  const { page, problems } = await program.open({ path: '/runs', size: { width: 640, height: 800 } })
  const help = helpOf(page)
  const width = async () => (await page.locator('main').boundingBox())?.width
  await page.getByRole('heading', { name: 'Runs', level: 1 }).waitFor()
  const before = await width()
  await page.getByRole('button', { name: 'Help for this page' }).click()
  await help.getByRole('heading', { name: 'Runs', level: 2 }).waitFor()
  expect({ width: await width(), findings: await axeFindings(page) }).toEqual({ width: before, findings: [] })
  await page.keyboard.press('Escape')
  await help.waitFor({ state: 'detached' })
  expect(problems).toEqual([])
})

test('every screen has help, and “Show me” finds its control there', async () => {
  const { page, go, problems } = await program.open()
  const help = helpOf(page)
  const shown: string[] = []
  const known: string[] = []
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('button', { name: 'Help' }).click()
  for (const [path, view, screen] of screensOf()) {
    if (path === '/auths/new') continue // It opens the form over the list.
    const name = `${path} ${view ?? ''}`
    await go(pathOf(path) + (view === undefined ? '' : `?view=${view}`))
    await help.getByRole('heading', { name: words(screen.title), exact: true, level: 2 }).waitFor()
    await page.locator('main h1').first().waitFor()
    known.push(name)
    if (screen.show.length > 0) await pointAt(page, name)
    shown.push(name)
  }
  expect({ shown, problems }).toEqual({ shown: known, problems: [] })
})

test('every field that help knows is there under its label, and “Show me” finds it', async () => {
  const { page, go, problems } = await program.open()
  const help = helpOf(page)
  const paths = await pathsOfFields()
  const pathTo = (within: string, name: string) => paths[`${within} ${name}`] ?? paths[within] ?? paths[name]
  const without = FIELDS.filter(({ title, within = '' }) => pathTo(within, words(title)) === undefined)
  expect(without.map(({ title }) => title)).toEqual([])
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('button', { name: 'Help' }).click()
  for (const { title, within = '' } of FIELDS) {
    const name = words(title)
    const path = pathTo(within, name) ?? ''
    if (!page.url().endsWith(path)) await go(path)
    if (name === 'Provider') await page.getByRole('button', { name: 'Set up tunnel' }).click()
    const isInDialog = within === '/tokens'
    const area = page.locator(isInDialog ? '[role=dialog]' : 'main')
    const label = new RegExp(`^${name.replaceAll(/[()]/g, '\\$&')}(?: ?optional)?$`)
    const field = area
      .getByLabel(label)
      .or(area.getByRole('group', { name, exact: true }).locator('input, button'))
      .or(area.getByRole('button', { name, exact: true }))
      .first()
    await field.focus()
    if (isInDialog) await page.keyboard.press('F1')
    await help.getByRole('heading', { name, exact: true, level: 2 }).waitFor()
    const ring = await pointAt(page, `${within} ${name}`)
    const bounds = await area.first().boundingBox()
    expect({ name, isInArea: ring.x >= (bounds?.x ?? 0) }).toEqual({ name, isInArea: true })
  }
  expect(problems).toEqual([])
})

test('F1 in a form explains the field, in a dialog within it; Escape leads back to the field', async () => {
  const { page, go, problems } = await program.open({ path: `/flows/${filled.flowId}?step=web1` })
  const help = helpOf(page)
  const field = page.getByLabel('Reference name')
  await field.focus()
  await page.keyboard.press('F1')
  await help.getByRole('heading', { name: 'Reference name', exact: true, level: 2 }).waitFor()
  await help.getByRole('button', { name: 'About this page: Flow editor' }).click()
  await help.getByRole('heading', { name: 'Flow editor', exact: true, level: 2 }).waitFor()
  await page.keyboard.press('Escape')
  await field.and(page.locator(':focus')).waitFor()

  await go('/tokens')
  await page.getByRole('button', { name: 'Create token', exact: true }).click()
  const dialog = page.getByRole('dialog', { name: 'Create access token' })
  const note = dialog.getByLabel('Note')
  await note.and(page.locator(':focus')).waitFor()
  await page.keyboard.press('F1')
  await dialog.getByRole('complementary', { name: 'Help' }).getByRole('heading', { name: 'Note' }).waitFor()
  await dialog.getByRole('button', { name: 'Show me' }).click()
  await page.locator('[data-help-mark]').waitFor()
  expect(await axeFindings(page)).toEqual([])
  await note.and(page.locator(':focus')).waitFor()
  await page.keyboard.press('F1')
  await page.keyboard.press('Escape')
  await note.and(page.locator(':focus')).waitFor()
  await help.waitFor({ state: 'detached' })
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  expect(problems).toEqual([])
})

test('the documents are behind it, with a search over all of them', async () => {
  const { page, problems, go } = await program.open({ path: '/runs' })
  const help = helpOf(page)
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('button', { name: 'Help' }).click()
  await help.getByRole('button', { name: 'Read more' }).click()
  await help.getByRole('heading', { name: 'Debug a failed run / In the app', level: 2 }).waitFor()
  await help.getByRole('button', { name: 'On the command line' }).waitFor()
  await help.getByRole('button', { name: 'Back to help' }).click()
  await help.getByRole('heading', { name: 'Runs', exact: true, level: 2 }).waitFor()
  await help.getByRole('button', { name: 'All documents' }).click()
  await help.getByRole('heading', { name: 'Documentation', exact: true, level: 2 }).waitFor()
  expect(await axeFindings(page)).toEqual([])
  await help.getByRole('button', { name: 'Getting started' }).first().click()
  await help.getByRole('heading', { name: 'Getting started', exact: true, level: 2 }).waitFor()
  await help.getByLabel('Search the docs').fill('install and start')
  await help.getByRole('button', { name: /1\. Install and start/ }).click()
  await help.getByRole('button', { name: 'Copy code' }).first().click()
  await expect
    .poll(() => page.evaluate(() => navigator.clipboard.readText()))
    .toContain('npm ci && npm start')

  // Port 4747, which the documents name, may belong to another program.
  await help.getByLabel('Search the docs').fill('use it in a flow, on a schedule')
  await help.getByRole('button', { name: /5\. Use it in a flow/ }).click()
  await help.getByText(`curl -s -X PUT "${program.served.url}/v1/flows/$ID"`).waitFor()
  expect(await help.getByText(':4747').count()).toBe(0)

  // For a field of a step, the document opens at the field's own row.
  await go(`/flows/${filled.flowId}?step=web1`)
  await help.getByRole('button', { name: 'Back to help' }).click()
  await page.getByLabel('Title').focus()
  await help.getByRole('heading', { name: 'Webhook', exact: true, level: 2 }).waitFor()
  await help.getByRole('button', { name: 'Read more' }).click()
  await help.getByRole('heading', { name: 'Steps / webhook', level: 2 }).waitFor()
  await help.getByRole('cell', { name: 'response_body', exact: true }).waitFor()
  expect(problems).toEqual([])
})

test.each([1280, 1920])('open at %d px: axe finds nothing', async (width) => {
  const { page, go } = await program.open({ size: { width, height: 900 } })
  const help = helpOf(page)
  await page.keyboard.press('?')
  const findings: string[] = []
  for (const path of ['/', `/flows/${filled.flowId}?step=known`, `/runs/${filled.runId}`, '/settings']) {
    await go(path)
    await page.locator('main h1').first().waitFor()
    await help.getByRole('button', { name: 'Show me' }).click()
    findings.push(...(await axeFindings(page)))
  }
  expect(findings).toEqual([])
})

/**
 * Presses “Show me” until the ring is around something outside of the help, because parts of a screen load after it.
 */
async function pointAt(page: Page, name: string): Promise<{ readonly x: number }> {
  const help = helpOf(page)
  const mark = page.locator('[data-help-mark]')
  const isMissing = help.getByText('It isn’t on the screen right now.')
  await expect
    .poll(
      async () => {
        await help.getByRole('button', { name: 'Show me' }).click()
        await mark.or(isMissing).first().waitFor()
        return await mark.count()
      },
      { message: name },
    )
    .toBe(1)
  const ring = await mark.evaluate((element) => ({ x: element.getBoundingClientRect().x }))
  await page.keyboard.press('Shift')
  await mark.waitFor({ state: 'detached' })
  return ring
}

function screensOf() {
  return [
    ...Object.entries(SCREENS).map(([path, screen]) => [path, undefined, screen] as const),
    ...Object.entries(VIEWS).flatMap(([path, views]) =>
      Object.entries(views).map(([view, screen]) => [path, view, screen] as const),
    ),
  ]
}

function pathOf(path: string): string {
  const { flowId, runId, connectorId, authId, tableId } = filled
  const ids: Record<string, string> = { flowId, runId, connectorId, authId, tableId }
  return path.replaceAll(/\$(\w+)/g, (_, name: string) => ids[name] ?? '')
}

/** The paths of screens with each field, by the part of the screen it is within, or also by its label. */
async function pathsOfFields(): Promise<Readonly<Record<string, string>>> {
  const playground = (
    await program.call<{ id: string }[]>('GET', '/v1/connectors?filter=name,eq,Playground')
  )[0]?.id
  const make = async (name: string, steps: readonly object[]) =>
    (await program.call<{ id: string }>('POST', '/v1/flows', { name, steps })).id
  const call = { connector_id: playground, action: 'list_contacts', retrieve_all_data: true, input: {} }
  const all = await make('Of all kinds', [
    { ref_id: 'web1', type: 'webhook', config: {} },
    {
      ref_id: 'contacts',
      type: 'connector_action',
      config: { ...call, for_each: '{{ web1.shops }}' },
    },
    { ref_id: 'loop1', type: 'loop', description: 'One each', config: { over: '{{ contacts }}' }, steps: [] },
    { ref_id: 'kept', type: 'filter', config: { over: '{{ contacts }}', when: '{{ item.active }}' } },
    { ref_id: 'asked', type: 'condition', config: { when: '{{ kept }}' }, then: [], else: [] },
    {
      ref_id: 'compared',
      type: 'condition',
      config: { a: '1', comparison: 'equal', b: '2' },
      then: [],
      else: [],
    },
    { ref_id: 'called', type: 'wait_for_callback', config: { timeout_hours: 1 }, default: [] },
    {
      ref_id: 'get',
      type: 'rest',
      on_error: 'continue',
      config: { method: 'GET', url: 'https://shop.example', for_each: '{{ contacts }}' },
    },
    {
      ref_id: 'exported',
      type: 'export_job',
      config: {
        method: 'POST',
        url: 'https://shop.example/exports',
        status_url: 'https://shop.example/exports/{{ job.body.id }}',
        status: '{{ poll.body.status }}',
        download_url: '{{ poll.body.url }}',
      },
    },
    { ref_id: 'rows', type: 'sql', config: { file: '/tmp/a.db', statement: 'select 1' } },
    { ref_id: 'ran', type: 'run_program', config: { program: 'ls', arguments: [] } },
    {
      ref_id: 'saved',
      type: 'write_records',
      config: {
        records: '{{ contacts }}',
        target: 'sqlite',
        path: 'a.db',
        table: 't',
        mode: 'merge',
        key: ['id'],
      },
    },
  ])
  const timed = await make('At seven', [
    { ref_id: 'timer', type: 'schedule', config: { interval: 'cron', cron: '0 7 * * *' } },
  ])
  const news = await make('News', [
    {
      ref_id: 'news',
      type: 'list_trigger',
      config: { ...call, retrieve_all_data: undefined, source: 'action', key: 'id', cursor_field: 'id' },
    },
  ])
  const offered = (
    await program.call<{ id: string }>('POST', '/v1/flows', {
      name: 'Offered',
      steps: [{ ref_id: 'web1', type: 'webhook' }],
      settings: { mcp_tool: { input_schema: null }, alarms: DEFAULT_ALARMS },
    })
  ).id
  const shop = await program.call<{ id: string }>('POST', '/v1/connectors', {
    name: 'Shop',
    base_domain: 'http://127.0.0.1:9',
    pagination_config: { query: '{"page": {{ page }}}', response_jsonpath: '$.orders' },
  })
  const paged = `/pagination?connector=${shop.id}`
  const of = (step: string) => `/flows/${all}?step=${step}`
  return {
    'steps webhook': of('web1'),
    'steps Reference name': of('web1'),
    'steps On failure': of('get'),
    'steps Retry on failure': of('get'),
    'steps Connector auth': of('contacts'),
    'steps Retrieve all data': of('contacts'),
    'steps When in doubt': of('contacts'),
    'steps schedule': `/flows/${timed}?step=timer`,
    'steps First check': `/flows/${news}?step=news`,
    'steps Look back': `/flows/${news}?step=news`,
    'steps loop': of('loop1'),
    'steps wait_for_callback': of('called'),
    'steps filter': of('kept'),
    'steps condition When': of('asked'),
    'steps condition Comparison': of('compared'),
    'steps rest': of('get'),
    'steps connector_action': of('contacts'),
    'steps export_job': of('exported'),
    'Set up pagination': of('get'),
    'steps sql': of('rows'),
    'steps run_program': of('ran'),
    'steps write_records': of('saved'),
    '/flows/': `/flows/${offered}?view=settings`,
    '/auths/': `/auths/${filled.authId}`,
    '/settings': '/settings',
    'Max concurrent runs': '/settings',
    'Failed runs': `/flows/${offered}?view=settings`,
    'No run for (minutes)': `/flows/${offered}?view=settings`,
    'Missed scheduled times': `/flows/${offered}?view=settings`,
    '/connectors/': `/connectors/${filled.connectorId}?view=connection`,
    '/pagination': '/pagination',
    'Max pages': '/pagination',
    Style: paged,
    'Records path': paged,
    'Sent as': paged,
    Ends: paged,
    '/tokens': '/tokens?create=true',
  }
}
