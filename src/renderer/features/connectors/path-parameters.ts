/**
 * Paths as API references write them: `users/{id}`. The stored form is a template that encodes the value so that it
 * can't leave its segment. Any other template appears unchanged, and both directions are lossless.
 */
import type { Action } from '../../../shared/contract/connectors.ts'

/** The path of a stored endpoint. */
export function toPath(endpoint: string): string {
  const path = endpoint.replaceAll(STORED, (_, name: string) => `{${name}}`)
  return toTemplate(path) === endpoint ? path : endpoint
}

/** The stored form of a path that was typed as an endpoint. */
export function toEndpoint(path: string, before: string): string {
  // Literal braces, which no API's path has, stay as they are.
  return toTemplate(toPath(before)) === before ? toTemplate(path) : path
}

/** Adds a field to the action's form for each parameter of the path. */
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

/** Not inside `{{ … }}`. */
// linear: looks at one character before and after a name
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
