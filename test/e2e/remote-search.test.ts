/** The remote search of a connector, set up in its sheet, in a real Chromium. */
import { expect, test } from 'vitest'
import { axeFindings } from '../helpers/axe.ts'
import { aBoardsConnector, answerBoards } from '../helpers/boards-api.ts'
import { useProgramInBrowser } from '../helpers/program-in-browser.ts'
import { startThirdPartyApi } from '../helpers/third-party-api.ts'

const program = useProgramInBrowser()

test('a search is suggested from a list action, tried page by page, changed in its form and saved', async () => {
  const api = await startThirdPartyApi(answerBoards)
  const { id } = await aBoardsConnector(
    (path, body) => program.call<{ id: string }>('POST', path, body),
    api.url,
  )
  const { page, problems } = await program.open({ path: `/connectors/${id}?view=paging` })
  await page.getByRole('button', { name: 'Set up remote search', exact: true }).click()
  const sheet = page.getByRole('dialog', { name: 'Remote search', exact: true })
  await sheet.getByRole('button', { name: 'Suggest', exact: true }).click()
  await expect
    .poll(() => sheet.getByRole('textbox', { name: 'Records path', exact: true }).inputValue())
    .toBe('$.boards')
  await sheet.getByRole('textbox', { name: 'Search text', exact: true }).fill('board 24')
  await sheet.getByRole('button', { name: 'Run', exact: true }).click()
  const choices = sheet.getByRole('list', { name: 'Choices', exact: true }).getByRole('listitem')
  await expect.poll(() => choices.count()).toBe(11)
  expect(await choices.first().textContent()).toBe('Board 24b24Page 1')
  expect(await choices.last().textContent()).toBe('Board 249b249Page 5')
  expect(api.received.map(({ target }) => target)).toContain('/boards?page=4')
  expect(await axeFindings(page)).toEqual([])

  await sheet.getByRole('textbox', { name: 'Name in the record', exact: true }).fill('$.id')
  await sheet.getByRole('button', { name: 'Run', exact: true }).click()
  await sheet.getByText('No results', { exact: true }).waitFor()
  await sheet.getByRole('textbox', { name: 'Name in the record', exact: true }).fill('$.name')
  await sheet.getByRole('tab', { name: 'JSON', exact: true }).click()
  await sheet.getByText('response_fields', { exact: false }).waitFor()
  await sheet.getByRole('button', { name: 'Use search', exact: true }).click()
  await page.getByText('Millrace searches the list', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('Connector “Boards” saved').first().waitFor()
  const saved = await program.call<{ search_config: unknown }>('GET', `/v1/connectors/${id}`)
  expect(saved.search_config).toEqual({
    type: 'list',
    endpoint: 'boards',
    query: '{"page": {{ page }}}',
    replace_body: false,
    response_jsonpath: '$.boards',
    response_fields: { match: '$.name' },
  })
  const found = await program.call<readonly { value: string }[]>('POST', `/v1/connectors/${id}/search`, {
    q: 'board 24',
  })
  expect(found.length).toBe(11)
  expect(problems).toEqual([])
})
