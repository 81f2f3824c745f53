import { expect, test } from 'vitest'
import { useProgramInBrowser } from '../helpers/program-in-browser.ts'

const program = useProgramInBrowser()

test('a token is created, shown once, works, is regenerated and revoked', async () => {
  const { page, problems } = await program.open({ path: '/tokens' })
  const dialog = page.getByRole('dialog')

  await page.getByRole('button', { name: 'Create token' }).first().click()
  await dialog.getByLabel('Note').fill('Shop checkout')
  await dialog.getByText('13 / 255').waitFor()
  await dialog.getByText('7 days').click()
  await dialog.getByText(/^Expires on /).waitFor()
  await dialog.getByLabel('connectors: View').check()
  await dialog.getByText('Can read connectors and their actions.').waitFor()
  await dialog.getByRole('button', { name: 'Create token' }).click()

  const shown = page.getByRole('dialog', { name: 'Copy this token now' })
  const first = await tokenIn(shown.locator('pre').first().textContent())
  await page.keyboard.press('Escape')
  await page.mouse.click(5, 5)
  expect(await shown.isVisible()).toBe(true)
  expect(await shown.locator('pre').allTextContents()).toEqual([
    first,
    `MILLRACE_TOKEN=${first}`,
    expect.stringContaining(`Authorization: Bearer ${first}`),
  ])
  await shown.getByRole('button', { name: 'Done' }).click()
  await shown.waitFor({ state: 'detached' })
  expect(await page.content()).not.toContain(first)
  expect(await statusWith(first)).toBe(200)

  const row = page.getByRole('row').filter({ hasText: 'Shop checkout' })
  await row.getByText(`…${first.slice(-4)}`).waitFor()
  await row.getByText('Expires in 7 days').waitFor()
  await page.getByText('expires in 7 days. Clients using it').waitFor()
  await page.getByRole('link', { name: '1 access token expires this week' }).waitFor()

  await row.getByRole('button', { name: /^Regenerate/ }).click()
  await dialog.getByText('Clients using the token ending in').waitFor()
  await dialog.getByText('Never', { exact: true }).click()
  await dialog.getByRole('button', { name: 'Regenerate token' }).click()
  const second = await tokenIn(shown.locator('pre').first().textContent())
  await shown.getByRole('button', { name: 'Copy and close' }).click()
  await shown.waitFor({ state: 'detached' })
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(second)
  expect({ first: await statusWith(first), second: await statusWith(second) }).toEqual({
    first: 401,
    second: 200,
  })

  await page.getByRole('button', { name: 'Check token' }).click()
  const check = page.getByRole('dialog', { name: 'Check token' })
  for (const [value, says] of [
    [first, 'This value was replaced when the token was regenerated.'],
    ['mr_pat_nonsense', 'Not a Millrace token, or incomplete.'],
    [second, 'This token is valid.'],
  ] as const) {
    await check.getByLabel('Value').fill(value)
    await page.keyboard.press('Enter')
    await check.getByText(says).waitFor()
  }
  await check.getByText('Can read connectors and their actions.').waitFor()
  await check.getByRole('button', { name: 'Close', exact: true }).last().click()

  await row.getByRole('button', { name: /^Revoke/ }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Revoke token' }).click()
  await page.getByRole('heading', { name: 'No tokens yet' }).waitFor()
  expect(await statusWith(second)).toBe(401)
  expect(problems).toEqual([])
})

test('revoking a token lists the tokens created with it, and revokes them too', async () => {
  const { page } = await program.open({ path: '/tokens' })
  const make = async (bearer: string, note: string) => {
    const made = await fetch(`${program.served.url}/v1/personal-access-tokens`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${bearer}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ note, scopes: ['connectors'], expiration: null }),
    })
    return ((await made.json()) as { token: string }).token
  }
  const parent = await make(program.served.bearer, 'Deployment')
  const child = await make(parent, 'Made by it')
  const row = page.getByRole('row').filter({ hasText: 'Deployment' })
  await row.getByRole('button', { name: /^Revoke/ }).click()
  const dialog = page.getByRole('alertdialog')
  await dialog.getByText('These tokens were created with it and will be revoked too:').waitFor()
  await dialog.getByText(`Made by it …${child.slice(-4)}`).waitFor()
  await dialog.getByRole('button', { name: 'Revoke token' }).click()
  // Behind the dialog no row has a role.
  await dialog.waitFor({ state: 'detached' })
  await row.waitFor({ state: 'detached' })
  expect({ parent: await statusWith(parent), child: await statusWith(child) }).toEqual({
    parent: 401,
    child: 401,
  })
})

