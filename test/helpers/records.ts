/** Records in the contract's shapes, with a test's own values. */
import { randomUUID } from 'node:crypto'
import type { ConnectorAuth } from '../../src/shared/contract/connector-auths.ts'
import type { Action, Connector } from '../../src/shared/contract/connectors.ts'
import type { FlowRun } from '../../src/shared/contract/flow-runs.ts'
import { DEFAULT_FLOW_SETTINGS, type Flow } from '../../src/shared/contract/flows.ts'
import type { Step } from '../../src/shared/contract/steps.ts'
import type { NewToken } from '../../src/main/store/records/tokens.ts'
import type { StoredStep } from '../../src/main/store/history/step-format.ts'
import type { NewWebhookRequest } from '../../src/main/store/runs/webhook-requests.ts'

const AT = '2026-03-01T12:00:00.000Z'
const stamps = { created_at: AT, updated_at: AT }

export function aStep(step: Partial<Step> = {}): Step {
  return {
    ref_id: 'set1',
    type: 'set',
    title: '',
    description: '',
    disabled: false,
    on_error: 'stop',
    retry: null,
    config: {},
    ...step,
  }
}

export function aFlow({
  settings,
  ...flow
}: Partial<Omit<Flow, 'settings'>> & { settings?: Partial<Flow['settings']> } = {}): Flow {
  return {
    id: randomUUID(),
    name: 'Receive an order',
    description: '',
    tags: [],
    status: 'active',
    steps: [],
    version: 1,
    ...stamps,
    ...flow,
    settings: { ...DEFAULT_FLOW_SETTINGS, ...settings },
  }
}

/** `id` comes from `flowRuns.newId()`. */
export function aFlowRun(run: Pick<FlowRun, 'id' | 'flow_id'> & Partial<FlowRun>): FlowRun {
  return {
    flow_version: 1,
    title: '',
    trigger: 'webhook',
    status: 'success',
    started_at: AT,
    finished_at: AT,
    duration_ms: 1.5,
    error: null,
    warnings: [],
    attempt: 1,
    parent_run_id: null,
    created_at: AT,
    ...run,
  }
}

export function aRunStep(step: Partial<StoredStep> = {}): StoredStep {
  return {
    ref_id: 'set1',
    type: 'set',
    path: '1',
    iteration: [],
    status: 'success',
    input: null,
    output: null,
    error: null,
    warnings: [],
    http: [],
    started_at: AT,
    duration_ms: 0.5,
    attempt: 1,
    truncated: false,
    ...step,
  }
}

export function aWebhookRequest(request: Partial<NewWebhookRequest> = {}): NewWebhookRequest {
  return {
    flow_id: null,
    at: AT,
    status: 200,
    reason: null,
    method: 'POST',
    path: '/v1/flow-webhook/x',
    headers: { 'content-type': 'application/json' },
    size: 12,
    client: '127.0.0.1',
    flow_run_id: null,
    duration_ms: 2.5,
    ...request,
  }
}

export function aToken(token: Pick<NewToken, 'user_id'> & Partial<NewToken>): NewToken {
  return {
    id: randomUUID(),
    hash: randomUUID(),
    last_four: 'wxyz',
    note: 'a script',
    scopes: ['automation', 'connectors.view'],
    flow_ids: null,
    auth_ids: null,
    expiration: null,
    created_at: AT,
    created_by: null,
    ...token,
  }
}

export function aConnector(connector: Partial<Connector> = {}): Connector {
  return {
    id: randomUUID(),
    name: 'Shop',
    type: 'connector',
    status: 'active',
    base_domain: 'https://shop.example',
    auth_config: { auth_types: ['bearer'] },
    header: null,
    url_token_extension: null,
    pagination_config: { query: '{"page": {{ page }}}', replace_body: false },
    search_config: null,
    test_action: null,
    allowed_origins: ['https://cdn.example'],
    rate_limit: null,
    short_description: '',
    long_description: '',
    image_url: '',
    external_docs: '',
    tags: ['crm'],
    built_in: false,
    ...stamps,
    ...connector,
  }
}

export function anAction(action: Pick<Action, 'connector_id'> & Partial<Action>): Action {
  return {
    id: randomUUID(),
    name: 'list_orders',
    title: 'List orders',
    status: 'active',
    method: 'GET',
    endpoint: '/orders',
    query: { limit: 100 },
    headers: {},
    body: null,
    ui_form_schema: [{ name: 'since' }],
    supports_automatic_pagination: true,
    short_description: '',
    tag: '',
    external_docs: '',
    ...stamps,
    ...action,
  }
}

/** `secrets` and `state` are computed by the store. */
export function aConnectorAuth(
  auth: Pick<ConnectorAuth, 'connector_id'> & Partial<ConnectorAuth>,
): ConnectorAuth {
  return {
    id: randomUUID(),
    name: 'Customer A',
    auth_type: 'bearer',
    auth_details: '',
    token_expires_at: null,
    api_endpoint: '',
    user_input: { region: 'eu' },
    username: '',
    tags: [],
    access: { visibility: 'account', user_ids: [] },
    secrets: {},
    state: 'ok',
    ...stamps,
    ...auth,
  }
}
