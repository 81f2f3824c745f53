import { expect, test } from 'vitest'
import { axeFindings } from '../helpers/axe.ts'
import { useProgramInBrowser } from '../helpers/program-in-browser.ts'

const program = useProgramInBrowser()

test('F1 opens the documentation of the focused field, and Escape leads back to the field', async () => {
  const { page, problems, go } = await program.open({ path: '/flows' })
  await page.getByRole('link', { name: 'Receive an order' }).click()
  const field = page.getByLabel('Reference name')
  await field.focus()
  await page.keyboard.press('F1')
  const help = page.getByRole('dialog', { name: 'Help' })
  await help.getByRole('heading', { name: 'Steps / webhook' }).waitFor()
  await help.getByRole('cell', { name: 'response_body', exact: true }).waitFor()
  await help.getByLabel('Search the docs').fill('retry_when')
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
  await help.getByRole('heading', { name: 'Scopes', exact: true }).waitFor()
  await page.keyboard.press('Escape')
  await help.waitFor({ state: 'detached' })

  await go('/runs')
  await page.getByRole('heading', { name: 'Runs', level: 1 }).waitFor()
  await page.keyboard.press('F1')
  await help.getByRole('heading', { name: 'Debug a failed run / In the app' }).waitFor()
  expect(await help.locator('pre').count()).toBe(0)
  await help.getByRole('button', { name: 'On the command line' }).waitFor()
  await page.keyboard.press('Escape')
  await help.waitFor({ state: 'detached' })

  await go('/')
  await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor()
  await page.keyboard.press('F1')
  await help.getByRole('button', { name: 'Where next' }).click()
  await help.getByRole('button', { name: 'Debug a failed run' }).click()
  await help.getByRole('heading', { name: 'Debug a failed run', exact: true }).waitFor()
  await page.keyboard.press('Escape')
  await help.waitFor({ state: 'detached' })
  await page.keyboard.press('?')
  await page.getByRole('dialog', { name: 'Shortcuts' }).getByText('Help for this field or page').waitFor()
  expect(problems).toEqual([])
})

test('the sidebar opens the index of the help, and each page has a button for its own help', async () => {
  const { page, problems, go } = await program.open({ path: '/runs' })
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  const help = page.getByRole('dialog', { name: 'Help' })
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('button', { name: 'Help' }).click()
  await help.getByRole('heading', { name: 'Documentation', exact: true }).waitFor()
  expect(await axeFindings(page)).toEqual([])
  await help.getByRole('button', { name: 'Getting started' }).first().click()
  await help.getByRole('heading', { name: 'Getting started', exact: true }).waitFor()
  await help.getByRole('button', { name: 'All help topics' }).click()
  await help.getByRole('heading', { name: 'Documentation', exact: true }).waitFor()
  await page.keyboard.press('Escape')
  await help.waitFor({ state: 'detached' })

  for (const [path, heading] of [
    ['/', 'Getting started'],
    ['/flows', 'Getting started / 3. Build a flow'],
    ['/runs', 'Debug a failed run / In the app'],
    ['/webhooks', 'Webhooks'],
    ['/connectors', 'Connectors'],
    ['/auths', 'Connector auths'],
    ['/tokens', 'Scopes'],
    ['/env-variables', 'Variables'],
    ['/users', 'Questions and answers / Can several people use it?'],
    ['/settings', 'Settings / Program settings'],
    ['/plugins', 'Write a step in ten minutes'],
    ['/doctor', 'Command line / Diagnostics'],
    ['/logs', 'Monitor Millrace / Read the log'],
  ] as const) {
    // The page before it has the same button until the new one is shown.
    const before = await page.title()
    await go(path)
    await expect.poll(() => page.title()).not.toBe(before)
    await page.getByRole('button', { name: 'Help for this page' }).click()
    await help.getByRole('heading', { name: heading, exact: true }).waitFor()
    await page.keyboard.press('Escape')
    await help.waitFor({ state: 'detached' })
  }

  await go('/')
  await page.getByRole('button', { name: 'Help for this page' }).click()
  await help.getByLabel('Search the docs').fill('install and start')
  await help.getByRole('button', { name: /1\. Install and start/ }).click()
  await help.getByRole('button', { name: 'Copy code' }).first().click()
  await expect
    .poll(() => page.evaluate(() => navigator.clipboard.readText()))
    .toContain('npm ci && npm start')

  // The port of the documents may be another program's.
  await help.getByLabel('Search the docs').fill('use it in a flow, on a schedule')
  await help.getByRole('button', { name: /5\. Use it in a flow/ }).click()
  await help.getByText(`curl -s -X PUT "${program.served.url}/v1/flows/$ID"`).waitFor()
  expect(await help.getByText(':4747').count()).toBe(0)
  expect(problems).toEqual([])
})
