/** Flows in their form for version control: names instead of IDs, placeholders instead of secrets. */
import { say } from '../../../../shared/contract/base/message.ts'
import { isAbsolute, resolve } from 'node:path'
import type { ListQuery } from '../../../../shared/contract/base/common.ts'
import { AppError } from '../../../../shared/contract/base/errors.ts'
import type { FlowSource, MissingItem, PushedFlow } from '../../../../shared/contract/flow-files.ts'
import { DEFAULT_FLOW_SETTINGS, type Flow, type FlowSettings } from '../../../../shared/contract/flows.ts'
import { facesOf } from '../../../../shared/contract/step-types/index.ts'
import type { Step } from '../../../../shared/contract/steps.ts'
import { type SourceChange, sourceChanges } from '../../../engine/flow-source/changes.ts'
import {
  NAMED_INSTEAD,
  type NormalSource,
  normalSource,
  revisionOf,
} from '../../../engine/flow-source/normal-form.ts'
import {
  type Data,
  type Dictionary,
  dictionaryOf,
  entriesOf,
  equalData,
  getKey,
  isDictionary,
  isList,
} from '@millrace/jinja/data'
import { isSecretHeader, type Redactor } from '../../../engine/redaction/redactor.ts'
import type { Store } from '../../../store/index.ts'
import type { ChosenRecords } from '../../keeping/access/chosen-records.ts'
import type { Preconditions } from '../../keeping/access/preconditions.ts'
import { isWithin } from '../../keeping/files/closed-places.ts'
import { type Caller, may, ofReachedFlows, reachesAuth } from '../../kit/caller.ts'
import { parseListQuery } from '../../kit/list-query.ts'
import { type RecordPage, toPage } from '../../kit/pages.ts'
import type { FlowsService } from './flows.ts'
import { copyOf, eachStep, textIn } from './read-source.ts'
import { checkSource } from './check-source.ts'
import { surveyFile } from './survey-file.ts'

interface WrittenFlow {
  readonly revision: string
  readonly source: NormalSource
}

interface Push {
  readonly source: FlowSource
  readonly revision?: string | null | undefined
  readonly dry_run: boolean
}

export interface FlowSourcesOptions {
  readonly store: Pick<Store, 'flows' | 'connectors' | 'connectorAuths' | 'envVariables'>
  readonly flows: Pick<FlowsService, 'create' | 'update' | 'checkImport' | 'checkSteps'>
  readonly preconditions: Pick<Preconditions, 'during'>
  readonly chosenRecords: Pick<ChosenRecords, 'requireUse' | 'requireNamed'>
  readonly folders: () => readonly string[]
  readonly redactor: () => Redactor
}

