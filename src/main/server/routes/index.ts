/** Every route of the API. More specific paths come before more general ones. */
import type { Services } from '../../services/index.ts'
import type { App } from '../mount/app.ts'
import { mountAlarms } from './alarms.ts'
import { mountConnectorAuths } from './connector-auths.ts'
import { mountConnectors } from './connectors.ts'
import { mountImports } from './imports.ts'
import { mountDataFolder } from './data-folder.ts'
import { mountDataTables } from './data-tables.ts'
import { mountDoctor } from './doctor.ts'
import { mountFlowSamples } from './flow-samples.ts'
import { mountFlowRuns } from './flow-runs.ts'
import { mountFlowWebhook } from './flow-webhook.ts'
import { mountEnvVariables } from './env-variables.ts'
import { mountFileUploads } from './file-uploads.ts'
import { mountFlows } from './flows.ts'
import { mountHost } from './host.ts'
import { mountOAuthCallback } from './oauth2.ts'
import { mountLogs } from './logs.ts'
import { mountMcp } from './mcp.ts'
import { mountPaginationTests } from './pagination-tests.ts'
import { mountPort } from './port.ts'
import { mountSettings } from './settings.ts'
import { mountPageSessions } from './page-sessions.ts'
import { mountSignInCodes } from './sign-in-codes.ts'
import { mountStepPins } from './step-pins.ts'
import { mountTemplates } from './templates.ts'
import { mountTeams } from './teams.ts'
import { mountTokens } from './tokens.ts'
import { mountTunnel } from './tunnel.ts'
import { mountUsers } from './users.ts'
import { mountWebhookRequests } from './webhook-requests.ts'

export function mountRoutes(app: App, services: Services): void {
  mountHost(app, services)
  mountTokens(app, services)
  mountSignInCodes(app, services)
  mountPageSessions(app, services)
  mountImports(app, services)
  mountConnectors(app, services)
  mountConnectorAuths(app, services)
  mountOAuthCallback(app, services)
  mountEnvVariables(app, services)
  mountDataTables(app, services)
  mountFileUploads(app, services)
  mountUsers(app, services)
  mountTeams(app, services)
  mountFlows(app, services)
  mountStepPins(app, services)
  mountFlowSamples(app, services)
  mountFlowRuns(app, services)
  mountFlowWebhook(app, services)
  mountWebhookRequests(app, services)
  mountPaginationTests(app, services)
  mountTemplates(app, services)
  mountSettings(app, services)
  mountPort(app, services)
  mountTunnel(app, services)
  mountDataFolder(app, services)
  mountDoctor(app, services)
  mountLogs(app, services)
  mountAlarms(app, services)
  mountMcp(app, services)
}
