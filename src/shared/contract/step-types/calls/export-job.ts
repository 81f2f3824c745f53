import { z } from 'zod'
import { json, text } from '../../base/common.ts'
import { REQUEST_METHODS } from '../../base/http-methods.ts'
import { RESPONSE_FORMATS } from '../../base/pagination-config.ts'
import { template } from '../parts/fields.ts'
import { shown, stepType } from '../parts/step-type.ts'
import { rest } from './rest.ts'

const { headers, query, auth_id } = rest.config.shape

const statuses = z.array(text(100)).max(50)

export const DONE = ['done', 'completed', 'complete', 'finished', 'succeeded', 'success', 'ready']
export const FAILED = ['failed', 'failure', 'error', 'cancelled', 'canceled', 'expired', 'aborted']

export const exportJob = stepType({
  family: 'calls',
  label: 'Export job',
  purpose: 'Starts an export in an API, waits until it is done and reads the result',
  words: 'async asynchronous report bulk export batch job poll download wait',
  icon: 'file-down',
  refId: 'export',
  reaches: () => 'url',
  config: z
    .strictObject({
      method: z
        .enum(REQUEST_METHODS)
        .default('POST')
        .describe('HTTP method of the request that creates the job.'),
      url: template.describe('Absolute URL that creates the job.'),
      headers,
      query,
      body: json
        .default(null)
        .describe('JSON body that creates the job. Strings are templates. Null means no body.'),
      auth_id,
      status_url: template.describe(
        'Absolute URL of the job, read again and again. Templates read the response that created it as `job`: `{{ job.body.id }}`.',
      ),
      status: template
        .default('{{ poll.body.status }}')
        .describe(
          'Template that returns the status of the job from `poll`, the response of `status_url`, or from `job`. Default: `{{ poll.body.status }}`.',
        ),
      done: statuses
        .default(DONE)
        .describe(
          'Statuses that mean that the job is done, in upper or lower case. Default: the usual ones.',
        ),
      failed: statuses
        .default(FAILED)
        .describe(
          'Statuses that mean that the job failed: the step then fails with `export_failed`. All others mean that it is still running. Default: the usual ones.',
        ),
      interval_seconds: z
        .number()
        .min(1)
        .max(3_600)
        .default(5)
        .describe(
          'Seconds before `status_url` is called for the first time. Later waits are longer, up to a minute or this value, and never shorter than a `Retry-After`.',
        ),
      timeout_minutes: z
        .number()
        .positive()
        .max(44_640)
        .default(60)
        .describe(
          'How long the job can take. Then the step fails with `timeout`. Default: 60, at most 44640 (31 days).',
        ),
      download_url: template
        .default('')
        .describe(
          'Absolute URL of the result, such as `{{ poll.body.url }}`. Credentials are only sent to the origin of `url`. If empty, the result is the body of the last status.',
        ),
      format: z
        .enum(RESPONSE_FORMATS)
        .optional()
        .describe(
          'Format of the downloaded file: `json`, `ndjson`, `csv`, `tsv`, `xml` or `text`. It can be compressed with gzip. If absent, the extension of the URL decides, otherwise Content-Type.',
        ),
      records: text(1_000)
        .optional()
        .describe(
          'JSONPath of the records in a downloaded JSON or XML file. If absent, the file is the list.',
        ),
      pagination: rest.config.shape.pagination.describe(
        'How to read a result that comes in pages, as in `rest`; used instead of `format` and `records`. Null means one download.',
      ),
      cancel_url: template
        .default('')
        .describe(
          'Absolute URL that is called with DELETE if the job takes too long. If empty, nothing is called.',
        ),
    })
    .meta({
      description:
        'Creates a job at an API, waits until it is done without occupying a worker, and reads its result as one list. The job is stored when it has been created: a run that is interrupted continues with the same one.',
      examples: [
        {
          method: 'GET',
          url: '{{ playground_url }}/orders',
          status_url: '{{ playground_url }}/contacts',
          status: 'done',
          download_url: '{{ playground_url }}/orders',
          interval_seconds: 1,
        },
      ],
    }),
  fields: {
    method: { label: 'Method', options: 'values' },
    url: { label: 'URL', preview: 'text', placeholder: 'https://api.example.com/exports' },
    auth_id: { label: 'Connector auth', kind: 'auth' },
    query: { label: 'Query', noun: 'parameter' },
    headers: { label: 'Headers', noun: 'header' },
    body: { label: 'Body content', kind: 'json', orText: true },
    status_url: {
      label: 'Status URL',
      reads: 'job',
      preview: 'text',
      hint: 'Called until the job is done. Templates read the response that created it as job.',
      placeholder: 'https://api.example.com/exports/{{ job.body.id }}',
    },
    status: {
      label: 'Status',
      reads: 'job',
      initial: '{{ poll.body.status }}',
      hint: 'A template that reads the status from poll, the response of the status URL.',
    },
    done: {
      label: 'Statuses that mean done',
      kind: 'lines',
      optional: true,
      example: 'One per line. Leave empty for the usual ones.',
    },
    failed: {
      label: 'Statuses that mean failed',
      kind: 'lines',
      optional: true,
      example: 'One per line. Leave empty for the usual ones.',
    },
    download_url: {
      label: 'Download URL',
      reads: 'job',
      preview: 'text',
      initial: '',
      optional: true,
      hint: 'The URL of the result. If empty, the response of the status URL is the result.',
      placeholder: '{{ poll.body.url }}',
    },
    format: {
      label: 'Format',
      options: {
        '': 'By its name or Content-Type',
        json: 'JSON',
        ndjson: 'JSON lines',
        csv: 'CSV',
        tsv: 'TSV',
        xml: 'XML',
        text: 'Text',
      },
    },
    records: { label: 'Path of the records', optional: true, placeholder: '$.records' },
    pagination: { label: 'Pagination', plain: true, option: true },
    interval_seconds: { label: 'First wait (seconds)', option: true, optional: true, placeholder: '5' },
    timeout_minutes: { label: 'Time limit (minutes)', option: true, optional: true, placeholder: '60' },
    cancel_url: {
      label: 'Cancel URL',
      reads: 'job',
      initial: '',
      option: true,
      optional: true,
      hint: 'Called with DELETE if the job takes too long.',
    },
  },
  result: json.describe(
    'One list with the records of the download. Without `download_url`: the body of the last response of `status_url`.',
  ),
  first: { method: 'POST' },
  sample: {
    config: {
      method: 'POST',
      url: 'https://api.example.com/exports',
      status_url: 'https://api.example.com/exports/{{ job.body.id }}',
      download_url: '{{ poll.body.url }}',
    },
  },
  summary: (config, { t }) => `${shown(config.method, 'POST')} ${shown(config.url, t('no URL yet'))}`,
})
