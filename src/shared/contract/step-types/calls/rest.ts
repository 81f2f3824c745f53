import { z } from 'zod'
import { json, jsonObject } from '../../base/common.ts'
import { REQUEST_METHODS } from '../../base/http-methods.ts'
import { paginationConfig, WHEN_IN_DOUBT } from '../../base/pagination-config.ts'
import { template, flag, dictionary } from '../parts/fields.ts'
import { forEach, forEachFaces, hasForEach, withForEach } from '../parts/for-each.ts'
import { whenInDoubt } from '../parts/faces.ts'
import { stepType, shown } from '../parts/step-type.ts'
import { isEmpty } from '../parts/values.ts'

export const rest = stepType({
  family: 'calls',
  label: 'HTTP request',
  purpose: 'Sends a request to any URL',
  words: 'rest api call fetch post get curl url',
  icon: 'globe',
  refId: 'rest',
  reaches: () => 'url',
  config: z
    .strictObject({
      method: z.enum(REQUEST_METHODS).default('GET').describe('HTTP method of the request.'),
      url: template.describe('Absolute URL to call, beginning with `http://` or `https://`.'),
      headers: dictionary
        .default({})
        .describe(
          'Request headers by name, or a template that returns them. A list repeats the header; null leaves it out.',
        ),
      query: dictionary
        .default({})
        .describe('Query parameters by name, added to those of the URL, or a template that returns them.'),
      body: json
        .default(null)
        .describe('Request body, sent as `body_type` says. Strings are templates. Null means no body.'),
      body_type: z
        .enum(['json', 'form', 'multipart', 'text', 'xml', 'binary', 'none'])
        .default('json')
        .describe(
          "How the body is sent: `json`, `form` (URL-encoded), `multipart`, `text`, `xml` (text in which inserted values are escaped), `binary` (a file's bytes) or `none`.",
        ),
      auth_id: template
        .nullable()
        .optional()
        .describe(
          'ID of the connector auth whose credentials are sent. If null or absent, the call is sent without credentials.',
        ),
      fail_on_error: flag
        .default(true)
        .describe(
          'True fails the step if the response has an error status (4xx or 5xx). False returns the response.',
        ),
      pagination: paginationConfig
        .nullable()
        .default(null)
        .describe(
          'How to read the list page by page. The step then returns one list of records. Null means one request.',
        ),
      when_in_doubt: z
        .enum(WHEN_IN_DOUBT)
        .optional()
        .describe(
          'What happens to a list that may be incomplete: `warn` returns it with a warning, `fail` fails the step with `list_in_doubt`. Default: the program setting `when_in_doubt`.',
        ),
      timeout_seconds: z
        .number()
        .positive()
        .max(3_600)
        .optional()
        .describe('Seconds that the request can take, at most 3600. Default: 300.'),
      ...forEach,
    })
    .meta({
      description: 'Sends an HTTP request to any URL, page by page if `pagination` is set.',
      examples: [{ url: '{{ playground_url }}/orders', query: { limit: '5' } }],
    }),
  fields: {
    method: { label: 'Method', options: 'values' },
    url: { label: 'URL', preview: 'text', placeholder: 'https://api.example.com/orders/{{ web1.id }}' },
    auth_id: { label: 'Connector auth' },
    pagination: { label: 'Pagination', plain: true },
    query: { label: 'Query', noun: 'parameter' },
    headers: { label: 'Headers', noun: 'header' },
    body_type: {
      label: 'Body',
      options: {
        json: 'JSON',
        form: 'Form (urlencoded)',
        multipart: 'Form (multipart)',
        text: 'Text',
        xml: 'XML',
        binary: 'Binary',
        none: 'None',
      },
    },
    body: { label: 'Body content' },
    fail_on_error: { label: 'Fail on HTTP errors (400 and above)', option: true },
    timeout_seconds: { label: 'Timeout (seconds)', option: true, optional: true, placeholder: '300' },
    when_in_doubt: { ...whenInDoubt, option: true, when: ({ pagination }) => Boolean(pagination) },
    ...forEachFaces,
  },
  result: z
    .object({ status: z.int(), headers: jsonObject, body: json })
    .describe(
      "An object: `{{ order.status }}`, `{{ order.headers }}` and `{{ order.body.id }}`. With `pagination` or `for_each`: one list of records. A body that isn't text, such as an image, becomes a file: `{{ report.body.file_id }}`.",
    ),
  resultOf: (config) => (isEmpty(config['pagination']) && !hasForEach(config) ? undefined : z.array(json)),
  first: { method: 'GET' },
  sample: { config: { method: 'GET', url: '{{ playground_url }}/orders' } },
  summary: (config, { t }) =>
    withForEach(`${shown(config.method, 'GET')} ${shown(config.url, t('no URL yet'))}`, config, t),
})
