import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import type { Flow } from '../../src/shared/contract/flows.ts'
import { useProgramInBrowser } from '../helpers/program-in-browser.ts'

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
  // Its code isn't in the page yet.
  await page.getByText('Draft not saved').waitFor()
  await page.getByRole('link', { name: 'Runs', exact: true }).click()
  await network.setOffline(false)
  await page.getByRole('heading', { name: 'Runs', exact: true }).waitFor()
  await page.goBack()
  await page.getByText('Unpublished changes (draft saved)').waitFor()
  const copy = await program.call<{ steps: Flow['steps'] }>('GET', `/v1/flows/${id}/working-copy`)
  expect(copy.steps[0]?.title).toBe('Typed meanwhile')
})
