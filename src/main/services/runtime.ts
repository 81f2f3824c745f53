/** The services that execute flows: compiled flows, secrets to redact, the executor, the queue, webhooks. */
import { say } from '../../shared/contract/base/message.ts'
import { join } from 'node:path'
import { AppError } from '../../shared/contract/base/errors.ts'
import type { Noun } from '../../shared/contract/host.ts'
import type { Settings } from '../../shared/contract/settings.ts'
import { errorFlowsOf, tellsFailures } from './running/alarms/alarm.ts'
import { createAlarmsService } from './running/alarms/alarms.ts'
import { createHolds } from './running/webhooks/holds.ts'
import { createDeliveries } from './running/webhooks/deliveries.ts'
import { createErrorFlows } from './running/runs/error-flows.ts'
import { startFailureNotices } from './running/runs/failure-notices.ts'
import { createPortsFor } from './reaching/step-ports/step-ports.ts'
import { createFlowConcurrency } from './running/execution/flow-concurrency.ts'
import { createFlowRunsService } from './running/runs/flow-runs.ts'
import { createRunDebugging } from './running/runs/run-debugging.ts'
import { createDocuments } from './reaching/documents/documents.ts'
import { startJsonPathPlus } from './reaching/documents/jsonpath-plus.ts'
import { createSinks } from './reaching/databases/sinks.ts'
import { createSqlPort } from './reaching/databases/sql.ts'
import { createSqliteFiles } from './reaching/databases/sqlite.ts'
import { createFolders } from './reaching/step-ports/folders.ts'
import { createKeyValues } from './reaching/step-ports/key-values.ts'
import { sendMail } from './reaching/sending/mail.ts'
import { startPluginFilters } from './reaching/plugins/plugin-filters.ts'
import { createBreakpointsService } from './running/runs/breakpoints.ts'
import { createCallbacksService } from './running/runs/callbacks.ts'
import { createQuestionsService } from './running/runs/questions.ts'
import { createRunQueue } from './running/runs/queue.ts'
import { createRunExecutor } from './running/execution/run-executor.ts'
import { createRunnableFlows } from './running/execution/runnable-flows.ts'
import { createScripts } from './reaching/step-ports/run-scripts.ts'
import { createSubFlows } from './running/runs/sub-flows.ts'
import { createToolRuns } from './running/runs/tool-runs.ts'
import { createSchedulerService } from './running/runs/scheduler.ts'
import { mailboxes } from './reaching/mailboxes/mailboxes.ts'
import { createFolderKind } from './running/triggers/folder-kind.ts'
import { createListKind } from './running/triggers/list-kind.ts'
import { createMailKind } from './running/triggers/mail-kind.ts'
import { createTriggersService } from './running/triggers/triggers.ts'
import { createWebhookDetails } from './running/webhooks/request-details.ts'
import { createForwardsService } from './running/webhooks/forwards.ts'
import { createReplays } from './running/webhooks/replays.ts'
import { createWebhooksService } from './running/webhooks/webhooks.ts'
import type { Auths, Base, Keeping, Reaching } from './wings.ts'

export interface RuntimeParts extends Base, Keeping, Auths, Reaching {
  readonly settings: () => Settings
  /** The URL at which other computers reach webhooks, forms and questions; null if they can't. */
  readonly publicUrl: () => string | null
}

export interface RuntimeOptions {
  /** Time that a webhook's caller waits; by default the specification's 30 s. */
  readonly answerWithinMs?: number | undefined
  /** Delay before a run that couldn't be recorded is retried; 5 s by default. */
  readonly retryMs?: number | undefined
}

