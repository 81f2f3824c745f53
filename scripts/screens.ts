/**
 * Screenshots of every screen of the real program in both themes. `npm run screens` takes all, `npm run screens -- home
 * users` some. Those that documents show are saved in docs/screens/, with the words on them; the others in
 * out/screens/, to look at. `npm run screens -- --check` takes none, and reports pictures in documents that show a
 * screen whose words have changed.
 */
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { fillProgram } from '../test/helpers/fill-program.ts'
import type { Filled } from '../test/helpers/fill-program.ts'
import { openPage } from '../test/helpers/open-page.ts'
import type { OpenedPage } from '../test/helpers/open-page.ts'
import { createHome } from '../test/helpers/program.ts'
import type { Served } from '../test/helpers/program.ts'
import { ensureBuild } from './lib/build.ts'
import { launchChromium } from './lib/chromium.ts'

const ROOT = join(import.meta.dirname, '..')
const SHOWN = globSync(['*.md', 'docs/**/*.md'], { cwd: ROOT })
  .map((path) => readFileSync(join(ROOT, path), 'utf8'))
  .join('\n')
const PLAYGROUND = 'f306cd0c-aa4f-4195-8fec-ae5b83201da5'
const THEMES = ['light', 'dark'] as const
const IS_CHECK = process.argv.includes('--check')
const WANTED = process.argv.slice(2).filter((name) => name !== '--check')

interface Screen {
  readonly name: string
  readonly path: string
  /** A selector that matches once the screen is complete. */
  readonly sign: string
  /** The name of the screen that this one continues from. */
  readonly follows?: string
  /** What to do on the screen before its screenshot is taken. */
  readonly act?: (opened: OpenedPage) => Promise<void>
}

const FIRST_START: readonly Screen[] = [
  {
    name: 'first-start',
    path: '/',
    sign: 'What should Millrace do for you?',
    act: async ({ page }) => {
      await page.getByRole('button', { name: 'Send an order' }).click()
      await page.getByText('Response: 200 in').waitFor()
      await page.getByText('Open run').waitFor()
    },
  },
]

const editorLoaded = ({ page }: OpenedPage) => page.locator('.cm-content').first().waitFor()

