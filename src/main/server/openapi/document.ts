/**
 * The API description in OpenAPI 3.1, generated only from the contract that the server also mounts and validates with.
 * Loaded on first use.
 */
import { createDocument } from 'zod-openapi'
import type { Route, StreamRoute } from '../../../shared/contract/base/route.ts'
import { ROUTES, STREAM_ROUTES } from '../../../shared/contract/routes.ts'
import { repeatable } from '../../../shared/contract/base/common.ts'
import { pathTemplate } from '../../../shared/contract/base/operation-name.ts'
import { COMPONENTS, ERROR_SCHEMA } from './components.ts'
import { addExamples } from './examples.ts'
import { HAND_MOUNTED } from './hand-mounted.ts'
import { tagOf, toOperation } from './operation.ts'
import type { z } from 'zod'
import { connectorAuth } from '../../../shared/contract/connector-auths.ts'
import { action, connector } from '../../../shared/contract/connectors.ts'
import { dataTable } from '../../../shared/contract/data/data-tables.ts'
import { envVariable } from '../../../shared/contract/env-variables.ts'
import { fileUpload } from '../../../shared/contract/file-uploads.ts'
import { flowRun, flowRunStep } from '../../../shared/contract/flow-runs.ts'
import { flow, flowVersion, workingCopy } from '../../../shared/contract/flows.ts'
import { liveEvent } from '../../../shared/contract/host.ts'
import { paginationEvent } from '../../../shared/contract/pagination.ts'
import { settings } from '../../../shared/contract/settings.ts'
import { step } from '../../../shared/contract/steps.ts'
import { team } from '../../../shared/contract/teams.ts'
import { issuedToken, listedToken } from '../../../shared/contract/tokens.ts'
import { user } from '../../../shared/contract/users.ts'
import { webhookRequest } from '../../../shared/contract/webhooks.ts'

export type OpenApiDocument = ReturnType<typeof createDocument>

export function createOpenApiDocument(version: string): OpenApiDocument {
  const routes: readonly (Route | StreamRoute)[] = [...ROUTES, ...STREAM_ROUTES]
  const paths: Record<string, Record<string, unknown>> = {}
  for (const route of routes) {
    const path = (paths[pathTemplate(route.path)] ??= {})
    path[route.method.toLowerCase()] = toOperation(route)
  }
  const description: Parameters<typeof createDocument>[0] = {
    openapi: '3.1.0',
    info: {
      title: 'Millrace',
      version,
      summary: 'Flows, connectors, connector auths and tokens of the Millrace on this machine',
      description: DESCRIPTION,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: 'http://127.0.0.1:4747', description: 'This machine, with the default port' }],
    security: [{ token: [] }],
    tags: tagsOf(routes),
    // The library's types don't accept read-only constants.
    paths: { ...paths, ...HAND_MOUNTED } as never,
    components: { schemas: { ...SCHEMAS, Error: ERROR_SCHEMA }, ...COMPONENTS } as never,
  }
  // Fields that accept any JSON have an empty schema, even if they are required.
  return addExamples(
    createDocument(description, {
      allowEmptySchema: { nonoptional: true, nullable: true },
      override({ zodSchema, jsonSchema, io }) {
        // Whole numbers in a query are parsed from strings, so their schema has a pattern, which readers don't need.
        if (jsonSchema.type === 'integer') delete jsonSchema.pattern
        // True and false are parsed from strings too, and documented as a boolean.
        if (String(jsonSchema.enum) === 'true,false') {
          delete jsonSchema.enum
          jsonSchema.type = 'boolean'
        }
        // Client generators treat a field with a default as required.
        if (io === 'input') describeDefault(jsonSchema)
        // Describes pairs as lists with `items`, because many tools know no others.
        if (jsonSchema.prefixItems !== undefined && !jsonSchema.items) {
          const { prefixItems } = jsonSchema
          const length = prefixItems.length
          delete jsonSchema.prefixItems
          Object.assign(jsonSchema, { items: prefixItems[0], minItems: length, maxItems: length })
        }
        // A choice of any JSON or null is simplified to any JSON, which includes null.
        if (jsonSchema.anyOf?.some((choice) => Object.keys(choice).length === 0)) delete jsonSchema.anyOf
        // A parameter that takes one value or several is a list, because it can be repeated.
        if (zodSchema !== repeatable) return
        delete jsonSchema.anyOf
        Object.assign(jsonSchema, { type: 'array', items: { type: 'string' } })
      },
    }),
  )
}

