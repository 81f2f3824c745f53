/** Schemas that have a name of their own in the description. */
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

export const SCHEMAS: Readonly<Record<string, z.ZodType>> = {
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
