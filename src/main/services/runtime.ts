/** Everything that executes flows: compiled flows, secrets to redact, the executor, the queue, webhooks. */
import { say } from '../../shared/contract/base/message.ts'
import { join } from 'node:path'
import { AppError } from '../../shared/contract/base/errors.ts'
import type { Noun } from '../../shared/contract/host.ts'
import type { Settings } from '../../shared/contract/settings.ts'
import type { DataTablePort } from '../engine/flow/model/ports.ts'
import type { Redactor } from '../engine/redaction/redactor.ts'
import type { Store } from '../store/index.ts'
import type { Authorization } from './keeping/access/authorization.ts'
import type { ConnectorAuthsService } from './reaching/auths/connector-auths.ts'
import { tellsFailures } from './running/alarms/alarm.ts'
import { type AlarmsService, createAlarmsService } from './running/alarms/alarms.ts'
import { createDeliveries } from './running/webhooks/deliveries.ts'
import { createErrorFlows } from './running/runs/error-flows.ts'
import type { MetricsService } from './serving/figures/metrics.ts'
import type { EventsService } from './kit/live-events.ts'
import { startFailureNotices } from './running/runs/failure-notices.ts'
import type { FilesService } from './keeping/files/files.ts'
import { createPortsFor, type OutgoingPorts } from './reaching/step-ports/step-ports.ts'
import { createFlowConcurrency } from './running/execution/flow-concurrency.ts'
import { createFlowRunsService, type FlowRunsService } from './running/runs/flow-runs.ts'
import { createRunDebugging, type RunDebuggingService } from './running/runs/run-debugging.ts'
import { createDocuments } from './reaching/documents/documents.ts'
import { startJsonPathPlus } from './reaching/documents/jsonpath-plus.ts'
import { createPrograms } from './reaching/programs/programs.ts'
import { createSinks } from './reaching/databases/sinks.ts'
import { createSqlPort } from './reaching/databases/sql.ts'
import { createSqliteFiles } from './reaching/databases/sqlite.ts'
import { createFolders } from './reaching/step-ports/folders.ts'
import { createKeyValues } from './reaching/step-ports/key-values.ts'
import { createKnownSecrets } from './keeping/secrets/known-secrets.ts'
import { sendMail } from './reaching/sending/mail.ts'
import type { Log, SecureRandom } from './kit/ports.ts'
import type { OAuthService } from './reaching/auths/oauth.ts'
import type { SftpService } from './reaching/sending/sftp.ts'
import { startPluginFilters } from './reaching/plugins/plugin-filters.ts'
import type { PluginsService } from './reaching/plugins/plugins.ts'
import { createQuestionsService, type QuestionsService } from './running/runs/questions.ts'
import { createRunQueue } from './running/runs/queue.ts'
import type { ClosedPlaces } from './keeping/files/closed-places.ts'
import type { RecordFilesService } from './keeping/files/record-files.ts'
import { createRunExecutor, type EnvValues } from './running/execution/run-executor.ts'
import { createRunnableFlows } from './running/execution/runnable-flows.ts'
import { createScripts } from './reaching/step-ports/run-scripts.ts'
import { createSubFlows } from './running/runs/sub-flows.ts'
import { createToolRuns, type ToolRunsService } from './running/runs/tool-runs.ts'
import { createSchedulerService, type SchedulerService } from './running/runs/scheduler.ts'
import { mailboxes } from './reaching/mailboxes/mailboxes.ts'
import { createFolderKind } from './running/triggers/folder-kind.ts'
import { createListKind } from './running/triggers/list-kind.ts'
import { createMailKind } from './running/triggers/mail-kind.ts'
import { createTriggersService, type TriggersService } from './running/triggers/triggers.ts'
import { createWebhookDetails, type WebhookDetailsService } from './running/webhooks/request-details.ts'
import { createWebhooksService, type WebhooksService } from './running/webhooks/webhooks.ts'

export interface Runtime {
  readonly flowRuns: FlowRunsService
  readonly questions: Pick<QuestionsService, 'openOf'>
  readonly webhooks: WebhooksService
  readonly webhookDetails: WebhookDetailsService
  readonly runDebugging: RunDebuggingService
  readonly toolRuns: ToolRunsService
  readonly scheduler: SchedulerService
  readonly triggers: TriggersService
  readonly alarms: AlarmsService
  readonly isExecuting: (runId: string) => boolean
  /** Reports whether runs are being executed: at once, and whenever that changes. */
  readonly onBusy: (listener: (isBusy: boolean) => void) => void
  /** Redacts every known secret. */
  readonly redactor: () => Redactor
  /** Called when former secrets are no longer needed. */
  readonly forgetSecrets: () => void
  /** Resumes the runs of an earlier process. Call it before the first request is served. */
  start(): Promise<void>
  /** Accepts no more runs; queued ones are put back. Runs whose caller is waiting continue. */
  beginStop(): void
  /** Ends the remaining runs as interrupted. Resolves when none is being executed any longer, or after `graceMs`. */
  stop(options: { readonly graceMs: number }): Promise<void>
}

