/** Every declared endpoint; the webhook, the page and the OAuth callback are mounted by hand beside them. */
import { createTokenRoute, listTokensRoute, regenerateTokenRoute, revokeTokenRoute } from './tokens.ts'
import {
  createConnectorRoute,
  listConnectorsRoute,
  readConnectorRoute,
  updateConnectorRoute,
  deleteConnectorRoute,
  copyConnectorRoute,
  createActionRoute,
  listActionsRoute,
  readActionRoute,
  updateActionRoute,
  deleteActionRoute,
} from './connectors.ts'
import {
  createConnectorAuthRoute,
  listConnectorAuthsRoute,
  readConnectorAuthRoute,
  updateConnectorAuthRoute,
  deleteConnectorAuthRoute,
  testConnectorAuthRoute,
} from './connector-auths.ts'
import {
  createFlowRoute,
  listFlowsRoute,
  readFlowRoute,
  updateFlowRoute,
  deleteFlowRoute,
  rotateWebhookTokenRoute,
  listFlowVersionsRoute,
  restoreFlowVersionRoute,
  readWorkingCopyRoute,
  updateWorkingCopyRoute,
  runFlowRoute,
  runStepRoute,
} from './flows.ts'
import {
  listFlowRunsRoute,
  readFlowRunRoute,
  listRunStepsRoute,
  listFlowRunStepsRoute,
  cancelFlowRunRoute,
  replayFlowRunRoute,
  deleteFlowRunRoute,
} from './flow-runs.ts'
import { listWebhookRequestsRoute, listPausedCountsRoute } from './webhooks.ts'
import { renderTemplateRoute } from './templates.ts'
import { readSettingsRoute, updateSettingsRoute } from './settings.ts'
import { suggestPaginationRoute, testPaginationRoute } from './pagination.ts'
import { healthRoute, metaRoute, eventsRoute } from './host.ts'

export const ROUTES = [
  createTokenRoute,
  listTokensRoute,
  regenerateTokenRoute,
  revokeTokenRoute,
  createConnectorRoute,
  listConnectorsRoute,
  readConnectorRoute,
  updateConnectorRoute,
  deleteConnectorRoute,
  copyConnectorRoute,
  createActionRoute,
  listActionsRoute,
  readActionRoute,
  updateActionRoute,
  deleteActionRoute,
  createConnectorAuthRoute,
  listConnectorAuthsRoute,
  readConnectorAuthRoute,
  updateConnectorAuthRoute,
  deleteConnectorAuthRoute,
  testConnectorAuthRoute,
  createFlowRoute,
  listFlowsRoute,
  readFlowRoute,
  updateFlowRoute,
  deleteFlowRoute,
  rotateWebhookTokenRoute,
  listFlowVersionsRoute,
  restoreFlowVersionRoute,
  readWorkingCopyRoute,
  updateWorkingCopyRoute,
  runFlowRoute,
  runStepRoute,
  listFlowRunsRoute,
  readFlowRunRoute,
  listRunStepsRoute,
  listFlowRunStepsRoute,
  cancelFlowRunRoute,
  replayFlowRunRoute,
  deleteFlowRunRoute,
  listWebhookRequestsRoute,
  listPausedCountsRoute,
  renderTemplateRoute,
  suggestPaginationRoute,
  readSettingsRoute,
  updateSettingsRoute,
  healthRoute,
  metaRoute,
] as const

export const STREAM_ROUTES = [testPaginationRoute, eventsRoute] as const
