import { expect, test } from 'vitest'
import { useProgramInBrowser } from '../helpers/program-in-browser.ts'

const program = useProgramInBrowser()

test('F1 opens what the documentation says of the focused field, and Escape leads back to it', async () => {
  const { page, problems, go } = await program.open({ path: '/flows' })
  await page.getByRole('link', { name: 'Receive an order' }).click()
  const field = page.getByLabel('Name in templates')
  await field.focus()
  await page.keyboard.press('F1')
  const help = page.getByRole('dialog', { name: 'Help' })
  await help.getByRole('heading', { name: 'Steps' }).waitFor()
  await help.getByRole('cell', { name: 'webhook, schedule' }).first().waitFor()
  await help.getByLabel('Search the documentation').fill('retry_when')
  await help
    .getByRole('button', { name: /retry_when/ })
    .first()
    .click()
  await help.getByRole('heading', { name: /retry_when/ }).waitFor()
  if (process.env['MILLRACE_PICTURES'] !== undefined)
    await page.screenshot({ path: `${process.env['MILLRACE_PICTURES']}/help.png` })
  await page.keyboard.press('Escape')
  await help.waitFor({ state: 'detached' })
  await field.and(page.locator(':focus')).waitFor()

  await go('/tokens')
  await page.getByRole('heading', { name: 'Access tokens', level: 1 }).waitFor()
  await page.keyboard.press('F1')
  await help.getByRole('heading', { name: /Which token is this/ }).waitFor()
  await page.keyboard.press('Escape')
  await help.waitFor({ state: 'detached' })
  await page.keyboard.press('?')
  await page.getByRole('dialog', { name: 'Shortcuts' }).getByText('Help for this field or screen').waitFor()
  expect(problems).toEqual([])
})
