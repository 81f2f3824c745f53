/** Flows with their versions, webhook tokens and the editor's unsaved changes. */
import { hash } from 'node:crypto'
import { say } from '../../../../shared/contract/base/message.ts'
import type { Filter } from '../../../../shared/contract/base/common.ts'
import { trimEnd } from '../../../../shared/trim.ts'
import type { ListQuery } from '../../../../shared/contract/base/common.ts'
import { AppError } from '../../../../shared/contract/base/errors.ts'
import {
  DEFAULT_FLOW_SETTINGS,
  type Flow,
  type FlowPatch,
  type FlowVersion,
  type WorkingCopy,
} from '../../../../shared/contract/flows.ts'
import type { FlowProblem } from '../../../../shared/contract/base/flow-problem.ts'
import type { LiveEvent } from '../../../../shared/contract/host.ts'
import type { Saved, SaveWarning } from '../../../../shared/contract/base/save-warnings.ts'
import type { Step } from '../../../../shared/contract/steps.ts'
import type { StepEdit } from '../../../../shared/contract/base/step-edits.ts'
import { WEBHOOK_PATH } from '../../../../shared/contract/webhooks.ts'
import type { Clock } from '../../../engine/ports.ts'
import { editSteps, isRaw } from '../../../../shared/contract/base/edit-steps.ts'
import { type NamedRecords, withFixes } from '../../../engine/flow/definition/step-fixes.ts'
import { connectorOfStep } from '../../../engine/flow/definition/warnings.ts'
import type { FindPlugin } from '../../../engine/flow/model/compiled-step.ts'
import type { Store } from '../../../store/index.ts'
import { type ChosenRecords, closedToChosen } from '../../keeping/access/chosen-records.ts'
import { createSecret, hashSecret, WEBHOOK_TOKEN_PREFIX } from '../../keeping/access/token-secret.ts'
import { type Caller, may, ofReachedFlows, reachesAuth } from '../../kit/caller.ts'
import { parseListQuery } from '../../kit/list-query.ts'
import type { EventsService } from '../../kit/live-events.ts'
import { flowNotFound } from '../../kit/not-found.ts'
import { type RecordPage, toPage } from '../../kit/pages.ts'
import { sentKeys, withWarnings } from '../../kit/patch.ts'
import type { JsonCodec, SecureRandom } from '../../kit/ports.ts'
import { createFlowRules, requireTool, signedAndToken, testsFail, untested } from './flow-rules.ts'
import { beginsWithWebhook, createCheckImported, createCheckSteps, createPrepareSteps } from './flow-steps.ts'

/** Records include `webhook` for callers who can update flows. */
export type FlowsService = ReturnType<typeof createFlowsService>

export interface FlowsOptions {
  readonly store: Pick<
    Store,
    'flows' | 'connectors' | 'actions' | 'connectorAuths' | 'envVariables' | 'tokens' | 'write'
  >
  readonly clock: Pick<Clock, 'now'>
  readonly random: SecureRandom
  readonly findPlugin: FindPlugin
  readonly events: Pick<EventsService, 'emit'>
  readonly chosenRecords: Pick<ChosenRecords, 'requireNamed'>
  readonly json: JsonCodec
  /** The base URL of webhooks, without a trailing slash; known once the server listens. */
  readonly baseUrl: () => string
  /** The base URL for callers elsewhere; null if there is none. */
  readonly publicUrl: () => string | null
  /** The names of the flow's tests that fail with these steps. */
  readonly failingTests: (caller: Caller, flow: Flow, steps: readonly Step[]) => Promise<readonly string[]>
}

