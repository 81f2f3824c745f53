import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ConnectorFile } from '../../src/shared/contract/connector-imports.ts'
import { planImport } from '../../src/main/engine/imports/index.ts'
import { isIdName } from '../../src/main/engine/imports/lookups.ts'

export interface LookupCount {
  readonly connector: string
  /** Number of fields in its actions' forms. */
  readonly fields: number
  /** Number of fields that hold an ID of the service. */
  readonly ids: number
  /** Of these, the ones in which an ID has to be typed, as `action.field`. */
  readonly typed: readonly string[]
}

const FOLDER = new URL('../../resources/connectors/', import.meta.url)

/** How many form fields of the bundled connectors hold an ID of the service, and which of them aren't look-ups. */
export function countBundled(): readonly LookupCount[] {
  return readdirSync(FOLDER)
    .filter((file) => file.endsWith('.json'))
    .toSorted()
    .map((file): LookupCount => {
      const { actions } = JSON.parse(readFileSync(new URL(file, FOLDER), 'utf8')) as ConnectorFile
      const isId = ({ name, type }: FormField) => type === 'lookup' || holdsId(name, file)
      return countIn(file.slice(0, -'.json'.length), actions, isId)
    })
}

/**
 * The same for connectors imported from the descriptions in a folder. Doesn't count fields that only choose the parent
 * of a list.
 */
export function countImported(folder: string): readonly LookupCount[] {
  return readdirSync(folder)
    .toSorted()
    .map((file): LookupCount => {
      const { actions } = planImport(readFileSync(join(folder, file), 'utf8'))
      const isId = ({ name, type, help }: FormField) =>
        isIdName(name) &&
        !['switch', 'nested_object'].includes(String(type)) &&
        !String(help).startsWith('Only to choose')
      return countIn(file, actions, isId)
    })
}

interface FormField {
  readonly name: string
  readonly type: unknown
  readonly help: unknown
}

function countIn(
  connector: string,
  actions: readonly Pick<ConnectorFile['actions'][number], 'name' | 'ui_form_schema'>[],
  isId: (field: FormField) => boolean,
): LookupCount {
  const fields = actions.flatMap(({ name: action, ui_form_schema: form = [] }) =>
    form.map(({ name, type, help }) => ({ action, name: typeof name === 'string' ? name : '', type, help })),
  )
  const ids = fields.filter(isId)
  return {
    connector,
    fields: fields.length,
    ids: ids.length,
    typed: ids.flatMap(({ action, name, type }) => (type === 'lookup' ? [] : [`${action}.${name}`])),
  }
}

/** IDs under other names. IDs of files that Millrace keeps aren't the service's. */
const OTHER_NAMES: Readonly<Record<string, readonly string[]>> = {
  airtable: ['table', 'view'],
  anthropic: ['model'],
  asana: ['workspace', 'project'],
  elasticsearch: ['index'],
  github: ['owner', 'repo', 'number'],
  gitlab: ['project', 'iid'],
  jira: ['key', 'project', 'issue_type'],
  mailchimp: ['email_address'],
  millrace: ['ref_id'],
  openai: ['model'],
  salesforce: ['object'],
  slack: ['channel', 'user', 'thread_ts', 'ts'],
  stripe: ['customer', 'charge'],
}

function holdsId(name: string, file: string): boolean {
  if (OTHER_NAMES[file.slice(0, -'.json'.length)]?.includes(name) === true) return true
  return isIdName(name) && file !== 'sftp.json' && file !== 'http.json'
}
