/**
 * Fills a fresh program with what a user has after some days: runs of each kind, requests, tokens, auths, connectors.
 */
import type { Served } from './program.ts'
import { callOrThrow } from './served-api.ts'

export interface Filled {
  readonly flowId: string
  readonly runId: string
  readonly failingRunId: string
  readonly requestId: string
  /** A connector of the user's own, so that it can be changed. */
  readonly connectorId: string
  readonly authId: string
  readonly tableId: string
}

export async function fillProgram(served: Served): Promise<Filled> {
  const call = <T>(method: string, path: string, body?: unknown) => callOrThrow<T>(served, method, path, body)
  const [sample] = await call<FlowRecord[]>('GET', '/v1/flows')
  if (!sample?.webhook) throw new Error('A fresh program has a sample flow with a webhook')
  const playground = (await call<Record[]>('GET', '/v1/connectors?filter=name,eq,Playground'))[0]

  const failing = await call<FlowRecord>('POST', '/v1/flows', {
    name: 'Fetch protected contacts every morning',
    description: 'Needs a token for the playground.',
    steps: [
      {
        ref_id: 'contacts',
        type: 'connector_action',
        config: { connector_id: playground?.id, action: 'list_protected_contacts', input: {} },
      },
    ],
  })
  await call('POST', '/v1/flows', { name: 'Forward forms', steps: [{ ref_id: 'web1', type: 'webhook' }] })
  const failed = await call<Record>('POST', `/v1/flows/${failing.id}/run?wait=true`, {})

  for (const email of ['grace.moreau@example.test', 'nobody@example.test']) {
    await fetch(sample.webhook.url, {
      method: 'POST',
      headers: { Authorization: `Bearer ${sample.webhook.token}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ order_id: 'A-1042', email, total: 129.5 }),
    })
  }
  await fetch(sample.webhook.url, { method: 'POST', headers: { Authorization: 'Bearer mr_whk_wrong' } })

  const connector = await call<Record>('POST', `/v1/connectors/${playground?.id}/copy`, { name: 'Shop API' })
  const auth = await call<Record>('POST', '/v1/connector-auths', {
    connector_id: playground?.id,
    name: 'Playground of the shop',
    auth_type: 'bearer',
    auth_token: 'playground-token',
    tags: ['shop'],
  })
  const tokens = [
    { note: 'Shop checkout', scopes: ['automation:webhook_run'], expiration: null },
    { note: 'Nightly export', scopes: ['automation', 'connectors:view'], expiration: 30 },
    { note: 'Laptop', scopes: ['automation:manage', 'connector_auth'], expiration: 90 },
  ]
  for (const token of tokens) await call('POST', '/v1/personal-access-tokens', token)

  const table = await call<Record>('POST', '/v1/data-tables', {
    name: 'customers',
    columns: [
      { name: 'email', type: 'text' },
      { name: 'orders', type: 'number' },
    ],
  })
  const rows = Array.from({ length: 3 }, (_, n) => ({ email: `${n}@example.com`, orders: n }))
  await call('POST', `/v1/data-tables/${table.id}/rows`, { rows })
  const [run] = await call<Record[]>('GET', `/v1/flow-runs?filter=flow_id,eq,${sample.id}`)
  const requests = await call<Record[]>('GET', '/v1/webhook-requests')
  const answered = requests.find((request) => request.flow_run_id === run?.id)
  return {
    flowId: sample.id,
    runId: run?.id ?? '',
    failingRunId: failed.id,
    requestId: answered?.id ?? '',
    connectorId: connector.id,
    authId: auth.id,
    tableId: table.id,
  }
}

interface Record {
  readonly id: string
  readonly flow_run_id?: string | null
}

interface FlowRecord extends Record {
  readonly webhook?: { readonly url: string; readonly token: string } | null
}
