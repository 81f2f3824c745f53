/** All repositories over one connection. */
import type { Database } from 'better-sqlite3'
import { createActionRepository, type ActionRepository } from './records/actions.ts'
import { type AlarmReceiverRepository, createAlarmReceiverRepository } from './records/alarm-receivers.ts'
import { type AlarmRepository, createAlarmRepository } from './records/alarms.ts'
import { type BreakpointRepository, createBreakpointRepository } from './runs/breakpoints.ts'
import { createCatalogueStateRepository, type CatalogueStateRepository } from './records/catalogue-state.ts'
import { createConnectorAuthRepository, type ConnectorAuthRepository } from './records/connector-auths.ts'
import { createConnectorImageRepository, type ConnectorImageRepository } from './records/connector-images.ts'
import { createConnectorRepository, type ConnectorRepository } from './records/connectors.ts'
import { createDataTableRepository, type DataTableRepository } from './records/data-tables.ts'
import { createEnvVariableRepository, type EnvVariableRepository } from './records/env-variables.ts'
import { createFigureRepository, type FigureRepository } from './records/figures.ts'
import { createFileUploadRepository, type FileUploadRepository } from './records/file-uploads.ts'
import { createFormerSecretRepository, type FormerSecretRepository } from './runs/former-secrets.ts'
import { createFlowRunRepository, type FlowRunRepository } from './runs/flow-runs.ts'
import { createFlowRepository, type FlowRepository } from './records/flows.ts'
import { createFlowTestRepository, type FlowTestRepository } from './records/flow-tests.ts'
import { createIdempotencyKeyRepository, type IdempotencyKeyRepository } from './records/idempotency-keys.ts'
import { createKeyValueRepository, type KeyValueRepository } from './records/key-values.ts'
import { createPausedRequestRepository, type PausedRequestRepository } from './records/paused-requests.ts'
import { createRateLimitRepository, type RateLimitRepository } from './records/rate-limits.ts'
import { createHeldRequests } from './runs/held-requests.ts'
import { createRejectedBodies } from './runs/rejected-bodies.ts'
import { createRejectedRequests } from './runs/rejected-requests.ts'
import { createRetention, type RetentionRepository } from './runs/retention.ts'
import { createRunSearch, type RunSearchIndex } from './search/run-search.ts'
import { createRunQueueRepository, type RunQueueRepository } from './runs/run-queue.ts'
import { createRunStateRepository, type RunStateRepository } from './runs/run-states.ts'
import { createRunStepRepository, type RunStepRepository } from './runs/run-steps.ts'
import { createSeenDeliveryRepository, type SeenDeliveryRepository } from './records/seen-deliveries.ts'
import { createScheduleRepository, type ScheduleRepository } from './records/schedules.ts'
import { createSettingsRepository, type SettingsRepository } from './records/settings.ts'
import {
  createConnectorAuthUseRepository,
  type ConnectorAuthUseRepository,
} from './records/connector-auth-uses.ts'
import { createStateFormat } from './history/state-format.ts'
import { createPluginRepository, type PluginRepository } from './records/plugins.ts'
import { createStepPinRepository, type StepPinRepository } from './records/step-pins.ts'
import { createTeamRepository, type TeamRepository } from './records/teams.ts'
import { createPageSessionRepository, type PageSessionRepository } from './records/page-sessions.ts'
import { createTokenRepository, type TokenRepository } from './records/tokens.ts'
import { createTriggerRepository, type TriggerRepository } from './records/triggers.ts'
import { createTriggerSuspectRepository, type TriggerSuspectRepository } from './records/trigger-suspects.ts'
import { createTunnelRepository, type TunnelRepository } from './records/tunnel.ts'
import { createUserRepository, type UserRepository } from './records/users.ts'
import { createWebhookRequestRepository, type WebhookRequestRepository } from './runs/webhook-requests.ts'
import { createWebhookAttemptRepository, type WebhookAttemptRepository } from './runs/webhook-attempts.ts'
import type { JsonCodec } from './sql/codec.ts'
import { createHistoryParts } from './history/history-parts.ts'
import { createKeySequence, runKey } from './history/ids.ts'
import { createEndSteps } from './history/end-steps.ts'
import { createQuestionRepository, type QuestionRepository } from './runs/questions.ts'
import { createRecovery, type Recover } from './runs/recovery.ts'
import type { SecretBox } from './secrets/secret-box.ts'
import type { CommitHook } from './commit/commit.ts'

