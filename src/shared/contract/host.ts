/** Information about the running Millrace, and its stream of live changes. */
import { doc } from './base/doc.ts'
import { z } from 'zod'
import { timestamp } from './base/common.ts'
import { can, defineRoute, defineStream } from './base/route.ts'

export const healthRoute = defineRoute({
  method: 'GET',
  path: '/v1/health',
  summary: 'Check whether Millrace is running',
  access: 'open',
  status: 200,
  result: z.object({
    status: z.enum(['ok', 'degraded']).describe('`ok`, or `degraded` if there are problems.'),
    problems: z
      .array(z.enum(['disk', 'secrets']))
      .readonly()
      .describe(
        '`disk`: nothing can be stored; `secrets`: the master key, or one used before, is missing. Empty if all is well.',
      )
      .meta({ examples: [[]] }),
  }),
})
export type Health = z.output<typeof healthRoute.result>

export const metaRoute = defineRoute({
  method: 'GET',
  path: '/v1/meta',
  summary: 'Read the name, version and URLs of the running Millrace',
  access: 'open',
  status: 200,
  result: z.object({
    name: z.literal('Millrace').describe('Name of the program, always `Millrace`.'),
    version: z.string().meta(doc('Version of the running Millrace.', '0.1.0')),
    api_version: z.literal('v1').describe('Version of the API, the first part of every path.'),
    url: z.string().meta(doc('Base URL of Millrace on this computer.', 'http://127.0.0.1:4747')),
    playground_url: z
      .string()
      .nullable()
      .describe("Base URL of the built-in playground API. Null if it isn't running.")
      .meta({ examples: ['http://127.0.0.1:4748'] }),
    public_url: z
      .string()
      .nullable()
      .describe(
        'Base URL at which others reach webhooks now: of the tunnel, or the `public_url` of the settings. Null if there is none.',
      )
      .meta({ examples: [null] }),
    started_at: timestamp.describe('When Millrace was started, in UTC.'),
  }),
})
export type Meta = z.output<typeof metaRoute.result>

export const openapiRoute = defineRoute({
  method: 'GET',
  path: '/v1/openapi.json',
  name: 'read_openapi',
  summary: 'Read the description of this API in OpenAPI 3.1',
  access: 'open',
  status: 200,
  result: z.looseObject({ openapi: z.literal('3.1.0').describe('Version of the OpenAPI specification.') }),
})

export const metricsRoute = defineRoute({
  method: 'GET',
  path: '/v1/metrics',
  name: 'read_metrics',
  summary:
    'Metrics of the running program for Prometheus: runs, queue, webhooks, calls, event loop, memory, database',
  access: can('settings', 'read'),
  status: 200,
  text: 'text/plain; version=0.0.4; charset=utf-8',
  result: z
    .string()
    .describe('Metrics in the Prometheus text format.')
    .meta({
      examples: [
        '# HELP millrace_queued_runs Runs that wait for a place.\n# TYPE millrace_queued_runs gauge\nmillrace_queued_runs 0\n',
      ],
    }),
})

export const stopRoute = defineRoute({
  method: 'POST',
  path: '/v1/stop',
  name: 'stop_millrace',
  summary: 'Stop the program: requests in progress get their responses first',
  access: 'session',
  status: 202,
  result: z.object({
    stopping: z
      .literal(true)
      .describe('Always true: the program ends when the requests in progress have finished.'),
  }),
})

export const NOUNS = [
  'flow',
  /** An editor's unsaved state of the flow `id`: `updated_at`, null once it is discarded. */
  'working_copy',
  /** The trigger of the flow `id` has checked for new items, or has started to. */
  'flow_trigger',
  'flow_run',
  'flow_run_step',
  'webhook_request',
  /** A request is held, or no longer held, or the requests that the flow `flow_id` holds have changed. */
  'webhook_hold',
  'connector',
  'connector_action',
  'connector_auth',
  'env_variable',
  'data_table',
  'file_upload',
  'plugin',
  'user',
  'team',
  'token',
  /** A browser that signed in from another device. */
  'page_session',
  'settings',
  /** The public URL: `state`, `public_url`. */
  'tunnel',
  /** Runs failed: `flow_name`, `count`, and the latest one as `flow_run_id`. */
  'notice',
] as const
export type Noun = (typeof NOUNS)[number]

/** One change; it includes small fields that lists show (`status`, `flow_id`). */
export const liveEvent = z.looseObject({
  type: z
    .enum(['ready', 'created', 'updated', 'deleted'])
    .describe('What happened: `ready` once after connecting, then `created`, `updated` or `deleted`.')
    .meta({ examples: ['updated'] }),
  noun: z.enum(NOUNS).nullable().describe('The kind of record that changed. Null for `ready`.'),
  id: z
    .string()
    .nullable()
    .describe('ID of the record that changed. Null for `ready` and for single objects such as the settings.'),
})
export type LiveEvent = z.output<typeof liveEvent>

export const eventsRoute = defineStream({
  method: 'GET',
  path: '/v1/events',
  name: 'stream_events',
  summary: 'Stream live changes, one JSON value per line',
  access: can('flow_runs', 'read'),
  chosen: 'own',
  event: liveEvent,
})

export const hostRoutes = {
  metricsRoute,
  stopRoute,
  metaRoute,
  openapiRoute,
}
