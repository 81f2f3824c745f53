import { z } from 'zod'
import type { Route, StreamRoute } from './route.ts'

/**
 * The name of an endpoint, derived from its path: `list_flows`, `create_team`, `restore_flow_version`. It names the
 * operation in the API's description and the action of the built-in connector "Millrace".
 */
export function operationName(route: Route | StreamRoute): string {
  if (route.name !== undefined) return route.name
  const segments = route.path.split('/').slice(2)
  const nouns = segments.filter((segment) => !segment.startsWith(':')).map(snake)
  const last = nouns.at(-1) ?? ''
  const owner = nouns.slice(0, -1).map(singular)
  if (segments.at(-1)?.startsWith(':')) return join(VERBS[route.method], ...owner, singular(last))
  if (route.method === 'GET')
    return answersList(route) ? join('list', ...owner, last) : join('read', ...owner, last)
  if (route.method === 'POST') {
    return last.endsWith('s') ? join('create', ...owner, singular(last)) : join(last, ...owner)
  }
  return join(VERBS[route.method], ...owner, last)
}

/** `PUT /v1/flows/:id` → `/v1/flows/{id}` */
export function pathTemplate(path: string): string {
  return path.replaceAll(/:([a-z_]+)/g, '{$1}')
}

const VERBS = { GET: 'read', POST: 'create', PUT: 'update', DELETE: 'delete' } as const

function answersList(route: Route | StreamRoute): boolean {
  return 'result' in route && route.result instanceof z.ZodArray
}

const join = (...words: readonly string[]) => words.join('_')
const snake = (segment: string) => segment.replaceAll('-', '_').replaceAll('.', '_')
const singular = (noun: string) => (noun === 'settings' ? noun : noun.replace(/s$/, ''))
