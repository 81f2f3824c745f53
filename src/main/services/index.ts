/** The product's services, one per noun, assembled from what the host provides. */
import type { Settings } from '../../shared/contract/settings.ts'
import type { Clock } from '../engine/ports.ts'
import { setTimeLimit } from '@millrace/jinja/environment'
import type { Store } from '../store/index.ts'
import { createActionTriesService, type ActionTriesService } from './reaching/connectors/action-tries.ts'
import { createActionsService, type ActionsService } from './reaching/connectors/actions.ts'
import { createAuthorization, type Authorization } from './keeping/access/authorization.ts'
import { syncCatalogue } from './reaching/connectors/catalogue.ts'
import {
  createConnectorAuthTestsService,
  type ConnectorAuthTestsService,
} from './reaching/auths/connector-auth-tests.ts'
import {
  createConnectorAuthUsesService,
  type ConnectorAuthUsesService,
} from './reaching/auths/connector-auth-uses.ts'
import { createAuthOrigins } from './reaching/auths/auth-origins.ts'
import { createConnectorAuthsService, type ConnectorAuthsService } from './reaching/auths/connector-auths.ts'
import {
  createConnectorFilesService,
  type ConnectorFilesService,
} from './reaching/connectors/connector-files.ts'
import { createConnectorsService, type ConnectorsService } from './reaching/connectors/connectors.ts'
import { createDataFolderService, type DataFolderService } from './serving/host/data-folder.ts'
import { createDocsService, type DocsService } from './serving/host/docs.ts'
import { tryDatabase } from './reaching/databases/try-database.ts'
import { tryMailServer } from './reaching/sending/mail.ts'
import { tryMailbox } from './reaching/mailboxes/open-mailbox.ts'
import { createDataTablesService, type DataTablesService } from './keeping/data-tables/data-tables.ts'
import { createDoctorService, type DoctorService } from './serving/host/doctor.ts'
import { createEnvVariablesService, type EnvVariablesService } from './keeping/env/env-variables.ts'
import { createEnv } from './keeping/env/env.ts'
import { createEventsService, type EventsService } from './kit/live-events.ts'
import { createFileUploadsService, type FileUploadsService } from './keeping/files/file-uploads.ts'
import { createClosedPlaces } from './keeping/files/closed-places.ts'
import { createFilesService } from './keeping/files/files.ts'
import { createFindImportSource } from './keeping/files/import-source.ts'
import { createRecordFiles } from './keeping/files/record-files.ts'
import { createFlowFilesService, type FlowFilesService } from './running/flows/flow-files.ts'
import { createFlowSamplesService, type FlowSamplesService } from './running/flows/flow-samples.ts'
import { createFlowSourcesService, type FlowSourcesService } from './running/flows/flow-sources.ts'
import { createFlowsService, type FlowsService } from './running/flows/flows.ts'
import { createRuntime, type Runtime } from './runtime.ts'
import { createFlowsUsing } from './keeping/saving/flows-using.ts'
import { createHousekeeping, type Housekeeping } from './serving/host/housekeeping.ts'
import { createHostService, type HostOptions, type HostService } from './serving/host/host.ts'
import { createIdempotencyService, type IdempotencyService } from './keeping/access/idempotency.ts'
import { jsonCodec } from './kit/json-codec.ts'
import { type CallLog, createCallLog } from './serving/logs/call-log.ts'
import { createLogsService, logFolder, type LogsService } from './serving/logs/logs.ts'
import { createMetrics, type MetricsService } from './serving/figures/metrics.ts'
import { createUserCalls } from './reaching/auths/user-calls.ts'
import { createPluginsService, type PluginsService } from './reaching/plugins/plugins.ts'
import { createOAuthService, type OAuthService } from './reaching/auths/oauth.ts'
import { createImportUrlsService, type ImportUrlsService } from './running/imports/read-url.ts'
import { createImportReader, type ImportReader } from './running/imports/read-import.ts'
import { createKeysService, type KeysService } from './serving/host/keys.ts'
import type { Outgoing } from './reaching/sending/outgoing.ts'
import { createPortService, type PortService } from './serving/host/port.ts'
import { withOwnApi } from './reaching/sending/own-api.ts'
import {
  createPaginationTestsService,
  type PaginationTestsService,
} from './reaching/pagination/pagination-tests.ts'
import { createPreconditions, type Preconditions } from './keeping/access/preconditions.ts'
import type { JsonCodec, Log, SecureRandom } from './kit/ports.ts'
import { createRemoteSearchService, type RemoteSearchService } from './reaching/connectors/remote-search.ts'
import { createRunReportsService, type RunReportsService } from './running/runs/run-report.ts'
import { createRunIndexing, type RunIndexing } from './running/runs/run-indexing.ts'
import { createRunResults } from './running/runs/run-history.ts'
import { createSettingsService, type SettingsService } from './serving/host/settings.ts'
import { createSftpService } from './reaching/sending/sftp.ts'
import { createPageSessionsService, type PageSessionsService } from './keeping/access/page-sessions.ts'
import { createSignInCodesService, type SignInCodesService } from './keeping/access/sign-in-codes.ts'
import { createStepPinsService, type StepPinsService } from './running/flows/step-pins.ts'
import { createTeamsService, type TeamsService } from './keeping/access/teams.ts'
import { createTemplatesService, type TemplatesService } from './running/templates/templates.ts'
import { createTokensService, type TokensService } from './keeping/access/tokens.ts'
import { createTunnelService, type TunnelService } from './serving/tunnel/tunnel.ts'
import { createUsersService, type UsersService } from './keeping/access/users.ts'

