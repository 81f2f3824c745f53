import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { expect, test } from 'vitest'
import { readAuthFields, readSchemaFields } from '../../../src/renderer/lib/schema-fields.ts'
import type { SchemaField } from '../../../src/renderer/lib/schema-fields.ts'
import { germanOfConnectors, germanOfSamples } from '../../../src/renderer/locales/de/index.ts'

const FOLDER = join(import.meta.dirname, '../../../resources/connectors')

interface CatalogueEntry {
  readonly connector: {
    readonly short_description: string
    readonly long_description: string
    readonly auth_config: {
      readonly auth_form?: unknown
      readonly scope_choices?: readonly { readonly label: string }[]
    }
  }
  readonly actions: readonly {
    readonly title: string
    readonly tag: string
    readonly short_description: string
    readonly ui_form_schema: unknown
  }[]
}

/** The Millrace connector is generated from the contract, and is in English like the API reference. */
const said = globSync(`${FOLDER}/*.json`)
  .filter((path) => basename(path) !== 'millrace.json')
  .flatMap((path) => {
    const { connector, actions } = JSON.parse(readFileSync(path, 'utf8')) as CatalogueEntry
    return [
      connector.short_description,
      connector.long_description,
      ...textsOf(readAuthFields(connector.auth_config.auth_form)),
      ...(connector.auth_config.scope_choices ?? []).map(({ label }) => label),
      ...actions.flatMap(({ title, tag, short_description: purpose, ui_form_schema: schema }) => [
        title,
        tag,
        purpose,
        ...textsOf(readSchemaFields(schema)),
      ]),
    ]
  })
  .filter((text) => text !== '')

const ofSamples = globSync(join(FOLDER, '../samples/*.json')).flatMap((path) => {
  const sample = JSON.parse(readFileSync(path, 'utf8')) as Record<'name' | 'description' | 'teaches', string>
  return [sample.name, sample.description, sample.teaches]
})
/** The texts of their requests, of which those that a person would write are translated. */
const ofRequests = globSync(join(FOLDER, '../samples/*.json'))
  .map((path) =>
    JSON.stringify((JSON.parse(readFileSync(path, 'utf8')) as { sample_request: unknown }).sample_request),
  )
  .join('\n')

test('every label, help text and description of the built-in connectors has a German translation', () => {
  expect(said.length).toBeGreaterThan(1_000)
  expect([...new Set(said)].filter((text) => !Object.hasOwn(germanOfConnectors, text))).toEqual([])
})

test('the name and the descriptions of each sample flow have a German translation', () => {
  expect(ofSamples.filter((text) => !Object.hasOwn(germanOfSamples, text))).toEqual([])
})

test('no German translation is unused or empty', () => {
  const known = new Set([...said, ...ofSamples])
  expect(
    Object.entries({ ...germanOfConnectors, ...germanOfSamples }).filter(
      ([english, german]) => !(known.has(english) || ofRequests.includes(english)) || german.trim() === '',
    ),
  ).toEqual([])
})

function textsOf(fields: readonly SchemaField[]): readonly string[] {
  return fields.flatMap(({ label, help, placeholder, options, fields: nested }) => [
    label,
    // A single word is an example of a value: `contacts/42`.
    ...[help, placeholder].filter((text) => /\s/.test(text)),
    ...options.filter((option) => option.label !== option.value).map((option) => option.label),
    ...textsOf(nested),
  ])
}
