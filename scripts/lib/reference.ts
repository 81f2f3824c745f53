/**
 * The parts of `docs/reference` that are generated from the contract and the program's own tables. Each is between two
 * comments: `<!-- errors: written by npm run docs -->` and `<!-- end of errors -->`.
 */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { COMMANDS } from '../../src/main/headless/command-table.ts'
import { type CommandEntry, writtenArgument } from '../../src/main/headless/support/command-entry.ts'
import { EXIT, EXIT_HELP } from '../../src/main/host/machine/exit-codes.ts'
import { ERROR_HELP, ERROR_STATUS, type ErrorCode } from '../../src/shared/contract/base/errors.ts'
import type { JsonSchema } from '../../src/shared/contract/base/json-schema.ts'
import { LIMIT_HELP, LIMITS } from '../../src/shared/contract/base/limits.ts'
import { paginationConfigEntry } from '../../src/shared/contract/base/pagination-config.ts'
import {
  ENTITIES,
  isCovered,
  OPERATIONS,
  SCOPE_HELP,
  SCOPES,
  type ScopeName,
} from '../../src/shared/contract/base/scopes.ts'
import { createConnectorAuthRoute } from '../../src/shared/contract/connector-auths.ts'
import { MILLRACE_CONNECTOR_ID } from '../../src/shared/contract/connectors.ts'
import { createEnvVariableRoute } from '../../src/shared/contract/env-variables.ts'
import { pluginManifest } from '../../src/shared/contract/plugins/manifest.ts'
import { DEFAULT_FLOW_SETTINGS, flowSettings } from '../../src/shared/contract/flows.ts'
import { DEFAULT_SETTINGS, settings } from '../../src/shared/contract/settings.ts'
import {
  childListsOf,
  definitionOf,
  STEP_CONFIGS,
  STEP_TYPES,
} from '../../src/shared/contract/step-types/index.ts'
import { step } from '../../src/shared/contract/steps.ts'
import { ROOT } from './build.ts'
import { readText } from './read-text.ts'
import { writeReadmeNumbers, writeRecorded } from './recorded-figures.ts'

const PART = /(<!-- ([a-z-]+): written by npm run docs -->\n)[\s\S]*?(<!-- end of \2 -->)/g

/** The files with their generated parts up to date. */
export function writeReference(): readonly { readonly path: string; readonly text: string }[] {
  const pages = globSync(['docs/reference/*.md', 'docs/internals/numbers.md', 'README.md'], {
    cwd: ROOT,
  }).map((name) => {
    return { path: join(ROOT, name), text: withParts(readText(name)) }
  })
  const manifest = z.toJSONSchema(pluginManifest, { io: 'input' })
  const schema = join(ROOT, 'packages/plugin/manifest.schema.json')
  return [...pages, { path: schema, text: `${JSON.stringify(manifest, null, 2)}\n` }]
}

const withParts = (page: string) =>
  page.replaceAll(
    PART,
    (_all, begin: string, part: string, end: string) => `${begin}\n${writePart(part)}\n\n${end}`,
  )

function writePart(name: string): string {
  if (name.startsWith('bench-')) return writeRecorded(name.slice('bench-'.length))
  const write = PARTS[name]
  if (write === undefined)
    throw new Error(`No part of the reference is called "${name}"; see PARTS in reference.ts`)
  return write()
}

const PARTS: Readonly<Record<string, () => string>> = {
  'readme-numbers': writeReadmeNumbers,
  'step-types': () =>
    table(
      ['step', 'what it does'],
      STEP_TYPES.map((type) => [`\`${type}\``, metaOf(type).description]),
    ),
  'step-keys': () => fields(schemaOf(step)),
  'step-configs': () => STEP_TYPES.map(writeStep).join('\n\n'),
  'pagination-keys': () =>
    table(
      ['key', 'what it does'],
      propertiesOf(schemaOf(paginationConfigEntry)).map(([key, { description = '' }]) => [
        `\`${key}\``,
        description,
      ]),
    ),
  connectors: writeConnectors,
  'credential-fields': () => fields(schemaOf(createConnectorAuthRoute.body)),
  'program-settings': () => fields(schemaOf(settings), DEFAULT_SETTINGS),
  'flow-settings': () => fields(schemaOf(flowSettings), DEFAULT_FLOW_SETTINGS),
  'variable-fields': () => fields(schemaOf(createEnvVariableRoute.body)),
  scopes: writeScopes,
  limits: () =>
    table(
      ['limit', 'value'],
      Object.entries(LIMIT_HELP).map(([name, [what, unit]]) => [
        what,
        `${LIMITS[name as keyof typeof LIMITS].toLocaleString('en')} ${unit}`,
      ]),
    ),
  // Each has a heading, which `doc_url` names.
  errors: () =>
    Object.entries(ERROR_HELP)
      .map(
        ([code, [when, remedy]]) =>
          `### \`${code}\`\n\nStatus ${ERROR_STATUS[code as ErrorCode]}. ${when} ${remedy}`,
      )
      .join('\n\n'),
  commands: () => COMMANDS.map(writeCommand).join('\n\n'),
  'exit-codes': () =>
    table(
      ['code', 'meaning'],
      Object.entries(EXIT_HELP).map(([name, meaning]) => [String(EXIT[name as keyof typeof EXIT]), meaning]),
    ),
}

