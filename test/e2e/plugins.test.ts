/** Plug-ins in the app: what they can reach is shown before it is confirmed, and their steps are used like all others. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import type { PluginManifest } from '../../src/shared/contract/plugins/manifest.ts'
import { axeFindings } from '../helpers/axe.ts'
import { aPlugin, part } from '../helpers/plugins.ts'
import { useProgramInBrowser } from '../helpers/program-in-browser.ts'

const program = useProgramInBrowser()

const MANIFEST = {
  title: 'Invoice numbers',
  description: 'Checks and formats invoice numbers.',
  icon: 'landmark',
  permissions: { origins: ['https://numbers.example'], files: 'read' },
  steps: [part('check', { label: 'Check a number' })],
}
const RUN = `export const steps = { check: () => ({ valid: true }) }`

/** Changes the manifest that is in the data folder, as an editor would. */
function changeManifest(change: (manifest: PluginManifest) => object): void {
  const path = join(program.home.dataDir, 'plugins', 'tools', 'manifest.json')
  writeFileSync(path, JSON.stringify(change(JSON.parse(readFileSync(path, 'utf8')) as PluginManifest)))
}

const abilities = (page: Page) =>
  page
    .getByRole('dialog')
    .locator('section')
    .filter({ has: page.getByRole('heading', { name: 'What it can reach' }) })
    .getByRole('listitem')
    .allTextContents()

test('without plug-ins, the screen says how one is added and opens the guide', async () => {
  const { page, problems } = await program.open({ path: '/plugins' })
  await page.getByText('millrace plugin add FOLDER').waitFor()
  const findings = await axeFindings(page)
  await page.getByRole('button', { name: 'How to write a plug-in' }).click()
  await page.getByRole('dialog', { name: 'Help' }).getByText('Write a step in ten minutes').first().waitFor()
  expect({ findings, problems }).toEqual({ findings: [], problems: [] })
})

test('a plug-in is confirmed after reading what it can reach, and asks again with what has changed', async () => {
  await program.call('POST', '/v1/plugins', {
    path: aPlugin(MANIFEST, RUN, { 'README.md': '# Numbers\n\nIn **all** countries.' }),
  })
  const { page, problems } = await program.open({ path: '/flows' })
  await page.keyboard.press('ControlOrMeta+k')
  await page.getByRole('combobox', { name: /Search/ }).fill('plug-ins')
  await page
    .getByRole('option', { name: /^Plug-ins/ })
    .first()
    .click()
  const row = page.getByRole('row').filter({ hasText: 'Invoice numbers' })
  await row.getByText('Not confirmed').waitFor()
  // A drawing that the app itself doesn't use.
  await row.locator('svg[data-icon="landmark"] path').first().waitFor()
  await row.getByRole('link', { name: 'Invoice numbers' }).click()
  const sheet = page.getByRole('dialog', { name: 'Invoice numbers' })
  await sheet.getByText('In all countries.').waitFor()
  const first = { shown: await abilities(page), findings: await axeFindings(page) }
  await sheet.getByRole('button', { name: 'Confirm', exact: true }).click()
  await sheet.getByText(/It runs as long as its files stay the same/).waitFor()
  await page.keyboard.press('Escape')
  await row.getByText('Confirmed').waitFor()

  changeManifest((manifest) => ({
    ...manifest,
    version: '1.1.0',
    permissions: { origins: ['https://numbers.example', 'https://other.example'], key_values: true },
  }))
  await page.getByRole('button', { name: 'Read the folders again' }).click()
  await row.getByText('Changed').waitFor()
  await page.goto(`${program.served.url}/plugins?plugin=tools`)
  await sheet.getByText('1.0.0 → 1.1.0').waitFor()
  const second = { shown: await abilities(page), findings: await axeFindings(page) }
  // What was shown isn't what is there any more.
  changeManifest((manifest) => ({ ...manifest, version: '1.2.0' }))
  await sheet.getByRole('button', { name: 'Confirm again' }).click()
  await sheet.getByText('have changed since they were shown').waitFor()
  await sheet.getByText('1.0.0 → 1.2.0').waitFor()
  await sheet.getByRole('button', { name: 'Confirm again' }).click()
  await sheet.getByText(/It runs as long as its files stay the same/).waitFor()

  changeManifest(({ title: _title, ...manifest }) => manifest)
  await page.reload()
  const damaged = page.getByRole('dialog', { name: 'tools' })
  await damaged.getByText('It can’t be used').waitFor()
  const broken = await axeFindings(page)
  await damaged.getByRole('button', { name: 'Remove' }).click()
  await page.getByRole('alertdialog').getByText('No flow uses it').waitFor()
  await page.getByRole('button', { name: 'Remove plug-in' }).click()
  await page.getByText('No plug-ins yet').waitFor()
  expect({ first, second, broken, problems }).toEqual({
    first: {
      shown: ['Send requests to https://numbers.example', 'Read files in the allowed folders'],
      findings: [],
    },
    second: {
      shown: [
        'Send requests to https://numbers.example',
        'Send requests to https://other.examplenew',
        'Keep values of its own between runsnew',
        'Read files in the allowed foldersno longer',
      ],
      findings: [],
    },
    broken: [],
    problems: [],
  })
})
