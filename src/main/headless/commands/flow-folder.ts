/** Keeps flows as files in a folder, for Git: `flow pull` writes the files, `flow push` reads them. */
import { existsSync, realpathSync, statSync } from 'node:fs'
import { watch } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { AppError } from '../../../shared/contract/base/errors.ts'
import {
  type FlowSource,
  type MissingItem,
  type PushedFlow,
  pushFlowSourceRoute,
} from '../../../shared/contract/flow-files.ts'
import { deleteFlowRoute } from '../../../shared/contract/flows.ts'
import { type Data, writeJson } from '@millrace/jinja/data'
import { sourceChanges, type SourceChange } from '../../engine/flow-source/changes.ts'
import type { NormalSource } from '../../engine/flow-source/normal-form.ts'
import type { Config } from '../../host/config.ts'
import { EXIT, type ExitCode, HostError } from '../../host/machine/exit-codes.ts'
import type { CommandContext } from '../support/command-context.ts'
import {
  fileNameFor,
  type FolderFault,
  type FolderFlow,
  readFlowFolder,
  readSynced,
  removeFlowFile,
  type SyncedFlow,
  writeFlowFile,
  writeSynced,
} from '../support/flow-folder.ts'
import { type ComparedFlow, compareFlows, listFlowSources } from '../support/flow-sync.ts'
import { followed } from '../support/followed.ts'
import type { HostClient } from '../support/host-client.ts'
import type { Output } from '../support/output.ts'
import {
  type Action,
  pullAction,
  pullMessage,
  pushAction,
  pushMessage,
  sentenceOf,
  type SyncedResult,
} from '../support/sync-actions.ts'
import { pullTests, pushTests, readComparableTests } from '../support/test-sync.ts'
import { remoteHost } from '../support/remote-host.ts'
import { requireRunningHost, withHost } from '../support/with-host.ts'

const DEFAULT_FOLDER = 'flows'

export interface PullOptions {
  readonly dryRun?: boolean
  readonly force?: boolean
  readonly watch?: boolean
  readonly url?: string
}

/** Writes flows that changed in Millrace into the folder. Exits with 1 if the user has to decide something. */
export async function pullFlows(
  { config, output, readerGone }: CommandContext,
  { watch: isWatched = false, url, ...options }: PullOptions,
  folder: string = DEFAULT_FOLDER,
): Promise<ExitCode> {
  const place = placeOf(config, url)
  const pull = (host: HostClient) => pullOnce({ host, folder, place, output }, options)
  if (!isWatched) return withChosenHost(config, url, async (host) => report(output, await pull(host)))
  const host = url === undefined ? await requireRunningHost(config) : remoteHost(url)
  for await (const pulled of followed(host, ['flow'], () => pull(host), readerGone))
    reportChanges(output, pulled)
  return EXIT.ok
}

export interface PushOptions extends PullOptions {
  readonly delete?: boolean
}

/** Creates and changes flows from the files in the folder. Exits with 1 if one of them fails. */
export async function pushFlows(
  { config, output, readerGone }: CommandContext,
  { watch: isWatched = false, url, ...options }: PushOptions,
  folder: string = DEFAULT_FOLDER,
): Promise<ExitCode> {
  if (!existsSync(folder) || !statSync(folder).isDirectory())
    throw new HostError(
      EXIT.failed,
      `There is no folder ${folder}; "millrace flow pull ${folder}" creates it`,
    )
  const place = placeOf(config, url)
  const push = (host: HostClient) => pushOnce({ host, folder, place, output }, options)
  if (!isWatched) return withChosenHost(config, url, async (host) => report(output, await push(host)))
  const host = url === undefined ? await requireRunningHost(config) : remoteHost(url)
  const changes = watch(folder, { signal: readerGone })[Symbol.asyncIterator]()
  for (;;) {
    // Listens from here on, so that no change during the push is missed.
    const changed = changes.next()
    reportChanges(output, await push(host))
    await changed.finally(() => readerGone.throwIfAborted())
    // An editor writes a file in several steps.
    await sleep(SETTLE_MS)
  }
}

const SETTLE_MS = 200

function withChosenHost<T>(
  config: Config,
  url: string | undefined,
  work: (host: HostClient) => Promise<T>,
): Promise<T> {
  return url === undefined ? withHost(config, work) : work(remoteHost(url))
}

/** The name under which the folder's stored state knows this Millrace. */
const placeOf = ({ dataDir }: Config, url: string | undefined) =>
  url === undefined ? (existsSync(dataDir) ? realpathSync(dataDir) : dataDir) : new URL(url).origin

