/** Every route of the API. More specific paths come before more general ones. */
import type { Services } from '../../services/index.ts'
import type { App } from '../mount/app.ts'
import { mountConnectorAuths } from './connector-auths.ts'
import { mountConnectors } from './connectors.ts'
import { mountDataTables } from './data-tables.ts'
import { mountFlowRuns } from './flow-runs.ts'
import { mountFlowWebhook } from './flow-webhook.ts'
import { mountEnvVariables } from './env-variables.ts'
import { mountFileUploads } from './file-uploads.ts'
import { mountFlows } from './flows.ts'
import { mountHost } from './host.ts'
import { mountOAuthCallback } from './oauth2.ts'
import { mountMcp } from './mcp.ts'
import { mountPaginationTests } from './pagination-tests.ts'
import { mountPlugins } from './plugins.ts'
import { mountProgram } from './program.ts'
import { mountPageSessions } from './page-sessions.ts'
import { mountTemplates } from './templates.ts'
import { mountTokens } from './tokens.ts'
import { mountUsers } from './users.ts'
import { mountWebhookRequests } from './webhook-requests.ts'

export function mountRoutes(app: App, services: Services): void {
  mountHost(app, services)
  mountTokens(app, services)
  mountPageSessions(app, services)
  mountConnectors(app, services)
  mountConnectorAuths(app, services)
  mountOAuthCallback(app, services)
  mountEnvVariables(app, services)
  mountDataTables(app, services)
  mountFileUploads(app, services)
  mountUsers(app, services)
  mountPlugins(app, services)
  mountFlows(app, services)
  mountFlowRuns(app, services)
  mountFlowWebhook(app, services)
  mountWebhookRequests(app, services)
  mountPaginationTests(app, services)
  mountTemplates(app, services)
  mountProgram(app, services)
  mountMcp(app, services)
}
