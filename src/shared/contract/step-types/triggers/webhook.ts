import { doc } from '../../base/doc.ts'
import { say } from '../../base/message.ts'
import { z } from 'zod'
import { json, text } from '../../base/common.ts'
import { template, flag } from '../parts/fields.ts'
import { stepType, shown, type Config, type FieldProblem } from '../parts/step-type.ts'

export const SIGNATURE_SCHEMES = [
  'standard_webhooks',
  'github',
  'stripe',
  'slack',
  'discord',
  'gitlab',
  'meta',
  'shopify',
  'square',
  'twilio',
  'x',
  'zoom',
  'hmac',
] as const

/** The signature scheme of callers' requests. */
export const signature = z.strictObject({
  scheme: z
    .enum(SIGNATURE_SCHEMES)
    .describe(
      'How the sender signs: in the way of a service, by the rules of Standard Webhooks, or `hmac` for anything else.',
    ),
  secret: text(1_000).describe(
    'The secret shared with the sender, as `{{ name }}` of a secret variable. While you rotate it, enter both, one per line.',
  ),
  tolerance_seconds: z
    .int()
    .min(1)
    .max(86_400)
    .default(300)
    .describe("How old a signature's timestamp can be, in seconds, up to a day."),
  header: text(100).optional().describe('For `hmac`: the header with the signature, such as `X-Signature`.'),
  prefix: text(40)
    .default('')
    .describe('For `hmac`: what precedes the signature in that header, such as `sha256=`.'),
  algorithm: z
    .enum(['sha256', 'sha1', 'sha384', 'sha512'])
    .default('sha256')
    .describe('For `hmac`: the hash function.'),
  encoding: z.enum(['hex', 'base64']).default('hex').describe('For `hmac`: how the signature is written.'),
  timestamp_header: text(100)
    .optional()
    .describe(
      'For `hmac`: the header with the time in seconds. The signed content is then `<time>.<body>`. If absent, only the body is signed.',
    ),
  id_header: text(100)
    .optional()
    .describe(
      "For `hmac`: the header with the delivery's ID. A repeated delivery gets the earlier response without running the flow again.",
    ),
})

export type SignatureConfig = z.output<typeof signature>

export const HANDSHAKES = ['slack', 'discord', 'dropbox', 'meta', 'microsoft_graph', 'x', 'zoom'] as const
export type Handshake = (typeof HANDSHAKES)[number]

export const WEBHOOK_METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

