/** Data that several screens show. Lists are loaded completely. */
import { useMemo } from 'react'
import { listConnectorAuthsRoute, listConnectorAuthUsesRoute } from '../../shared/contract/connector-auths.ts'
import { listActionsRoute, listConnectorsRoute } from '../../shared/contract/connectors.ts'
import { listDataTablesRoute } from '../../shared/contract/data/data-tables.ts'
import { readDataFolderRoute } from '../../shared/contract/data-folder.ts'
import { listFlowSamplesRoute } from '../../shared/contract/flow-samples.ts'
import { type Flow, listFlowsRoute, listFlowVersionsRoute } from '../../shared/contract/flows.ts'
import { END_STATUSES } from '../../shared/contract/flow-runs.ts'
import { type LiveEvent, metaRoute } from '../../shared/contract/host.ts'
import { listPluginsRoute } from '../../shared/contract/plugins/plugins.ts'
import { readForwardRoute } from '../../shared/contract/reach/forwards.ts'
import { readTunnelRoute } from '../../shared/contract/reach/tunnel.ts'
import { readSettingsRoute } from '../../shared/contract/settings.ts'
import { listTeamsRoute } from '../../shared/contract/teams.ts'
import { listTokensRoute } from '../../shared/contract/tokens.ts'
import { listUsersRoute, readOwnUserRoute } from '../../shared/contract/users.ts'
import { resource, useResource } from './resource.ts'

const byName = { sort: 'name' }

export const CONNECTORS = resource(listConnectorsRoute, { nouns: ['connector'], query: byName, all: true })
export const CONNECTOR_AUTHS = resource(listConnectorAuthsRoute, {
  nouns: ['connector_auth', 'user', 'team'],
  all: true,
})
/** When and where each auth was used and tested. */
export const AUTH_USES = resource(listConnectorAuthUsesRoute, { nouns: ['connector_auth', 'flow'] })
/** The actions of all connectors. */
export const ACTIONS = resource(listActionsRoute, { nouns: ['connector_action', 'connector'], all: true })
export const actionsOf = (connectorId: string) =>
  resource(listActionsRoute, {
    nouns: ['connector_action', 'connector'],
    query: { filter: `connector_id,eq,${connectorId}`, sort: 'title' },
    all: true,
  })
/** Newest first. */
export const FLOWS = resource(listFlowsRoute, { nouns: ['flow'], all: true })
/** The samples that come with Millrace. */
export const FLOW_SAMPLES = resource(listFlowSamplesRoute, { nouns: [] })
export const forwardOf = (id: string) =>
  resource(readForwardRoute, {
    nouns: ['flow', 'webhook_request'],
    concerns: (event) => event.id === id || event.flow_id === id,
    params: { id },
  })
/** Newest first. */
export const versionsOf = (flowId: string) =>
  resource(listFlowVersionsRoute, {
    nouns: ['flow'],
    concerns: ({ id }) => id === flowId,
    params: { id: flowId },
    all: true,
  })
/** The size is that of the moment when the screen opened. */
export const DATA_FOLDER = resource(readDataFolderRoute, { nouns: [] })
export const DATA_TABLES = resource(listDataTablesRoute, { nouns: ['data_table'], query: byName, all: true })
/** Depends on the tunnel because the public URL can be the tunnel's. */
export const META = resource(metaRoute, { nouns: ['settings', 'tunnel'] })
/** Requesting the list makes Millrace read the plug-in folders again. */
export const PLUGINS = resource(listPluginsRoute, { nouns: ['plugin'] })
export const OWN_USER = resource(readOwnUserRoute, { nouns: ['user'] })
export const USERS = resource(listUsersRoute, { nouns: ['user'], query: byName, all: true })
export const SETTINGS = resource(readSettingsRoute, { nouns: ['settings'] })
export const TEAMS = resource(listTeamsRoute, { nouns: ['team', 'user'], query: byName, all: true })
/** Depends on flows because it lists those that are exposed. */
export const TUNNEL = resource(readTunnelRoute, { nouns: ['tunnel', 'flow'] })
export const TOKENS = resource(listTokensRoute, { nouns: ['token'], all: true })

/** Whether a run ended with this change. */
export const endsRun = ({ status }: LiveEvent) => (END_STATUSES as readonly unknown[]).includes(status)

/** All flows, sorted by name, for a list to choose from; empty until they are loaded. */
export function useFlowsByName(): readonly Flow[] {
  const { data } = useResource(FLOWS)
  return useMemo(() => (data ?? []).toSorted((a, b) => a.name.localeCompare(b.name)), [data])
}
