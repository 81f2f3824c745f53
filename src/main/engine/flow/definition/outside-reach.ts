/**
 * The outside systems that a flow may reach, as far as its definition shows. A value that a template computes can be
 * anything.
 */
import type { ReachKind } from '../../../../shared/contract/reach/flow-reach.ts'
import { type Step } from '../../../../shared/contract/steps.ts'
import { visitSteps } from './walk-steps.ts'

export interface Reached {
  readonly kind: ReachKind
  /** An ID, or the step's name for it. Null means any. */
  readonly value: string | null
  readonly refId: string
}

/** Known facts about the records that steps name. */
export interface KnownRecords {
  /** Base URLs of a connector as it is called with this auth; empty if it doesn't exist. */
  readonly basesOf: (connectorId: string, authId: string | null) => readonly string[]
  /** The permissions that a plug-in declares. */
  readonly pluginMay: (name: string) => { readonly origins: readonly string[]; readonly files: boolean }
}

const URL_FIELDS = ['url', 'status_url', 'download_url', 'cancel_url']
const AUTH_FIELDS = ['auth_id', 'dynamic_auth_id']
const RECIPIENT_FIELDS = ['to', 'cc', 'bcc']
const MAIL_TYPES = /_(?:email|person)$/

/** The kind of record that a field names, for all step types that have the field. */
const NAMED: readonly (readonly [field: string, kind: ReachKind, types: RegExp])[] = [
  ['path', 'file', /^(?:file_|folder_|write_records|read_cursor)/],
  ['file', 'file', /^sql/],
  ['program', 'program', /^run_program$/],
  ['table', 'table', /^data_table$/],
  ['flow_id', 'flow', /^run_flow$/],
  ['plugin', 'plugin', /^plugin/],
]

export function outsideReach(steps: readonly Step[], known: KnownRecords): Reached[] {
  return [...visitSteps(steps)].flatMap(({ step }) => [...reachedBy(step, known)])
}

function* reachedBy({ ref_id: refId, type, config }: Step, known: KnownRecords): Generator<Reached> {
  const text = (field: string) => {
    const value = config[field]
    return typeof value === 'string' && value.trim() !== '' ? value.trim() : null
  }
  const reached = (kind: ReachKind, value: string | null): Reached => ({ kind, value, refId })

  for (const field of AUTH_FIELDS) {
    const id = text(field)
    if (id !== null) yield reached('auth', fixed(id))
  }
  const connector = text('connector_id')
  if (connector !== null) {
    yield reached('connector', fixed(connector))
    const auth = text('dynamic_auth_id') ?? text('auth_id')
    const bases = known.basesOf(connector, auth === null ? null : fixed(auth))
    for (const base of bases) yield reached('host', hostOf(base))
    // Each auth can have its own base URL.
    if (auth !== null && fixed(auth) === null) yield reached('host', null)
  }
  for (const field of URL_FIELDS) {
    const url = text(field)
    if (url !== null) yield reached('host', hostOf(url))
  }
  for (const origin of originsIn(config['pagination'])) yield reached('host', hostOf(origin))
  if (MAIL_TYPES.test(type))
    for (const field of RECIPIENT_FIELDS)
      for (const address of addressesIn(config[field])) yield reached('email', fixed(address))
  for (const [field, kind, types] of NAMED) {
    const value = types.test(type) ? text(field) : null
    if (value !== null) yield reached(kind, fixed(value))
  }
  const plugin = type.startsWith('plugin') ? text('plugin') : null
  if (plugin === null) return
  const { origins, files } = known.pluginMay(plugin)
  for (const origin of origins) yield reached('host', hostOf(origin))
  if (files) yield reached('file', null)
}

const isTemplate = (text: string) => text.includes('{{') || text.includes('{%')
const fixed = (text: string) => (isTemplate(text) ? null : text)

/** The host of a URL, with its port; null if a template decides it. */
function hostOf(url: string): string | null {
  // linear: a prefix, and the characters up to the first that ends a host
  const [, authority = ''] = /^(?:[a-z][a-z0-9+.-]*:)?(?:\/\/)?([^/?#]*)/i.exec(url) ?? []
  const host = authority.slice(authority.lastIndexOf('@') + 1)
  return host === '' || isTemplate(url.slice(0, url.indexOf(host) + host.length)) ? null : host.toLowerCase()
}

function originsIn(pagination: unknown): string[] {
  return [pagination].flat().flatMap((one: unknown) => {
    const origins = (one as { readonly allowed_origins?: unknown } | null)?.allowed_origins
    return Array.isArray(origins) ? origins.filter((origin) => typeof origin === 'string') : []
  })
}

function addressesIn(value: unknown): string[] {
  return [value].flat().flatMap((one) => {
    if (typeof one !== 'string') return []
    if (isTemplate(one)) return [one]
    return one.split(',').flatMap((address) => (address.trim() === '' ? [] : [address.trim()]))
  })
}
