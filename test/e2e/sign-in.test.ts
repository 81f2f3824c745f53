import { expect, test } from 'vitest'
import { useProgramInBrowser } from '../helpers/program-in-browser.ts'

const program = useProgramInBrowser()

test('a code in the URL signs in one browser, which stays signed in after a reload, and no second one', async () => {
  const { code } = await program.call<{ code: string }>('POST', '/v1/sign-in-codes')
  const address = `${program.served.url}/flows#code=${code}`
  const [first, second] = await Promise.all([program.browser.newContext(), program.browser.newContext()])
  const page = await first.newPage()
  await page.goto(address)
  await page.locator('footer').getByText('live', { exact: true }).waitFor()
  const addressThen = page.url()
  await page.reload()
  await page.locator('footer').getByText('live', { exact: true }).waitFor()
  const late = await second.newPage()
  const refused = late.waitForResponse((response) => response.url().endsWith('/v1/sign-in-codes/exchange'))
  await late.goto(address)
  const refusal = (await refused).status()
  await late.getByRole('heading', { name: 'Sign in to Millrace' }).waitFor()
  expect({ addressThen, lateAddress: late.url(), refusal }).toEqual({
    addressThen: `${program.served.url}/flows`,
    lateAddress: `${program.served.url}/flows`,
    refusal: 409,
  })
  await Promise.all([first.close(), second.close()])
})
