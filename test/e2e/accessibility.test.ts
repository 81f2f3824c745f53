/** Every screen, empty and filled, before the rules of WCAG 2.2 AA as axe checks them; contrast in both themes. */
import { beforeAll, describe, expect, test } from 'vitest'
import { axeFindings } from '../helpers/axe.ts'
import { fillProgram } from '../helpers/fill-program.ts'
import type { Filled } from '../helpers/fill-program.ts'
import { useProgramInBrowser } from '../helpers/program-in-browser.ts'
import type { OpenedPage } from '../helpers/open-page.ts'

const program = useProgramInBrowser()
let opened: OpenedPage
beforeAll(async () => {
  opened = await program.open()
})

/** Where the screen is, and what shows that it is there. */
type Screen = readonly [name: string, path: (ids: Filled) => string, sign: string]

const SCREENS: readonly Screen[] = [
  ['home', () => '/', 'Ran lately'],
  ['the flows', () => '/flows', 'Started by'],
  ['the flow editor', ({ flowId }) => `/flows/${flowId}`, 'Name in templates'],
  ['an action step', ({ flowId }) => `/flows/${flowId}?step=contacts&tab=http`, 'Retrieve all data'],
  ['a condition', ({ flowId }) => `/flows/${flowId}?step=known`, 'Decide by'],
  ['the canvas of a flow', ({ flowId }) => `/flows/${flowId}?view=canvas`, 'in the list'],
  ['a flow as JSON', ({ flowId }) => `/flows/${flowId}?view=json`, 'The flow as'],
  ['the settings of a flow', ({ flowId }) => `/flows/${flowId}?view=settings`, 'Callers need a token'],
  ['the versions of a flow', ({ flowId }) => `/flows/${flowId}?view=versions`, 'in use'],
  ['the runs', () => '/runs', 'Outcome'],
  ['runs that nothing matches', () => '/runs?status=cancelled', 'No run matches'],
  ['a run', ({ runId }) => `/runs/${runId}`, 'Output'],
  ['a failed run', ({ failingRunId }) => `/runs/${failingRunId}`, 'Open in editor'],
  ['the webhook requests', () => '/webhooks', 'Choose a request'],
  ['a webhook request', ({ requestId }) => `/webhooks?request=${requestId}`, 'As it came'],
  ['an answer', ({ requestId }) => `/webhooks?request=${requestId}&part=answer`, 'content-type'],
  ['a replay', ({ requestId }) => `/webhooks?request=${requestId}&part=replay`, 'Not replayed yet'],
  ['the connectors', () => '/connectors', 'built in'],
  ['a connector', ({ connectorId }) => `/connectors/${connectorId}`, 'Group'],
  ['a connection', ({ connectorId }) => `/connectors/${connectorId}?view=connection`, 'All calls begin with'],
  ['paging', ({ connectorId }) => `/connectors/${connectorId}?view=paging`, 'Remote search'],
  ['about a connector', ({ connectorId }) => `/connectors/${connectorId}?view=about`, 'Purpose'],
  ['the auths', () => '/auths', 'Playground of the shop'],
  ['an auth', ({ authId }) => `/auths/${authId}`, 'Stored, encrypted'],
  ['a new auth', () => '/auths/new', 'Further input'],
  ['the tokens', () => '/tokens', 'Last used'],
  ['a new token', () => '/tokens?create=true', 'What it may do'],
  ['the pagination tester', () => '/pagination', 'See every page being fetched'],
  ['the settings', () => '/settings', 'Looks and keys'],
  ['the users', () => '/users', 'Users and teams'],
  ['the teams', () => '/users?view=teams', 'No teams yet'],
  ['the env variables', () => '/env-variables', 'No env variables yet'],
  ['the files', () => '/files', 'No files yet'],
  ['the doctor', () => '/doctor', 'Copy as text'],
  ['the API reference', () => '/reference?op=create_connector_auth', 'access.visibility'],
  ['two runs beside each other', ({ runId }) => `/runs/${runId}/compare`, 'Comparison'],
  ['no screen at all', () => '/nowhere', 'Nothing is at /nowhere'],
]