export function createFlowsService(options: FlowsOptions) {
  const { store, clock, random, events, chosenRecords, json, baseUrl, publicUrl, failingTests } = options
  const against = { ...store, findPlugin: options.findPlugin }
  const prepareSteps = createPrepareSteps(against)
  const checkSteps = createCheckSteps(against)
  const checkImported = createCheckImported(against)
  const { requireSoundSettings, requireAuths } = createFlowRules(store)
  const now = () => new Date(clock.now()).toISOString()
  /** Compared as JSON strings, because templates and requests see the order of an object's keys. */
  const areSame = (a: readonly Step[], b: readonly Step[]) => json.stringify(a) === json.stringify(b)

  /** The same for the same steps. */
  const revisionOf = (steps: readonly unknown[]) =>
    hash('sha256', json.stringify(steps), 'base64url').slice(0, 22)

  function stored(id: string): Flow {
    const flow = store.flows.get(id)
    if (flow === null) throw flowNotFound(id)
    return flow
  }

  /** @param token a token that was just created, because a host without a key can only show it now */
  function shown(caller: Caller, flow: Flow, token: string | null = null): Flow {
    if (!may(caller, 'flows', 'update')) return flow
    if (!beginsWithWebhook(flow.steps)) return { ...flow, webhook: null }
    const path = `${WEBHOOK_PATH}/${flow.id}`
    const address = publicUrl()
    const outside = address === null || address === undefined ? null : trimEnd(address, '/')
    const webhook = {
      url: `${baseUrl()}${path}`,
      public_url: outside === null ? null : `${outside}${path}`,
      token: token ?? store.flows.webhookToken(flow.id)?.token ?? null,
    }
    return { ...flow, webhook }
  }

  function giveWebhookToken(id: string): string {
    const token = createSecret(WEBHOOK_TOKEN_PREFIX, random)
    store.flows.setWebhookToken(id, { hash: hashSecret(token), token })
    return token
  }

  /** A flow's first webhook step creates its token, which stays even if the step is removed. Null means no new token. */
  function giveFirstWebhookToken({ id, steps }: Flow): string | null {
    return beginsWithWebhook(steps) && store.flows.webhookToken(id) === null ? giveWebhookToken(id) : null
  }

  /**
   * Whether the owner saves somebody else's steps, or activates an inherited flow. From then on, runs can read
   * everything that the owner can read.
   */
  function takesOver({ id, version }: Flow, userId: string): boolean {
    const author = store.flows.authorOf(id, version) ?? userId
    return author !== userId && store.flows.ownerOf(id) === userId
  }

  /** Saves the changed flow, with a new version if the steps differ. */
  function save(caller: Caller, before: Flow, change: Partial<Flow>): Changed {
    const { userId } = caller
    const steps = change.steps ?? before.steps
    chosenRecords.requireNamed(caller, [change.steps, change.settings])
    const activates = before.inherited === true && change.status === 'active'
    const isNew =
      !areSame(steps, before.steps) ||
      ((change.steps !== undefined || activates) && takesOver(before, userId))
    const version = before.version + (isNew ? 1 : 0)
    const flow: Flow = { ...before, ...change, version, updated_at: now() }
    if (isNew) requireAuths(flow, userId)
    store.flows.update(flow, userId)
    return { flow: stored(flow.id), token: giveFirstWebhookToken(flow) }
  }

  /**
   * Runs the tests before changed steps of an active flow go live, or before a flow becomes active.
   *
   * @throws AppError `conflict` if one fails, and the flow requires them to pass
   */
  async function testBeforeLive(caller: Caller, before: Flow, after: Partial<Flow>): Promise<SaveWarning[]> {
    const flow = { ...before, ...after }
    const isSame = before.status === 'active' && areSame(flow.steps, before.steps)
    if (flow.status !== 'active' || isSame) return []
    const failing = await failingTests(caller, flow, flow.steps)
    if (failing.length === 0) return []
    if (flow.settings.require_tests) throw untested(flow, failing)
    return [testsFail(failing)]
  }

  function announce(type: LiveEvent['type'], { id, name, status }: Flow): void {
    events.emit({ type, noun: 'flow', id, name, status })
  }

  async function change(caller: Caller, work: () => Changed): Promise<Flow> {
    const { flow, token } = await store.write(work)
    announce('updated', flow)
    return shown(caller, flow, token)
  }

  /** The saved steps if there are no unsaved changes. */
  const copyOf = ({ id, steps }: Flow) =>
    (store.flows.workingCopy(id) ?? { steps, updated_at: null, written_with: null }) as WorkingCopy

  /**
   * The name of a token that writes steps; null if a person does, including one whose browser signed in from elsewhere.
   */
  function tokenOf({ tokenId, pageSessionId }: Caller): string | null {
    const token = tokenId === null || pageSessionId !== undefined ? null : store.tokens.find(tokenId)
    return token && (token.note || `…${token.last_four}`)
  }

  /** @param change gets the steps as stored at the time of the write; null deletes the working copy */
  async function changeWorkingCopy(
    caller: Caller,
    id: string,
    change: (steps: WorkingCopy['steps']) => WorkingCopy['steps'] | null,
  ): Promise<WorkingCopy> {
    const kept = await store.write(() => {
      const flow = stored(id)
      const steps = change(copyOf(flow).steps)
      chosenRecords.requireNamed(caller, steps)
      const kept = steps && { steps, updated_at: now() }
      store.flows.saveWorkingCopy(id, kept, caller.userId, tokenOf(caller))
      return copyOf(flow)
    })
    events.emit({ type: 'updated', noun: 'working_copy', id, updated_at: kept.updated_at })
    return kept
  }

  function namedFor(caller: Caller): NamedRecords {
    return (field, { type, config }) => {
      const id = connectorOfStep(String(type), isRaw(config) ? config : {})
      if (field === 'connector_id')
        return may(caller, 'connectors', 'read') ? store.connectors.list().records : []
      if (id === null) return []
      if (field === 'action') return store.actions.ofConnector(id).map(({ name }) => ({ id: name, name }))
      if (field !== 'auth_id' || !may(caller, 'connector_auths', 'read')) return []
      return store.connectorAuths
        .list({ filters: [{ field: 'connector_id', operator: 'eq', value: id }] }, caller.userId)
        .records.filter((auth) => reachesAuth(caller, auth.id))
    }
  }

  /** @param mayStay the steps that the flow has already */
  function problemsOf(caller: Caller, steps: readonly unknown[], mayStay: readonly Step[]) {
    const check = checkSteps(mayStay, caller)
    return { problems: withFixes(steps, check(steps), check, namedFor(caller)) }
  }

  return {
    list(caller: Caller, query: ListQuery): RecordPage<Flow> {
      const request = parseListQuery(ofReachedFlows(caller, query, 'id'))
      const { records, total } = store.flows.list({ ...request, filters: request.filters.map(liveAsActive) })
      return toPage({ records: records.map((flow) => shown(caller, flow)), total }, request)
    },
    /** @throws AppError `not_found` */
    read: (caller: Caller, id: string) => shown(caller, stored(id)),
    /**
     * @param imported keeps steps of unknown types, at which a run will fail
     * @param id defaults to a new one
     * @throws AppError `validation` naming the steps and their fields
     */
    async create(
      caller: Caller,
      body: FlowPatch & { readonly name: string },
      { imported = false, id = random.uuid() }: { readonly imported?: boolean; readonly id?: string } = {},
    ): Promise<Saved<Flow>> {
      if (caller.flowIds !== undefined) throw closedToChosen()
      const { settings = {}, steps = [], ...rest } = body
      chosenRecords.requireNamed(caller, [steps, settings])
      requireSoundSettings(body, null)
      await requireTool(settings)
      const prepared = prepareSteps(steps, imported ? steps : [], caller)
      const at = now()
      const flow: Flow = {
        ...FLOW_DEFAULTS,
        ...sentKeys(rest),
        name: body.name,
        steps: prepared.steps,
        settings: { ...DEFAULT_FLOW_SETTINGS, ...sentKeys(settings) },
        id,
        version: 1,
        created_at: at,
        updated_at: at,
      }
      const token = await store.write(() => {
        store.flows.insert(flow, caller.userId)
        return giveFirstWebhookToken(flow)
      })
      announce('created', flow)
      return withWarnings(shown(caller, flow, token), [...prepared.warnings, ...signedAndToken(flow)])
    },
    /** Absent keys and settings stay unchanged; changed steps create a new version. */
    async update(
      caller: Caller,
      id: string,
      { settings = {}, steps, ...rest }: FlowPatch,
    ): Promise<Saved<Flow>> {
      chosenRecords.requireNamed(caller, [steps, settings])
      requireSoundSettings({ settings }, stored(id))
      await requireTool(settings)
      const prepared = steps && prepareSteps(steps, stored(id).steps, caller)
      const current = stored(id)
      const tested = await testBeforeLive(caller, current, {
        ...sentKeys({ ...rest, steps: prepared?.steps }),
        settings: { ...current.settings, ...sentKeys(settings) },
      })
      const flow = await change(caller, () => {
        const before = stored(id)
        return save(caller, before, {
          ...sentKeys({ ...rest, steps: prepared?.steps }),
          settings: { ...before.settings, ...sentKeys(settings) },
        })
      })
      const changesDoor = steps !== undefined || settings.webhook_token_enabled !== undefined
      return withWarnings(flow, [
        ...(prepared?.warnings ?? []),
        ...(changesDoor ? signedAndToken(flow) : []),
        ...tested,
      ])
    },
    async remove(id: string): Promise<void> {
      const flow = await store.write(() => {
        const before = stored(id)
        store.flows.delete(id, now())
        return before
      })
      announce('deleted', flow)
    },
    /** The old token is rejected from the moment this resolves. */
    rotateWebhookToken: (caller: Caller, id: string) =>
      change(caller, () => {
        const flow = stored(id)
        if (!beginsWithWebhook(flow.steps)) throw noWebhook(flow)
        return { flow, token: giveWebhookToken(id) }
      }),
    /** Newest first. */
    listVersions(id: string, query: ListQuery): RecordPage<FlowVersion> {
      stored(id)
      const request = parseListQuery(query)
      return toPage(store.flows.versions(id, request), request)
    },
    async nameVersion(id: string, version: number, name: string): Promise<FlowVersion> {
      const { flow, named } = await store.write(() => {
        const flow = stored(id)
        store.flows.nameVersion(id, version, name.trim())
        return { flow, named: store.flows.version(id, version) }
      })
      if (named === null) throw noVersion(flow, version)
      announce('updated', flow)
      return named
    },
    /** Creates a new version with the steps of that one. */
    async restoreVersion(caller: Caller, id: string, version: number): Promise<Flow> {
      const current = stored(id)
      const restored = store.flows.version(id, version)
      if (restored === null) throw noVersion(current, version)
      await testBeforeLive(caller, current, { steps: restored.steps })
      return change(caller, () => save(caller, stored(id), { steps: restored.steps }))
    },
    readWorkingCopy: (id: string): WorkingCopy => copyOf(stored(id)),
    /** The problems that prevent importing these steps, assuming that env variables with these names exist. */
    checkImport: (caller: Caller, steps: readonly Step[], made: readonly string[]) =>
      checkImported(steps, made, caller),
    /** Problems of the given steps, with their fixes; defaults to the steps of the working copy. */
    check(caller: Caller, id: string, steps?: WorkingCopy['steps']): { problems: FlowProblem[] } {
      const flow = stored(id)
      return problemsOf(caller, steps ?? copyOf(flow).steps, flow.steps)
    },
    /** The same for a flow that may not exist yet. */
    checkSteps: (caller: Caller, id: string, steps: readonly unknown[]) =>
      problemsOf(caller, steps, store.flows.get(id)?.steps ?? []).problems,
    /** @throws AppError `not_found` */
    readVersion(id: string, version: number): FlowVersion {
      const flow = stored(id)
      const found = store.flows.version(id, version)
      if (found === null) throw noVersion(flow, version)
      return found
    },
    /** Null deletes it. */
    updateWorkingCopy: (caller: Caller, id: string, steps: WorkingCopy['steps'] | null) =>
      changeWorkingCopy(caller, id, () => steps),
    revisionOf,
    /**
     * @param revision the revision of the steps that were read
     * @throws AppError `precondition_failed` if they have changed, `validation` if an edit doesn't fit
     */
    patchWorkingCopy: (caller: Caller, id: string, revision: string, edits: readonly StepEdit[]) =>
      changeWorkingCopy(caller, id, (steps) => {
        if (revisionOf(steps) === revision) return editSteps(steps, edits) as WorkingCopy['steps']
        throw new AppError(
          'precondition_failed',
          say('The flow has changed since you read it; read it again'),
        )
      }),
  }
}

interface Changed {
  readonly flow: Flow
  /** A webhook token created with the change. */
  readonly token: string | null
}

/** Defaults of a flow created with only a name. */
const FLOW_DEFAULTS: Pick<Flow, 'description' | 'tags' | 'status'> = {
  description: '',
  tags: [],
  status: 'draft',
}

/** `live` is accepted for `active`, also in filters. */
function liveAsActive(filter: Filter): Filter {
  if (filter.field !== 'status') return filter
  const { value } = filter
  const asActive = (status: unknown) => (status === 'live' ? 'active' : status)
  return {
    ...filter,
    value: (Array.isArray(value) ? value.map(asActive) : asActive(value)) as Filter['value'],
  }
}

function noVersion({ name }: Flow, version: number): AppError {
  return new AppError('not_found', say('The flow "{{name}}" has no version {{version}}', { name, version }))
}

function noWebhook({ name }: Flow): AppError {
  return new AppError(
    'conflict',
    say(
      'The flow "{{name}}" has no webhook token because its first step isn\'t a webhook; add a webhook step first',
      { name },
    ),
  )
}
