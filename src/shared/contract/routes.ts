/** Every declared endpoint; the webhook, the app and the OAuth callback are mounted separately. */
import { tokenRoutes } from './tokens.ts'
import { connectorRoutes, actionRoutes } from './connectors.ts'
import { importSourceRoutes } from './import-sources.ts'
import { connectorImportRoutes } from './connector-imports.ts'
import { actionTryRoutes } from './action-tries.ts'
import { connectorAuthRoutes, signInByCodeRoute } from './connector-auths.ts'
import { envVariableRoutes } from './env-variables.ts'
import { dataTableRoutes } from './data/data-tables.ts'
import { fileUploadRoutes } from './file-uploads.ts'
import { pluginRoutes } from './plugins/plugins.ts'
import { userRoutes } from './users.ts'
import { teamRoutes } from './teams.ts'
import { flowFileRoutes, flowSourceTestRoutes } from './flow-files.ts'
import { flowSampleRoutes } from './flow-samples.ts'
import { flowRoutes, flowVersionRoutes, flowStartRoutes } from './flows.ts'
import { flowTriggerRoutes } from './reach/flow-trigger.ts'
import { stepPinRoutes } from './step-pins.ts'
import { flowRunRoutes, flowRunControlRoutes } from './flow-runs.ts'
import { breakpointRoutes, runStopRoutes } from './reach/breakpoints.ts'
import { questionRoutes } from './reach/questions.ts'
import { webhookHoldRoutes } from './reach/webhook-holds.ts'
import { runDebuggingRoutes } from './run-debugging.ts'
import { flowTestRoutes, storedTestRoutes } from './flow-tests.ts'
import { webhookRequestRoutes } from './webhooks.ts'
import { templateRoutes } from './templates.ts'
import { paginationRoutes, testPaginationRoute } from './pagination.ts'
import { settingsRoutes } from './settings.ts'
import { doctorRoutes } from './doctor.ts'
import { dataFolderRoutes } from './data-folder.ts'
import { flowReachRoutes } from './reach/flow-reach.ts'
import { forwardRoutes, replayWebhookRequestsRoute } from './reach/forwards.ts'
import { portRoutes } from './reach/port.ts'
import { tunnelRoutes } from './reach/tunnel.ts'
import { signInCodeRoutes, pageSessionRoutes } from './page-sessions.ts'
import { eventsRoute, healthRoute, hostRoutes } from './host.ts'
import { alarmRoutes } from './alarms.ts'
import { figureRoutes } from './figures/figures.ts'
import { logRoutes } from './logs.ts'

/** All routes, in the order of the API reference. */
export const ROUTES = Object.values({
  ...tokenRoutes,
  ...connectorRoutes,
  ...importSourceRoutes,
  ...connectorImportRoutes,
  ...actionRoutes,
  ...actionTryRoutes,
  ...connectorAuthRoutes,
  ...envVariableRoutes,
  ...dataTableRoutes,
  ...fileUploadRoutes,
  ...pluginRoutes,
  ...userRoutes,
  ...teamRoutes,
  ...flowFileRoutes,
  ...flowSampleRoutes,
  ...flowRoutes,
  ...flowTriggerRoutes,
  ...flowVersionRoutes,
  ...flowStartRoutes,
  ...flowReachRoutes,
  ...stepPinRoutes,
  ...breakpointRoutes,
  ...flowRunRoutes,
  ...questionRoutes,
  ...runStopRoutes,
  ...flowRunControlRoutes,
  ...runDebuggingRoutes,
  ...flowSourceTestRoutes,
  ...flowTestRoutes,
  ...storedTestRoutes,
  ...webhookRequestRoutes,
  ...webhookHoldRoutes,
  ...figureRoutes,
  ...templateRoutes,
  ...paginationRoutes,
  ...settingsRoutes,
  ...doctorRoutes,
  ...dataFolderRoutes,
  ...portRoutes,
  ...forwardRoutes,
  ...tunnelRoutes,
  ...signInCodeRoutes,
  ...pageSessionRoutes,
  healthRoute,
  ...alarmRoutes,
  ...logRoutes,
  ...hostRoutes,
})

export const STREAM_ROUTES = [
  testPaginationRoute,
  signInByCodeRoute,
  replayWebhookRequestsRoute,
  eventsRoute,
] as const