const DESCRIPTION = [
  'Bodies are JSON. Successful responses are plain objects, lists are plain arrays, newest first. All errors have the same shape.',
  'PUT is partial: an absent key keeps its value. Read-only keys of the record are accepted and ignored, so that',
  'what was read can be edited and sent back. Unknown keys are refused by name. Dates are ISO 8601 in UTC.',
].join('\n')

function describeDefault(schema: { default?: unknown; description?: string }): void {
  const { default: value, description = '' } = schema
  if (value === undefined) return
  delete schema.default
  if (/default/i.test(description)) return
  schema.description = `${description} Default: \`${JSON.stringify(value)}\`.`.trimStart()
}

function tagsOf(routes: readonly (Route | StreamRoute)[]): { name: string; description: string }[] {
  const byHand = Object.values(HAND_MOUNTED).flatMap(({ post }) => post.tags)
  const names = new Set<string>([...routes.map(({ path }) => tagOf(path)), ...byHand])
  return [...names].map((name) => ({ name, description: TAGS[name] ?? '' }))
}

/** Groups of operations, keyed by the first noun in their paths. */
const TAGS: Readonly<Record<string, string>> = {
  'Personal access tokens': 'Tokens with which programs call this API.',
  Connectors: 'Integrations with other systems: their base URL, authentication and pagination.',
  Imports: 'Create connectors from OpenAPI documents, Postman collections, curl commands and exported files.',
  'Connector actions': 'The requests that a connector offers.',
  'Connector auths': 'Stored credentials of connectors. Secrets can be written, and are never returned.',
  'Env variables': 'Values that the templates of all flows read by their names.',
  'Data tables': 'Tables that flows read and write.',
  'File uploads': 'Files that flows read, and those that they or webhooks store.',
  Plugins: 'Steps and triggers that others wrote.',
  Users: 'The people who use this Millrace.',
  Teams: 'Groups of users.',
  Flows: 'Chains of steps: create, change, run, and their versions.',
  'Flow sources': 'Flows as text files, for version control.',
  Schemas: 'JSON Schemas, for editors.',
  'Flow samples': 'Examples to start from.',
  'Flow tests': 'Runs tests of flows with recorded calls.',
  'Flow runs': 'The history of flows: read, search, replay, resume, cancel and compare runs.',
  'Flow run steps': 'The steps of all runs.',
  'Webhook requests': 'What was sent to webhooks, rejected requests included.',
  'Webhook holds': 'Requests that wait for a decision before their flow runs.',
  Figures: 'What happened over time, in numbers: counts and durations by hour or day, for charts.',
  Templates: 'Render and check templates.',
  'Pagination tests': 'Read a list as a flow does, and follow each request.',
  Settings: 'The settings of this Millrace.',
  Doctor: 'Checks of Millrace itself.',
  'Data folder': 'Where Millrace keeps its data, and its backups.',
  Database: 'Size and upkeep of the database.',
  'Data keys': 'The keys that encrypt stored credentials.',
  Port: 'The port on which Millrace listens.',
  Tunnel: 'The public URL of webhooks.',
  'Sign in codes': 'One-time codes that sign in a browser on this computer.',
  'Page sessions': 'Browsers that are signed in from elsewhere.',
  Health: 'Whether Millrace is running.',
  Alarms: 'Notifications about flows and triggers that keep failing.',
  Logs: 'The log of Millrace.',
  Calls: 'The latest calls of this API.',
  Metrics: 'Figures for Prometheus.',
  Stop: 'Stop Millrace.',
  Meta: 'Version, URLs and abilities of this Millrace.',
  Openapi: 'This description.',
  Events: 'Changes of records as they happen.',
  'Flow webhook': 'Start flows from outside.',
  MCP: 'The Model Context Protocol, for AI clients.',
}

/** Schemas with their own names in the description. */
const SCHEMAS: Readonly<Record<string, z.ZodType>> = {
  PersonalAccessToken: listedToken,
  IssuedPersonalAccessToken: issuedToken,
  Connector: connector,
  ConnectorAction: action,
  ConnectorAuth: connectorAuth,
  EnvVariable: envVariable,
  DataTable: dataTable,
  FileUpload: fileUpload,
  User: user,
  Team: team,
  Flow: flow,
  Step: step,
  FlowVersion: flowVersion,
  FlowWorkingCopy: workingCopy,
  FlowRun: flowRun,
  FlowRunStep: flowRunStep,
  WebhookRequest: webhookRequest,
  Settings: settings,
  LiveEvent: liveEvent,
  PaginationEvent: paginationEvent,
}
