/** The usual ways in which APIs paginate long lists, as configurations to start from. */
import { english } from '../../../lib/i18n.ts'
import type { English } from '../../../lib/i18n.ts'

export interface Preset {
  readonly label: English
  readonly hint: string | English
  /** Action of the playground that paginates this way. */
  readonly playground: string
  readonly config: object
}

export const PRESETS: readonly Preset[] = [
  {
    label: english('Page number, records in an object'),
    hint: '{"contacts": […]} and ?page=2',
    playground: 'list_contacts',
    config: { response_jsonpath: '$.contacts', query: '{"page": {{ page + 1 }}}' },
  },
  {
    label: english('Page number, the response is the list'),
    hint: '[…] and ?page=2',
    playground: 'list_orders',
    config: { query: '{"page": {{ page + 1 }}}' },
  },
  {
    label: english('Cursor in response body'),
    hint: '?after=… from paging.next.after',
    playground: 'list_tickets',
    config: {
      response_jsonpath: '$.results',
      query: '{"after": "{{ previous_request.paging.next.after }}"}',
    },
  },
  {
    label: english('Different endpoint and method for later pages'),
    hint: english('POST …/more with only the cursor'),
    playground: 'query_contacts',
    config: {
      response_jsonpath: '$.records',
      endpoint: '{{ endpoint }}/more',
      body: '{"cursor": "{{ previous_request.cursor }}"}',
      replace_body: true,
    },
  },
  {
    label: english('Limit and offset starting at 1'),
    hint: '?limit=10&offset=11',
    playground: 'list_orders_by_offset',
    config: { response_jsonpath: '$.rows', query: '{"limit": 10, "offset": {{ page * 10 + 1 }}}' },
  },
  {
    label: english('Limit and skip'),
    hint: '?limit=10&skip=10',
    playground: 'list_tickets_by_skip',
    config: { response_jsonpath: '$.data', query: '{"limit": 10, "skip": {{ page * 10 }}}' },
  },
  {
    label: english('Offset and limit in headers'),
    hint: english('X-Offset: 10 and X-Limit: 10'),
    playground: 'list_contacts_by_header',
    config: {
      response_jsonpath: '$',
      header: '{"X-Offset": "{{ page * 10 }}", "X-Limit": "10"}',
    },
  },
  {
    label: english('Next link in response header'),
    hint: english('Link: <…>; rel="next"'),
    playground: 'list_orders_linked',
    config: {
      response_jsonpath: '$.orders[?(@.id)]',
      endpoint: '{{ links.next }}',
      query: '{"status": null}',
    },
  },
]
