/** Look-up fields in the form of a step, in a real Chromium. */
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { axeFindings } from '../helpers/axe.ts'
import { aBoardsConnector, answerBoards } from '../helpers/boards-api.ts'
import { freePort } from '../helpers/free-port.ts'
import { useProgramInBrowser } from '../helpers/program-in-browser.ts'
import { startThirdPartyApi } from '../helpers/third-party-api.ts'

const program = useProgramInBrowser()

interface SavedFlow {
  readonly id: string
  readonly steps: readonly { readonly config: Record<string, unknown> }[]
}

async function aCardFlow(config: object = {}) {
  const api = await startThirdPartyApi(answerBoards)
  const { id: connectorId, auth } = await aBoardsConnector(
    (path, body) => program.call<{ id: string }>('POST', path, body),
    api.url,
  )
  const step = {
    ref_id: 'card',
    type: 'connector_action',
    config: { connector_id: connectorId, action: 'add_card', input: {}, ...config },
  }
  const { id } = await program.call<SavedFlow>('POST', '/v1/flows', { name: 'Cards', steps: [step] })
  const saved = async () => (await program.call<SavedFlow>('GET', `/v1/flows/${id}`)).steps[0]?.config
  return { api, connectorId, auth, id, saved, open: () => program.open({ path: `/flows/${id}?step=card` }) }
}

/** All fields except the board are optional, as their labels say. */
const combo = (page: Page, name: string) =>
  page.getByRole('combobox', { name: name === 'Board' ? name : `${name} optional`, exact: true })
const option = (page: Page, name: RegExp) => page.getByRole('option', { name })

async function save(page: Page) {
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('Saved', { exact: true }).first().waitFor()
}

test('a record is chosen by its name with the keyboard, further ones come while scrolling, and lists follow their board', async () => {
  const { api, open, saved } = await aCardFlow()
  const { page, problems } = await open()
  await combo(page, 'List').click()
  await page.getByRole('alert').getByText('Choose "Board" first').waitFor()
  await page.keyboard.press('Escape')

  await combo(page, 'Board').click()
  await option(page, /^Board 49/).waitFor()
  expect(
    api.received.filter(({ target }) => target.startsWith('/boards')).map(({ target }) => target),
  ).toEqual(['/boards'])
  await option(page, /^Board 49/).scrollIntoViewIfNeeded()
  await option(page, /^Board 99/).waitFor()
  expect(await axeFindings(page, '[role=listbox]')).toEqual([])
  await combo(page, 'Board').fill('board 24')
  await option(page, /^Board 249/).waitFor()
  await page.keyboard.press('Home')
  await combo(page, 'Board').fill('Board 1')
  await option(page, /^Board 1 ?b1$/).waitFor()
  await option(page, /^Board 1 ?b1$/).click()
  await expect.poll(() => combo(page, 'Board').inputValue()).toBe('Board 1')

  await combo(page, 'List').focus()
  await page.keyboard.press('ArrowDown')
  await option(page, /^Done/).waitFor()
  await page.keyboard.type('Don')
  await expect.poll(() => page.getByRole('option').count()).toBe(2)
  await page.keyboard.press('Enter')
  await expect.poll(() => combo(page, 'List').inputValue()).toBe('Done')
  expect(await axeFindings(page)).toEqual([])
  await save(page)
  expect(await saved()).toMatchObject({
    input: { board: 'b1', list: 'l2' },
    input_names: { board: { b1: 'Board 1' }, list: { l2: 'Done' } },
  })
  expect(problems).toEqual([])
})

test('names are kept with the step, also offline; what is gone is said, and an ID, several or a template can be entered', async () => {
  const gone = await aCardFlow({ input: { board: 'gone' }, input_names: { board: { gone: 'Old board' } } })
  const { page, problems } = await gone.open()
  await page.getByText('Old board no longer exists, or this connector auth can’t see it.').waitFor()
  expect(await combo(page, 'Board').inputValue()).toBe('Old board')
  await combo(page, 'Board').fill('https://boards.example/b7')
  await option(page, /^Board 7 ?b7$/).waitFor()
  await option(page, /^Board 7 ?b7$/).click()
  await expect.poll(() => combo(page, 'Board').inputValue()).toBe('Board 7')
  await combo(page, 'unread').fill('board 12')
  await option(page, /^Board 12 ?b12$/).click()
  await combo(page, 'unread').fill('x-1')
  await option(page, /^Use the ID x-1/).click()
  await page.getByRole('button', { name: 'Remove x-1' }).waitFor()
  await page.getByRole('button', { name: 'Enter List as a template' }).click()
  await save(page)
  expect(await gone.saved()).toMatchObject({
    input: { board: 'b7', unread: ['b12', 'x-1'] },
    input_names: { board: { b7: 'Board 7' }, unread: { b12: 'Board 12' } },
  })
  expect(problems).toEqual([])
})

test('rejected credentials lead to the connector auth', async () => {
  const { auth, id, open } = await aCardFlow({
    input: { board: 'b3' },
    input_names: { board: { b3: 'Roadmap' } },
  })
  const authId = await auth('wrong')
  const flow = await program.call<SavedFlow>('GET', `/v1/flows/${id}`)
  const steps = flow.steps.map((step) => ({ ...step, config: { ...step.config, auth_id: authId } }))
  await program.call('PUT', `/v1/flows/${id}`, { steps })
  const { page } = await open()
  await expect.poll(() => combo(page, 'Board').inputValue()).toBe('Roadmap')
  await combo(page, 'Board').click()
  const alert = page.getByRole('alert').filter({ hasText: 'The API rejected the credentials (401)' })
  await alert.getByRole('button', { name: 'Change token' }).click()
  await page.getByRole('dialog').waitFor()
})

test.each([
  ['port', async () => `http://127.0.0.1:${await freePort()}`],
  ['host', () => Promise.resolve('http://boards.invalid')],
])(
  'without the API, its %s unknown, names kept in the step are shown, and that they could not be looked up',
  async (_what, url) => {
    const { api, connectorId, open, saved } = await aCardFlow({
      input: { board: 'b3', unread: ['b1', 'b2'] },
      input_names: { board: { b3: 'Roadmap' }, unread: { b1: 'Board 1', b2: 'Board 2' } },
    })
    await program.call('PUT', `/v1/connectors/${connectorId}`, { base_domain: await url() })
    const { page } = await open()
    const status = page.getByRole('status').filter({ hasText: 'couldn’t be looked up' })
    await status.getByText(/^Roadmap couldn’t be looked up\. The search failed: /).waitFor()
    await status.getByText(/^Board 1, Board 2 couldn’t be looked up\. The search failed: /).waitFor()
    expect(await combo(page, 'Board').inputValue()).toBe('Roadmap')
    await page.getByRole('button', { name: 'Remove Board 2', exact: true }).click()
    await combo(page, 'Board').click()
    await page.getByText('Couldn’t load the choices. You can type an ID.', { exact: true }).waitFor()
    await combo(page, 'Board').fill('b7')
    await option(page, /^Use the ID b7/).click()
    await save(page)
    expect(await saved()).toMatchObject({
      input: { board: 'b7', unread: ['b1'] },
      input_names: { unread: { b1: 'Board 1' } },
    })
    expect(api.received).toEqual([])
  },
)
