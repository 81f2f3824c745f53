/** The services that manage stored data and reach other systems; `runtime.ts` uses them to execute flows. */
import type { Settings } from '../../shared/contract/settings.ts'
import type { Clock } from '../engine/ports.ts'
import type { Store } from '../store/index.ts'
import { createAuthorization } from './keeping/access/authorization.ts'
import { createChosenRecords } from './keeping/access/chosen-records.ts'
import { createIdempotencyService } from './keeping/access/idempotency.ts'
import { createPreconditions } from './keeping/access/preconditions.ts'
import { createSignInCodesService } from './keeping/access/sign-in-codes.ts'
import { createTeamsService } from './keeping/access/teams.ts'
import { createTokensService } from './keeping/access/tokens.ts'
import { createUsersService } from './keeping/access/users.ts'
import { createDataTablesService } from './keeping/data-tables/data-tables.ts'
import { createEnv } from './keeping/env/env.ts'
import { createEnvVariablesService } from './keeping/env/env-variables.ts'
import { createClosedPlaces } from './keeping/files/closed-places.ts'
import { createFileUploadsService } from './keeping/files/file-uploads.ts'
import { createFilesService } from './keeping/files/files.ts'
import { createFindImportSource } from './keeping/files/import-source.ts'
import { createRecordFiles } from './keeping/files/record-files.ts'
import { createFlowsUsing } from './keeping/saving/flows-using.ts'
import { createKnownSecrets } from './keeping/secrets/known-secrets.ts'
import { createSecretReader } from './keeping/secrets/secret-reader.ts'
import { createEventsService } from './kit/live-events.ts'
import type { Log, SecureRandom } from './kit/ports.ts'
import { createAuthOrigins } from './reaching/auths/auth-origins.ts'
import { createConnectorAuthTestsService } from './reaching/auths/connector-auth-tests.ts'
import { createConnectorAuthUsesService } from './reaching/auths/connector-auth-uses.ts'
import { createConnectorAuthsService } from './reaching/auths/connector-auths.ts'
import { createOAuthService } from './reaching/auths/oauth.ts'
import { createUserCalls } from './reaching/auths/user-calls.ts'
import { createActionTriesService } from './reaching/connectors/action-tries.ts'
import { createActionsService } from './reaching/connectors/actions.ts'
import { createConnectorFilesService } from './reaching/connectors/connector-files.ts'
import { createConnectorsService } from './reaching/connectors/connectors.ts'
import { createRemoteSearchService } from './reaching/connectors/remote-search.ts'
import { tryDatabase } from './reaching/databases/try-database.ts'
import { tryMailbox } from './reaching/mailboxes/open-mailbox.ts'
import { createPaginationTestsService } from './reaching/pagination/pagination-tests.ts'
import { createPluginsService } from './reaching/plugins/plugins.ts'
import { createAskProgram, createPrograms } from './reaching/programs/programs.ts'
import { createReadVault } from './reaching/programs/read-vault.ts'
import { tryMailServer } from './reaching/sending/mail.ts'
import type { Outgoing } from './reaching/sending/outgoing.ts'
import { withOwnApi } from './reaching/sending/own-api.ts'
import { createSftpService } from './reaching/sending/sftp.ts'
import type { ImportReader } from './running/imports/read-import.ts'
import { createMetrics } from './serving/figures/metrics.ts'
import type { HostOptions } from './serving/host/host.ts'

export interface BaseOptions {
  readonly store: Store
  readonly clock: Clock
  readonly random: SecureRandom
  readonly log: Log
  readonly host: HostOptions
  readonly outgoing: Outgoing
}

export type Base = ReturnType<typeof createBase>

export function createBase({ store: opened, clock, random, log, host, outgoing }: BaseOptions) {
  const preconditions = createPreconditions()
  /** Runs, webhooks and the queue write unconditionally, because nobody sends them preconditions. */
  const store: Store = { ...opened, write: preconditions.guard(opened.write) }
  const events = createEventsService(() => clock.now())
  const metrics = createMetrics({ store: opened, events, clock, ...host })
  return {
    store,
    /** Writes without preconditions. */
    opened,
    clock,
    random,
    log,
    host,
    outgoing: { ...outgoing, sendRequest: metrics.countCalls(outgoing.sendRequest) },
    yieldToEventLoop: () => outgoing.yieldToEventLoop(),
    preconditions,
    events,
    metrics,
    flowsUsing: createFlowsUsing(store),
  }
}

export interface KeepingOptions {
  /** Bearer tokens with all permissions that are valid until the program ends: the page's, then the lock file's. */
  readonly sessionBearers: readonly [page: string, ...others: string[]]
  /** Files with keys outside the data folder, which are closed to flows. */
  readonly keyFiles?: readonly string[]
  readonly settings: () => Settings
}

