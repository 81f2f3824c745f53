/**
 * Flows as files: plans imports before anything is created, imports with new ids and without credentials, and exports.
 */
import { say } from '../../../../shared/contract/base/message.ts'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { AppError } from '../../../../shared/contract/base/errors.ts'
import type { FlowFile, FlowImportPlan, FlowInFile } from '../../../../shared/contract/flow-files.ts'
import type { Flow } from '../../../../shared/contract/flows.ts'
import type { SentSource, UploadedImport } from '../../../../shared/contract/import-sources.ts'
import type { SaveWarning } from '../../../../shared/contract/base/save-warnings.ts'
import type { Step } from '../../../../shared/contract/steps.ts'
import type { Redactor } from '../../../engine/redaction/redactor.ts'
import type { Store } from '../../../store/index.ts'
import type { ConnectorAuthsService } from '../../reaching/auths/connector-auths.ts'
import type { DataTablesService } from '../../keeping/data-tables/data-tables.ts'
import type { EnvVariablesService, NewEnvVariable } from '../../keeping/env/env-variables.ts'
import { type Caller, may } from '../../kit/caller.ts'
import type { SecureRandom } from '../../kit/ports.ts'
import type { FindImportSource, ImportSource } from '../../keeping/files/import-source.ts'
import { listNames } from '../../keeping/saving/flows-using.ts'
import { exportFlow } from './export-flow.ts'
import type { FlowsService } from './flows.ts'
import { copyOf, eachStep, type ReadSource } from './read-source.ts'
import { surveyFile } from './survey-file.ts'

export type FlowFilesService = ReturnType<typeof createFlowFilesService>

export type MadeFlow = Flow & {
  readonly warnings?: SaveWarning[]
  readonly other_flows: { id: string; name: string }[]
}

export interface FlowFilesOptions {
  readonly store: Pick<Store, 'flows' | 'connectors' | 'envVariables' | 'dataTables'>
  readonly flows: Pick<FlowsService, 'create' | 'update' | 'remove' | 'checkImport'>
  readonly envVariables: Pick<EnvVariablesService, 'create'>
  readonly connectorAuths: Pick<ConnectorAuthsService, 'create'>
  readonly dataTables: Pick<DataTablesService, 'create'>
  readonly random: Pick<SecureRandom, 'uuid'>
  readonly redactor: () => Redactor
  /** @throws AppError `validation` if the source can't be read, or exceeds the limits */
  readonly readImport: (from: ImportSource) => Promise<ReadSource>
  readonly findSource: FindImportSource
}