test('invalid input is reported in the dialog, and nothing is created', async () => {
  const { page } = await program.open({ path: '/tokens?create=true' })
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Note').fill('😀'.repeat(256))
  await dialog.getByText('Custom').click()
  await dialog.getByRole('textbox', { name: 'Days' }).fill('40000')
  await dialog.getByRole('button', { name: 'Create token' }).click()
  await dialog.getByText('Too long by 1 character.').waitFor()
  await dialog.getByText('Enter a whole number of days from 1 to 36500.').waitFor()
  await dialog.getByText('Select at least one scope.').waitFor()
  await page.keyboard.press('Escape')
  await page
    .getByRole('alertdialog', { name: 'Leave without saving your changes?' })
    .getByRole('button', { name: 'Leave' })
    .click()
  await page.getByRole('heading', { name: 'No tokens yet' }).waitFor()
  await expect.poll(() => dialog.count()).toBe(0)
})

async function tokenIn(text: Promise<string | null>): Promise<string> {
  const token = await text
  expect(token).toMatch(/^mr_pat_[0-9A-Za-z]{54}$/)
  return token ?? ''
}

async function statusWith(token: string): Promise<number> {
  const headers = { Authorization: `Bearer ${token}` }
  return (await fetch(`${program.served.url}/v1/connectors`, { headers })).status
}

test('clicks on a heading sort the list, and the third restores its order', async () => {
  const { page } = await program.open({ path: '/tokens' })
  for (const [note, expiration] of [
    ['Till 2', 7],
    ['Till 10', null],
    ['till 1', 30],
  ] as const)
    await program.call('POST', '/v1/personal-access-tokens', { note, expiration, scopes: ['connectors'] })
  await page.getByRole('row').nth(3).waitFor()

  const notes = () => page.getByRole('cell').filter({ hasText: /^till/i }).allTextContents()
  const newestFirst = ['till 1', 'Till 10', 'Till 2']
  expect(await notes()).toEqual(newestFirst)
  const click = async (name: string) => {
    const heading = page.getByRole('columnheader', { name, exact: true })
    await heading.getByRole('button').click()
    return [await heading.getAttribute('aria-sort'), ...(await notes())]
  }
  expect([await click('Note'), await click('Note'), await click('Note'), await click('Expires')]).toEqual([
    ['ascending', 'till 1', 'Till 2', 'Till 10'],
    ['descending', 'Till 10', 'Till 2', 'till 1'],
    ['none', ...newestFirst],
    ['ascending', 'Till 2', 'till 1', 'Till 10'],
  ])
})

test('the last use of a token appears at once', async () => {
  const { token } = await program.call<{ token: string }>('POST', '/v1/personal-access-tokens', {
    note: 'Used while looked at',
    scopes: ['automation'],
    expiration: null,
  })
  const { page, problems } = await program.open({ path: '/tokens' })
  const row = page.locator('[data-row]').filter({ hasText: 'Used while looked at' })
  const never = row.getByText('never', { exact: true })
  await never.first().waitFor()
  const before = await never.count()
  await fetch(`${program.served.url}/v1/flows`, { headers: { authorization: `Bearer ${token}` } })
  await expect.poll(() => never.count()).toBe(before - 1)
  expect(problems).toEqual([])
})

test('a token is limited to flows and auths that are found by name', async () => {
  const { page, problems } = await program.open({ path: '/tokens' })
  const { id } = await program.call<{ id: string }>('POST', '/v1/flows', { name: 'Receive an order' })
  await page.getByRole('button', { name: 'Create token' }).first().click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Note').fill('The shop')
  await dialog.getByLabel('Start webhook flows').check()
  await dialog.getByRole('radio', { name: 'Chosen flows' }).check()
  await dialog.getByRole('button', { name: 'Create token' }).click()
  await dialog.getByText('Choose at least one flow.').waitFor()
  await dialog.getByRole('combobox', { name: 'Add flow' }).fill('receive')
  await page.keyboard.press('Enter')
  await dialog.getByRole('button', { name: 'Remove Receive an order' }).waitFor()
  await dialog.getByRole('radio', { name: 'Chosen connector auths' }).check()
  await dialog.getByRole('button', { name: 'Create token' }).click()
  await page.getByRole('button', { name: 'Done' }).click()
  const row = page.getByRole('row').filter({ hasText: 'The shop' })
  await row.getByText('1 flow, 0 connector auths').waitFor()
  const tokens = await program.call<object[]>('GET', '/v1/personal-access-tokens')
  expect(tokens).toContainEqual(expect.objectContaining({ note: 'The shop', flow_ids: [id], auth_ids: [] }))
  expect(problems).toEqual([])
})