interface StepMeta {
  readonly description: string
  readonly examples: readonly object[]
}

function metaOf(type: keyof typeof STEP_CONFIGS): StepMeta {
  return STEP_CONFIGS[type].meta() as unknown as StepMeta
}

/** A complete step of each type, as its page shows it. */
export function exampleOfStep(type: keyof typeof STEP_CONFIGS): Readonly<Record<string, unknown>> {
  const lists = Object.fromEntries(
    childListsOf(type).map((name) => [name, name === 'cases' ? [{ label: 'DE', steps: [] }] : []]),
  )
  return {
    ref_id: type === 'switch' ? 'by_country' : `${type}1`,
    type,
    config: metaOf(type).examples[0],
    ...lists,
  }
}

const listed = new Intl.ListFormat('en')

function writeStep(type: keyof typeof STEP_CONFIGS): string {
  const { description } = metaOf(type)
  const result = definitionOf(type)?.result.description ?? ''
  const lists = childListsOf(type).map((name) => `\`${name}\``)
  const keys =
    propertiesOf(schemaOf(STEP_CONFIGS[type])).length === 0
      ? ''
      : `${fields(schemaOf(STEP_CONFIGS[type]))}\n\n`
  return [
    `### \`${type}\`\n\n${description}`,
    lists.length === 0 ? '' : ` Besides \`config\`, it has ${listed.format(lists)}.`,
    `\n\n${keys}**Result:** ${result}\n\n`,
    `\`\`\`json step\n${JSON.stringify(exampleOfStep(type), null, 2)}\n\`\`\``,
  ].join('')
}

function writeScopes(): string {
  const mark = (scope: string, entity: (typeof ENTITIES)[number]) =>
    OPERATIONS.filter((operation) => isCovered([scope], entity, operation)).join(', ')
  return table(
    ['scope', 'allows', 'for'],
    SCOPES.map((scope) => {
      const allowed = ENTITIES.flatMap((entity) => {
        const operations = entity === 'webhooks' ? (mark(scope, entity) ? 'start' : '') : mark(scope, entity)
        return operations === '' ? [] : [`${entity.replaceAll('_', ' ')}: ${operations}`]
      })
      return [`\`${scope}\``, allowed.join('; ') || 'nothing', SCOPE_HELP[scope as ScopeName] ?? '']
    }),
  )
}

interface ConnectorFile {
  readonly connector: {
    readonly id: string
    readonly name: string
    readonly short_description: string
    readonly auth_config?: { readonly auth_types?: readonly string[] }
    readonly pagination_config: unknown
    readonly external_docs: string
  }
  readonly actions: readonly {
    readonly name: string
    readonly title?: string
    readonly short_description?: string
    readonly supports_automatic_pagination?: boolean
  }[]
}

function writeConnectors(): string {
  const checks = Object.values(
    JSON.parse(readFileSync(join(ROOT, 'resources/connector-checks.json'), 'utf8')) as Record<
      string,
      {
        readonly id: string
        readonly against: string
        readonly version?: string
        readonly checked_on?: string
      }
    >,
  )
  const files = globSync('resources/connectors/*.json', { cwd: ROOT }).map(
    (name) => JSON.parse(readFileSync(join(ROOT, name), 'utf8')) as ConnectorFile,
  )
  return files
    .toSorted((a, b) => a.connector.name.localeCompare(b.connector.name, 'en'))
    .map(({ connector, actions }) => {
      const types = (connector.auth_config?.auth_types ?? []).map((type) => `\`${type}\``)
      const about = [
        connector.short_description.replace(/[^.]$/, '$&.'),
        `Credentials: ${types.join(', ') || 'any type'}.`,
        connector.pagination_config === null ? 'Lists are read in one call.' : 'Lists are read page by page.',
        ...checks
          .filter(({ id, checked_on }) => id === connector.id && checked_on !== undefined)
          .map(
            ({ against, version, checked_on }) =>
              `Checked against ${against}${version === undefined ? '' : ` (${version})`} on ${checked_on}.`,
          ),
      ].join(' ')
      const rows = actions.map((one) => [
        `\`${one.name}\``,
        one.title || one.short_description || '',
        one.supports_automatic_pagination === true ? 'yes' : '',
      ])
      // Millrace's own connector has too many actions for a table: one for each endpoint.
      const list =
        connector.id === MILLRACE_CONNECTOR_ID
          ? `It has ${actions.length} actions, one for each endpoint of the [API](api.md).`
          : table(['action', 'what it does', 'all pages'], rows)
      return `### ${connector.name}\n\n${about}\n\n${list}`
    })
    .join('\n\n')
}

