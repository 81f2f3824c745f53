import { readdirSync, readFileSync } from 'node:fs'
import type { ConnectorFile } from '../../src/shared/contract/connector-imports.ts'
import { isIdName } from '../../src/main/engine/imports/lookups.ts'

export interface LookupCount {
  readonly connector: string
  /** Fields of its actions' forms. */
  readonly fields: number
  /** Those that hold an ID of the service. */
  readonly ids: number
  /** Of these, as `action.field`, the ones in which an ID has to be typed. */
  readonly typed: readonly string[]
}

const FOLDER = new URL('../../resources/connectors/', import.meta.url)

/** How many form fields of the bundled connectors hold an ID of the service, and which of them aren't look-ups. */
export function countLookups(): readonly LookupCount[] {
  return readdirSync(FOLDER)
    .filter((file) => file.endsWith('.json'))
    .toSorted()
    .map((file): LookupCount => {
      const { actions } = JSON.parse(readFileSync(new URL(file, FOLDER), 'utf8')) as ConnectorFile
      const fields = actions.flatMap(({ name, ui_form_schema: form = [] }) =>
        form.map((field) => ({ action: name, name: field['name'] as string, type: field['type'] })),
      )
      const ids = fields.filter(({ name, type }) => type === 'lookup' || holdsId(name, file))
      return {
        connector: file.slice(0, -'.json'.length),
        fields: fields.length,
        ids: ids.length,
        typed: ids.flatMap(({ action, name, type }) => (type === 'lookup' ? [] : [`${action}.${name}`])),
      }
    })
}

/** IDs under other names. Those of files that Millrace keeps aren't the service's. */
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