interface Side {
  readonly host: HostClient
  readonly folder: string
  readonly place: string
  readonly output: Output
}

interface Outcome {
  readonly flows: readonly SyncedResult[]
  readonly tests: readonly SyncedResult[]
  readonly unchanged: number
  readonly faults: readonly FolderFault[]
  readonly folder: string
  readonly isDryRun: boolean
  /** True if the user has to decide something. */
  readonly isIncomplete: boolean
}

async function pullOnce(
  { host, folder, place }: Side,
  { dryRun: isDryRun = false, force = false }: PullOptions,
): Promise<Outcome> {
  const { flows: files, faults: ofFlows } = await readFlowFolder(folder)
  const faults = [...ofFlows, ...readComparableTests(folder).faults]
  if (faults.length > 0) return unreadable(folder, faults, isDryRun)
  const { writeYaml } = await import('../../engine/flow-source/yaml.ts')
  const sources = await listFlowSources(host)
  const compared = compareFlows(files, sources, readSynced(folder, place))
  const names = new Set(files.map(({ file }) => file))
  const synced = new Map<string, SyncedFlow | null>()
  const results: SyncedResult[] = []
  for (const flow of compared) {
    const { id, name, local, stored } = flow
    const action = pullAction(flow, force)
    if (action === null) {
      if (local && stored) synced.set(id, { file: local.revision, flow: stored.revision })
      continue
    }
    const file = stored === null ? (local?.file ?? null) : fileToWrite(stored.source, local, names)
    const changes = local && stored ? sourceChanges(local.normal, stored.source) : []
    const message = pullMessage(flow, action, 'flow')
    results.push({
      id,
      name: stored?.source.name ?? name,
      file,
      action,
      changes,
      ...(message && { message }),
    })
    if (isDryRun || file === null) continue
    if (action === 'delete') {
      removeFlowFile(folder, file)
      synced.set(id, null)
    } else if (stored !== null && (action === 'create' || action === 'change')) {
      writeFlowFile(folder, file, writeYaml(stored.source))
      if (local !== null && local.file !== file) removeFlowFile(folder, local.file)
      names.add(file)
      synced.set(id, { file: stored.revision, flow: stored.revision })
    }
  }
  if (!isDryRun) writeSynced(folder, place, synced)
  const tests = await pullTests({ host, folder, place, isDryRun, force }, sources)
  const isIncomplete = [...results, ...tests].some(({ action }) => action === 'conflict')
  return {
    flows: results,
    tests,
    unchanged: compared.length - results.length,
    faults,
    folder,
    isDryRun,
    isIncomplete,
  }
}

/** A file keeps its name, unless it was named after its flow; then it is renamed with the flow. */
function fileToWrite(source: NormalSource, local: FolderFlow | null, names: ReadonlySet<string>): string {
  const others = [...names].filter((name) => name !== local?.file)
  if (local === null) return fileNameFor(source, others)
  const isNamedAfterFlow = local.file === fileNameFor(local.normal, others)
  return isNamedAfterFlow ? fileNameFor(source, others) : local.file
}