function writeCommand({
  name,
  summary,
  details,
  arguments: given = [],
  options = [],
  examples,
}: CommandEntry): string {
  const inputs = given.map(writtenArgument)
  const rows = [
    ...given.map((one, index) => [`\`${inputs[index]}\``, one.description]),
    ...options.map(({ flags, description, required, default: value }) => [
      `\`${flags}\``,
      `${required ? 'required; ' : ''}${description}${value === undefined ? '' : ` (default: \`${value}\`)`}`,
    ]),
  ]
  const about = `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.${details === undefined ? '' : ` ${details}`}`
  return [
    `### \`${name}\``,
    about,
    ...(rows.length === 0 ? [] : [table(['argument or option', 'meaning'], rows)]),
    `\`\`\`sh\n${examples.join('\n')}\n\`\`\``,
  ].join('\n\n')
}

const schemaOf = (schema: z.ZodType) =>
  z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any', cycles: 'ref' }) as unknown as JsonSchema

/** Properties of the schema, or of a schema it refers to. */
function propertiesOf(schema: JsonSchema): readonly (readonly [key: string, property: JsonSchema])[] {
  const defs = (schema as { readonly $defs?: Readonly<Record<string, JsonSchema>> }).$defs ?? {}
  const named = schema.$ref === undefined ? schema : (defs[schema.$ref.split('/').at(-1) ?? ''] ?? schema)
  return Object.entries(named.properties ?? {})
}

/** One row per key; the keys of a nested object follow it. */
function fields(schema: JsonSchema, defaults: Readonly<Record<string, unknown>> = {}): string {
  return table(['key', 'type', 'default', 'meaning'], rowsOf(schema, '', defaults))
}

function rowsOf(
  schema: JsonSchema,
  before: string,
  defaults: Readonly<Record<string, unknown>>,
): readonly string[][] {
  const required = new Set(schema.required)
  return propertiesOf(schema).flatMap(([key, property]) => {
    const standard = key in defaults ? defaults[key] : property.default
    const row = [
      `\`${before}${key}\``,
      typeOf(property),
      standard !== undefined ? `\`${JSON.stringify(standard)}\`` : required.has(key) ? 'required' : '',
      property.description ?? '',
    ]
    const inside = insideOf(property)
    return inside === null ? [row] : [row, ...rowsOf(inside.schema, `${before}${key}${inside.path}`, {})]
  })
}

/** The object schema of a property or of its list items; pagination configurations have a separate page. */
function insideOf(property: JsonSchema): { readonly schema: JsonSchema; readonly path: string } | null {
  const candidates = [property, ...(property.anyOf ?? [])]
  const object = candidates.find(
    (one) => one.properties !== undefined && !('response_jsonpath' in one.properties),
  )
  if (object !== undefined) return { schema: object, path: '.' }
  const list = candidates.find((one) => one.items?.properties !== undefined)?.items
  return list === undefined || 'response_jsonpath' in (list.properties ?? {})
    ? null
    : { schema: list, path: '[].' }
}

function typeOf(schema: JsonSchema): string {
  if (schema.const !== undefined) return `\`${JSON.stringify(schema.const)}\``
  if (schema.enum !== undefined) return schema.enum.map((value) => `\`${String(value)}\``).join(', ')
  if (schema.anyOf !== undefined) return [...new Set(schema.anyOf.map(typeOf))].join(' or ')
  switch (schema.type) {
    case 'array':
      return schema.items === undefined || schema.items.$ref !== undefined
        ? 'list'
        : `list of ${typeOf(schema.items)}`
    case 'integer':
    case 'number':
      return withRange(schema)
    case 'object':
    case 'string':
    case 'boolean':
    case 'null':
      return schema.type
    default:
      return 'JSON'
  }
}

function withRange({ type, minimum, maximum }: JsonSchema): string {
  const from = minimum === undefined || minimum < -1e15 ? null : minimum.toLocaleString('en')
  const to = maximum === undefined || maximum > 1e15 ? null : maximum.toLocaleString('en')
  const range =
    from === null
      ? to === null
        ? ''
        : `, at most ${to}`
      : to === null
        ? `, at least ${from}`
        : `, ${from} to ${to}`
  return `${String(type)}${range}`
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', String.raw`\|`)).join(' | ')} |`
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join('\n')
}
