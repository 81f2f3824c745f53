/** Steps that call something outside the flow. */
import { z } from 'zod'
import { json, jsonObject, text } from '../base/common.ts'
import { paginationConfig, WHEN_IN_DOUBT } from '../base/pagination-config.ts'
import { dictionary, flag, template } from './fields.ts'

export const connectorAction = z
  .strictObject({
    connector_id: text(200).describe('ID of the connector.'),
    action: text(100).describe("Name of the connector's action, such as `list_orders`."),
    auth_id: template
      .nullable()
      .optional()
      .describe(
        'ID of the connector auth whose credentials are used, or a template that returns one. Null or absent: none.',
      ),
    dynamic_auth_id: template
      .nullable()
      .optional()
      .describe(
        'Template that returns the ID of a connector auth, for one flow with many accounts. Used instead of `auth_id`.',
      ),
    input: jsonObject
      .default({})
      .describe("Values of the action's form fields by name. Strings are templates."),
    retrieve_all_data: flag
      .optional()
      .describe(
        'True reads all pages and returns one list of records. False reads only the first response. Default: whether the action supports pagination.',
      ),
    max_pages: z
      .number()
      .int()
      .min(1)
      .optional()
      .describe(
        'Stop after this many pages, with the warning `cut_by_max_pages`. Absent: read the whole list.',
      ),
    when_in_doubt: z
      .enum(WHEN_IN_DOUBT)
      .optional()
      .describe(
        'What happens to a list that may be incomplete: `warn` returns it with a warning, `fail` fails the step with `list_in_doubt`. Default: the program setting `when_in_doubt`.',
      ),
  })
  .meta({
    description: 'Calls an action of a connector, page by page if it returns a list.',
    result: 'The response body, or one list with the records of all pages.',
    examples: [
      {
        connector_id: 'f306cd0c-aa4f-4195-8fec-ae5b83201da5',
        action: 'list_orders',
        retrieve_all_data: true,
      },
    ],
  })