export interface Services {
  readonly authorization: Authorization
  readonly json: JsonCodec
  readonly idempotency: IdempotencyService
  readonly preconditions: Preconditions
  readonly events: EventsService
  readonly metrics: MetricsService
  readonly logs: LogsService
  readonly calls: CallLog
  readonly host: HostService
  readonly settings: SettingsService
  readonly dataFolder: DataFolderService
  readonly port: PortService
  readonly tunnel: TunnelService
  readonly doctor: DoctorService
  readonly tokens: TokensService
  readonly signInCodes: SignInCodesService
  readonly pageSessions: PageSessionsService
  readonly connectors: ConnectorsService
  readonly actions: ActionsService
  readonly actionTries: ActionTriesService
  readonly connectorFiles: ConnectorFilesService
  readonly importUrls: ImportUrlsService
  readonly imports: ImportReader
  readonly remoteSearch: RemoteSearchService
  readonly connectorAuths: ConnectorAuthsService
  readonly connectorAuthUses: ConnectorAuthUsesService
  readonly oauth: OAuthService
  readonly plugins: PluginsService
  readonly keys: KeysService
  readonly connectorAuthTests: ConnectorAuthTestsService
  readonly envVariables: EnvVariablesService
  readonly dataTables: DataTablesService
  readonly fileUploads: FileUploadsService
  readonly users: UsersService
  readonly teams: TeamsService
  readonly flows: FlowsService
  readonly stepPins: StepPinsService
  readonly flowFiles: FlowFilesService
  readonly flowSamples: FlowSamplesService
  readonly flowSources: FlowSourcesService
  readonly runReports: RunReportsService
  readonly docs: DocsService
  readonly flowRuns: Runtime['flowRuns']
  readonly questions: Runtime['questions']
  readonly webhooks: Runtime['webhooks']
  readonly webhookDetails: Runtime['webhookDetails']
  readonly runDebugging: Runtime['runDebugging']
  readonly toolRuns: Runtime['toolRuns']
  readonly scheduler: Runtime['scheduler']
  readonly triggers: Runtime['triggers']
  readonly alarms: Runtime['alarms']
  /** Starts and stops executing runs. */
  readonly runtime: Pick<Runtime, 'start' | 'beginStop' | 'stop' | 'onBusy'>
  readonly housekeeping: Housekeeping
  readonly runIndexing: RunIndexing
  readonly templates: TemplatesService
  readonly paginationTests: PaginationTestsService
}

export interface ServicesOptions {
  readonly store: Store
  readonly clock: Clock
  readonly random: SecureRandom
  readonly log: Log
  readonly host: HostOptions
  readonly outgoing: Outgoing
  /** Bearers valid until the program ends, with all permissions: the page's, then the lock file's. */
  readonly sessionBearers: readonly [page: string, ...others: string[]]
  /** Contents of `resources/connectors/*.json`: the built-in connectors. */
  readonly catalogue: readonly unknown[]
  /** Contents of `resources/samples/*.json` by file name; defaults to none. */
  readonly samples?: ReadonlyMap<string, unknown>
  /** Reads the documentation, by file name without its extension; called once it is searched. */
  readonly docs?: () => ReadonlyMap<string, string>
  /** Files outside the data folder that contain keys: closed to flows. */
  readonly keyFiles?: readonly string[]
  /** Settings from arguments and the environment, which override stored ones. */
  readonly settingOverrides?: Partial<Settings>
  /** Time limit of a token endpoint call; 20 s by default. */
  readonly oauthTimeoutMs?: number
  /** How long a webhook's caller waits; by default the specification's 30 s. */
  readonly answerWithinMs?: number
  /** Delay before a run that couldn't be recorded is retried; 5 s by default. */
  readonly retryMs?: number
  /** Overrides the default import limits. */
  /** Absent: one of its own, with the usual limits. */
  readonly imports?: ImportReader
}

