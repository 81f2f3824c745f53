/** The way from an n8n workflow to a flow, and the forms of triggers, in a real Chromium. */
import { beforeAll, expect, test } from 'vitest'
import { axeFindings } from '../helpers/axe.ts'
import { useProgramInBrowser } from '../helpers/program-in-browser.ts'
import type { OpenedPage } from '../helpers/open-page.ts'

const program = useProgramInBrowser()
let opened: OpenedPage
beforeAll(async () => {
  opened = await program.open()
})

const node = (name: string, type: string, typeVersion: number, parameters: object) => ({
  name,
  type: `n8n-nodes-base.${type}`,
  typeVersion,
  position: [0, 0],
  parameters,
})
const to = (name: string) => ({ main: [[{ node: name, type: 'main', index: 0 }]] })
const WORKFLOW = {
  name: 'Nightly stock',
  nodes: [
    node('Every night', 'scheduleTrigger', 1.2, { rule: { interval: [{ triggerAtHour: 3 }] } }),
    node('Fetch', 'httpRequest', 4.2, { url: '=https://stock.example.test/{{ $env.SHOP }}', options: {} }),
    node('Tell the team', 'mattermost', 1, { message: '={{ $json.count }}' }),
  ],
  connections: { 'Every night': to('Fetch'), Fetch: to('Tell the team') },
}

test('an n8n workflow is previewed, then imported; its schedule shows its next times', async () => {
  const { page, go, problems } = opened
  await go('/flows')
  await page.getByRole('button', { name: 'Import' }).click()
  await page.getByLabel('A flow exported from Millrace').fill(JSON.stringify(WORKFLOW))
  await page.getByRole('button', { name: 'Preview' }).click()
  await page.getByText('stock.example.test').first().waitFor()
  await page.getByText('n8n-nodes-base.mattermost').waitFor()
  expect(await axeFindings(page)).toEqual([])
  if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/import.png` })
  await page.getByRole('button', { name: 'Import as drafts' }).click()
  await page.getByRole('region', { name: 'Next runs' }).getByRole('time').first().waitFor()
  if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/schedule.png` })
  expect(await axeFindings(page)).toEqual([])
  expect(problems).toEqual([])
})

test('the request signature is chosen and filled in field by field', async () => {
  const { page, go, problems } = opened
  await go('/flows?create=true')
  await page.getByLabel('Name', { exact: true }).fill('Signed')
  await page.getByRole('button', { name: 'Create flow' }).click()
  const scheme = page.getByLabel('Request signature')
  await scheme.click()
  await page.getByRole('option', { name: 'Custom HMAC' }).click()
  await page.getByLabel('Secret', { exact: true }).fill('{{ partner_secret }}')
  await page.getByLabel('Prefix').fill('sha256=')
  expect(await axeFindings(page)).toEqual([])
  if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/signature.png`, fullPage: true })
  await page.getByRole('button', { name: 'JSON', exact: true }).click()
  await page.getByText('"scheme": "hmac"').waitFor()
  expect(problems).toEqual([])
})