async function pushOnce(
  { host, folder, place, output }: Side,
  { dryRun: isDryRun = false, force = false, delete: deletes = false }: PushOptions,
): Promise<Outcome> {
  const { flows: files, faults: ofFlows } = await readFlowFolder(folder)
  const faults = [...ofFlows, ...readComparableTests(folder).faults]
  if (faults.length > 0) return unreadable(folder, faults, isDryRun)
  const sources = await listFlowSources(host)
  const compared = compareFlows(files, sources, readSynced(folder, place))
  const present = new Set(compared.map(({ id }) => id))
  const synced = new Map<string, SyncedFlow | null>()
  const plan: PlannedPush[] = []
  for (const flow of compared) {
    const { id, name, local, stored } = flow
    if (flow.changedIn === 'none') {
      if (local && stored) synced.set(id, { file: local.revision, flow: stored.revision })
      continue
    }
    const action = pushAction(flow, { force, deletes })
    const file = local?.file ?? null
    const changes = local && stored ? sourceChanges(stored.source, local.normal) : []
    const planned = { flow, result: { id, name, file, action, changes } as SyncedResult }
    if (local === null || action === 'keep' || action === 'delete') {
      plan.push({ ...planned, result: { ...planned.result, ...said(pushMessage(flow, action, 'flow')) } })
      continue
    }
    output.progress({ text: name })
    const body = { source: local.source, dry_run: true }
    const checked = await host.call(pushFlowSourceRoute, { body }).catch(refusalOf)
    if (stored !== null && checked.change === 'none') {
      synced.set(id, { file: local.revision, flow: stored.revision })
      continue
    }
    const missing = checked.missing.filter(
      ({ kind, name: wanted }) => kind !== 'flow' || !present.has(wanted),
    )
    const { problems } = checked
    plan.push({
      ...planned,
      result: { ...planned.result, missing, problems, ...said(pushMessage(flow, action, 'flow')) },
    })
  }
  const lacks = ({ missing = [], problems = [] }: SyncedResult) =>
    problems.length > 0 || missing.some(({ kind, ref_id: ref }) => !OTHERS_GO_ON.has(kind) || ref === null)
  const isRefused = plan.some(({ result }) => result.action !== 'conflict' && lacks(result))
  const results = isDryRun || isRefused ? plan.map(({ result }) => result) : await apply(host, plan, synced)
  if (!isDryRun) writeSynced(folder, place, synced)
  const isLeft = ({ action }: SyncedResult) => action === 'conflict' || action === 'fail'
  const isOnlyShown = isDryRun || isRefused
  const there = isOnlyShown ? sources : await listFlowSources(host)
  const tests = await pushTests({ host, folder, place, isDryRun: isOnlyShown, force, deletes }, there)
  const outcome = { flows: results, tests, unchanged: compared.length - plan.length, faults, folder }
  const isIncomplete = isRefused || [...results, ...tests].some(isLeft)
  return { ...outcome, isDryRun: isOnlyShown, isIncomplete }
}

const said = (message: string | null) => (message === null ? {} : { message })

/** A step can be saved without its flow or folder, but not run; a missing secret only affects its own flow. */
const OTHERS_GO_ON: ReadonlySet<MissingItem['kind']> = new Set(['flow', 'folder', 'secret'])

const HOW_TO_GIVE_SECRETS =
  'write the value into the file instead of "$secret: …", push, and restore the file; or use a secret variable in the flow'

interface PlannedPush {
  readonly flow: ComparedFlow
  readonly result: SyncedResult
}

function refusalOf(error: unknown): PushedFlow {
  if (!(error instanceof AppError)) throw error
  return { change: 'change', revision: null, missing: [], problems: [sentenceOf(error)] }
}

/** Pushes one flow at a time; a failure doesn't stop the others. */
async function apply(
  host: HostClient,
  plan: readonly PlannedPush[],
  synced: Map<string, SyncedFlow | null>,
): Promise<SyncedResult[]> {
  const results = new Map(plan.map(({ result }) => [result.id, result]))
  const there = new Set(plan.flatMap(({ flow, result }) => (flow.stored === null ? [] : [result.id])))
  const isNew = new Set(plan.flatMap(({ result }) => (result.action === 'create' ? [result.id] : [])))
  const again: PlannedPush[] = []
  const attempt = async ({ result }: PlannedPush, work: () => Promise<unknown>) => {
    try {
      await work()
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      results.set(result.id, { ...result, action: 'fail', message: sentenceOf(error) })
    }
  }
  const push = async (planned: PlannedPush, source: FlowSource, revision?: string | null) => {
    const { local } = planned.flow
    const isWhole = source === local?.source
    await attempt(planned, async () => {
      const pushed = await host.call(pushFlowSourceRoute, {
        body: { source, ...(revision !== undefined && { revision }) },
      })
      there.add(planned.result.id)
      if (local && pushed.revision !== null)
        // If the flow isn't complete, the file counts as changed, and the next push completes the flow.
        synced.set(planned.result.id, { file: isWhole ? local.revision : '', flow: pushed.revision })
    })
  }
  for (const planned of plan) {
    const { flow, result } = planned
    if (result.action === 'delete') {
      await attempt(planned, async () => {
        await host.call(deleteFlowRoute, { params: { id: result.id } })
        synced.set(result.id, null)
      })
    }
    if (flow.local === null || (result.action !== 'create' && result.action !== 'change')) continue
    if (result.missing?.some(({ kind }) => kind === 'secret')) {
      results.set(result.id, { ...result, action: 'fail', message: HOW_TO_GIVE_SECRETS })
      continue
    }
    const { source } = flow.local
    const waits = flowsInSettings(source).some((id) => isNew.has(id) && !there.has(id))
    if (waits) again.push(planned)
    await push(planned, waits ? withoutFlows(source) : source, flow.stored?.revision ?? null)
  }
  // Everything that the settings of these flows refer to exists now.
  for (const planned of again) {
    const { local } = planned.flow
    if (local !== null && results.get(planned.result.id)?.action !== 'fail') await push(planned, local.source)
  }
  return [...results.values()]
}