export function createFlowFilesService(options: FlowFilesOptions) {
  const { store, flows, envVariables, connectorAuths, dataTables, random, redactor } = options
  const { readImport, findSource } = options
  const envNames = () => new Set(store.envVariables.list().records.map(({ name }) => name))

  /** An existing variable is left unchanged. */
  async function addVariable(caller: Caller, variable: NewEnvVariable): Promise<void> {
    try {
      await envVariables.create(caller, variable)
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'conflict') throw error
    }
  }

  async function addAuths(caller: Caller, { connector_auths: auths, auth_ids_in: name }: FlowFile['setup']) {
    const ids: Record<string, string> = {}
    for (const { key, ...body } of auths) ids[key] = (await connectorAuths.create(caller, body)).id
    if (name !== undefined) await addVariable(caller, { name, type: 'object', value: ids })
  }

  function requireRights(
    caller: Caller,
    { env_variables: variables, connector_auths: auths, data_tables: tables }: FlowFile['setup'],
  ) {
    const lacking = tables.filter(({ name }) => store.dataTables.named(name) === null)
    if (lacking.length > 0 && !may(caller, 'data_tables', 'create')) {
      throw new AppError(
        'forbidden',
        say("The flow needs the tables {{names}}, which this token can't create; create them first", {
          names: listNames(lacking),
        }),
      )
    }
    const known = envNames()
    const missing = variables.filter(({ name }) => !known.has(name)).map(({ name }) => name)
    if (missing.length > 0 && !may(caller, 'env_variables', 'create')) {
      throw new AppError(
        'forbidden',
        say("The flow needs the variables {{names}}, which this token can't create; create them first", {
          names: missing.join(', '),
        }),
      )
    }
    const foreign = auths.find((auth) => auth.connector_id !== PLAYGROUND)
    if (foreign !== undefined) {
      throw new AppError(
        'validation',
        say('A flow file can\'t contain credentials for a connector ("{{name}}"); remove them from "setup"', {
          name: foreign.name,
        }),
        { data: { 'setup.connector_auths': ['can only belong to the playground'] } },
      )
    }
    if (auths.length > 0 && !may(caller, 'connector_auths', 'create'))
      throw new AppError('forbidden', say("The flow needs connector auths, which this token can't create"))
  }

  /** A connector of another Millrace is matched by name. */
  function connectorIds({ references }: FlowFile): ReadonlyMap<string, string> {
    const ids = new Map<string, string>()
    for (const { id, name } of references.connectors) {
      if (store.connectors.get(id) !== null) continue
      const { records } = store.connectors.list({ filters: [{ field: 'name', operator: 'eq', value: name }] })
      const [only, ...more] = records
      if (only !== undefined && more.length === 0) ids.set(id, only.id)
    }
    return ids
  }

  /** Names that no flow has yet, because commands find a flow by its name. */
  function freeNames(wanted: readonly string[]): string[] {
    const given = new Set<string>()
    const isTaken = (name: string) => {
      const filters = [{ field: 'name', operator: 'eq', value: name }] as const
      return given.has(name) || store.flows.list({ filters, perPage: 1 }).records.length > 0
    }
    return wanted.map((name) => {
      let free = name
      for (let copy = 1; isTaken(free); copy++) {
        const ending = copy === 1 ? ' (copy)' : ` (copy ${copy})`
        free = `${[...name].slice(0, LONGEST_NAME - ending.length).join('')}${ending}`
      }
      given.add(free)
      return free
    })
  }

  return {
    /** @throws AppError `validation` if the source can't be read */
    async plan(caller: Caller, sent: SentSource): Promise<FlowImportPlan> {
      const { format, file, notes } = await readImport(findSource(caller, sent))
      const ids = connectorIds(file)
      const mapped = { ...file, flows: file.flows.map((flow) => withIds(flow, ids)) }
      const survey = surveyFile(mapped, { connector: (id) => store.connectors.get(id), envNames: envNames() })
      const made = file.setup.env_variables.map(({ name }) => name)
      const problems: string[] = []
      for (const { name, steps } of mapped.flows) {
        for (const problem of flows.checkImport(caller, steps, made))
          problems.push(file.flows.length > 1 ? `${name}: ${problem}` : problem)
        await nextTurn()
      }
      return { source_format: format, file: mapped, ...survey, notes, problems }
    },
    /**
     * Creates the first flow of the file, and the flows it needs, as drafts.
     *
     * @throws AppError `validation`; `forbidden` if the caller can't create what they need
     */
    async make(caller: Caller, sent: FlowFile | UploadedImport): Promise<MadeFlow> {
      const file = 'file_id' in sent ? (await readImport(findSource(caller, sent))).file : sent
      requireRights(caller, file.setup)
      const ids = new Map(connectorIds(file))
      for (const { id } of file.flows) ids.set(id, random.uuid())
      const names = freeNames(file.flows.map(({ name }) => name))
      const ready = file.flows.map((flow, at) => ({ ...withIds(flow, ids), name: names[at] ?? flow.name }))
      for (const table of file.setup.data_tables)
        if (store.dataTables.named(table.name) === null) await dataTables.create(table)
      for (const variable of file.setup.env_variables) await addVariable(caller, variable)
      if (file.setup.connector_auths.length > 0) await addAuths(caller, file.setup)
      const made: (Flow & { warnings?: SaveWarning[] | undefined })[] = []
      try {
        // Flows that refer to others come first; the references are set once all flows exist.
        for (const { id, settings, ...flow } of ready.toReversed()) {
          const alone = withoutFlows(settings)
          made.unshift(await flows.create(caller, { ...flow, settings: alone }, { imported: true, id }))
        }
        for (const { id, settings } of ready) {
          const references = withFlows(settings, (named) => ready.some((flow) => flow.id === named))
          if (Object.keys(references).length === 0) continue
          const at = made.findIndex((flow) => flow.id === id)
          const { warnings = [] } = made[at] ?? {}
          made[at] = {
            ...(await flows.update(caller, id, { settings: references })),
            warnings,
          }
        }
      } catch (error) {
        for (const { id } of made) await flows.remove(id).catch(() => undefined)
        throw error
      }
      const [first, ...rest] = made as [Flow & { warnings?: SaveWarning[] }, ...Flow[]]
      const warnings = made.flatMap((flow) => flow.warnings ?? [])
      const { warnings: _, ...main } = first
      return {
        ...main,
        ...(warnings.length > 0 ? { warnings } : {}),
        other_flows: rest.map(({ id, name }) => ({ id, name })),
      }
    },
    /** @throws AppError `not_found` */
    export: (_caller: Caller, id: string) => exportFlow(id, store, redactor()),
  }
}

/** The limit of the contract, in characters. */
const LONGEST_NAME = 200

/** The connector's ID in the catalog. */
const PLAYGROUND = 'f306cd0c-aa4f-4195-8fec-ae5b83201da5'

/** Replaces ids of the file with new ones; references to flows outside the file keep theirs. */
function withIds(flow: FlowInFile, ids: ReadonlyMap<string, string>): FlowInFile {
  const copy = { ...flow, settings: { ...flow.settings }, steps: copyOf(flow.steps) }
  copy.id = ids.get(copy.id) ?? copy.id
  for (const step of eachStep(copy.steps)) replaceIds(step, ids)
  const { error_handling_flow_id: handler, alarms } = copy.settings
  if (handler) copy.settings.error_handling_flow_id = ids.get(handler) ?? handler
  if (alarms?.flow_id)
    copy.settings.alarms = { ...alarms, flow_id: ids.get(alarms.flow_id) ?? alarms.flow_id }
  return copy
}

type SettingsInFile = FlowInFile['settings']

function withoutFlows(settings: SettingsInFile): SettingsInFile {
  const { error_handling_flow_id: _, alarms, ...others } = settings
  return { ...others, ...(alarms !== undefined && { alarms: alarms && { ...alarms, flow_id: null } }) }
}

/** Only the settings that refer to flows in the file; references to other flows aren't imported. */
function withFlows(
  { error_handling_flow_id: handler, alarms }: SettingsInFile,
  isInFile: (id: string) => boolean,
): SettingsInFile {
  return {
    ...(handler && isInFile(handler) && { error_handling_flow_id: handler }),
    ...(alarms?.flow_id && isInFile(alarms.flow_id) && { alarms }),
  }
}

function replaceIds({ config }: Step, ids: ReadonlyMap<string, string>): void {
  for (const key of ['connector_id', 'flow_id']) {
    const id = config[key]
    if (typeof id === 'string' && ids.has(id)) config[key] = ids.get(id)
  }
}
