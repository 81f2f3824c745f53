/** All services, one per noun, assembled from the parts that the host provides. */
import { setTimeLimit } from '@millrace/jinja/environment'
import type { Settings } from '../../shared/contract/settings.ts'
import { createPageSessionsService } from './keeping/access/page-sessions.ts'
import { jsonCodec } from './kit/json-codec.ts'
import { syncCatalogue } from './reaching/connectors/catalogue.ts'
import { pluginDocs } from './reaching/plugins/plugin-docs.ts'
import { createFlowFilesService } from './running/flows/flow-files.ts'
import { createFlowReach } from './running/flows/flow-reach.ts'
import { createFlowSamplesService } from './running/flows/flow-samples.ts'
import { createFlowSourcesService } from './running/flows/flow-sources.ts'
import { createFlowsService } from './running/flows/flows.ts'
import { createStepPinsService } from './running/flows/step-pins.ts'
import { createFlowTestsService } from './running/tests/flow-tests.ts'
import { createStoredTestsService, type StoredTestsService } from './running/tests/stored-tests.ts'
import { createImportReader, type ImportReader } from './running/imports/read-import.ts'
import { createImportUrlsService } from './running/imports/read-url.ts'
import { createRunResults } from './running/runs/run-history.ts'
import { createRunIndexing } from './running/runs/run-indexing.ts'
import { createRunReportsService } from './running/runs/run-report.ts'
import { createTemplatesService } from './running/templates/templates.ts'
import { createRuntime } from './runtime.ts'
import { createFiguresService } from './serving/figures/figures.ts'
import { createDataFolderService } from './serving/host/data-folder.ts'
import { createDocsService } from './serving/host/docs.ts'
import { createDoctorService } from './serving/host/doctor.ts'
import { createHostService } from './serving/host/host.ts'
import { createHousekeeping } from './serving/host/housekeeping.ts'
import { createKeysService } from './serving/host/keys.ts'
import { createPortService } from './serving/host/port.ts'
import { createSettingsService } from './serving/host/settings.ts'
import { createCallLog } from './serving/logs/call-log.ts'
import { createLogsService, logFolder } from './serving/logs/logs.ts'
import { createTunnelService } from './serving/tunnel/tunnel.ts'
import {
  type BaseOptions,
  createAuths,
  createBase,
  createKeeping,
  createReaching,
  type KeepingOptions,
  type ReachingOptions,
} from './wings.ts'

export type Services = ReturnType<typeof createServices>

export interface ServicesOptions
  extends BaseOptions, Omit<KeepingOptions, 'settings'>, Pick<ReachingOptions, 'oauthTimeoutMs'> {
  /** Contents of `resources/connectors/*.json`: the built-in connectors. */
  readonly catalogue: readonly unknown[]
  /** Contents of `resources/samples/*.json` by file name; defaults to none. */
  readonly samples?: ReadonlyMap<string, unknown>
  /** Reads the documentation, keyed by file name without extension; called at the first search. */
  readonly docs?: () => ReadonlyMap<string, string>
  /** Settings from arguments and the environment, which override stored ones. */
  readonly settingOverrides?: Partial<Settings>
  /** Time that a webhook's caller waits; by default the specification's 30 s. */
  readonly answerWithinMs?: number
  /** Delay before a run that couldn't be recorded is retried; 5 s by default. */
  readonly retryMs?: number
  /** If absent, a new one is created with the usual limits. */
  readonly imports?: ImportReader
}

