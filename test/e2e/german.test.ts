import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { fillProgram } from '../helpers/fill-program.ts'
import { useProgramInBrowser } from '../helpers/program-in-browser.ts'

const CATALOGUES = join(import.meta.dirname, '../../src/renderer/locales/de/{*,program/connectors}.json')

/**
 * Sentences that differ in German and are too long to be the name of anything. If one is on a line by itself, the page
 * was not translated.
 */
const english = globSync(CATALOGUES)
  .flatMap((path) => Object.entries(JSON.parse(readFileSync(path, 'utf8')) as Record<string, string>))
  .filter(
    ([sentence, german]) =>
      sentence !== german &&
      !sentence.includes('{{') &&
      sentence.split(' ').length > 2 &&
      sentence !== 'Shop checkout',
  )
  .map(([sentence]) => sentence)

const program = useProgramInBrowser()

/** Pictures to check whether the longer German words fit. */
async function takePicture(page: Page, path: string): Promise<void> {
  const folder = process.env['MILLRACE_PICTURES']
  if (folder !== undefined)
    await page.screenshot({ path: join(folder, `de${path.replaceAll(/\W+/g, '-').slice(0, 40)}.png`) })
}

test('German chosen in the settings applies at once on every screen, fits, and is kept after a reload', async () => {
  const { flowId, runId, requestId, connectorId, authId } = await fillProgram(program.served)
  const [builtIn] = await program.call<{ id: string }[]>('GET', '/v1/connectors?filter=name,eq,Playground')
  // It uses the words of a built-in connector, but belongs to the user.
  await program.call('PUT', `/v1/connectors/${connectorId}`, { short_description: 'What the shop sells' })
  const { page, problems, go } = await program.open({ path: '/settings' })
  await page.getByRole('switch', { name: 'Limit webhook request rate' }).click()
  await page.getByRole('combobox', { name: 'Language' }).click()
  await page.getByRole('option', { name: 'Deutsch' }).click()
  await page.getByRole('heading', { name: 'Einstellungen', level: 1 }).waitFor()
  // Unsaved changes are still there, but the language isn't one of them, because it is already saved.
  await page.getByText('Nicht gespeicherte Änderungen').waitFor()
  await page.locator('html[lang="de"]').waitFor()

  const screens: readonly (readonly [path: string, sign: string])[] = [
    ['/', 'Letzte Läufe'],
    ['/flows', 'Gestartet durch'],
    [`/flows/${flowId}?step=contacts`, 'Schritt hinzufügen'],
    [`/flows/${flowId}?view=settings`, 'Token verlangen'],
    ['/runs', 'Ergebnis'],
    [`/runs/${runId}`, 'Erneut ausführen'],
    [`/webhooks?request=${requestId}`, 'Gelesene Eingabe'],
    // Written by the program, in English.
    ['/webhooks?show=refused', 'Ungültiges Token: Das ist kein Token von Millrace'],
    ['/connectors', 'Herkunft'],
    [`/connectors/${builtIn?.id}`, 'Basis-URL und Zugang'],
    ['/auths', 'Playground of the shop'],
    [`/auths/${authId}`, 'Zugangsdaten testen'],
    ['/tokens?create=true', 'Rechte'],
    ['/env-variables', 'Neue Variable'],
    ['/data-tables', 'Neue Tabelle'],
    ['/files', 'Dateien hochladen'],
    ['/users', 'Lokaler Benutzer'],
    ['/pagination', 'Jeden Seitenabruf live verfolgen'],
    ['/reference', 'API durchsuchen'],
    ['/plugins', 'Noch keine Plug-ins'],
    ['/doctor', 'Es wurde nichts geändert'],
    ['/logs', 'Protokoll durchsuchen'],
    [`/open-link?flow=${flowId}`, 'Ein Link möchte den Flow'],
    ['/settings', 'Darstellung'],
  ]
  const found: string[] = []
  for (const [path, sign] of screens) {
    await go(path)
    await page.getByText(sign).or(page.getByLabel(sign)).filter({ visible: true }).first().waitFor()
    await takePicture(page, path)
    const lines = (await page.locator('body').innerText()).split('\n').map((line) => line.trim())
    found.push(...lines.filter((line) => english.includes(line)).map((line) => `${path}: ${line}`))
    const width = await page.evaluate(() => document.documentElement.scrollWidth)
    if (width > 1280) found.push(`${path}: ${width} px wide`)
    await page.keyboard.press('Escape')
    if (path.includes('create=')) await page.getByRole('dialog').waitFor({ state: 'detached' })
  }
  expect(found).toEqual([])

  await page.reload()
  await page.getByRole('heading', { name: 'Einstellungen', level: 1 }).waitFor()
  const other = await program.open({ path: '/settings' })
  await other.page.getByRole('heading', { name: 'Einstellungen', level: 1 }).waitFor()
  await other.page.getByRole('combobox', { name: 'Sprache' }).click()
  await other.page.getByRole('option', { name: 'English' }).click()
  // Both windows change their language.
  await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor()
  expect(problems).toEqual([])
})

