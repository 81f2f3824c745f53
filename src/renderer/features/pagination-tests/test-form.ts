import type { Json } from '../../../shared/contract/common.ts'
import type { PaginationTestBody } from '../../../shared/contract/pagination.ts'

/** What the tester is told to do: a call of a connector, or a request to any address. */
export interface TestForm {
  readonly source: 'connector' | 'address'
  readonly connectorId: string
  readonly action: string
  readonly authId: string
  readonly input: Readonly<Record<string, unknown>>
  readonly baseUrl: string
  readonly endpoint: string
  readonly method: string
  readonly query: Readonly<Record<string, unknown>>
  readonly headers: Readonly<Record<string, unknown>>
  readonly body: unknown
  readonly config: unknown
  /** Texts as they are typed; empty is no wish. */
  readonly maxPages: string
  readonly maxRecords: string
}

export const EMPTY_FORM: TestForm = {
  source: 'connector',
  connectorId: '',
  action: '',
  authId: '',
  input: {},
  baseUrl: '',
  endpoint: '',
  method: 'GET',
  query: {},
  headers: {},
  body: null,
  config: { query: '{"page": {{ page + 1 }}}', response_jsonpath: '$' },
  maxPages: '',
  maxRecords: '',
}

export function toBody(form: TestForm): PaginationTestBody {
  const wishes = {
    ...(form.config === null ? {} : { pagination_config: form.config as Json }),
    ...(/^\d+$/.test(form.maxPages) ? { max_pages: Number(form.maxPages) } : {}),
    ...(/^\d+$/.test(form.maxRecords) ? { max_records: Number(form.maxRecords) } : {}),
  }
  if (form.source === 'connector')
    return {
      connector_id: form.connectorId,
      action: form.action,
      ...(form.authId === '' ? {} : { auth_id: form.authId }),
      input: form.input as Record<string, Json>,
      ...wishes,
    }
  return {
    request: {
      base_url: form.baseUrl,
      endpoint: form.endpoint,
      method: form.method,
      query: form.query as Record<string, Json>,
      headers: form.headers as Record<string, Json>,
      ...(form.body === null ? {} : { body: form.body as Json }),
      supports_automatic_pagination: true,
    },
    ...wishes,
  }
}