export interface RuntimeOptions {
  readonly store: Store
  readonly outgoing: OutgoingPorts
  readonly env: EnvValues
  /** The secret env values. */
  readonly envSecrets: () => readonly string[]
  readonly random: SecureRandom
  readonly events: EventsService
  readonly metrics: Pick<MetricsService, 'noteRunEnd' | 'noteScheduledRun'>
  readonly log: Log
  readonly settings: () => Settings
  readonly authorization: Pick<Authorization, 'authorizeWebhook'>
  readonly oauth: Pick<OAuthService, 'open' | 'senderFor'>
  readonly connectorAuths: Pick<ConnectorAuthsService, 'read'>
  readonly sftp: SftpService
  readonly files: Pick<FilesService, 'assign' | 'read' | 'receive' | 'store' | 'storeFromAnyone'>
  readonly recordFiles: RecordFilesService
  readonly closedPlaces: ClosedPlaces
  readonly dataTables: DataTablePort
  readonly plugins: Pick<PluginsService, 'find' | 'confirmed'>
  /** Base URL of the app. */
  readonly url: () => string
  /** Where other computers reach webhooks, forms and questions; null if they don't. */
  readonly publicUrl: () => string | null
  readonly answerWithinMs?: number
  readonly retryMs?: number
}

export function createRuntime(options: RuntimeOptions): Runtime {
  const { store, outgoing, env, envSecrets, random, events, log, settings, authorization, oauth } = options
  const { clock } = outgoing
  const { files, recordFiles, metrics, plugins } = options
  const runnable = createRunnableFlows(store)
  const secrets = createKnownSecrets({ store, envSecrets })
  const subFlows = createSubFlows({ store, runnable, clock, events, accept: (run) => queue.accept(run) })
  const questions = createQuestionsService({
    store,
    clock,
    random,
    events,
    url: options.url,
    publicUrl: options.publicUrl,
    onAnswered: () => queue.claimSoon(),
  })
  const scripts = createScripts()
  const documents = createDocuments()
  const jsonPathPlus = startJsonPathPlus()
  const pluginFilters = startPluginFilters({ plugins, events })
  const sqliteFiles = createSqliteFiles()
  const folders = createFolders({
    folders: () => settings().file_folders,
    closedPlaces: options.closedPlaces,
  })
  const concurrency = createFlowConcurrency({
    claimedByQueue: (flowId) => store.runQueue.takenOf(flowId),
    onFree: () => queue.claimSoon(),
  })
  const portsFor = createPortsFor({
    store,
    outgoing,
    oauth,
    connectorAuths: options.connectorAuths,
    sftp: options.sftp,
    files,
    recordFiles,
    settings,
    log,
    redactor: () => secrets.redactor(),
    subFlows,
    questions,
    sendMail,
    mailboxes,
    runScript: scripts.run,
    plugins: {
      find: (name) => plugins.find(name),
      run(call) {
        const { source = '' } = plugins.find(call.plugin) ?? {}
        return scripts.runPlugin(source, call)
      },
    },
    keyValues: createKeyValues({ store, clock, redactor: () => secrets.redactor() }),
    dataTables: options.dataTables,
    folders,
    documents,
    programs: createPrograms({
      programs: () => settings().programs,
      folders: () => settings().file_folders,
    }),
    sinks: createSinks({
      sqliteFiles,
      rejectedFolder: join(store.dataDir, 'rejected'),
      admitFile: (path) => folders.admitFile(path),
      admitDatabase: (path) => folders.admitDatabase(path),
    }),
    sql: createSqlPort({ sqliteFiles, admitDatabase: (path) => folders.admitDatabase(path) }),
  })
  const busyListeners: ((isBusy: boolean) => void)[] = []
  const executor = createRunExecutor({
    concurrency,
    store,
    portsFor,
    recordFiles,
    clock,
    env,
    events,
    onEnding: (run, start) => alarms.noteEnd(run, () => errorFlows.comesOfError(run, start)),
    onFailed: (run, start) => errorFlows.handle(run, start),
    wakeParent: (run) => run.parent_run_id !== null && store.runQueue.wake(run.parent_run_id, clock.now()),
    onQueued: () => queue.notifyEnqueued(),
    onBusy(isBusy) {
      for (const listener of busyListeners) listener(isBusy)
    },
    onEnded: ({ duration_ms: durationMs }) => metrics.noteRunEnd(durationMs ?? 0),
    log,
  })
  const queue = createRunQueue({
    store,
    runnable,
    executor,
    concurrency,
    recordFiles,
    secrets,
    settings,
    clock,
    events,
    log,
    onFailed(run) {
      alarms.noteEnd(run, () => errorFlows.comesOfError(run))
      return errorFlows.handle(run)
    },
    retryMs: options.retryMs,
  })
  const errorFlows = createErrorFlows({ store, runnable, clock, log, enqueue: (run) => queue.enqueue(run) })
  const alarms = createAlarmsService({
    store,
    runnable,
    queue,
    settings,
    openAuth: (userId, authId) => oauth.open(userId, authId),
    sendMail,
    sendRequest: outgoing.sendRequest,
    events,
    clock,
    random,
    log,
    url: options.url,
  })
  const notices = startFailureNotices({
    events,
    flowOf(id) {
      const flow = runnable.get(id)
      return (
        flow && {
          name: flow.name,
          isTold: flow.status !== 'active' || tellsFailures(flow.settings.alarms, settings()),
        }
      )
    },
  })
  const shared = { store, runnable, executor, queue, secrets, clock, events }
  const scheduler = createSchedulerService({
    ...shared,
    log,
    onFired: metrics.noteScheduledRun,
    onMissed: (flowId, due, isSkipped) => alarms.noteMissed(flowId, due, isSkipped),
  })

  const lists = { portsFor, env, random }
  const triggers = createTriggersService({
    ...shared,
    kinds: {
      list_trigger: createListKind('list_trigger', lists),
      sql_trigger: createListKind('sql_trigger', lists),
      plugin_trigger: createListKind('plugin_trigger', lists),
      folder_trigger: createFolderKind({ folders, clock, log }),
      imap_trigger: createMailKind({ portsFor, outgoing, runnable, files }),
    },
    files,
    log,
    onChecked: (flowId, failure) => alarms.noteCheck(flowId, failure),
  })

  events.listen(({ noun, type, id, last_used: lastUsed }) => {
    if (noun === 'flow' && id !== null) {
      runnable.forget(id)
      if (type === 'deleted') executor.haltFlow(id, 'cancelled', say('The flow was deleted'))
    }
    if (noun === 'user' && type === 'deleted') runnable.forgetAll()
    // Using an auth doesn't change its secrets.
    if (noun !== null && lastUsed === undefined && HOLD_SECRETS.has(noun)) secrets.lookAgain()
  })

  const flowRuns = createFlowRunsService({ ...shared, recordFiles, env, portsFor, random })
  const webhookDetails = createWebhookDetails({ ...shared, settings })

  return {
    flowRuns,
    questions,
    toolRuns: createToolRuns({ store, flowRuns, secrets, events }),
    runDebugging: createRunDebugging({
      ...shared,
      flowRuns,
      answerOf: (id) => orNull(() => webhookDetails.answerOfRun(id)),
    }),
    webhooks: createWebhooksService({
      ...shared,
      authorization,
      deliveries: createDeliveries({ store, env, clock }),
      questions,
      settings,
      files,
      random,
      log,
      answerWithinMs: options.answerWithinMs,
    }),
    webhookDetails,
    scheduler,
    triggers,
    alarms,
    isExecuting: (runId) => executor.isExecuting(runId),
    onBusy(listener) {
      busyListeners.push(listener)
      listener(executor.isBusy)
    },
    redactor: () => secrets.redactor(),
    forgetSecrets: () => secrets.forget(),
    async start() {
      await alarms.start()
      await queue.start()
      await scheduler.start()
      await triggers.start()
    },
    beginStop() {
      scheduler.stop()
      triggers.stop()
      notices.stop()
      alarms.stop()
      queue.stop()
      executor.putBackAll(say('Millrace is stopping'))
    },
    async stop({ graceMs }) {
      executor.interruptAll(say('Millrace is stopping'))
      const grace = Promise.withResolvers<void>()
      const timer = setTimeout(grace.resolve, graceMs)
      await Promise.race([executor.idle(), grace.promise])
      clearTimeout(timer)
      await scripts.close()
      await documents.close()
      await jsonPathPlus.close()
      await pluginFilters.close()
      await sqliteFiles.close()
    },
  }
}

function orNull<T>(read: () => T): T | null {
  try {
    return read()
  } catch (error) {
    if (error instanceof AppError && error.code === 'not_found') return null
    throw error
  }
}

/** A change of one of these can change what has to be redacted. */
const HOLD_SECRETS: ReadonlySet<Noun> = new Set([
  'flow',
  'connector',
  'connector_auth',
  'env_variable',
  'tunnel',
])
