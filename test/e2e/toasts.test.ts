import { expect, test } from 'vitest'
import { axeFindings } from '../helpers/axe.ts'
import { useProgramInBrowser } from '../helpers/program-in-browser.ts'

const program = useProgramInBrowser()

test('a success is shown for five seconds, or longer while it is pointed at; a failure until it is dismissed', async () => {
  const { page, problems } = await program.open({ path: '/files' })
  await page.clock.install()
  const region = page.getByRole('region', { name: 'Notices' })
  const upload = (name: string) =>
    page
      .getByLabel('Files to upload')
      .setInputFiles({ name, mimeType: 'text/plain', buffer: Buffer.from('text') })

  await upload('prices.txt')
  const success = region.getByRole('group', { name: '“prices.txt” uploaded' })
  await success.waitFor()
  expect(await region.getAttribute('aria-live')).toBe('polite')
  await success.hover()
  await page.clock.fastForward(20_000)
  expect(await success.isVisible()).toBe(true)
  await page.mouse.move(5, 5)
  await page.clock.fastForward(5_000)
  await success.waitFor({ state: 'detached' })

  const [file] = await program.call<{ id: string }[]>('GET', '/v1/file-uploads')
  await page.route(`**/v1/file-uploads/${file?.id}/**`, (route) => route.abort())
  await page.getByRole('button', { name: 'Download prices.txt' }).click()
  const failure = region.getByRole('group', { name: 'Couldn’t download “prices.txt”' })
  await failure.waitFor()
  await upload('orders.txt')
  await region.getByRole('group', { name: '“orders.txt” uploaded' }).waitFor()
  expect(await axeFindings(page)).toEqual([])

  await page.clock.fastForward(60_000)
  await expect.poll(() => region.getByRole('group').count()).toBe(1)
  await page.keyboard.press('F6')
  await page.keyboard.press('Tab')
  expect(await failure.evaluate((element) => element === document.activeElement)).toBe(true)
  await page.keyboard.press('Escape')
  await failure.waitFor({ state: 'detached' })
  expect(problems).toEqual([])
})

test('at most four toasts are shown, the newest ones', async () => {
  const { page } = await program.open({ path: '/files' })
  const names = ['1', '2', '3', '4', '5', '6'].map((number) => `list ${number}.txt`)
  await page
    .getByLabel('Files to upload')
    .setInputFiles(names.map((name) => ({ name, mimeType: 'text/plain', buffer: Buffer.from('text') })))
  const toasts = page.getByRole('region', { name: 'Notices' }).getByRole('group')
  await toasts.filter({ hasText: 'list 6.txt' }).waitFor()
  expect(await toasts.allInnerTexts()).toEqual(
    names
      .slice(2)
      .toReversed()
      .map((name) => `“${name}” uploaded`),
  )
})
