/** Finds and creates connectors, and looks up records in their APIs. */
import { z } from 'zod'
import { json, jsonObject, text } from '../../../shared/contract/base/common.ts'
import { LIMITS } from '../../../shared/contract/base/limits.ts'
import { can } from '../../../shared/contract/base/route.ts'
import type { Action } from '../../../shared/contract/connectors.ts'
import { may } from '../../services/kit/caller.ts'
import { defineTool, type ToolCall } from './tool.ts'

const PER_PAGE = 50

const connectorId = text(200).describe('ID of the connector, as list_connectors returns it.')

const listConnectors = defineTool({
  name: 'list_connectors',
  title: 'List connectors',
  description:
    'Lists the connectors with their IDs, by name. With `connector_id`: that one with its actions, the fields of their forms, and the connector auths that can be used with it.',
  access: can('connectors', 'read'),
  readsOnly: true,
  input: z.strictObject({
    name: text(200).optional().describe('Only connectors whose name contains this.'),
    connector_id: connectorId.optional(),
    page: z
      .int()
      .min(1)
      .default(1)
      .describe(`Number of the page, from 1. A page has ${PER_PAGE} connectors.`),
  }),
  run(call, { name, connector_id: id, page }) {
    if (id !== undefined) return describeConnector(call, id)
    const filter = name === undefined ? [] : [`name,like,%${name}%`]
    const { records, total } = call.services.connectors.list({
      page,
      per_page: PER_PAGE,
      sort: 'name',
      filter,
    })
    const shown = records.map((one) => ({
      id: one.id,
      name: one.name,
      base_domain: one.base_domain,
      built_in: one.built_in,
    }))
    return { connectors: shown, total, page }
  },
})

function describeConnector({ services, caller }: ToolCall, id: string): object {
  const { name, base_domain, auth_config, pagination_config, built_in } = services.connectors.read(id)
  const actions = services.actions.list({ filter: [`connector_id,eq,${id}`] }).records
  const auths = may(caller, 'connector_auths', 'read')
    ? services.connectorAuths.list(caller, { filter: [`connector_id,eq,${id}`] }).records
    : []
  return {
    connector: {
      id,
      name,
      base_domain,
      auth_types: auth_config.auth_types,
      has_pagination: pagination_config !== null,
      built_in,
    },
    actions: actions.map(describeAction),
    auths: auths.map((auth) => ({
      id: auth.id,
      name: auth.name,
      auth_type: auth.auth_type,
      state: auth.state,
    })),
  }
}

const describeAction = ({ name, title, method, endpoint, ui_form_schema: form, ...action }: Action) => ({
  name,
  title,
  method,
  endpoint,
  reads_all_pages: action.supports_automatic_pagination,
  form,
})

const createConnector = defineTool({
  name: 'create_connector',
  title: 'Create a connector',
  description:
    'Creates a connector with its actions from the description of an API: an OpenAPI 3 or Swagger 2 document (JSON or YAML), a Postman collection, a curl command, or a Millrace connector file. Returns what was created, and what was left out and why. A person adds the credentials.',
  access: can('connectors', 'create'),
  readsOnly: false,
  input: z.strictObject({
    source: text(LIMITS.largeBodyBytes).min(1).describe('The description, as text.'),
    name: text(200).min(1).optional().describe('Name of the connector. Defaults to that in the description.'),
    dry_run: z.boolean().default(false).describe('True only says what would be created.'),
  }),
  async run({ services, caller }, { source, name, dry_run: isDryRun }) {
    const { file, left_out, notes } = await services.connectorFiles.plan(caller, { source })
    const connector = { ...file.connector, ...(name !== undefined && { name }) }
    const made = isDryRun ? null : await services.connectorFiles.make(caller, { ...file, connector })
    return {
      connector_id: made?.id ?? null,
      name: connector.name,
      base_domain: connector.base_domain ?? '',
      actions: file.actions.map((action) => ({
        name: action.name,
        title: action.title ?? '',
        method: action.method,
        endpoint: action.endpoint,
      })),
      left_out,
      notes,
    }
  },
})

const lookUp = defineTool({
  name: 'look_up',
  title: 'Look up records',
  description:
    "Searches the API of a connector for the choices of an action's form field, such as a customer's ID by name, and returns their values and labels. It sends requests with the chosen credentials.",
  access: can('connectors', 'read'),
  readsOnly: true,
  input: z.strictObject({
    connector_id: connectorId,
    query: text(1_000).default('').describe('The text to search for. Leave empty for the first choices.'),
    action: text(100).optional().describe('Name of the action whose form has the field.'),
    field: text(200).optional().describe('Name of the form field.'),
    input: jsonObject.optional().describe("Values of the form's other fields."),
    auth_id: text(200).optional().describe('ID of the connector auth whose credentials are used.'),
    values: z.array(json).max(50).optional().describe('Values whose labels to return, instead of searching.'),
    limit: z.int().min(1).max(200).default(20).describe('Return at most this many choices.'),
  }),
  async run({ services, caller }, { connector_id: id, query: q, ...asked }) {
    const body = { ...asked, q } as Parameters<typeof services.remoteSearch.search>[2]
    const choices = await services.remoteSearch.search(caller, id, body)
    return { choices: choices.map(({ value, label }) => ({ value, label })) }
  },
})

export const CONNECTOR_TOOLS = [listConnectors, createConnector, lookUp]