export const rest = z
  .strictObject({
    method: z
      .enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'])
      .default('GET')
      .describe('HTTP method of the request.'),
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
      .describe('Request body, sent as `body_type` says. Strings are templates. Null: no body.'),
    body_type: z
      .enum(['json', 'form', 'multipart', 'text', 'xml', 'binary', 'none'])
      .default('json')
      .describe(
        "How the body is sent: `json`, `form` (URL-encoded), `multipart`, `text`, `xml` (text in which inserted values are escaped), `binary` (a file's bytes) or `none`.",
      ),
    auth_id: template
      .nullable()
      .optional()
      .describe('ID of the connector auth whose credentials are sent. Null or absent: none.'),
    fail_on_error: flag
      .default(true)
      .describe(
        'True fails the step if the response has an error status (4xx or 5xx). False returns the response.',
      ),
    pagination: paginationConfig
      .nullable()
      .default(null)
      .describe(
        'How to read the list page by page. The step then returns one list of records. Null: one request.',
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
  })
  .meta({
    description: 'Sends an HTTP request to any URL, page by page if `pagination` is set.',
    result:
      "An object: `{{ order.status }}`, `{{ order.headers }}` and `{{ order.body.id }}`. With `pagination`: one list of records. A body that isn't text, such as an image, becomes a file: `{{ report.body.file_id }}`.",
    examples: [{ url: '{{ playground_url }}/orders', query: { limit: '5' } }],
  })

export const runFlow = z
  .strictObject({
    flow_id: template.describe('ID of the flow to run, or a template that returns one.'),
    input: dictionary
      .default({})
      .describe(
        'What the flow is started with; its first step returns it. A template that returns an object works too.',
      ),
    wait: flag
      .default(true)
      .describe(
        'True waits for the flow and returns its response or last result. False continues as soon as it is queued.',
      ),
  })
  .meta({
    description: 'Runs another flow, at most ten levels deep.',
    result: "The other flow's response or last result. Without `wait`: an object with `flow_run_id`.",
    examples: [
      { flow_id: '7c9e6679-7425-40de-944b-e07fc1f90ae7', input: { order_id: '{{ web1.order_id }}' } },
    ],
  })

/** One address, several separated by commas, or a list. */
const addresses = z.union([template, z.array(template).max(100)])

export const sendEmail = z
  .strictObject({
    auth_id: template
      .nullable()
      .optional()
      .describe(
        'ID of the connector auth of the connector SMTP, with the server as `smtp://host:587` or `smtps://host:465`.',
      ),
    from: template
      .nullable()
      .optional()
      .describe('Sender address. Null or absent: the username of the credentials.'),
    to: addresses.describe('Recipients: one address, several separated by commas, or a list.'),
    cc: addresses.nullable().optional().describe('Recipients of a copy, written like `to`.'),
    bcc: addresses.nullable().optional().describe('Recipients of a hidden copy, written like `to`.'),
    reply_to: template
      .nullable()
      .optional()
      .describe('Address that replies go to. Null or absent: the sender.'),
    subject: template.default('').describe('Subject line of the email.'),
    text: template.default('').describe('Plain-text body. Empty: the email has only the `html` body.'),
    html: template.default('').describe('HTML body, sent as an alternative to `text`. Empty: none.'),
    attachments: z
      .union([z.array(json).max(50), template])
      .default([])
      .describe(
        'Files to attach: `{"file_id": "…"}`, or `{"filename": "a.csv", "content": "…"}`. At most 50.',
      ),
  })
  .meta({
    description: 'Sends an email through the connector SMTP.',
    result: 'An object with the `message_id`.',
    examples: [
      {
        auth_id: '7c9e6679-7425-40de-944b-e07fc1f90ae7',
        to: 'ann@example.com',
        subject: 'Order {{ web1.order_id }}',
        text: 'A new order has arrived.',
      },
    ],
  })

const statement = text(65_536).describe(
  'One SQL statement, without templates. Values are `?` (SQLite, MySQL) or `$1` (PostgreSQL), taken from `parameters`.',
)

const parameters = z
  .union([z.array(json).max(1_000), jsonObject, template])
  .default([])
  .describe(
    'Values for the placeholders in order, or an object for `:name` (SQLite, MySQL), or a template that returns either.',
  )

export const sql = z
  .strictObject({
    auth_id: template
      .nullable()
      .optional()
      .describe(
        'ID of a connector auth of the connector SQL database, whose URL is `postgres://…` or `mysql://…`. Either this or `file`.',
      ),
    file: template
      .nullable()
      .optional()
      .describe(
        'SQLite file, inside a folder that the settings allow. `CREATE` creates it. Either this or `auth_id`.',
      ),
    statement: statement.optional(),
    parameters,
    statements: z
      .array(z.strictObject({ statement, parameters }))
      .min(1)
      .max(50)
      .optional()
      .describe(
        'Instead of `statement`: several statements in one transaction. If one fails, none has an effect.',
      ),
    timeout_seconds: z
      .number()
      .positive()
      .max(3_600)
      .default(60)
      .describe('Seconds that the statements can take in all, at most 3600. Then they are interrupted.'),
  })
  .meta({
    description: 'Runs SQL statements on a SQLite file, PostgreSQL, MySQL or MariaDB.',
    result:
      'The list of rows, each an object. If columns have the same name, the second `id` is `id_2`. A statement without rows returns an object with `changed`, the number of rows. With `statements`: the list of their results.',
    examples: [
      {
        file: 'shop.db',
        statement: 'SELECT name, total FROM orders WHERE total > ? ORDER BY total',
        parameters: ['{{ web1.total }}'],
      },
    ],
  })

export const runProgram = z
  .strictObject({
    program: text(60).describe('Name of a program under Settings, Programs.'),
    arguments: z
      .array(template)
      .max(1_000)
      .default([])
      .describe(
        'Arguments, one template each. They fill the fixed places `{}` of the program first. An argument that begins with `-` must come after `--`.',
      ),
    environment: dictionary
      .default({})
      .describe('Environment variables by name; only those that the program lets steps set.'),
    input: json.optional().describe("Standard input. Anything that isn't a string is written as JSON."),
    output: z
      .enum(['text', 'json', 'json_lines'])
      .default('text')
      .describe('How standard output is read: as `text`, as `json`, or as `json_lines`, a list.'),
    timeout_seconds: z
      .number()
      .min(1)
      .max(86_400)
      .default(60)
      .describe('Seconds after which the program is stopped with everything it started, up to a day.'),
    exit_codes: z
      .array(z.number().int().min(0).max(4_294_967_295))
      .min(1)
      .max(100)
      .default([0])
      .describe('Exit codes that count as success. Others fail the step.'),
  })
  .meta({
    description:
      'Runs a program on this computer, without a shell. If the computer fails while it runs, the run starts it again; `MILLRACE_IDEMPOTENCY_KEY` in its environment is then the same.',
    result:
      'An object with `exit_code`, `stdout`, `stderr`, `stdout_truncated` and `stderr_truncated` (true above 5 MB).',
    examples: [{ program: 'pandoc', arguments: ['--', '{{ web1.file }}'], input: '# Hello' }],
  })