const flowsInSettings = ({ settings: { error_handling_flow_id: handler, alarms } }: FlowSource) =>
  [handler, alarms?.flow_id].filter((id) => typeof id === 'string')

function withoutFlows(source: FlowSource): FlowSource {
  const { error_handling_flow_id: _, alarms, ...settings } = source.settings
  return { ...source, settings: { ...settings, ...(alarms && { alarms: { ...alarms, flow_id: null } }) } }
}

function unreadable(folder: string, faults: readonly FolderFault[], isDryRun: boolean): Outcome {
  return { flows: [], tests: [], unchanged: 0, faults, folder, isDryRun, isIncomplete: true }
}

function report(output: Output, outcome: Outcome): ExitCode {
  const { flows, tests, unchanged, faults, folder, isDryRun, isIncomplete } = outcome
  const done = isDryRun ? [] : [...flows, ...tests].filter(({ action }) => DONE.has(action))
  const counts = [
    ...(faults.length > 0 ? ['Nothing was done, because of these files'] : []),
    ...(isDryRun && faults.length === 0 ? ['Nothing was changed'] : [`${done.length} changed`]),
    `${unchanged} unchanged`,
  ]
  const text = [...linesOf(outcome), faults.length > 0 ? counts[0] : counts.join(', ')].join('\n')
  output.answer({ folder, dry_run: isDryRun, flows, tests, unchanged, faults }, text)
  return isIncomplete ? EXIT.failed : EXIT.ok
}

const DONE: ReadonlySet<Action> = new Set(['create', 'change', 'delete'])

/** While watching, only changes are printed. */
function reportChanges(output: Output, outcome: Outcome): void {
  const { flows, tests, faults, folder, unchanged, isDryRun } = outcome
  if (flows.length === 0 && tests.length === 0 && faults.length === 0) return
  output.line({ folder, dry_run: isDryRun, flows, tests, unchanged, faults }, linesOf(outcome).join('\n'))
}

function linesOf({ flows, tests, faults, folder }: Outcome): string[] {
  return [
    ...faults.map(({ file, line, message }) =>
      line === null ? `${folder}/${file} ${message}` : `${folder}/${file}:${line}: ${message}`,
    ),
    ...[...flows, ...tests].flatMap(describeFlow),
  ]
}

const WORDS: Readonly<Record<Action, string>> = {
  create: 'create  ',
  change: 'change  ',
  delete: 'delete  ',
  keep: 'keep    ',
  conflict: 'CONFLICT',
  fail: 'FAILED  ',
}

const MOST_SHOWN = 20

function describeFlow({ action, name, file, changes, missing = [], problems = [], message }: SyncedResult) {
  const more = changes.length - MOST_SHOWN
  return [
    `${WORDS[action]}  ${file ?? '(no file)'}  "${name}"${message ? `: ${message}` : ''}`,
    ...(action === 'keep'
      ? []
      : changes.slice(0, MOST_SHOWN).map((one) => `            ${describeChange(one)}`)),
    ...(more > 0 && action !== 'keep' ? [`            … and ${more} more`] : []),
    ...missing.map(
      ({ kind, name: what, ref_id: ref }) =>
        `            missing: ${KINDS[kind]} ${what}${ref ? ` (step ${ref})` : ''}`,
    ),
    ...problems.map((problem) => `            problem: ${problem}`),
  ]
}

const KINDS: Readonly<Record<MissingItem['kind'], string>> = {
  connector: 'connector',
  connector_auth: 'connector auth',
  flow: 'flow',
  variable: 'variable',
  folder: 'allowed folder for',
  secret: 'secret in',
}

function describeChange({ step, what, field, before, after }: SourceChange): string {
  const place = [step, field].filter((part) => part !== null).join(': ')
  if (what === 'moved') return `> ${place} moved`
  if (field === null) return `${what === 'added' ? '+' : '-'} step ${place}`
  if (what === 'added') return `+ ${place} ${shortly(after)}`
  if (what === 'removed') return `- ${place} ${shortly(before)}`
  return `~ ${place} ${shortly(before)} → ${shortly(after)}`
}

const LONGEST_VALUE = 60

function shortly(value: Data | undefined): string {
  const text = value === undefined ? '' : writeJson(value)
  return text.length > LONGEST_VALUE ? `${text.slice(0, LONGEST_VALUE)}…` : text
}