test("in German, built-in connectors are translated, and the user's own keep their text", async () => {
  const [builtIn] = await program.call<Connector[]>('GET', '/v1/connectors?filter=name,eq,Playground')
  const actions = await program.call<Action[]>(
    'GET',
    `/v1/connector-actions?filter=connector_id,eq,${builtIn?.id}`,
  )
  const orders = actions.find(({ title }) => title === 'List orders')
  const own = await program.call<Connector>('POST', '/v1/connectors', {
    name: 'Warehouse',
    base_domain: builtIn?.base_domain,
    short_description: builtIn?.short_description,
  })
  const { name, title, method, endpoint, ui_form_schema } = orders ?? {}
  await program.call('POST', '/v1/connector-actions', {
    connector_id: own.id,
    name,
    title,
    method,
    endpoint,
    ui_form_schema,
  })
  await program.call('PUT', '/v1/settings', { language: 'de' })
  const { page, problems, go } = await program.open({ path: '/connectors' })
  await page.locator('html[lang="de"]').waitFor()

  const rowOf = (connector: string) => page.getByRole('row').filter({ hasText: connector })
  await rowOf('Warehouse').getByText(own.short_description).waitFor()
  await page.getByPlaceholder(/^Nach Name, Beschreibung/).fill('Playground')
  await rowOf('Playground').getByText('Eine Übungs-API').waitFor()

  const openAction = async (connector: Connector | undefined, wanted: string, help: string) => {
    await go(`/connectors/${connector?.id}`)
    await page.getByRole('link', { name: wanted, exact: true }).click()
    await page.getByRole('heading', { name: wanted, level: 2 }).waitFor()
    await page.getByRole('tab', { name: 'Ausprobieren', exact: true }).click()
    await page.getByText(help, { exact: true }).waitFor()
  }
  await openAction(own, 'List orders', 'Only orders with this status')
  await openAction(builtIn, 'Bestellungen auflisten', 'Nur Bestellungen mit diesem Status')

  await page.locator('footer').getByText('verbunden', { exact: true }).waitFor()
  await go('/flows')
  await page.getByRole('button', { name: 'Neu aus Beispiel' }).first().click()
  const samples = page.getByRole('dialog', { name: 'Neuer Flow aus einem Beispiel' })
  // It is found by its German text and by its English text.
  for (const words of ['blättert Cursor', 'tickets cursor']) {
    await samples.getByRole('searchbox').fill(words)
    await samples.getByText('Liest alle Tickets einer API, die mit einem Cursor blättert').waitFor()
  }
  await samples.getByRole('button', { name: 'Paginierung mit Cursor' }).waitFor()
  expect(problems).toEqual([])
})

interface Connector {
  readonly id: string
  readonly base_domain: string
  readonly short_description: string
}

interface Action {
  readonly name: string
  readonly title: string
  readonly method: string
  readonly endpoint: string
  readonly ui_form_schema: readonly unknown[]
}
