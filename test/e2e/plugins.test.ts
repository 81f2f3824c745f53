/**
 * Plug-ins in the app. What they can reach is shown before it is confirmed, and their steps are used like all others.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import type { PluginManifest } from '../../src/shared/contract/plugins/manifest.ts'
import type { Plugin } from '../../src/shared/contract/plugins/plugins.ts'
import type { Flow } from '../../src/shared/contract/flows.ts'
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
  const help = page.getByRole('complementary', { name: 'Help' })
  await help.getByRole('button', { name: 'Read more' }).click()
  await help.getByText('Write a step in ten minutes').first().waitFor()
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
  // An icon that the app itself doesn't use.
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
  // What was shown isn't what the folder contains any more.
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
  await page.getByRole('alertdialog').getByText('No flow uses the plug-in').waitFor()
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
        'Keep its own values between runsnew',
        'Read files in the allowed foldersno longer',
      ],
      findings: [],
    },
    broken: [],
    problems: [],
  })
})

test('a step of a plug-in is found by its name, filled in by its fields, and shows what it returns', async () => {
  const steps = [
    part('check', {
      label: 'Check a number',
      words: 'invoice validate',
      icon: 'landmark',
      docs: '# Check\n\nA number has **eight** digits.',
      result: { type: 'object', properties: { valid: { type: 'boolean' } } },
      fields: [
        { name: 'number', label: 'Invoice number', required: true },
        { name: 'strict', label: 'Strict', kind: 'switch' },
        { name: 'country', label: 'Country', kind: 'choice', options: { de: 'Germany', fr: 'France' } },
        { name: 'digits', label: 'Digits', kind: 'number', default: 8 },
      ],
    }),
  ]
  const run = `export const steps = { check: ({ input }) => ({ valid: true, ...input }) }`
  const { hash } = await program.call<Plugin>('POST', '/v1/plugins', {
    path: aPlugin({ ...MANIFEST, steps, german: { 'Check a number': 'Nummer prüfen' } }, run),
  })
  const { id } = await program.call<{ id: string }>('POST', '/v1/flows', {
    name: 'Numbers',
    steps: [
      {
        ref_id: 'earlier',
        type: 'plugin',
        config: { plugin: 'tools', step: 'check', input: { number: '1' } },
      },
    ],
  })
  const { page, problems } = await program.open({ path: `/flows/${id}?step=earlier` })
  await page.getByText('Nobody has confirmed this plug-in yet').waitFor()
  await page.getByLabel('Step', { exact: true }).waitFor()
  expect(await page.getByRole('link', { name: 'Open plug-in' }).getAttribute('href')).toBe(
    '/plugins?plugin=tools',
  )
  const unconfirmed = await axeFindings(page)

  await program.call('POST', '/v1/plugins/tools/confirm', { hash })
  await page.getByRole('button', { name: /earlier, Check a number/ }).waitFor()
  await page.getByRole('textbox', { name: 'Invoice number' }).waitFor()
  await page.getByRole('button', { name: 'Add step' }).first().click()
  const search = page.getByRole('combobox', { name: 'Search services and steps' })
  expect(await page.getByRole('option', { name: /^Plug-in step/ }).count()).toBe(0)
  await search.fill('validate')
  await page
    .getByRole('group', { name: 'Invoice numbers' })
    .getByRole('option', { name: /^Check a number/ })
    .click()
  await page.getByRole('button', { name: /plugin, Check a number/ }).waitFor()
  const number = page.getByRole('textbox', { name: 'Invoice number' })
  await number.and(page.locator(':focus')).waitFor()

  await page.getByRole('button', { name: 'Save', exact: true }).click()
  const refusal = page.getByRole('alert').filter({ hasText: 'Kept as a draft' })
  await page.getByLabel('Reference name').focus()
  await refusal.getByRole('button', { name: /Invoice number is required/ }).click()
  await number.and(page.locator(':focus')).waitFor()
  await expect.poll(() => number.getAttribute('aria-invalid')).toBe('true')
  const refused = await axeFindings(page)
  // The result is known before a run, from the manifest.
  await page.getByRole('treeitem', { name: /^earlier\.valid, / }).waitFor()
  // A field with a template has the help for templates.
  const strict = page.getByRole('switch', { name: 'Strict' })
  await strict.focus()
  await page.keyboard.press('F1')
  const help = page.getByRole('complementary', { name: 'Help' })
  await help.getByRole('heading', { name: 'Check a number' }).waitFor()
  await help.getByText('A number has eight digits.').waitFor()
  const helped = await axeFindings(page)
  await page.keyboard.press('Escape')
  await strict.and(page.locator(':focus')).waitFor()
  await number.focus()
  await page.keyboard.insertText('{{ earlier.number }}')
  await strict.click()
  await page.getByRole('combobox', { name: 'Country' }).click()
  await page.getByRole('option', { name: 'France' }).click()
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('Saved', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Test', exact: true }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Run', exact: true }).click()
  await page.getByRole('treeitem').filter({ hasText: 'country' }).filter({ hasText: 'fr' }).first().waitFor()
  const saved = await program.call<Flow>('GET', `/v1/flows/${id}`)
  expect({ config: saved.steps[1]?.config, unconfirmed, refused, helped, problems }).toEqual({
    config: {
      plugin: 'tools',
      step: 'check',
      hash,
      input: { number: '{{ earlier.number }}', strict: true, country: 'fr' },
    },
    unconfirmed: [],
    refused: [],
    helped: [],
    problems: [],
  })
})

test('a trigger of a plug-in: its fields, its auth, values of earlier versions, and why it fails', async () => {
  const triggers = [
    part('new_bookings', {
      label: 'New bookings',
      fields: [
        { name: 'account', label: 'Bank account', kind: 'auth', connector: 'bank', required: true },
        { name: 'iban', label: 'Account number', kind: 'text' },
        { name: 'bic', label: 'Bank code', kind: 'text' },
      ],
    }),
  ]
  const german = {
    'New bookings': 'Neue Buchungen',
    'Bank account': 'Bankkonto',
    'Account number': 'Kontonummer',
    'Invoice numbers': 'Rechnungsnummern',
  }
  const bank = {
    format: 'millrace-connector',
    version: 1,
    connector: {
      name: 'Bank',
      base_domain: 'https://numbers.example',
      auth_config: { auth_types: ['bearer'] },
    },
    actions: [],
  }
  const { hash } = await program.call<Plugin>('POST', '/v1/plugins', {
    path: aPlugin(
      { ...MANIFEST, steps: [], triggers, connectors: ['bank'], german },
      'export const triggers = { new_bookings: () => ({ items: [] }) }',
      { 'connectors/bank.json': JSON.stringify(bank) },
    ),
  })
  await program.call('POST', '/v1/plugins/tools/confirm', { hash })
  await program.call('POST', '/v1/connector-auths', {
    connector_id: 'plugin.tools.bank',
    name: 'Ada at the bank',
    auth_type: 'bearer',
    auth_token: 't1',
  })
  const { page, problems } = await program.open({ path: '/flows?create=true' })
  const { id } = await program.call<{ id: string }>('POST', '/v1/flows', { name: 'Bookings', steps: [] })
  await page.goto(`${program.served.url}/flows/${id}`)
  await page.getByRole('button', { name: 'Add step' }).first().click()
  await page.getByRole('combobox', { name: 'Search services and steps' }).fill('bookings')
  await page.getByRole('option', { name: /^New bookings/ }).click()
  await page.getByRole('textbox', { name: 'Account number' }).fill('DE02')
  await page.getByRole('textbox', { name: 'Bank code' }).fill('OLD')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  const refusal = page.getByRole('alert').filter({ hasText: 'Kept as a draft' })
  await refusal.getByRole('button', { name: /Bank account is required/ }).click()
  await page.getByRole('combobox', { name: /^Bank account/ }).click()
  await page.getByRole('option', { name: /Ada at the bank/ }).click()
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('Saved', { exact: true }).waitFor()
  const before = await program.call<Flow>('GET', `/v1/flows/${id}`)
  const reasonAfterReload = async (text: string) => {
    await program.call('GET', '/v1/plugins')
    await page.goto(`${program.served.url}/flows/${id}?step=${before.steps[0]?.ref_id}`)
    await page.reload()
    await page.getByText(text).waitFor()
  }
  changeManifest((manifest) => ({
    ...manifest,
    triggers: manifest.triggers.map((one) => ({ ...one, fields: one.fields.slice(0, 2) })),
  }))
  await reasonAfterReload('have changed since it was confirmed')
  const changed = await program.call<Plugin>('GET', '/v1/plugins/tools')
  await program.call('POST', '/v1/plugins/tools/confirm', { hash: changed.hash })
  await page.getByText('Other input').waitFor()
  const withOther = await axeFindings(page)
  await page.getByRole('button', { name: 'Remove bic' }).click()
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('Saved', { exact: true }).waitFor()
  const after = await program.call<Flow>('GET', `/v1/flows/${id}`)

  changeManifest(({ title: _title, ...manifest }) => manifest)
  await reasonAfterReload('This plug-in is broken. The step fails.')
  const broken = await axeFindings(page)
  await program.call('DELETE', '/v1/plugins/tools')
  await reasonAfterReload('This plug-in is missing.')

  const again = await program.call<Plugin>('POST', '/v1/plugins', {
    path: aPlugin(
      { ...MANIFEST, steps: [], triggers, connectors: ['bank'], german },
      'export const triggers = { new_bookings: () => ({ items: [] }) }',
      { 'connectors/bank.json': JSON.stringify(bank) },
    ),
  })
  await program.call('POST', '/v1/plugins/tools/confirm', { hash: again.hash })
  await program.call('PUT', '/v1/settings', { language: 'de' })
  await page.reload()
  await page.getByRole('textbox', { name: 'Kontonummer' }).waitFor()
  await page.getByRole('combobox', { name: /^Bankkonto/ }).waitFor()
  await page
    .getByRole('button', { name: /Neue Buchungen/ })
    .first()
    .waitFor()
  expect({ input: after.steps[0]?.config['input'], withOther, broken, problems }).toEqual({
    input: { iban: 'DE02' },
    withOther: [],
    broken: [],
    problems: [],
  })
})
