/** The main jobs of an integrator, with the types that `openapi-typescript` generates. */
import createClient from 'openapi-fetch'
import type { components, paths } from './generated/openapi-typescript'

type Step = components['schemas']['Step']

export async function jobs(baseUrl: string, token: string, listUrl: string): Promise<unknown> {
  const api = createClient<paths>({ baseUrl, headers: { authorization: `Bearer ${token}` } })
  // Leaves out all fields that have a default.
  const steps: Step[] = [
    { ref_id: 'web1', type: 'webhook' },
    { ref_id: 'sum', type: 'set', config: { values: { total: '{{ web1.price * 2 }}' } } },
  ]
  const create = () =>
    api.POST('/v1/flows', {
      body: { name: 'Orders', status: 'active', steps },
      params: { header: { 'Idempotency-Key': 'orders-1' } },
    })
  const first = await create()
  const again = await create()
  if (first.data === undefined || again.data === undefined) throw new Error(first.error?.message)
  const { id } = first.data
  const etag =
    (await api.GET('/v1/flows/{id}', { params: { path: { id } } })).response.headers.get('etag') ?? ''
  const unchanged = await api.GET('/v1/flows/{id}', {
    params: { path: { id }, header: { 'If-None-Match': etag } },
  })
  const renamed = await api.PUT('/v1/flows/{id}', {
    params: { path: { id }, header: { 'If-Match': etag } },
    body: { description: 'Doubles prices' },
  })
  const lost = await api.PUT('/v1/flows/{id}', {
    params: { path: { id }, header: { 'If-Match': etag } },
    body: { description: 'Too late' },
  })

  const run = await api.POST('/v1/flows/{id}/run', {
    params: { path: { id }, query: { wait: true } },
    body: { input: { price: 21 } },
  })
  const started = await api.POST('/v1/flows/{id}/run', { params: { path: { id } }, body: {} })
  const page = await api.GET('/v1/flows', { params: { query: { per_page: 1, filter: [`id,eq,${id}`] } } })

  const table = await api.POST('/v1/data-tables', {
    body: { name: 'customers', columns: [{ name: 'email', type: 'text' }] },
  })
  if (table.data === undefined) throw new Error(table.error.message)
  const inTable = { path: { id: table.data.id } }
  await api.POST('/v1/data-tables/{id}/rows/upsert', {
    params: inTable,
    body: { rows: [{ email: 'ann@example.com' }], key: ['email'] },
  })
  const rows = await api.GET('/v1/data-tables/{id}/rows', { params: { ...inTable, query: { per_page: 2 } } })

  const created = await api.POST('/v1/personal-access-tokens', {
    body: { note: 'CI', scopes: ['automation:view'], expiration: 30 },
  })
  if (created.data === undefined) throw new Error(created.error.message)
  const revoked = await api.DELETE('/v1/personal-access-tokens/{id}', {
    params: { path: { id: created.data.id } },
  })

  const tested = await api.POST('/v1/pagination-tests', {
    body: {
      request: { base_url: listUrl, endpoint: 'items' },
      pagination_config: { query: { page: '{{ page + 1 }}' }, response_jsonpath: '$.items' },
    },
    parseAs: 'text',
  })
  const events = String(tested.data).trim().split('\n')
  const last: components['schemas']['PaginationEvent'] = JSON.parse(events.at(-1) ?? '{}')

  const refused = await api.POST('/v1/flows', { body: { name: '' } })

  return {
    same: again.data.id === id,
    replayed: again.response.headers.get('idempotent-replayed'),
    unchanged: unchanged.response.status,
    renamed: renamed.data?.description,
    lost: lost.error?.error,
    run: run.response.status === 200 ? statusOf(run.data) : null,
    started: started.response.status,
    names: page.data?.map(({ name }) => name),
    rows: rows.data?.map(({ email }) => email),
    scopes: created.data.scopes,
    revoked: revoked.response.status,
    records: last.type === 'done' ? last.total_records : null,
    refused: { code: refused.error?.error, fields: Object.keys(refused.error?.data ?? {}) },
  }
}

type RunResponses = paths['/v1/flows/{id}/run']['post']['responses']
type Finished = RunResponses[200]['content']['application/json']
type Started = RunResponses[202]['content']['application/json']

function statusOf(run: Finished | Started | undefined): string | null {
  return run !== undefined && 'status' in run ? run.status : null
}
