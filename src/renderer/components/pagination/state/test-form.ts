import type { ConnectorTryBody } from '../../../../shared/contract/action-tries.ts'
import type { UnsavedAction } from '../../../../shared/contract/action-drafts.ts'
import type { Json } from '../../../../shared/contract/base/common.ts'
import type { Action, Connector } from '../../../../shared/contract/connectors.ts'
import type { PaginationTestBody } from '../../../../shared/contract/pagination.ts'
import { t } from '../../../lib/i18n.ts'
import { readConfigText } from './config-text.ts'

/** The input of the tester: a call of a connector, or a request to any URL. */
export interface TestForm {
  readonly source: 'connector' | 'address'
  readonly connectorId: string
  readonly action: string
  readonly authId: string
  readonly input: Readonly<Record<string, unknown>>
  /** The text to search for if the configuration is a search; null if it is a pagination. */
  readonly q: string | null
  /** The connector as shown on its screen; null uses the saved one. */
  readonly unsaved: UnsavedConnector | null
  readonly baseUrl: string
  readonly endpoint: string
  readonly method: string
  readonly query: Readonly<Record<string, unknown>>
  readonly headers: Readonly<Record<string, unknown>>
  readonly body: unknown
  /** The configuration as typed; empty if there is none. */
  readonly configText: string
  /** The largest number of pages as typed; empty means no limit. */
  readonly maxPages: string
  readonly maxRecords: string
}

/** A connector and its actions with changes that aren't saved. */
export interface UnsavedConnector {
  readonly connector: Connector
  readonly actions: readonly Action[]
}

export const EMPTY_FORM: TestForm = {
  source: 'connector',
  connectorId: '',
  action: '',
  authId: '',
  input: {},
  q: null,
  unsaved: null,
  baseUrl: '',
  endpoint: '',
  method: 'GET',
  query: {},
  headers: {},
  body: null,
  configText: '',
  maxPages: '',
  maxRecords: '',
}

/** The body of a test, without a configuration if its text can't be parsed. */
export function toBody(form: TestForm): PaginationTestBody {
  const read = readConfigText(form.configText)
  const config = 'value' in read ? (read.value as Json) : null
  return {
    ...toCall(form),
    pagination_config: config,
    ...(isCount(form.maxPages) ? { max_pages: Number(form.maxPages) } : {}),
    ...(isCount(form.maxRecords) ? { max_records: Number(form.maxRecords) } : {}),
  }
}

/** Only the call, which doesn't depend on the configuration. */
export function toCall(form: TestForm): PaginationTestBody {
  if (form.source === 'connector')
    return {
      connector_id: form.connectorId,
      action: form.action,
      ...(form.authId === '' ? {} : { auth_id: form.authId }),
      input: form.input as Record<string, Json>,
      ...(form.q === null ? {} : { q: form.q }),
      ...(form.unsaved === null ? {} : draftOf(form.unsaved, form.action)),
    }
  return {
    ...(form.authId === '' ? {} : { auth_id: form.authId }),
    request: {
      base_url: form.baseUrl,
      endpoint: form.endpoint,
      method: form.method,
      query: form.query as Record<string, Json>,
      headers: form.headers as Record<string, Json>,
      ...(form.body === null ? {} : { body: form.body as Json }),
      supports_automatic_pagination: true,
    },
  }
}

function draftOf({ connector, actions }: UnsavedConnector, name: string) {
  const action = actions.find((one) => one.name === name)
  return action === undefined ? {} : { draft: callOf(action), connector: placeOf(connector) }
}

/** The call that an action makes. */
export function callOf(action: Action): UnsavedAction {
  const { name, method, endpoint, query, headers, body, supports_automatic_pagination } = action
  return { name: name.slice(0, 100), method, endpoint, query, headers, body, supports_automatic_pagination }
}

/** The part of a connector that determines where its actions are sent. */
export function placeOf(connector: Connector): NonNullable<ConnectorTryBody['connector']> {
  const { base_domain, header, url_token_extension, pagination_config, allowed_origins } = connector
  return { base_domain, header, url_token_extension, pagination_config, allowed_origins }
}

/** What prevents a test from starting, in words; null if nothing does. */
export function missingIn(form: TestForm): string | null {
  if (form.source === 'connector') return form.action === '' ? t('Select a connector and an action') : null
  return /^https?:\/\/[^/]/.test(form.baseUrl)
    ? null
    : t('Enter a base URL that starts with http:// or https://')
}

export function isCount(text: string): boolean {
  return /^[1-9]\d{0,8}$/.test(text)
}
