import { expect, test } from 'vitest'
import type { FlowRun } from '../../src/shared/contract/flow-runs.ts'
import { replaceCode } from '../helpers/keyboard.ts'
import { useProgramInBrowser } from '../helpers/program-in-browser.ts'
import { startThirdPartyApi } from '../helpers/third-party-api.ts'

const program = useProgramInBrowser()

test('a run that failed on a later page is continued from there by a click', async () => {
  const state = { failsAt: 3 as number | null }
  const shop = await startThirdPartyApi(({ target }, response) => {
    const page = Number(new URL(target, 'http://x').searchParams.get('page') ?? 0)
    response.statusCode = page === state.failsAt ? 403 : 200
    const orders = page < 5 ? [{ id: page }] : []
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ orders }))
  })
  const { id } = await program.call<{ id: string }>('POST', '/v1/flows', {
    name: 'All orders',
    steps: [
      {
        ref_id: 'orders',
        type: 'rest',
        config: {
          url: shop.url,
          pagination: { query: '{"page": {{ page }}}', response_jsonpath: '$.orders' },
        },
      },
      { ref_id: 'count', type: 'set', config: { values: { n: '{{ orders | length }}' } } },
    ],
  })
  const run = await program.call<FlowRun>('POST', `/v1/flows/${id}/run?wait=true`, {})
  expect(run.status).toBe('error')
  state.failsAt = null
  shop.received.length = 0

  const { page, problems } = await program.open({ path: `/runs/${run.id}` })
  await page.getByRole('button', { name: /^Resume from \w+, page 3$/ }).click()
  await page.locator('header').getByText('success').waitFor()
  await page.getByRole('treeitem').filter({ hasText: 'count' }).click()
  await page.getByRole('treeitem', { name: /n: *5/ }).waitFor()
  expect(shop.received.map(({ target }) => target)).toEqual(['/?page=3', '/?page=4', '/?page=5'])
  expect(problems).toEqual([])
})

test('warnings about the pagination of a saved connector are on its screen until they are dismissed', async () => {
  const { id } = await program.call<{ id: string }>('POST', '/v1/connectors', {
    name: 'Shop',
    base_domain: 'http://127.0.0.1:9',
  })
  const { page, problems } = await program.open({ path: `/connectors/${id}?view=paging` })
  await page.getByRole('button', { name: 'Set up pagination' }).click()
  const sheet = page.getByRole('dialog', { name: 'Pagination' })
  await sheet.getByRole('tab', { name: 'JSON' }).click()
  await replaceCode(
    sheet.getByRole('textbox', { name: 'Pagination configuration' }),
    JSON.stringify([
      { query: '{"page": {{ page + 1 }}}' },
      { when: '{{ page > 1 }}', query: '{\n "per_page": 500}' },
    ]),
  )
  await sheet.getByRole('button', { name: /^Use pagination/ }).click()
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  const notice = page.getByRole('status', { name: 'Warnings' })
  await notice.waitFor()
  expect(await notice.getByRole('listitem').allInnerTexts()).toEqual([
    expect.stringMatching(/^pagination_config\[1\]\.query\s*Line 2, column 2: .*100/),
    expect.stringContaining('pagination_config[0]'),
  ])

  await notice.getByRole('button', { name: 'Dismiss' }).click()
  await notice.waitFor({ state: 'detached' })
  expect(problems).toEqual([])
})