export type Keeping = ReturnType<typeof createKeeping>

export function createKeeping(base: Base, { sessionBearers, settings, keyFiles = [] }: KeepingOptions) {
  const { store, opened, host, random, clock, events } = base
  const env = createEnv({ store, playgroundUrl: host.playgroundUrl, ownUrl: host.url })
  const files = createFilesService({ dataDir: store.dataDir, random, uploads: store.fileUploads })
  const fileUploads = createFileUploadsService({ ...base, files })
  const closedPlaces = createClosedPlaces({ dataDir: store.dataDir, keyFiles })
  const allowed = { programs: () => settings().programs, folders: () => settings().file_folders }
  const vaults = createSecretReader({
    readVault: createReadVault({ settings, ask: createAskProgram(allowed), closedPlaces }),
    clock,
    keptSeconds: () => settings().secret_cache_seconds,
    onRead: () => secrets.lookAgain(),
  })
  const envSecrets = () => [...env.secrets(), ...vaults.values()]
  const secrets = createKnownSecrets({ store, envSecrets })
  events.listen(({ noun, type, id, last_used: lastUsed }) => {
    if (noun === 'settings') vaults.forget()
    if (noun === 'connector_auth' && type !== 'created' && lastUsed === undefined && id !== null)
      vaults.forget(id)
  })
  const redactor = () => secrets.redactor()
  return {
    authorization: createAuthorization({ ...base, sessionBearers, sessionUserId: store.users.local().id }),
    chosenRecords: createChosenRecords({ store }),
    idempotency: createIdempotencyService({ store: opened, clock }),
    signInCodes: createSignInCodesService({ session: sessionBearers[0], clock, random }),
    tokens: createTokensService(base),
    users: createUsersService(base),
    teams: createTeamsService(base),
    env,
    secrets,
    /** Redacts every known secret. */
    redactor,
    files,
    fileUploads,
    findSource: createFindImportSource(fileUploads, files),
    recordFiles: createRecordFiles(store),
    closedPlaces,
    vaults,
    programs: createPrograms(allowed),
    dataTables: createDataTablesService({ ...base, redactor }),
  }
}

export type Auths = ReturnType<typeof createAuths>

export function createAuths(parts: Base & Keeping) {
  const { store, opened, events, log, env } = parts
  const connectorAuthUses = createConnectorAuthUsesService({ ...parts, store: opened, log })
  const origins = createAuthOrigins({ store, events, env })
  const { noteUse: onUse, noteChange: onChanged } = connectorAuthUses
  return {
    connectorAuthUses,
    origins,
    connectorAuths: createConnectorAuthsService({ ...parts, origins, onUse, onChanged }),
    envVariables: createEnvVariablesService({ ...parts, origins }),
  }
}

export interface ReachingOptions {
  readonly imports: ImportReader
  readonly settings: () => Settings
  /** Time limit of a token endpoint call; 20 s by default. */
  readonly oauthTimeoutMs?: number | undefined
}

export type Reaching = ReturnType<typeof createReaching>

export function createReaching(
  parts: Base & Keeping & Auths,
  { imports, settings, oauthTimeoutMs }: ReachingOptions,
) {
  const { store, outgoing, env, files, findSource, origins, connectorAuths, connectorAuthUses } = parts
  const oauth = withOwnApi(
    createOAuthService({
      ...parts,
      sendRequest: outgoing.sendRequest,
      sleep: outgoing.sleep,
      watched: connectorAuthUses.watched,
      env: () => env.values(),
      baseUrl: parts.host.url,
      pageUrl: () => settings().page_url,
      ...(oauthTimeoutMs === undefined ? {} : { timeoutMs: oauthTimeoutMs }),
    }),
    store.connectors,
  )
  const bodyFiles = { random: outgoing.random, readFile: (id: string) => files.read(id) }
  const userCalls = createUserCalls({ ...parts, oauth, bodyFiles })
  const sftp = createSftpService({
    ...parts,
    requireOrigin: (auth, address) => origins.requireOrigin(auth, address),
  })
  const connectors = createConnectorsService(parts)
  return {
    oauth,
    sftp,
    connectors,
    connectorFiles: createConnectorFilesService({
      ...parts,
      connectors,
      readImport: imports.readConnector,
    }),
    actions: createActionsService(parts),
    actionTries: createActionTriesService({ store, userCalls, sftp }),
    remoteSearch: createRemoteSearchService({ ...parts, userCalls }),
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
      onLogin: connectorAuthUses.noteLogin,
    }),
    paginationTests: createPaginationTestsService({ ...parts, userCalls, settings }),
    plugins: createPluginsService({
      ...parts,
      pathOfUpload(caller, id) {
        const source = findSource(caller, { file_id: id })
        return 'path' in source ? source.path : ''
      },
    }),
  }
}