export function createServices(options: ServicesOptions) {
  const base = createBase(options)
  const { store, opened, clock, events, outgoing, host } = base
  const settings = () => settingsService.current()
  const keeping = createKeeping(base, { ...options, settings })
  const { env, redactor, secrets } = keeping
  const auths = createAuths({ ...base, ...keeping })
  const { origins } = auths
  const settingsService = createSettingsService({
    ...base,
    ...keeping,
    ...auths,
    overrides: options.settingOverrides ?? {},
  })
  const limitTemplates = () => setTimeLimit(settings().template_time_limit_ms)
  limitTemplates()
  events.listen(({ noun }) => {
    if (noun === 'settings') limitTemplates()
  })
  const tunnel = createTunnelService({
    ...base,
    host: host.tunnel,
    baseUrl: host.url,
    savedUrl: () => settings().public_url,
  })
  const publicUrl = () => tunnel.publicUrl()
  const imports = options.imports ?? createImportReader()
  const { oauthTimeoutMs, answerWithinMs, retryMs } = options
  const known = { ...base, ...keeping, ...auths }
  const reaching = createReaching(known, { imports, settings, oauthTimeoutMs })
  const parts = { ...known, ...reaching, settings, publicUrl }
  const runtime = createRuntime(parts, { answerWithinMs, retryMs })
  const { flowRuns } = runtime.services
  const keys = createKeysService(parts)
  origins.start(syncCatalogue(options.catalogue, { store, clock }))
  const flows = createFlowsService({
    ...parts,
    findPlugin: (name) => reaching.plugins.find(name),
    json: jsonCodec,
    baseUrl: host.url,
    failingTests: (...steps) => storedTests.failing(...steps),
  })
  const flowFiles = createFlowFilesService({ ...parts, readImport: imports.readFlows, flows })
  const dataFolder = createDataFolderService({ ...parts, keys, restore: host.restore })
  const flowSources = createFlowSourcesService({ ...parts, flows, folders: () => settings().file_folders })
  const flowTests = createFlowTestsService({ ...parts, flowSources, flowRuns, ports: runtime.testPorts })
  const storedTests: StoredTestsService = createStoredTestsService({
    ...parts,
    flowSources,
    flowTests,
    redactor,
  })
  return {
    ...keeping,
    ...auths,
    ...reaching,
    ...runtime.services,
    /** Starts and stops executing runs. */
    runtime,
    json: jsonCodec,
    preconditions: base.preconditions,
    events,
    metrics: base.metrics,
    figures: createFiguresService({
      store,
      clock,
      listRuns: (query) => flowRuns.list(query),
      listRequests: (query) => runtime.services.webhookDetails.list(query),
    }),
    calls: createCallLog({ folder: logFolder(store.dataDir), store, clock }),
    logs: createLogsService({ dataDir: store.dataDir, redactor }),
    host: createHostService({ ...host, problems: store.problems, publicUrl }),
    settings: settingsService,
    dataFolder,
    port: createPortService(host),
    tunnel,
    doctor: createDoctorService(parts),
    keys,
    docs: createDocsService(options.docs ?? (() => new Map()), () =>
      pluginDocs(reaching.plugins.confirmed()),
    ),
    pageSessions: createPageSessionsService({ ...base, pageUrl: () => settings().page_url }),
    imports,
    importUrls: createImportUrlsService(outgoing.sendRequest),
    flows,
    flowFiles,
    flowReach: createFlowReach({ store, findPlugin: (name) => reaching.plugins.find(name) }),
    flowSamples: createFlowSamplesService({ files: options.samples ?? new Map(), flowFiles }),
    flowSources,
    flowTests,
    storedTests,
    stepPins: createStepPinsService(parts),
    runReports: createRunReportsService({
      flowRuns,
      flowOf: (...wanted) => flowSources.ofVersion(...wanted),
      program: {
        version: host.version,
        node: process.versions.node,
        platform: `${process.platform} ${process.arch}`,
      },
      redactor,
    }),
    housekeeping: createHousekeeping({
      ...parts,
      store: opened,
      dataFolder,
      isExecuting: runtime.isExecuting,
      forgetSecrets: () => secrets.forget(),
    }),
    runIndexing: createRunIndexing({ ...parts, store: opened }),
    templates: createTemplatesService({
      ...parts,
      envSecrets: () => env.secrets(),
      resultsOfRun: createRunResults(store),
    }),
  }
}
