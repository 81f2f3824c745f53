import { expect, test } from 'vitest'
import type { Route, StreamRoute } from '../../src/shared/contract/base/route.ts'
import { ROUTES, STREAM_ROUTES } from '../../src/shared/contract/routes.ts'
import { isCovered, SCOPES } from '../../src/shared/contract/base/scopes.ts'

/** The specification's table by path: the scopes that cover it, and those that only allow reading. */
const COVERED_BY: Record<string, { readonly by: string; readonly readBy?: string }> = {
  '/v1/flows': { by: 'automation' },
  '/v1/flow-sources': { by: 'automation' },
  '/v1/flow-runs': { by: 'automation' },
  '/v1/flow-tests': { by: 'automation' },
  '/v1/flow-samples': { by: 'automation' },
  '/v1/plugins': { by: 'automation' },
  '/v1/flow-run-steps': { by: 'automation' },
  '/v1/webhook-requests': { by: 'automation' },
  '/v1/webhook-holds': { by: 'automation' },
  '/v1/events': { by: 'automation' },
  '/v1/figures': { by: 'automation' },
  '/v1/connector-auths': { by: 'connector_auth', readBy: 'automation' },
  '/v1/env-variables': { by: 'company', readBy: 'automation' },
  '/v1/data-tables': { by: 'company', readBy: 'automation' },
  '/v1/file-uploads': { by: 'company', readBy: 'automation' },
  '/v1/users': { by: 'company' },
  '/v1/teams': { by: 'company' },
  '/v1/settings': { by: 'company' },
  '/v1/alarms': { by: 'company' },
  '/v1/data-folder': { by: 'company' },
  '/v1/port': { by: 'company' },
  '/v1/tunnel': { by: 'company' },
  '/v1/doctor': { by: 'company' },
  '/v1/metrics': { by: 'company' },
  '/v1/connectors': { by: 'connectors' },
  '/v1/connector-actions': { by: 'connectors' },
  '/v1/pagination-tests': { by: 'connectors' },
}

/** Paths where no scope of an entity decides. */
const BY_RULE: Record<string, string> = {
  'GET /v1/health': 'open',
  'GET /v1/meta': 'open',
  'GET /v1/openapi.json': 'open',
  'GET /v1/schemas/flow.json': 'open',
  'GET /v1/personal-access-tokens': 'list-tokens',
  'POST /v1/personal-access-tokens': 'manage-tokens',
  'POST /v1/personal-access-tokens/:id/regenerate': 'manage-tokens',
  'DELETE /v1/personal-access-tokens/:id': 'manage-tokens',
  'POST /v1/personal-access-tokens/check': 'session',
  'POST /v1/database/backup': 'session',
  'POST /v1/database/restore': 'session',
  'POST /v1/stop': 'session',
  'POST /v1/plugins': 'session',
  'POST /v1/plugins/:name/confirm': 'session',
  'DELETE /v1/plugins/:name': 'session',
  'POST /v1/alarms': 'session',
  'PUT /v1/alarms/:id': 'session',
  'DELETE /v1/alarms/:id': 'session',
  'PUT /v1/port': 'session',
  'GET /v1/logs': 'session',
  'GET /v1/calls': 'session',
  'PUT /v1/tunnel': 'session',
  'POST /v1/tunnel/start': 'session',
  'POST /v1/tunnel/stop': 'session',
  'POST /v1/sign-in-codes': 'session',
  'POST /v1/sign-in-codes/exchange': 'open',
  'GET /v1/page-sessions': 'list-tokens',
  'GET /v1/page-sessions/current': 'any-token',
  'POST /v1/page-sessions/sign-in': 'open',
  'POST /v1/page-sessions/sign-out': 'any-token',
  'POST /v1/page-sessions/links': 'session',
  'DELETE /v1/page-sessions/:id': 'manage-tokens',
  'POST /v1/imports/read-url': 'session',
  'POST /v1/data-keys/export': 'session',
  'POST /v1/data-keys/import': 'session',
  'POST /v1/templates/render': 'any-token',
  'POST /v1/templates/preview': 'any-token',
  'GET /v1/templates/completions': 'any-token',
  'GET /v1/users/me': 'any-token',
}

/** Routes below one record that return records of another kind, and require that kind's scopes. */
const ABOUT_OTHERS: Record<string, string> = { '/v1/connector-auths/:id/flows': '/v1/flows' }

/** POST routes that only read. */
const READING_POSTS = new Set([
  'POST /v1/connectors/:id/search',
  'POST /v1/flows/:id/check',
  'POST /v1/flow-sources/check',
  'POST /v1/flows/:id/schedule/preview',
])

/** GET routes whose response lets its reader change the record. */
const CHANGING_GETS = new Set(['GET /v1/flow-runs/:id/questions'])

/** DELETE routes that remove part of a record, which changes it. */
const CHANGING_DELETES = new Set([
  'DELETE /v1/flows/:id/breakpoints/:ref_id',
  'DELETE /v1/flows/:id/forward',
  'DELETE /v1/flows/:id/hold',
  'DELETE /v1/flows/:id/pins/:ref_id',
  'DELETE /v1/flows/:id/tests/:name',
])

function expected(name: string, path: string): string {
  const collection = ABOUT_OTHERS[path] ?? path.split('/').slice(0, 3).join('/')
  const covered = COVERED_BY[collection]
  if (BY_RULE[name] !== undefined) return BY_RULE[name]
  if (covered === undefined) return 'no rule: add the route to this table'
  const { by, readBy } = covered
  if (name.startsWith('DELETE') && !CHANGING_DELETES.has(name)) return by
  const reads = READING_POSTS.has(name) || (name.startsWith('GET') && !CHANGING_GETS.has(name))
  if (!reads) return `${by} ${by}:manage`
  return [...(readBy ? [readBy] : []), by]
    .flatMap((scope) => [scope, `${scope}:manage`, `${scope}:view`])
    .join(' ')
}

function actual({ access }: Route | StreamRoute): string {
  if (typeof access === 'string') return access
  return SCOPES.filter((scope) => isCovered([scope], access.entity, access.operation)).join(' ')
}

test('each route requires the scopes that the specification assigns to what it accesses', () => {
  const routes: readonly (Route | StreamRoute)[] = [...ROUTES, ...STREAM_ROUTES]
  const named = routes.map((route) => [`${route.method} ${route.path}`, route] as const)
  expect(Object.fromEntries(named.map(([name, route]) => [name, actual(route)]))).toEqual(
    Object.fromEntries(named.map(([name, { path }]) => [name, expected(name, path)])),
  )
})