export const webhook = stepType({
  family: 'triggers',
  label: 'Webhook',
  purpose: 'Starts the flow when an HTTP request arrives',
  words: 'http trigger receive incoming request callback url',
  icon: 'webhook',
  refId: 'web1',
  trigger: { starts: 'webhook', http: true, hint: 'Example webhook body.' },
  config: z
    .strictObject({
      methods: z
        .array(z.enum(WEBHOOK_METHODS))
        .min(1, 'needs at least one method')
        .max(WEBHOOK_METHODS.length)
        .default(['POST'])
        .describe(
          'HTTP methods that start the flow: `GET`, `HEAD`, `POST`, `PUT`, `PATCH`, `DELETE`. Others are refused with 405. With `GET`, a link that somebody opens starts the flow.',
        ),
      response_status_code: z
        .union([z.int(), template])
        .default(200)
        .describe('HTTP status of the response, 200 to 999. Rendered after the last step.'),
      response_body: template
        .default('')
        .describe(
          "Response body, rendered after the last step. One that begins with `{` or `[` is JSON whose values can't break it. Leave empty for `null`.",
        ),
      response_headers: z.record(z.string(), template).default({}).describe('Response headers by name.'),
      async: flag
        .default(false)
        .describe(
          'True responds with 200 as soon as the run is stored, and runs the flow afterwards. False waits for the flow.',
        ),
      cors_origins: z
        .array(text(300))
        .max(50)
        .default([])
        .describe('Web origins whose pages can call the webhook, such as `https://shop.example`.'),
      signature: signature
        .nullable()
        .default(null)
        .describe("How to verify that a request comes from its sender. If null, signatures aren't checked."),
      handshake: z
        .enum(HANDSHAKES)
        .optional()
        .describe(
          'The service whose check of the URL is answered without running the flow. With `discord`, `x` and `zoom`, `signature` must be theirs. If absent, the flow answers everything.',
        ),
      verify_token: text(1_000)
        .optional()
        .describe('For `meta`: the verify token of the app, as `{{ name }}` of a secret variable.'),
      run_if: template
        .optional()
        .describe(
          'Condition for running the flow, over the input, `webhook` and variables: `web1.type == "invoice.paid"`. Checked after the signature. Requests that don\'t meet it are listed as filtered. If absent, every request runs the flow.',
        ),
      filtered_status_code: z
        .int()
        .min(200)
        .max(599)
        .optional()
        .describe('HTTP status of the response to a request that `run_if` filters. Default: 200.'),
      filtered_body: text(65_536)
        .optional()
        .describe(
          'Body of that response, sent unchanged. One that begins with `{` or `[` is sent as JSON. Default: `{"status": "filtered"}`.',
        ),
    })
    .meta(
      doc(
        'Starts the flow when an HTTP request arrives, and responds to it. Only triggers can be above it.',
        {
          response_status_code: 201,
          response_body: '{"received": {{ web1.order_id }}}',
          response_headers: { 'X-Shop': 'north' },
        },
      ),
    ),
  fields: {
    methods: { label: 'Methods', options: 'values' },
    async: {
      label: 'Respond immediately',
      hint: 'Makes the webhook async: returns 200 with null as soon as the run is queued.',
    },
    response_status_code: {
      label: 'Response status code',
      hint: 'Rendered after the last step.',
      preview: 'text',
      placeholder: '200',
    },
    response_body: {
      label: 'Response body',
      preview: 'body',
      rows: 6,
      hint: 'A template that can use the results of all steps. It is sent as JSON if it starts with { or [. Inserted values are escaped.',
      placeholder: '{\n  "received": {{ REF_ID.order_id }}\n}',
    },
    response_headers: { label: 'Response headers', noun: 'header' },
    cors_origins: {
      label: 'Allowed CORS origins',
      kind: 'lines',
      optional: true,
      hint: 'One per line, for example https://shop.example. Only needed for calls from a browser.',
    },
    signature: { label: 'Request signature' },
    handshake: {
      label: 'URL check of a service',
      hint: 'Responds to the check without running the flow.',
      options: {
        '': 'None',
        slack: 'Slack',
        discord: 'Discord',
        dropbox: 'Dropbox',
        meta: 'Meta (Facebook, Instagram, WhatsApp)',
        microsoft_graph: 'Microsoft Graph',
        x: 'X (Twitter)',
        zoom: 'Zoom',
      },
    },
    verify_token: {
      label: 'Verify token',
      hint: 'A secret variable in braces.',
      placeholder: '{{ meta_verify_token }}',
      when: (config) => config.handshake === 'meta',
    },
    run_if: {
      label: 'Run only if',
      optional: true,
      expression: true,
      reads: 'request',
      hint: 'Other requests are listed as filtered and don’t run the flow.',
      placeholder: 'REF_ID.type == "invoice.paid"',
    },
    filtered_status_code: {
      label: 'Status code for filtered requests',
      placeholder: '200',
      when: isFiltering,
    },
    filtered_body: {
      label: 'Body for filtered requests',
      placeholder: '{"status": "filtered"}',
      rows: 2,
      when: isFiltering,
    },
  },
  result: z
    .record(z.string(), json)
    .describe('An object with the keys of the body and the query: `{{ web1.order_id }}`.'),
  rules: (config) => [
    ...(config.signature === null ? [] : signatureProblems(config.signature)),
    ...handshakeProblems(config.handshake, config.signature, config.verify_token),
  ],
  sample: { config: { response_body: '{"received": {{ web1 | length }}}' } },
  summary: (config, { t }) =>
    config.async === true
      ? t('responds immediately')
      : t('responds with {{status}}', { status: shown(config.response_status_code, '200') }),
})

function isFiltering({ run_if: condition }: Config): boolean {
  return typeof condition === 'string' && condition.trim() !== ''
}

function handshakeProblems(
  handshake: Handshake | undefined,
  signed: SignatureConfig | null,
  verifyToken = '',
): FieldProblem[] {
  if (handshake === 'meta' && verifyToken.trim() === '')
    return [['config.verify_token', say('is required if "handshake" is meta')]]
  if (verifyToken !== '' && !HAS_VARIABLE.test(verifyToken)) return [['config.verify_token', WRITTEN]]
  if (handshake !== undefined && SIGNED.has(handshake) && signed?.scheme !== handshake)
    return [['config.handshake', say('needs "signature" with the scheme {{scheme}}', { scheme: handshake })]]
  return []
}

/** Handshakes whose response is computed with the signature's secret, or only sent to signed requests. */
const SIGNED: ReadonlySet<Handshake> = new Set(['discord', 'x', 'zoom'])

const HAS_VARIABLE = /\{\{[^{}]*\}\}/
const WRITTEN = say('must not be written into the flow; store it in a secret variable and use {{ its_name }}')

function signatureProblems({ secret, scheme, header }: SignatureConfig): FieldProblem[] {
  const problems: FieldProblem[] = []
  if (secret.trim() === '') problems.push(['config.signature.secret', say('is required')])
  else if (!HAS_VARIABLE.test(secret)) problems.push(['config.signature.secret', WRITTEN])
  if (scheme === 'hmac' && !header)
    problems.push(['config.signature.header', say('is required if "scheme" is hmac')])
  return problems
}