function screens({
  flowId,
  runId,
  failingRunId,
  requestId,
  connectorId,
  authId,
  tableId,
}: Filled): readonly Screen[] {
  return [
    {
      name: 'home',
      path: '/',
      sign: 'Last 7 days',
      // Shown as it looks from the second start on.
      act: async ({ page }) => {
        await page.reload()
        await page.getByText('free on disk').waitFor()
      },
    },
    { name: 'flows', path: '/flows', sign: 'Started by' },
    { name: 'flow', path: `/flows/${flowId}?step=contacts`, sign: 'items' },
    { name: 'flow-webhook', path: `/flows/${flowId}?step=web1`, sign: 'order_id:', act: editorLoaded },
    { name: 'flow-canvas', path: `/flows/${flowId}?view=canvas&step=known`, sign: 'Add step after' },
    { name: 'flow-versions', path: `/flows/${flowId}?view=versions`, sign: 'current' },
    { name: 'flow-json', path: `/flows/${flowId}?view=json`, sign: 'ref_id', act: editorLoaded },
    { name: 'flow-settings', path: `/flows/${flowId}?view=settings`, sign: 'Require a token' },
    { name: 'runs', path: '/runs', sign: 'Result' },
    { name: 'runs-causes', path: '/runs?causes=true&status=error', sign: 'Latest message' },
    {
      name: 'run',
      path: `/runs/${runId}`,
      sign: 'Output',
      act: async ({ page }) => {
        await page.getByRole('treeitem').filter({ hasText: 'contacts' }).click()
        await page.getByRole('tab', { name: /^HTTP/ }).click()
        await page.getByText('GET').first().waitFor()
      },
    },
    { name: 'run-failed', path: `/runs/${failingRunId}`, sign: 'Open in editor' },
    { name: 'run-compare', path: `/runs/${runId}/compare`, sign: 'Response to the caller' },
    { name: 'webhooks', path: `/webhooks?flow=${flowId}`, sign: 'Call “' },
    { name: 'webhook-request', path: `/webhooks?request=${requestId}`, sign: 'order_id:' },
    {
      name: 'webhook-replay',
      path: `/webhooks?request=${requestId}&part=replay`,
      sign: 'Not replayed yet',
      act: async ({ page }) => {
        await page.getByRole('button', { name: 'Replay and compare' }).click()
        await page.getByText(/^(?:Same response|Response differs)/).waitFor()
      },
    },
    {
      name: 'connectors',
      path: '/connectors',
      sign: 'built in',
      act: async ({ page }) => {
        await page.locator('[data-row] .tabular').first().waitFor()
      },
    },
    { name: 'connector', path: `/connectors/${connectorId}`, sign: 'Group' },
    {
      name: 'connector-connection',
      path: `/connectors/${connectorId}?view=connection`,
      sign: 'Base URL',
    },
    { name: 'connector-paging', path: `/connectors/${connectorId}?view=paging`, sign: 'Remote search' },
    { name: 'auths', path: '/auths', sign: 'Playground of the shop' },
    { name: 'auth', path: `/auths/${authId}`, sign: 'Stored encrypted' },
    { name: 'auth-new', path: '/auths/new', sign: 'Advanced' },
    { name: 'tokens', path: '/tokens', sign: 'Shop checkout' },
    {
      name: 'token-create',
      path: '/tokens?create=true',
      sign: 'Permissions',
      act: async ({ page }) => {
        await page.getByLabel('Note').fill('Nightly export')
        await page.getByLabel('automation: Manage').check()
        await page.getByLabel('connectors: View').check()
      },
    },
    {
      name: 'pagination-start',
      path: '/pagination',
      sign: 'Watch every page being fetched',
    },
    {
      name: 'pagination',
      path: `/pagination?connector=${PLAYGROUND}&action=list_tickets`,
      sign: 'Watch every page being fetched',
      act: async ({ page }) => {
        await page.getByRole('button', { name: 'Run', exact: true }).click()
        await page.getByText('Ended because').waitFor()
        await page.getByRole('option', { name: /^3/ }).click()
      },
    },
    {
      name: 'pagination-templates',
      path: '/pagination',
      sign: 'Ended because',
      act: async ({ page }) => {
        await page.getByRole('tab', { name: 'Templates' }).click()
        await page.getByRole('tab', { name: 'Cursors' }).click()
      },
    },
    {
      name: 'pagination-response',
      path: '/pagination',
      follows: 'pagination',
      sign: 'Ended because',
      act: async ({ page }) => {
        await page.getByRole('tab', { name: 'Response' }).click()
        await page.getByRole('tab', { name: 'Cursors' }).click()
        await page.getByRole('button', { name: 'Suggest' }).click()
        await page.getByRole('heading', { name: 'Suggested from the first response' }).waitFor()
      },
    },
    {
      name: 'pagination-step',
      path: '/pagination',
      sign: 'Suggested from the first response',
      act: async ({ page }) => {
        await page.getByRole('tab', { name: 'Request' }).click()
        await page.getByRole('tab', { name: 'Table' }).click()
        await page.getByRole('button', { name: 'Step', exact: true }).click()
        await page.getByText('Paused before page 1.').waitFor()
        await page.getByRole('button', { name: 'Next page' }).click()
        await page.getByText('Paused before page 2.').waitFor()
      },
    },
    { name: 'data-tables', path: '/data-tables', sign: 'customers' },
    { name: 'data-table', path: `/data-tables/${tableId}`, sign: '3 rows' },
    { name: 'env-variables', path: '/env-variables', sign: 'shop_url' },
    { name: 'files', path: '/files', sign: 'price-list.csv' },
    { name: 'users', path: '/users', sign: 'Grace Moreau' },
    { name: 'teams', path: '/users?view=teams', sign: 'Warehouse' },
    { name: 'reference', path: '/reference?op=create_connector_auth', sign: 'access.visibility' },
    { name: 'settings', path: '/settings', sign: 'Appearance' },
    {
      name: 'settings-restore',
      path: '/settings#Data%20folder',
      sign: 'Free disk space',
      act: async ({ page }) => {
        await page.getByRole('button', { name: 'Restore', exact: true }).click()
        await page.getByRole('dialog').getByLabel('File').fill('/home/ada/backups/millrace.db')
      },
    },
    {
      name: 'doctor',
      path: '/doctor',
      sign: 'Nothing was changed',
      act: async ({ page }) => {
        await page.getByRole('dialog').waitFor({ state: 'detached' })
      },
    },
    {
      name: 'logs',
      path: '/logs',
      sign: 'Follow',
      act: async ({ page }) => {
        await page.locator('[data-row]').first().waitFor()
      },
    },
    {
      name: 'palette',
      path: '/',
      sign: 'Last 7 days',
      act: async ({ page }) => {
        await page.keyboard.press('ControlOrMeta+k')
        await page.getByRole('combobox', { name: 'Search flows' }).fill('order')
        await page
          .getByRole('option', { name: /Receive an order/ })
          .first()
          .waitFor()
      },
    },
  ]
}

ensureBuild()
for (const folder of ['docs/screens', 'out/screens']) mkdirSync(join(ROOT, folder), { recursive: true })
const browser = await launchChromium()
try {
  for (const theme of IS_CHECK ? (['light'] as const) : THEMES) await takeAll(browser, theme)
} finally {
  await browser.close()
}

