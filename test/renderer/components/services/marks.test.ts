import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { brandOf } from '../../../../src/renderer/components/services/brands.ts'
import { monogramsOf, type Named } from '../../../../src/renderer/components/services/monograms.ts'

const CONNECTORS = new URL('../../../../resources/connectors/', import.meta.url)

const bundled = readdirSync(CONNECTORS).map((file): Named => {
  const { connector } = JSON.parse(readFileSync(new URL(file, CONNECTORS), 'utf8')) as { connector: Named }
  return { id: connector.id, name: connector.name, built_in: true, created_at: '2026-01-01T00:00:00.000Z' }
})

test('services have the mark of their brand by the first words of a name', () => {
  const names = ['HubSpot', 'hubspot EU', 'Google Sheets', 'Stripe: shop', 'Notions', 'My Stripe', 'Slack']
  expect(names.map((name) => [name, brandOf(name) !== undefined])).toEqual([
    ['HubSpot', true],
    ['hubspot EU', true],
    ['Google Sheets', true],
    ['Stripe: shop', true],
    ['Notions', false],
    ['My Stripe', false],
    ['Slack', false],
  ])
  expect(brandOf('Google Sheets')?.path).not.toBe(brandOf('Google Drive')?.path)
})

test('each mark is drawn', () => {
  const names = bundled.map(({ name }) => name).filter((name) => brandOf(name) !== undefined)
  expect(names.filter((name) => !/^[Mm]\d/.test(brandOf(name)?.path ?? ''))).toEqual([])
  expect(names.length).toBe(22)
})

test('a brand that is too pale or too dark for a theme is darkened or lightened in it, others keep their color', () => {
  expect(brandOf('Stripe')).toMatchObject({ light: 'rgb(99 91 255)', dark: 'rgb(99 91 255)' })
  expect(brandOf('Notion')).toMatchObject({ light: 'rgb(0 0 0)', dark: 'rgb(217 217 217)' })
})

test('no two services share letters and color, and a new one changes none', () => {
  const own = Array.from({ length: 300 }, (_, index): Named => ({
    id: `own ${index}`,
    name: ['Google Ads', 'Outlook', 'Warehouse', 'Ä', '仓库', '42'][index % 6] ?? '',
    built_in: false,
    created_at: new Date(1_760_000_000_000 + index).toISOString(),
  }))
  const all = [...bundled, ...own]
  const monograms = monogramsOf(all)
  const looks = [...monograms.values()].map(({ letters, hue }) => `${letters} ${hue}`)
  expect({ known: monograms.size, different: new Set(looks).size }).toEqual({
    known: all.length,
    different: all.length,
  })
  const before = monogramsOf(all.slice(0, -1))
  expect(all.slice(0, -1).filter(({ id }) => before.get(id)?.letters !== monograms.get(id)?.letters)).toEqual(
    [],
  )
})

test('bundled services without a brand icon have letters of their own', () => {
  const without = bundled.filter(({ name }) => brandOf(name) === undefined)
  const monograms = monogramsOf(bundled)
  const letters = Object.fromEntries(without.map(({ id, name }) => [name, monograms.get(id)?.letters]))
  expect(letters).toMatchObject({
    Outlook: 'OU',
    'Outlook Calendar': 'OC',
    OneDrive: 'ON',
    'Microsoft Graph': 'MG',
  })
  expect(new Set(Object.values(letters)).size).toBe(without.length)
})