/** One repository per noun. Reads are plain calls; changes must be made inside `write` or `writeNow`. */
export interface Repositories {
  readonly users: UserRepository
  readonly teams: TeamRepository
  readonly tokens: TokenRepository
  readonly pageSessions: PageSessionRepository
  readonly settings: SettingsRepository
  readonly tunnel: TunnelRepository
  readonly envVariables: EnvVariableRepository
  readonly connectors: ConnectorRepository
  readonly connectorImages: ConnectorImageRepository
  readonly catalogueState: CatalogueStateRepository
  readonly actions: ActionRepository
  readonly alarms: AlarmRepository
  readonly alarmReceivers: AlarmReceiverRepository
  readonly connectorAuths: ConnectorAuthRepository
  readonly dataTables: DataTableRepository
  readonly figures: FigureRepository
  readonly fileUploads: FileUploadRepository
  readonly flows: FlowRepository
  readonly flowTests: FlowTestRepository
  readonly stepPins: StepPinRepository
  readonly breakpoints: BreakpointRepository
  readonly plugins: PluginRepository
  readonly formerSecrets: FormerSecretRepository
  readonly connectorAuthUses: ConnectorAuthUseRepository
  readonly flowRuns: FlowRunRepository
  readonly runSteps: RunStepRepository
  readonly runStates: RunStateRepository
  readonly runQueue: RunQueueRepository
  readonly runSearch: RunSearchIndex
  readonly keyValues: KeyValueRepository
  readonly schedules: ScheduleRepository
  readonly triggers: TriggerRepository
  readonly triggerSuspects: TriggerSuspectRepository
  readonly questions: QuestionRepository
  readonly seenDeliveries: SeenDeliveryRepository
  readonly webhookRequests: WebhookRequestRepository
  readonly webhookAttempts: WebhookAttemptRepository
  readonly pausedRequests: PausedRequestRepository
  readonly rateLimits: RateLimitRepository
  readonly idempotencyKeys: IdempotencyKeyRepository
  readonly retention: RetentionRepository
  /** Cleans up after the last shutdown or crash; call once, before the first run starts. */
  readonly recover: Recover
}

export interface RepositoryOptions {
  readonly bootId: string
  readonly json: JsonCodec
  readonly box: SecretBox
  readonly dataDir: string
  /** Called when a counter in memory has changed and its hook should be written soon. */
  readonly onCount: () => void
  /** Whether Millrace was shut down properly last time. */
  readonly endedCleanly: boolean
}

export function createRepositories(
  db: Database,
  { bootId, json, box, dataDir, onCount, endedCleanly }: RepositoryOptions,
): { readonly repositories: Repositories; readonly commitHooks: readonly CommitHook[] } {
  const keys = createKeySequence(db)
  const parts = createHistoryParts(db)
  const states = createStateFormat(box, dataDir)
  const rejected = createRejectedRequests(db)
  const search = createRunSearch(db, json, parts, keys.lastBefore)
  const webhookRequests = createWebhookRequestRepository(db, keys, parts, {
    bodies: createRejectedBodies(db, box),
    held: createHeldRequests(db, box),
    rejected,
    search,
  })
  const endSteps = createEndSteps(json, parts)
  const formerSecrets = createFormerSecretRepository(db, box, keys)
  const rateLimits = createRateLimitRepository(db, onCount)
  const figures = createFigureRepository(db)
  const pausedRequests = createPausedRequestRepository(db, onCount)
  return {
    repositories: {
      users: createUserRepository(db),
      teams: createTeamRepository(db),
      tokens: createTokenRepository(db),
      pageSessions: createPageSessionRepository(db),
      settings: createSettingsRepository(db),
      tunnel: createTunnelRepository(db, box),
      envVariables: createEnvVariableRepository(db, json, box),
      connectors: createConnectorRepository(db, json, box),
      connectorImages: createConnectorImageRepository(db),
      catalogueState: createCatalogueStateRepository(db),
      actions: createActionRepository(db, json),
      alarms: createAlarmRepository(db),
      alarmReceivers: createAlarmReceiverRepository(db),
      connectorAuths: createConnectorAuthRepository(db, json, box),
      dataTables: createDataTableRepository(db, runKey),
      figures: figures.repository,
      fileUploads: createFileUploadRepository(db),
      flows: createFlowRepository(db, json, box),
      plugins: createPluginRepository(db),
      breakpoints: createBreakpointRepository(db, box),
      flowTests: createFlowTestRepository(db),
      stepPins: createStepPinRepository(db, json, {
        box,
        lastKey: () => keys.last(),
        keyOfRun: runKey,
        carryOver: formerSecrets.carryOver,
      }),
      formerSecrets: formerSecrets.repository,
      connectorAuthUses: createConnectorAuthUseRepository(db),
      flowRuns: createFlowRunRepository(db, {
        json,
        states,
        keys,
        parts,
        requests: webhookRequests,
        search,
        endSteps,
        carryOver: formerSecrets.carryOver,
      }),
      runSteps: createRunStepRepository(db, json, parts),
      runStates: createRunStateRepository(db, states, parts),
      runSearch: search.index,
      runQueue: createRunQueueRepository(db, bootId),
      keyValues: createKeyValueRepository(db, box),
      schedules: createScheduleRepository(db),
      triggers: createTriggerRepository(db, box),
      triggerSuspects: createTriggerSuspectRepository(db, box),
      questions: createQuestionRepository(db, box),
      seenDeliveries: createSeenDeliveryRepository(db, box),
      webhookRequests,
      webhookAttempts: createWebhookAttemptRepository(db, box),
      pausedRequests: pausedRequests.repository,
      rateLimits: rateLimits.repository,
      idempotencyKeys: createIdempotencyKeyRepository(db, box),
      retention: createRetention(db, search, rejected, figures.forgetFlow),
      recover: createRecovery(db, json, endSteps, { lastBefore: keys.lastBefore, endedCleanly }),
    },
    commitHooks: [rateLimits.commitHook, pausedRequests.commitHook, figures.commitHook],
  }
}