/** A separate program for each theme, because a first start only happens once. */
async function takeAll(shown: Browser, theme: (typeof THEMES)[number]): Promise<void> {
  const home = createHome()
  try {
    const served = await home.serve()
    const opened = await openPage(shown, served, { theme })
    for (const screen of neededOf(FIRST_START)) await take(opened, screen, theme)
    const filled = await fillProgram(served)
    await addPeopleAndFiles(served)
    for (const screen of neededOf(screens(filled))) await take(opened, screen, theme)
    await opened.page.close()
  } finally {
    await home.remove()
  }
}

/** All screens, or for a check only those that documents show and those that they continue from. */
function neededOf(all: readonly Screen[]): readonly Screen[] {
  const shown = all.filter(({ name }) => isShown(`${name}-light.png`))
  return IS_CHECK ? all.filter((one) => shown.some((each) => each === one || each.follows === one.name)) : all
}

/** Adds the records besides flows that a Millrace with several users has. */
async function addPeopleAndFiles({ url, bearer }: Served): Promise<void> {
  const post = async (path: string, body: object | string): Promise<{ id: string }> => {
    const [type, sent] =
      typeof body === 'string' ? ['text/csv', body] : ['application/json', JSON.stringify(body)]
    const headers = { Authorization: `Bearer ${bearer}`, 'Content-Type': type }
    const response = await fetch(url + path, { method: 'POST', headers, body: sent })
    if (!response.ok) throw new Error(`POST ${path}: ${response.status} ${await response.text()}`)
    return (await response.json()) as { id: string }
  }
  const grace = await post('/v1/users', { name: 'Grace Moreau', email: 'grace.moreau@example.test' })
  const kofi = await post('/v1/users', { name: 'Kofi Mensah', email: 'kofi.mensah@example.test' })
  await post('/v1/teams', { name: 'Warehouse', user_ids: [grace.id, kofi.id] })
  await post('/v1/teams', { name: 'Accounts', user_ids: [grace.id] })
  const variables = [
    { name: 'shop_url', type: 'text', value: 'https://shop.example.test' },
    { name: 'vat_rates', type: 'object', value: { DE: 19, FR: 20 } },
    { name: 'shop_token', type: 'text', value: 'secret', secret: true },
  ]
  for (const variable of variables) await post('/v1/env-variables', variable)
  await post('/v1/file-uploads?filename=price-list.csv', 'article,price\nA-1,12.50\n')
  await post('/v1/file-uploads?filename=stock.csv', `article,stock\n${'A-1,7\n'.repeat(4_000)}`)
}

async function take(opened: OpenedPage, { name, path: at, sign, act }: Screen, theme: string): Promise<void> {
  await opened.go(at)
  await opened.page.getByText(sign).first().waitFor()
  await act?.(opened)
  // Otherwise something under the pointer could be highlighted.
  await opened.page.mouse.move(0, 0)
  if (WANTED.length > 0 && !WANTED.includes(name)) return
  const file = `${name}-${theme}.png`
  if (isShown(file) && theme === 'light') await noteWords(opened, name)
  if (IS_CHECK) return
  const path = `${isShown(file) ? 'docs' : 'out'}/screens/${file}`
  await opened.page.screenshot({ path: join(ROOT, path), animations: 'disabled' })
  console.log(path)
}

function isShown(file: string): boolean {
  return SHOWN.includes(`screens/${file}`)
}

/** Saves the words of a screen next to its picture, or compares them with the saved ones. */
async function noteWords({ page }: OpenedPage, name: string): Promise<void> {
  const path = join(ROOT, `docs/screens/${name}.txt`)
  const words = withoutChance(await page.getByRole('main').ariaSnapshot())
  if (!IS_CHECK) return writeFileSync(path, words)
  const kept = readFileSync(path, 'utf8')
  if (kept === words) return console.log(`${name}: as in its picture`)
  const [now, then] = [words.split('\n'), kept.split('\n')]
  const only = (lines: string[], others: string[], sign: string) =>
    lines.filter((line) => !others.includes(line)).map((line) => `${sign} ${line}`)
  console.error(
    [
      `${name}: the screen has other words than its picture; npm run screens -- ${name} takes it again`,
      ...only(then, now, '-'),
      ...only(now, then, '+'),
    ].join('\n'),
  )
  process.exitCode = 1
}

/** Keeps each line once. Numbers, IDs and times are different each time, and so is the number of ticks on an axis. */
function withoutChance(words: string): string {
  const lines = words
    .replaceAll(/[\da-f]{8}-[\da-f-]{27}|[\da-f]+…[\da-f]*/g, 'ID')
    .replaceAll(/mr_\w+_[\w•]+/g, 'TOKEN')
    .replaceAll(/just now|\d+ (?:s|min|h) ago/g, 'TIME')
    .replaceAll(/(?:< )?\d[\d.,:]*(?: ?(?:ms|s|min|B|kB|MB|GB|AM|PM)\b)?/g, '#')
    .split('\n')
  return `${[...new Set(lines)].join('\n')}\n`
}