export function createServices(options: ServicesOptions): Services {
  const { store: opened, clock, random, log } = options
  const { sessionBearers, catalogue, settingOverrides = {} } = options
  const preconditions = createPreconditions()
  /** Runs, webhooks and the queue write unconditionally, because nobody sends them preconditions. */
  const store: Store = { ...opened, write: preconditions.guard(opened.write) }
  const events = createEventsService(() => clock.now())
  const metrics = createMetrics({ store: opened, events, clock, ...options.host })
  const outgoing = { ...options.outgoing, sendRequest: metrics.countCalls(options.outgoing.sendRequest) }
  const flowsUsing = createFlowsUsing(store)
  const parts = { store, clock, random, events, flowsUsing }
  const authorization = createAuthorization({
    ...parts,
    log,
    sessionBearers,
    sessionUserId: store.users.local().id,
  })
  const connectorAuthUses = createConnectorAuthUsesService({ ...parts, store: opened, log })
  const env = createEnv({ store, playgroundUrl: options.host.playgroundUrl, ownUrl: options.host.url })
  const origins = createAuthOrigins({ ...parts, env })
  const connectorAuths = createConnectorAuthsService({
    ...parts,
    origins,
    env,
    onUse: connectorAuthUses.noteUse,
  })
  const connectors = createConnectorsService({ ...parts, origins, env, outgoing })
  const oauth = withOwnApi(
    createOAuthService({
      store,
      connectorAuths,
      origins,
      events,
      sendRequest: outgoing.sendRequest,
      clock,
      env: () => env.values(),
      baseUrl: options.host.url,
      pageUrl: () => settings.current().page_url,
      ...(options.oauthTimeoutMs === undefined ? {} : { timeoutMs: options.oauthTimeoutMs }),
    }),
    store.connectors,
  )
  const calls = { authorization, oauth, outgoing, env: () => env.values() }
  const closedPlaces = createClosedPlaces({ dataDir: store.dataDir, keyFiles: options.keyFiles ?? [] })
  const settings = createSettingsService({
    store,
    connectorAuths,
    events,
    closedPlaces,
    overrides: settingOverrides,
  })
  const limitTemplates = () => setTimeLimit(settings.current().template_time_limit_ms)
  limitTemplates()
  events.listen(({ noun }) => {
    if (noun === 'settings') limitTemplates()
  })
  const files = createFilesService({ dataDir: store.dataDir, random, uploads: store.fileUploads })
  const bodyFiles = { random: outgoing.random, readFile: (id: string) => files.read(id) }
  const userCalls = createUserCalls({ store, authorization, oauth, outgoing, env, bodyFiles })
  const sftp = createSftpService({
    store,
    outgoing,
    files,
    events,
    requireOrigin: (auth, address) => origins.requireOrigin(auth, address),
  })
  const recordFiles = createRecordFiles(store)
  const dataTables = createDataTablesService({
    ...parts,
    redactor: () => runtime.redactor(),
    yieldToEventLoop: () => outgoing.yieldToEventLoop(),
  })
  const fileUploads = createFileUploadsService({ ...parts, files })
  const findSource = createFindImportSource(fileUploads, files)
  const plugins = createPluginsService({
    ...parts,
    log,
    origins,
    env,
    pathOfUpload(caller, id) {
      const source = findSource(caller, { file_id: id })
      return 'path' in source ? source.path : ''
    },
  })
  const runtime = createRuntime({
    plugins,
    dataTables: dataTables.port,
    connectorAuths,
    sftp,
    ...calls,
    files,
    recordFiles,
    closedPlaces,
    store,
    envSecrets: () => env.secrets(),
    random,
    events,
    metrics,
    url: options.host.url,
    publicUrl: () => tunnel.publicUrl(),
    log,
    settings: () => settings.current(),
    ...(options.answerWithinMs === undefined ? {} : { answerWithinMs: options.answerWithinMs }),
    ...(options.retryMs === undefined ? {} : { retryMs: options.retryMs }),
  })
  const keys = createKeysService({ store, clock, env, events })
  origins.start(syncCatalogue(catalogue, { store, clock }))
  const tunnel = createTunnelService({
    store,
    events,
    outgoing,
    random,
    log,
    host: options.host.tunnel,
    baseUrl: options.host.url,
    savedUrl: () => settings.current().public_url,
  })
  const publicUrl = () => tunnel.publicUrl()
  const flows = createFlowsService({
    ...parts,
    findPlugin: (name) => plugins.find(name),
    json: jsonCodec,
    baseUrl: options.host.url,
    publicUrl,
  })
  const envVariables = createEnvVariablesService({ ...parts, env, origins })
  const imports = options.imports ?? createImportReader()
  const flowFiles = createFlowFilesService({
    readImport: imports.readFlows,
    findSource,
    store,
    flows,
    envVariables,
    connectorAuths,
    dataTables,
    random,
    redactor: runtime.redactor,
  })
  const flowSources = createFlowSourcesService({
    store,
    flows,
    preconditions,
    folders: () => settings.current().file_folders,
    redactor: runtime.redactor,
  })
  return {
    json: jsonCodec,
    idempotency: createIdempotencyService({ store: opened, clock }),
    preconditions,
    events,
    metrics,
    calls: createCallLog({ folder: logFolder(store.dataDir), store, clock }),
    logs: createLogsService({ dataDir: store.dataDir, redactor: runtime.redactor }),
    authorization,
    host: createHostService({ ...options.host, problems: store.problems, publicUrl }),
    settings,
    dataFolder: createDataFolderService({
      store,
      clock,
      keys,
      closedPlaces,
      restore: options.host.restore,
    }),
    port: createPortService(options.host),
    tunnel,
    doctor: createDoctorService({ store, clock, host: options.host, settings: () => settings.current() }),
    flowRuns: runtime.flowRuns,
    questions: runtime.questions,
    webhooks: runtime.webhooks,
    webhookDetails: runtime.webhookDetails,
    runDebugging: runtime.runDebugging,
    toolRuns: runtime.toolRuns,
    docs: createDocsService(options.docs ?? (() => new Map())),
    scheduler: runtime.scheduler,
    triggers: runtime.triggers,
    alarms: runtime.alarms,
    runtime,
    tokens: createTokensService(parts),
    signInCodes: createSignInCodesService({ session: sessionBearers[0], clock, random }),
    pageSessions: createPageSessionsService({ ...parts, log, pageUrl: () => settings.current().page_url }),
    connectors,
    importUrls: createImportUrlsService(outgoing.sendRequest),
    imports,
    connectorFiles: createConnectorFilesService({
      ...parts,
      connectors,
      readImport: imports.readConnector,
      findSource,
    }),
    actions: createActionsService({ ...parts, origins, env }),
    actionTries: createActionTriesService({ store, userCalls, sftp }),
    flows,
    flowFiles,
    flowSamples: createFlowSamplesService({ files: options.samples ?? new Map(), flowFiles }),
    flowSources,
    runReports: createRunReportsService({
      flowRuns: runtime.flowRuns,
      flowOf: (...wanted) => flowSources.ofVersion(...wanted),
      program: {
        version: options.host.version,
        node: process.versions.node,
        platform: `${process.platform} ${process.arch}`,
      },
      redactor: runtime.redactor,
    }),
    connectorAuths,
    oauth,
    plugins,
    keys,
    remoteSearch: createRemoteSearchService({ store, userCalls }),
    connectorAuthTests: createConnectorAuthTestsService({
      store,
      connectorAuths,
      userCalls,
      sftp,
      servers: {
        database: (auth, signal) => tryDatabase(auth, { timeoutMs: 60_000, signal }),
        smtp: tryMailServer,
        imap: tryMailbox,
      },
      onTested: connectorAuthUses.noteTest,
    }),
    connectorAuthUses,
    dataTables,
    fileUploads,
    users: createUsersService(parts),
    teams: createTeamsService(parts),
    stepPins: createStepPinsService({ ...parts, redactor: runtime.redactor }),
    envVariables,
    housekeeping: createHousekeeping({
      store: opened,
      settings: () => settings.current(),
      files,
      recordFiles,
      isExecuting: runtime.isExecuting,
      forgetSecrets: runtime.forgetSecrets,
      clock,
      log,
      yieldToEventLoop: () => outgoing.yieldToEventLoop(),
    }),
    runIndexing: createRunIndexing({
      store: opened,
      settings: () => settings.current(),
      events,
      clock,
      log,
      yieldToEventLoop: () => outgoing.yieldToEventLoop(),
    }),
    templates: createTemplatesService({
      authorization,
      env,
      store,
      envSecrets: () => env.secrets(),
      resultsOfRun: createRunResults(store),
    }),
    paginationTests: createPaginationTestsService({
      userCalls,
      env,
      store,
      random,
      settings: () => settings.current(),
    }),
  }
}
