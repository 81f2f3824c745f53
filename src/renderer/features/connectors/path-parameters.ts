/**
 * Paths as API references write them: `users/{id}`. What is stored is a template, which encodes the value so that it cannot
 * leave its segment. Any other template appears as it is, and both directions give back what went in.
 */
import type { Action } from '../../../shared/contract/connectors.ts'

/** The path of a stored endpoint. */
export function toPath(endpoint: string): string {
  const path = endpoint.replaceAll(STORED, (_, name: string) => `{${name}}`)
  return toTemplate(path) === endpoint ? path : endpoint
}

/** What is stored for a path that was typed in place of an endpoint. */
export function toEndpoint(path: string, before: string): string {
  // Braces that were stored as they are, which no path of an API has, stay so.
  return toTemplate(toPath(before)) === before ? toTemplate(path) : path
}

/** Gives each parameter of the path a field in the action's form. */
export function withPathFields<T extends EndpointAndForm>(action: T): T {
  const fields = action.ui_form_schema ?? []
  const known = new Set(fields.map((field) => field['name']))
  const names = [...action.endpoint.matchAll(STORED)].map(([, name = '']) => name)
  const missing = [...new Set(names)].filter((name) => !known.has(name))
  if (missing.length === 0) return action
  const added = missing.map((name) => ({ name, label: labelOf(name), type: 'text', required: true }))
  return { ...action, ui_form_schema: [...added, ...fields] }
}

interface EndpointAndForm {
  readonly endpoint: string
  readonly ui_form_schema?: Action['ui_form_schema'] | undefined
}

function toTemplate(path: string): string {
  return path.replaceAll(TYPED, (_, name: string) => `{{ input.${name} | urlencode | replace('/', '%2F') }}`)
}

/** Not within `{{ … }}`. */
const TYPED = /(?<!\{)\{([A-Za-z_]\w*)\}(?!\})/g
const STORED = /\{\{ input\.([A-Za-z_]\w*) \| urlencode \| replace\('\/', '%2F'\) \}\}/g

/** `order_id` as `Order id` */
function labelOf(name: string): string {
  const words = name
    .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    .replaceAll('_', ' ')
    .trim()
    .toLowerCase()
  return words.charAt(0).toUpperCase() + words.slice(1)
}
