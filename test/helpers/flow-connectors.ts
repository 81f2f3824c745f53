import type { Action, Connector } from '../../src/shared/contract/connectors.ts'
import type { OpenAuth } from '../../src/main/engine/connector/open-auth.ts'
import { createSendRequest } from '../../src/main/engine/request/send-request.ts'
import type { FlowPorts } from '../../src/main/engine/flow/model/ports.ts'
import { createTestTime } from './test-time.ts'

export const CONNECTOR_ID = '11111111-1111-4111-8111-111111111111'

export function aConnector(more: Partial<Connector> = {}): Connector {
  return {
    id: CONNECTOR_ID,
    name: 'Shop',
    type: 'connector',
    status: 'active',
    base_domain: 'http://api.test',
    auth_config: {},
    header: null,
    url_token_extension: null,
    pagination_config: null,
    search_config: null,
    test_action: null,
    allowed_origins: [],
    rate_limit: null,
    short_description: '',
    long_description: '',
    image_url: '',
    external_docs: '',
    tags: [],
    built_in: false,
    created_at: '2030-01-01T00:00:00.000Z',
    updated_at: '2030-01-01T00:00:00.000Z',
    ...more,
  }
}

export function anAction(more: Partial<Action> = {}): Action {
  return {
    id: '22222222-2222-4222-8222-222222222222',
    connector_id: CONNECTOR_ID,
    name: 'list_orders',
    title: 'List orders',
    status: 'active',
    method: 'GET',
    endpoint: 'orders',
    query: {},
    headers: {},
    body: null,
    ui_form_schema: [],
    supports_automatic_pagination: false,
    short_description: '',
    tag: '',
    external_docs: '',
    created_at: '2030-01-01T00:00:00.000Z',
    updated_at: '2030-01-01T00:00:00.000Z',
    ...more,
  }
}

export function anAuth(more: Partial<OpenAuth> = {}): OpenAuth {
  return {
    id: '33333333-3333-4333-8333-333333333333',
    connector_id: CONNECTOR_ID,
    auth_type: 'bearer',
    auth_token: 'a-token-of-the-test',
    auth_details: '',
    api_endpoint: '',
    user_input: {},
    username: 'ada',
    password: 'a-password-of-the-test',
    ...more,
  }
}

/** Ports with the real network, and the given connectors and auths. */
export function connectedPorts(
  given: { connector?: Connector; action?: Action; auth?: OpenAuth } = {},
): Partial<FlowPorts> {
  const { connector = null, action = null, auth = null } = given
  const { sendRequest } = createSendRequest({
    clock: createTestTime().clock,
    userAgent: 'Millrace test',
    ownPorts: () => new Set(),
  })
  return {
    sendRequest,
    findConnector: (id) => (connector?.id === id ? connector : null),
    findAction: (id, name) => (connector?.id === id && action?.name === name ? { connector, action } : null),
    openAuth: (id) => (auth?.id === id ? auth : null),
  }
}
