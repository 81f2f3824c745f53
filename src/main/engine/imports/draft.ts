/** The plan of an import before anything is created: a connector, its actions, and the parts left out, with reasons. */
import { englishOf, SAID, type Said, type Spoken } from '../../../shared/contract/base/message.ts'
import type { Json } from '../../../shared/contract/base/common.ts'
import type {
  ActionDraft,
  ConnectorDraft,
  ImportNote,
  LeftOut,
} from '../../../shared/contract/connector-imports.ts'
import { hasTags } from '@millrace/jinja'

export interface ImportPlan {
  readonly connector: ConnectorDraft
  readonly actions: readonly ActionDraft[]
  readonly left_out: readonly LeftOut[]
  /** Remarks on the imported parts. */
  readonly notes?: readonly ImportNote[]
}

export type ImportDraft = ReturnType<typeof createDraft>

/** Nobody wants more actions than this in one connector, and a form that lists them would be unusable. */
export const MAX_ACTIONS = 500

export function createDraft() {
  const actions: ActionDraft[] = []
  const leftOut: (LeftOut & Spoken)[] = []
  const notes: (ImportNote & Spoken)[] = []
  const names = new Set<string>()
  return {
    actions,
    leftOut,
    notes,
    /** Returns a snake_case name that no other action of this import has. */
    nameFor(text: string): string {
      const base = snakeCase(text)
      let name = base
      for (let number = 2; names.has(name); number++) name = `${base}_${number}`
      names.add(name)
      return name
    },
    leaveOut: (item: string, reason: Said) =>
      void leftOut.push({ item: item.slice(0, 300), reason: englishOf(reason), [SAID]: reason }),
    note: (item: string, note: Said) =>
      void notes.push({ item: item.slice(0, 300), note: englishOf(note), [SAID]: note }),
  }
}

/** `GET /users/{id}` → `get_users_id`, `listPets` → `list_pets` */
export function snakeCase(text: string): string {
  const words = text
    .normalize('NFKD')
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_')
    .replaceAll(/^_|_$/g, '')
    .slice(0, 90)
  return /^[a-z]/.test(words) ? words : `call_${words || 'api'}`
}

/** `list_pets` → `List pets` */
export function titleCase(name: string): string {
  const words = name.replaceAll('_', ' ').trim()
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** A template that fails when it is rendered, with a message that says what is missing. */
export function notImported(what: string): string {
  const text = what.replaceAll(/[\\'\r\n{}%#]/g, ' ').slice(0, 600)
  return `{{ not_imported('${text}') }}`
}

/** A template that renders to exactly this string. */
export function literal(text: string): string {
  return hasTags(text) ? text.replaceAll(/\{(?=[{%#])/g, "{{ '{' }}") : text
}

export function literals(value: unknown): Json {
  if (typeof value === 'string') return literal(value)
  if (Array.isArray(value)) return value.map(literals)
  if (typeof value !== 'object' || value === null) return value as Json
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, literals(part)]))
}

/** A name that templates can read: `X-Trace-Id` → `x_trace_id`. */
export const inputName = (name: string): string =>
  /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) ? name : snakeCase(name)

/** Whether a header or query parameter carries credentials, so that its value is never imported. */
export const isSecretName = (name: string): boolean =>
  /^(?:authorization|proxy-authorization|cookie|x-api-key|api[-_]?key|x-auth-token|access[-_]?token|auth[-_]?token|token|key|secret|client[-_]secret|password|signature|sig)$/i.test(
    name,
  )
