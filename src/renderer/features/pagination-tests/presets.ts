/** The usual ways in which APIs hand out long lists, as configurations to begin with. */
export const PRESETS: readonly { readonly label: string; readonly hint: string; readonly config: object }[] =
  [
    {
      label: 'Page number, records in an object',
      hint: '{"contacts": […]} and ?page=2',
      config: { response_jsonpath: '$.contacts', query: '{"page": {{ page + 1 }}}' },
    },
    {
      label: 'Page number, the response is the list',
      hint: '[…] and ?page=2',
      config: { query: '{"page": {{ page + 1 }}}' },
    },
    {
      label: 'Cursor in the response body',
      hint: '?after=… from paging.next.after',
      config: {
        response_jsonpath: '$.results',
        query: '{"after": "{{ previous_request.paging.next.after }}"}',
      },
    },
    {
      label: 'Another endpoint and method for further pages',
      hint: 'POST …/more with the cursor alone',
      config: {
        response_jsonpath: '$.records',
        endpoint: '{{ endpoint }}/more',
        body: '{"cursor": "{{ previous_request.cursor }}"}',
        replace_body: true,
      },
    },
    {
      label: 'Limit and one-based offset',
      hint: '?limit=100&offset=101',
      config: { response_jsonpath: '$.rows', query: '{"limit": 100, "offset": {{ page * 100 + 1 }}}' },
    },
    {
      label: 'Limit and skip',
      hint: '?limit=100&skip=100',
      config: { response_jsonpath: '$.data', query: '{"limit": 100, "skip": {{ page * 100 }}}' },
    },
    {
      label: 'Offset and limit in headers',
      hint: 'X-Offset: 100',
      config: {
        response_jsonpath: '$',
        header: '{"X-Offset": "{{ page * 100 }}", "X-Limit": "100"}',
      },
    },
    {
      label: 'Next link in a response header',
      hint: 'Link: <…>; rel="next"',
      config: {
        response_jsonpath: '$.orders[?(@.id)]',
        endpoint:
          "{{ previous_request_headers.Link.split('rel=\"next\"')[0].rsplit('<', 1)[1].split('>')[0] if 'rel=\"next\"' in previous_request_headers.Link else '' }}",
        query: '{"status": null}',
      },
    },
  ]
