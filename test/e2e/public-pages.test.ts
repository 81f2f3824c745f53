/** The pages that people outside of Millrace see: forms and questions, in the colors of the app, without scripts. */
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import type { Flow } from '../../src/shared/contract/flows.ts'
import { axeFindings } from '../helpers/axe.ts'
import { useProgramInBrowser } from '../helpers/program-in-browser.ts'

const program = useProgramInBrowser()
const WIDTHS = [640, 1280, 1920]

const FIELDS = [
  { name: 'name', label: 'Your name', required: true },
  { name: 'mail', type: 'email', label: 'Email', help: 'Only for this answer.' },
  { name: 'size', type: 'select', label: 'Size', options: ['S', 'M'] },
  { name: 'terms', type: 'switch', label: 'I agree', required: true },
  { name: 'text', type: 'textarea', label: 'What happened?' },
  { name: 'photo', type: 'file', label: 'Photo', accept: ['.png', '.pdf'], max_mb: 1 },
]

async function aForm(): Promise<string> {
  const config = { title: 'Report a fault', description: 'We answer within a day.', fields: FIELDS }
  const { webhook } = await program.call<Flow>('POST', '/v1/flows', {
    name: 'Faults',
    status: 'active',
    steps: [{ ref_id: 'form', type: 'form_trigger', config }],
  })
  return `${webhook?.url}?token=${encodeURIComponent(webhook?.token ?? '')}`
}

async function aQuestion(): Promise<string> {
  const cases = ['Publish', 'Reject'].map((label) => ({ label, steps: [] }))
  const config = { question: 'Publish the message?', details: 'From Grace', fields: FIELDS.slice(4) }
  const { id } = await program.call<Flow>('POST', '/v1/flows', {
    name: 'Asks',
    steps: [{ ref_id: 'ask', type: 'ask_person', config, cases }],
  })
  const { flow_run_id: run } = await program.call<{ flow_run_id: string }>('POST', `/v1/flows/${id}/run`, {})
  const questions = () => program.call<{ url: string }[]>('GET', `/v1/flow-runs/${run}/questions`)
  await expect.poll(async () => (await questions()).length).toBe(1)
  return (await questions())[0]?.url ?? ''
}

test('files are chosen on the page, which says without scripts what is wrong with them', async () => {
  const url = await aForm()
  const { page } = await program.open()
  const sendFile = async (name: string, buffer: Buffer) => {
    await page.getByLabel('Photo').setInputFiles({ name, mimeType: 'application/octet-stream', buffer })
    await page.getByRole('button', { name: 'Send' }).click()
  }
  const open = async () => {
    await page.goto(url)
    await page.getByLabel('Your name').fill('Ann')
    await page.getByLabel('I agree').check()
  }
  await open()
  await sendFile('a.pdf', Buffer.from('MZ'))
  await page.getByText('Please choose a file of one of these types: .png, .pdf.').waitFor()
  await sendFile('a.pdf', Buffer.concat([Buffer.from('%PDF-1.7'), Buffer.alloc(1_100_000)]))
  await page.getByText('Please choose a file of at most 1 MB.').waitFor()
  await sendFile('a.pdf', Buffer.alloc(6_000_000))
  await page.getByRole('heading', { name: 'Too large' }).waitFor()
  await open()
  await sendFile('a.pdf', Buffer.from('%PDF-1.7'))
  await page.getByText('Your answers have been received.').waitFor()
  expect(await page.title()).toBe('Thank you')
})

test('a logo is uploaded in the settings of a form, an image that is small enough, and is on its page', async () => {
  const config = { title: 'Report a fault', logo_alt: 'Northwind', fields: FIELDS }
  const steps = [{ ref_id: 'form', type: 'form_trigger', config }]
  const settings = { webhook_token_enabled: false }
  const flow = { name: 'With a logo', status: 'active', steps, settings }
  const { id, webhook } = await program.call<Flow>('POST', '/v1/flows', flow)
  const { page, problems, go } = await program.open({ path: `/flows/${id}?step=form` })
  await page.getByRole('button', { name: 'Upload logo', exact: true }).waitFor()
  const image = await page.screenshot({ clip: { x: 0, y: 0, width: 200, height: 60 } })
  const upload = (name: string, mimeType: string, buffer: Buffer) =>
    page.getByLabel('Logo to upload').setInputFiles({ name, mimeType, buffer })
  await upload('a.svg', 'image/svg+xml', Buffer.from('<svg/>'))
  await upload('b.png', 'image/png', Buffer.concat([image, Buffer.alloc(262_144)]))
  for (const name of ['a.svg', 'b.png'])
    await page
      .getByRole('group', { name: `Couldn’t upload “${name}”: PNG, JPEG, GIF or WebP, at most 256 kB.` })
      .waitFor()
  expect(await program.call('GET', '/v1/file-uploads')).toEqual([])
  await upload('c.png', 'image/png', image)
  await page.getByRole('button', { name: 'Replace logo', exact: true }).waitFor()
  await page.getByRole('group', { name: 'Logo', exact: true }).getByText('c.png', { exact: true }).waitFor()
  expect(await axeFindings(page)).toEqual([])
  await page.keyboard.press('ControlOrMeta+s')
  await expect
    .poll(async () => (await program.call<Flow>('GET', `/v1/flows/${id}`)).steps[0]?.config)
    .toHaveProperty('logo_file_id', expect.stringMatching(/^[0-9a-f-]{36}$/))
  await go('/files')
  await page.getByRole('button', { name: 'Delete c.png', exact: true }).click()
  await page.getByText('It’s the logo on the pages of “With a logo”.').waitFor()
  await page.goto(webhook?.url ?? '')
  const shown = await page
    .getByRole('img', { name: 'Northwind', exact: true })
    .evaluate((logo: HTMLImageElement) => [logo.complete, logo.naturalWidth])
  expect({ shown, problems }).toEqual({ shown: [true, 200], problems: [] })
})

const backgroundOf = (page: Page, name: string) =>
  page
    .getByRole('button', { name, exact: true })
    .evaluate((button) => getComputedStyle(button).backgroundColor)

test('a form and a question: axe finds nothing, at any width, in both themes, with what was wrong as well', async () => {
  const pages = [await aForm(), await aQuestion()]
  const wrong = await fetch(pages[0] ?? '', { method: 'POST', body: new URLSearchParams({ mail: 'no' }) })
  const texts = await Promise.all(pages.map(async (url) => await (await fetch(url)).text()))
  // axe is a script, and these pages don't run scripts.
  const { page } = await program.open()
  const findings: string[] = []
  for (const html of [...texts, await wrong.text()]) {
    await page.goto('about:blank')
    await page.setContent(html)
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 800 })
      findings.push(...(await axeFindings(page)))
    }
  }
  expect({ status: wrong.status, findings }).toEqual({ status: 400, findings: [] })
})

test('one answer of a question stands out; it has the color of what acts in the app, in both themes', async () => {
  const url = await aQuestion()
  const { page } = await program.open()
  const shown = []
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    await page.goto(url)
    shown.push([await backgroundOf(page, 'Publish'), await backgroundOf(page, 'Reject')])
  }
  expect(shown).toEqual([
    ['rgb(15, 118, 110)', 'rgb(255, 255, 255)'],
    ['rgb(45, 212, 191)', 'rgb(17, 25, 35)'],
  ])
  await page.getByRole('button', { name: 'Reject' }).click()
  await page.getByText('Your answer has been received.').waitFor()
})