export function createRuntime(parts: RuntimeParts, { answerWithinMs, retryMs }: RuntimeOptions) {
  const { store, outgoing, random, events, log, secrets, redactor, metrics, plugins, settings } = parts
  const { clock } = outgoing
  const env = () => parts.env.values()
  const runnable = createRunnableFlows(store)
  const subFlows = createSubFlows({ store, runnable, clock, events, accept: (run) => queue.accept(run) })
  const url = parts.host.url
  const onAnswered = () => queue.claimSoon()
  const questions = createQuestionsService({ ...parts, clock, url, onAnswered })
  const callbacks = createCallbacksService({ ...parts, clock, url, onCalled: onAnswered })
  const breakpoints = createBreakpointsService({
    ...parts,
    clock,
    runnable,
    onDecided: onAnswered,
    cancel: (runId) => flowRuns.cancel(runId),
  })
  const scripts = createScripts()
  const documents = createDocuments()
  const jsonPathPlus = startJsonPathPlus()
  const pluginFilters = startPluginFilters({ plugins, events })
  const sqliteFiles = createSqliteFiles()
  const fileFolders = () => settings().file_folders
  const folders = createFolders({ folders: fileFolders, closedPlaces: parts.closedPlaces })
  const concurrency = createFlowConcurrency({
    claimedByQueue: (flowId) => store.runQueue.takenOf(flowId),
    onFree: () => queue.claimSoon(),
  })
  const portsFor = createPortsFor(parts, {
    subFlows,
    questions,
    callbacks,
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
    keyValues: createKeyValues({ store, clock, redactor }),
    dataTables: parts.dataTables.port,
    folders,
    documents,
    programs: parts.programs,
    sinks: createSinks({ ...folders, sqliteFiles, rejectedFolder: join(store.dataDir, 'rejected') }),
    sql: createSqlPort({ ...folders, sqliteFiles }),
  })
  const busyListeners: ((isBusy: boolean) => void)[] = []
  const executor = createRunExecutor({
    ...parts,
    concurrency,
    portsFor,
    clock,
    env,
    breakpointsFor: (plan) => breakpoints.ofRun(plan),
    onEnding: (run, start) => alarms.noteEnd(run, () => errorFlows.comesOfError(run, start)),
    onFailed: (run, start) => errorFlows.handle(run, start),
    wakeParent: (run) => run.parent_run_id !== null && store.runQueue.wake(run.parent_run_id, clock.now()),
    onQueued: () => queue.notifyEnqueued(),
    onBusy(isBusy) {
      for (const listener of busyListeners) listener(isBusy)
    },
    onEnded: ({ duration_ms: durationMs }) => metrics.noteRunEnd(durationMs ?? 0),
  })
  const queue = createRunQueue({
    ...parts,
    runnable,
    executor,
    concurrency,
    clock,
    onFailed(run) {
      alarms.noteEnd(run, () => errorFlows.comesOfError(run))
      return errorFlows.handle(run)
    },
    retryMs,
  })
  const errorFlows = createErrorFlows({
    store,
    runnable,
    errorFlowsOf: (flow) => errorFlowsOf(flow, store.alarmReceivers.all()),
    enqueue: (run) => queue.enqueue(run),
    clock,
    log,
  })
  const alarms = createAlarmsService({
    ...parts,
    runnable,
    queue,
    openAuth: (userId, authId) => parts.oauth.open(userId, authId),
    sendMail,
    sendRequest: outgoing.sendRequest,
    clock,
    url,
  })
  const notices = startFailureNotices({
    events,
    flowOf(id) {
      const flow = runnable.get(id)
      return (
        flow && {
          name: flow.name,
          isTold: flow.status !== 'active' || tellsFailures(flow, store.alarmReceivers.all()),
        }
      )
    },
  })
  const shared = { ...parts, runnable, executor, queue, clock, env, portsFor, questions, callbacks }
  const scheduler = createSchedulerService({
    ...shared,
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
      imap_trigger: createMailKind({ ...parts, portsFor, runnable }),
    },
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

  const flowRuns = createFlowRunsService(shared)
  const webhookDetails = createWebhookDetails(shared)
  const holds = createHolds({ ...shared, answerWithinMs })
  const { localPrograms: programs, sleep } = outgoing
  const forwards = createForwardsService({ ...shared, programs, sleep })
  const deliveries = createDeliveries({ store, env, clock })

  return {
    services: {
      flowRuns,
      breakpoints,
      questions,
      toolRuns: createToolRuns({ store, flowRuns, secrets, events }),
      runDebugging: createRunDebugging({
        ...shared,
        flowRuns,
        answerOf: (id) => orNull(() => webhookDetails.answerOfRun(id)),
      }),
      webhooks: createWebhooksService({
        ...shared,
        deliveries,
        holds,
        forwards,
        answerWithinMs,
      }),
      webhookDetails,
      webhookReplays: createReplays({ ...shared, details: webhookDetails, deliveries, programs, sleep }),
      holds,
      forwards,
      scheduler,
      triggers,
      alarms,
    },
    /** Ports for tests of flows; none of them reaches other systems. */
    testPorts: {
      documents,
      runScript: scripts.run,
      findPlugin: (name: string) => plugins.find(name),
      yieldToEventLoop: () => outgoing.yieldToEventLoop(),
      clock,
    },
    isExecuting: (runId: string) => executor.isExecuting(runId),
    /** Reports whether runs are being executed: at once, and whenever that changes. */
    onBusy(listener: (isBusy: boolean) => void): void {
      busyListeners.push(listener)
      listener(executor.isBusy)
    },
    /** Resumes the runs of an earlier process. Call it before the first request is served. */
    async start(): Promise<void> {
      await alarms.start()
      await queue.start()
      await scheduler.start()
      await triggers.start()
      forwards.start()
    },
    /** Accepts no more runs; queued ones are put back. Runs whose caller is waiting continue. */
    beginStop(): void {
      holds.stop()
      scheduler.stop()
      triggers.stop()
      notices.stop()
      alarms.stop()
      forwards.stop()
      queue.stop()
      executor.putBackAll(say('Millrace is stopping'))
    },
    /** Ends the remaining runs as interrupted. Resolves when no run is being executed, or after `graceMs`. */
    async stop({ graceMs }: { readonly graceMs: number }): Promise<void> {
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

/** A change to one of these can change what has to be redacted. */
const HOLD_SECRETS: ReadonlySet<Noun> = new Set([
  'flow',
  'connector',
  'connector_auth',
  'env_variable',
  'tunnel',
])