export function createFlowSourcesService(options: FlowSourcesOptions) {
  const { store, flows, preconditions, chosenRecords, folders, redactor } = options

  function writeFlow(caller: Caller, flow: Flow): WrittenFlow {
    const hidden = redactor()
    const steps = copyOf(flow.steps)
    for (const step of eachStep(steps)) {
      step.config = maskedConfig(namesFor(caller, step), hidden)
      step.title = hidden.redactText(step.title)
      step.description = hidden.redactText(step.description)
      for (const branch of step.cases ?? []) branch.label = hidden.redactText(branch.label)
    }
    const source = normalSource({ id: flow.id, ...textsOf(flow, hidden), steps })
    return { revision: revisionOf(source), source }
  }

  /** A name replaces an ID only if it identifies the same record. */
  function namesFor(caller: Caller, step: Step): Dictionary {
    const connector = connectorOf(step)
    const entries = entriesOf(step.config as Dictionary).map(([key, value]): [string, Data] => {
      const [, nameKey] = NAMED_INSTEAD.find(([id]) => id === key) ?? []
      if (nameKey === undefined || typeof value !== 'string') return [key, value]
      const name =
        key === 'connector_id'
          ? store.connectors.get(value)?.name
          : mayReadAuths(caller)
            ? store.connectorAuths.get(value, caller.userId)?.name
            : undefined
      const found = name === undefined ? [] : findNamed(caller, nameKey, name, connector)
      return found.length === 1 && found[0] === value && name !== undefined ? [nameKey, name] : [key, value]
    })
    return dictionaryOf(entries)
  }

  /** The IDs of the records with this name. */
  function findNamed(caller: Caller, key: string, name: string, connector: string | null): string[] {
    const filters = [{ field: 'name', operator: 'eq', value: name }] as const
    if (key === 'connector') return store.connectors.list({ filters }).records.map(({ id }) => id)
    if (!mayReadAuths(caller)) return []
    return store.connectorAuths
      .list({ filters }, caller.userId)
      .records.filter((auth) => connector === null || auth.connector_id === connector)
      .filter((auth) => reachesAuth(caller, auth.id))
      .map(({ id }) => id)
  }

  /** The step with IDs instead of names; adds items that can't be found to `missing`. */
  function idsFor(caller: Caller, step: Step, missing: MissingItem[], find = findNamed): Step['config'] {
    let connector = connectorOf(step)
    const entries = entriesOf(step.config as Dictionary)
    const resolved = entries.map(([key, value]): [string, Data] => {
      const [idKey] = NAMED_INSTEAD.find(([, name]) => name === key) ?? []
      if (idKey === undefined || !namesItems(step)) return [key, value]
      const name = typeof value === 'string' ? value : JSON.stringify(value)
      const found = find(caller, key, name, connector)
      const [id] = found
      if (key === 'connector') connector = id ?? null
      if (id !== undefined && found.length === 1) return [idKey, id]
      const kind = key === 'connector' ? 'connector' : 'connector_auth'
      const several = found.length > 1 ? ' (several have this name: give the ID of one)' : ''
      missing.push({ kind, name: `${name}${several}`, ref_id: step.ref_id })
      return [idKey, null]
    })
    return dictionaryOf(resolved) as Step['config']
  }

  /** References to records that don't exist here, by ID or template, except those that the flow already had. */
  function missingBesides(caller: Caller, wanted: FlowSource, current: Flow | null): MissingItem[] {
    const missing: MissingItem[] = []
    for (const step of eachStep(wanted.steps)) {
      const { ref_id } = step
      const connector = textIn(step, 'connector_id')
      if (connector !== '' && store.connectors.get(connector) === null)
        missing.push({ kind: 'connector', name: connector, ref_id })
      for (const key of ['auth_id', 'dynamic_auth_id']) {
        const auth = textIn(step, key).trim()
        if (auth !== '' && !auth.includes('{') && store.connectorAuths.get(auth, caller.userId) === null)
          missing.push({ kind: 'connector_auth', name: auth, ref_id })
      }
      const flow = step.type === 'run_flow' ? textIn(step, 'flow_id') : ''
      if (flow !== '' && !flow.includes('{')) missing.push({ kind: 'flow', name: flow, ref_id })
      const path = /^(?:file|folder)_/.test(step.type) ? textIn(step, 'path') : ''
      if (path !== '' && !path.startsWith('{') && !isAllowed(path))
        missing.push({ kind: 'folder', name: path, ref_id })
    }
    const { error_handling_flow_id: handler, alarms } = wanted.settings
    for (const name of [handler, alarms?.flow_id])
      if (name) missing.push({ kind: 'flow', name, ref_id: null })
    for (const name of variablesOf(wanted)) missing.push({ kind: 'variable', name, ref_id: null })
    const known = new Set(current === null ? [] : missingBesides(caller, current, null).map(keyOf))
    return missing.filter(
      (item) => !known.has(keyOf(item)) && (item.kind !== 'flow' || store.flows.get(item.name) === null),
    )
  }

  function isAllowed(path: string): boolean {
    const [first] = folders()
    if (first === undefined) return false
    // A folder named by a template is only known when the step runs.
    const given = path.replace(/\{.*$/s, '')
    const whole = isAbsolute(given) ? resolve(given) : resolve(first, given)
    return folders().some((folder) => isWithin(whole, resolve(folder)))
  }

  function variablesOf({ id, name, description, tags, settings, steps }: FlowSource): string[] {
    const setup = { env_variables: [], connector_auths: [], data_tables: [] }
    const flows = [{ id, name, description, tags, settings, steps }]
    const { variables } = surveyFile(
      { format: 'millrace-flow', version: 1, flows, references: { connectors: [] }, setup },
      {
        connector: () => null,
        envNames: new Set(store.envVariables.list().records.map((variable) => variable.name)),
      },
    )
    return variables.filter((variable) => !variable.is_there).map((variable) => variable.name)
  }

  function prepare(caller: Caller, sent: FlowSource, current: Flow | null): Prepared {
    const missing: MissingItem[] = []
    const hidden = redactor()
    const former = new Map([...eachStep(current?.steps ?? [])].map((step) => [step.ref_id, step]))
    const steps = copyOf(sent.steps)
    for (const step of eachStep(steps)) {
      step.config = idsFor(caller, step, missing)
      const before = former.get(step.ref_id)
      step.config = unmasked(step.config as Data, (before?.config ?? null) as Data, {
        hidden,
        onLost: (field) => missing.push({ kind: 'secret', name: field, ref_id: step.ref_id }),
      }) as Step['config']
      if (before !== undefined) restoreTexts(step, before, hidden)
    }
    const wanted = { ...sent, steps, settings: { ...sent.settings } }
    if (current !== null) restoreAll(wanted, textsOf(current, hidden), current)
    return { wanted, lost: missing, missing: [...missing, ...missingBesides(caller, wanted, current)] }
  }

  return {
    list(caller: Caller, query: ListQuery): RecordPage<WrittenFlow> {
      const request = parseListQuery(ofReachedFlows(caller, query, 'id'))
      const { records, total } = store.flows.list(request)
      return toPage({ records: records.map((flow) => writeFlow(caller, flow)), total }, request)
    },
    /** The JSON Schema of flow files; loaded on demand. */
    async schema() {
      const { createFlowSchema } = await import('../../../engine/flow-source/flow-schema.ts')
      return createFlowSchema()
    },
    /** Problems of a flow in the form of its file, with their positions and fixes in it. */
    check: (caller: Caller, source: Readonly<Record<string, unknown>>) => ({
      problems: checkSource(source, {
        idOf: (key, name, connector) => {
          const [id, other] = findNamed(caller, key, name, connector)
          return other === undefined ? (id ?? null) : null
        },
        nameOf: (id) =>
          store.connectors.get(id)?.name ?? store.connectorAuths.get(id, caller.userId)?.name ?? null,
        checkSteps: (id, steps) => flows.checkSteps(caller, id, steps),
      }),
    }),
    /** The flow in the form of its file. */
    written: (caller: Caller, flow: Flow): NormalSource => writeFlow(caller, flow).source,
    /** Differences from the steps of a version, by step and field, with secrets and IDs as in files. */
    changes(caller: Caller, flow: Flow, from: readonly Step[], to: readonly Step[]): SourceChange[] {
      const source = (steps: readonly Step[]) => writeFlow(caller, { ...flow, steps: [...steps] }).source
      return sourceChanges(source(from), source(to))
    },
    /**
     * The flow as a test runs it, with stand-ins for secrets.
     *
     * @param authIds by name; null for those that the caller can read
     */
    forTest(
      caller: Caller,
      { steps: sent, settings }: FlowSource,
      authIds: ReadonlyMap<string, string> | null,
    ) {
      const missing: MissingItem[] = []
      const secrets: string[] = []
      const find: typeof findNamed = (who, key, name, connector) => {
        if (key === 'connector' || authIds === null) return findNamed(who, key, name, connector)
        const id = authIds.get(name)
        return id === undefined ? [] : [id]
      }
      const steps = copyOf(sent)
      for (const step of eachStep(steps)) {
        const config = idsFor(caller, step, missing, find) as Data
        step.config = withStandIns(config, `${step.ref_id}-`, secrets) as Step['config']
      }
      return { steps, settings: { ...DEFAULT_FLOW_SETTINGS, ...settings }, missing, secrets }
    },
    /** The flow with these steps, in the form of its file. */
    ofSteps: (caller: Caller, flow: Flow, steps: readonly Step[]): NormalSource =>
      writeFlow(caller, { ...flow, steps: [...steps] }).source,
    /** The same with the steps of a version; null if there is no such flow or version. */
    ofVersion(caller: Caller, id: string, version: number): NormalSource | null {
      const [flow, steps] = [store.flows.get(id), store.flows.version(id, version)?.steps]
      return flow === null || steps === undefined ? null : writeFlow(caller, { ...flow, steps }).source
    },
    /**
     * Creates or changes a flow.
     *
     * @throws AppError `validation` if it can't be saved here, `precondition_failed` if its revision differs
     */
    async push(caller: Caller, { source: sent, revision, dry_run: isDryRun }: Push): Promise<PushedFlow> {
      const id = sent.id.toLowerCase()
      chosenRecords.requireUse(caller, id)
      const current = store.flows.get(id)
      if (current === null && !may(caller, 'flows', 'create'))
        throw new AppError(
          'forbidden',
          say('The flow "{{name}}" is new, and this token can\'t create flows', { name: sent.name }),
        )
      const { wanted, missing, lost } = prepare(caller, { ...sent, id }, current)
      chosenRecords.requireNamed(caller, [wanted.steps, wanted.settings])
      const change = current === null ? 'create' : isSame(current, wanted) ? 'none' : 'change'
      const variables = missing.filter(({ kind }) => kind === 'variable').map((item) => item.name)
      const problems = lost.length > 0 ? [] : flows.checkImport(caller, wanted.steps, variables)
      if (isDryRun) return { change, revision: null, missing, problems }
      if (lost.length > 0) throw lacking(sent, lost)
      const { name, description, tags, steps } = wanted
      const body = {
        name,
        description,
        tags,
        steps,
        settings: { ...DEFAULT_FLOW_SETTINGS, ...wanted.settings },
      }
      const isMet = () => {
        const now = store.flows.get(id)
        if (revision === undefined) return true
        return now === null ? revision === null : writeFlow(caller, now).revision === revision
      }
      const save = () =>
        current === null ? flows.create(caller, body, { imported: true, id }) : flows.update(caller, id, body)
      if (!isMet()) throw changedMeanwhile(sent)
      if (change !== 'none')
        await preconditions.during({ isMet, refusal: () => changedMeanwhile(sent) }, save)
      const saved = store.flows.get(id)
      return { change, revision: saved && writeFlow(caller, saved).revision, missing, problems: [] }
    },
  }
}

export type FlowSourcesService = ReturnType<typeof createFlowSourcesService>

interface Prepared {
  /** The flow with IDs and secrets. */
  readonly wanted: FlowSource
  /** References that have no ID or value here, because of which the flow can't be saved. */
  readonly lost: readonly MissingItem[]
  /** The same, plus items that the flow needs to run but not to be saved. */
  readonly missing: MissingItem[]
}

type Texts = Pick<Flow, 'name' | 'description' | 'tags' | 'settings'>

/** Strings outside a config have no placeholders; a secret in one is shown as `***`. */
function textsOf({ name, description, tags, settings }: Flow, hidden: Redactor): Texts {
  return hidden.redactData({ name, description, tags, settings }) as unknown as Texts
}

/** Hidden values that weren't edited keep their current content. */
function restoreAll(wanted: FlowSource, shown: Texts, current: Texts): void {
  for (const key of ['name', 'description', 'tags'] as const) {
    if (equalData(wanted[key], shown[key])) Object.assign(wanted, { [key]: current[key] })
  }
  for (const [key, value] of Object.entries(wanted.settings)) {
    const name = key as keyof FlowSettings
    if (equalData(value as Data, shown.settings[name]))
      Object.assign(wanted.settings, { [key]: current.settings[name] })
  }
}

function restoreTexts(step: Step, before: Step, hidden: Redactor): void {
  for (const key of ['title', 'description'] as const)
    if (step[key] === hidden.redactText(before[key])) step[key] = before[key]
  for (const [at, branch] of (step.cases ?? []).entries()) {
    const label = before.cases?.[at]?.label
    if (label !== undefined && branch.label === hidden.redactText(label)) branch.label = label
  }
}

/** Whether its config names connectors and auths. */
const namesItems = ({ type }: Step) => NAMED_INSTEAD.some(([id]) => facesOf(type, id).length > 0)

const mayReadAuths = (caller: Caller) => may(caller, 'connector_auths', 'read')

const connectorOf = (step: Step) => textIn(step, 'connector_id') || null

const keyOf = ({ kind, name }: MissingItem) => `${kind} ${name}`

/** Whether saving would change nothing. */
function isSame(current: Flow, wanted: FlowSource): boolean {
  const { id, name, description, tags, settings, steps } = current
  const written = (source: FlowSource) => revisionOf(normalSource(source))
  return written({ id, name, description, tags, settings, steps: copyOf(steps) }) === written(wanted)
}

function lacking({ name }: FlowSource, lost: readonly MissingItem[]): AppError {
  const list = lost.map(({ kind, name, ref_id }) => `${SAID[kind]} ${name}${ref_id ? ` (${ref_id})` : ''}`)
  return new AppError(
    'validation',
    say('The flow "{{name}}" can\'t be saved here without: {{names}}', { name, names: list.join(', ') }),
    {
      data: Object.fromEntries(
        lost.map(({ kind, ref_id }) => [`steps.${ref_id}`, [`lacks a ${SAID[kind]}`]]),
      ),
    },
  )
}

const SAID: Readonly<Record<MissingItem['kind'], string>> = {
  connector: 'connector',
  connector_auth: 'connector auth',
  flow: 'flow',
  variable: 'variable',
  folder: 'folder',
  secret: 'secret',
}

function changedMeanwhile({ name }: FlowSource): AppError {
  return new AppError(
    'precondition_failed',
    say('The flow "{{name}}" has changed since you read it; read it again', { name }),
  )
}

const SECRET = '$secret'

/** A string with a secret becomes `{"$secret": "Bearer ***"}`, so that it can't be mistaken for text. */
function maskedConfig(config: Dictionary, hidden: Redactor): Step['config'] {
  return dictionaryOf(
    entriesOf(config).map(([key, value]) => [key, masked(value, key, hidden)]),
  ) as Step['config']
}

function masked(value: Data, name: string, hidden: Redactor): Data {
  if (typeof value === 'string') {
    if (isSecretKey(name) && value !== '' && !value.includes('{{')) return { [SECRET]: HIDDEN }
    const shown = hidden.redactText(value)
    return shown === value ? value : { [SECRET]: shown }
  }
  if (isList(value)) return value.map((item) => masked(item, name, hidden))
  if (!isDictionary(value)) return hidden.redactData(value) === value ? value : { [SECRET]: HIDDEN }
  const entries = entriesOf(value)
  if (entries.some(([key]) => hidden.redactText(key) !== key)) return { [SECRET]: HIDDEN }
  return dictionaryOf(entries.map(([key, item]) => [key, masked(item, key, hidden)]))
}

const HIDDEN = '***'

/** A key named `signature` is ordinary data, as in a run's history. */
const isSecretKey = (name: string) => isSecretHeader(name) && !/^(?:signature|hmac)$/i.test(name)

/** Replaces each placeholder with a string that is redacted as the secret would be. */
function withStandIns(value: Data, place: string, secrets: string[]): Data {
  if (isList(value)) return value.map((item) => withStandIns(item, place, secrets))
  if (!isDictionary(value)) return value
  const entries = entriesOf(value)
  const [first] = entries
  if (first !== undefined && entries.length === 1 && first[0] === SECRET && typeof first[1] === 'string') {
    const secret = `stand-in-${place}${secrets.length + 1}`
    secrets.push(secret)
    return first[1].replaceAll(HIDDEN, secret)
  }
  return dictionaryOf(entries.map(([key, item]) => [key, withStandIns(item, place, secrets)]))
}

interface Unmasking {
  readonly hidden: Redactor
  readonly onLost: (field: string) => void
}

/** Replaces a placeholder with the current value. */
function unmasked(value: Data, before: Data, using: Unmasking, at = 'config', name = ''): Data {
  if (isList(value)) {
    const former = isList(before) ? before : []
    return value.map((item, index) => unmasked(item, former[index] ?? null, using, `${at}[${index}]`, name))
  }
  if (!isDictionary(value)) return value
  if (equalData(value, masked(before, name, using.hidden)) || equalData(value, before)) return before
  const entries = entriesOf(value)
  if (entries.length === 1 && entries[0]?.[0] === SECRET) {
    using.onLost(at)
    return ''
  }
  const former = isDictionary(before) ? before : dictionaryOf([])
  return dictionaryOf(
    entries.map(([key, item]) => [
      key,
      unmasked(item, getKey(former, key) ?? null, using, `${at}.${key}`, key),
    ]),
  )
}