const EMPTY_SCREENS: readonly (readonly [name: string, path: string, sign: string])[] = [
  ['a first start', '/', 'Receive your first webhook'],
  ['no runs', '/runs', 'No runs yet'],
  ['no requests', '/webhooks', 'No requests yet'],
  ['no auths', '/auths', 'No auths yet'],
  ['no tokens', '/tokens', 'No tokens yet'],
]

describe('of a first start', () => {
  test.each(EMPTY_SCREENS)('%s: axe finds nothing', async (_name, path, sign) => {
    expect(await findingsAt(path, sign)).toEqual([])
  })
})

describe('after some days', () => {
  let filled: Filled
  beforeAll(async () => {
    filled = await fillProgram(program.served)
  })

  test.each(SCREENS)('%s: axe finds nothing', async (_name, path, sign) => {
    expect(await findingsAt(path(filled), sign)).toEqual([])
  })

  test('the tester while its pages stand there: axe finds nothing', async () => {
    const { page, go } = opened
    await go('/pagination')
    await page.getByText('See every page being fetched').waitFor()
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    await page.getByText('It ended because').waitFor()
    expect(await axeFindings(page)).toEqual([])
  })

  test('a page of the tester in all its parts, and the whole list in all its views: axe finds nothing', async () => {
    const { page, go } = opened
    await go('/pagination')
    await page.getByRole('button', { name: 'Step', exact: true }).click()
    await page.getByText('Paused before page 1.').waitFor()
    await page.getByRole('button', { name: 'Next page' }).click()
    await page.getByText('Paused before page 2.').waitFor()
    const findings = []
    const pairs = [
      ['Templates', 'Cursors'],
      ['Response', 'JSON'],
      ['Variables', 'Tree'],
      ['Request', 'Duplicates'],
    ]
    for (const pair of pairs) {
      for (const tab of pair) await page.getByRole('tab', { name: tab, exact: true }).click()
      findings.push(...(await axeFindings(page, '[role=tabpanel], [role=tablist]')))
    }
    await page.getByRole('button', { name: 'Cancel' }).click()
    expect(findings).toEqual([])
  }, 120_000)

  test('suggestions, problems and the dialog that saves: axe finds nothing', async () => {
    const { page, go } = opened
    await go('/pagination')
    await page.getByRole('button', { name: 'Suggest' }).click()
    await page.getByRole('heading', { name: 'Suggested from the first response' }).waitFor()
    await page.getByRole('textbox', { name: 'Pagination configuration' }).click()
    await page.keyboard.press('ControlOrMeta+A')
    await page.keyboard.insertText('[{"when": "{{ pag }}", "query": "{}"}, {"query": "{\\"limit\\": 500}"}]')
    await page.getByText("'pag' is undefined").waitFor()
    const beside = await axeFindings(page)
    await page.getByRole('button', { name: 'Save to connector' }).click()
    await page.getByRole('dialog').getByText('What changes').waitFor()
    const dialog = await axeFindings(page, '[role=dialog]')
    await page.keyboard.press('Escape')
    expect([beside, dialog]).toEqual([[], []])
  })

  test('without motion, the other theme is there at once', async () => {
    const { page, go } = opened
    await go('/flows')
    await page.getByText('Started by').first().waitFor()
    const fading = await page.evaluate(() => {
      document.documentElement.dataset['theme'] = 'dark'
      const count = document.getAnimations().length
      delete document.documentElement.dataset['theme']
      return count
    })
    expect(fading).toBe(0)
  })

  test('nothing went wrong behind any of these screens', () => {
    expect(opened.problems).toEqual([])
  })
})

async function findingsAt(path: string, sign: string): Promise<readonly string[]> {
  await opened.go(path)
  await opened.page.getByText(sign).first().waitFor()
  return await axeFindings(opened.page)
}
