/** The main jobs of an integrator, with the client that `@hey-api/openapi-ts` generates. */
import {
  createDataTable,
  createFlow,
  createPersonalAccessToken,
  deletePersonalAccessToken,
  listDataTableRows,
  listFlows,
  readFlow,
  runFlow,
  testPagination,
  updateFlow,
  upsertDataRows,
} from './generated/hey-api'
import { createClient } from './generated/hey-api/client'

export async function jobs(baseUrl: string, token: string, listUrl: string): Promise<unknown> {
  const client = createClient({ baseUrl, headers: { authorization: `Bearer ${token}` } })
  const create = () =>
    createFlow({
      client,
      headers: { 'Idempotency-Key': 'orders-2' },
      body: {
        name: 'Orders',
        status: 'active',
        // Leaves out all fields that have a default.
        steps: [
          { ref_id: 'web1', type: 'webhook' },
          { ref_id: 'sum', type: 'set', config: { values: { total: '{{ web1.price * 2 }}' } } },
        ],
      },
    })
  const first = await create()
  const again = await create()
  if (first.data === undefined || again.data === undefined) throw new Error(first.error?.message)
  const path = { id: first.data.id }
  const etag = (await readFlow({ client, path })).response?.headers.get('etag') ?? ''
  const unchanged = await readFlow({ client, path, headers: { 'If-None-Match': etag } })
  const change = (description: string) =>
    updateFlow({ client, path, headers: { 'If-Match': etag }, body: { description } })
  const renamed = await change('Doubles prices')
  const lost = await change('Too late')

  const run = await runFlow({ client, path, query: { wait: true }, body: { input: { price: 21 } } })
  const started = await runFlow({ client, path, body: {} })
  const page = await listFlows({ client, query: { per_page: 1, filter: [`id,eq,${path.id}`] } })

  const table = await createDataTable({
    client,
    body: { name: 'subscribers', columns: [{ name: 'email', type: 'text' }] },
  })
  if (table.data === undefined) throw new Error(table.error?.message)
  const inTable = { id: table.data.id }
  await upsertDataRows({
    client,
    path: inTable,
    body: { rows: [{ email: 'ann@example.com' }], key: ['email'] },
  })
  const rows = await listDataTableRows({ client, path: inTable, query: { per_page: 2 } })

  const created = await createPersonalAccessToken({
    client,
    body: { note: 'CI', scopes: ['automation:view'], expiration: 30 },
  })
  if (created.data === undefined) throw new Error(created.error?.message)
  const revoked = await deletePersonalAccessToken({ client, path: { id: created.data.id } })

  const tested = await testPagination({
    client,
    parseAs: 'text',
    body: {
      request: { base_url: listUrl, endpoint: 'items' },
      pagination_config: { query: { page: '{{ page + 1 }}' }, response_jsonpath: '$.items' },
    },
  })
  const last = JSON.parse(String(tested.data).trim().split('\n').at(-1) ?? '{}')

  const refused = await createFlow({ client, body: { name: '' } })

  return {
    same: again.data.id === path.id,
    replayed: again.response?.headers.get('idempotent-replayed'),
    unchanged: unchanged.response?.status,
    renamed: renamed.data?.description,
    lost: lost.error?.error,
    run: run.data !== undefined && 'status' in run.data ? run.data.status : null,
    started: started.response?.status,
    names: page.data?.map(({ name }) => name),
    rows: rows.data?.map(({ email }) => email),
    scopes: created.data.scopes,
    revoked: revoked.response?.status,
    records: last.total_records,
    refused: { code: refused.error?.error, fields: Object.keys(refused.error?.data ?? {}) },
  }
}
