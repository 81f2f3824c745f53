/** Webhooks of flows: from the request to the response and its row in the list. */
import { say, type Said } from '../../../../shared/contract/base/message.ts'
import { AppError } from '../../../../shared/contract/base/errors.ts'
import type { FlowRun } from '../../../../shared/contract/flow-runs.ts'
import { LIMITS } from '../../../../shared/contract/base/limits.ts'
import { isoOf } from '../../../../shared/iso-time.ts'
import { parseWebhookInput } from '../../../engine/webhook/parse-input.ts'
import type { Clock } from '../../../engine/ports.ts'
import { type Store, webhookRequestId } from '../../../store/index.ts'
import type { Deliveries } from './deliveries.ts'
import { createDoor, type Door } from './door.ts'
import { createForwardedCalls, type ForwardedCalls } from './forwarded-call.ts'
import {
  answeredAgain,
  type Handled,
  type Headers,
  type ReceivedRequest,
  refused,
  SEEN,
  unrun,
  without,
} from './handled.ts'
import { asEdited } from './forwarding.ts'
import type { ForwardsService } from './forwards.ts'
import type { EventsService } from '../../kit/live-events.ts'
import type { FilesService } from '../../keeping/files/files.ts'
import type { KnownSecrets } from '../../keeping/secrets/known-secrets.ts'
import type { Log, SecureRandom } from '../../kit/ports.ts'
import type { RunQueue } from '../runs/queue.ts'
import { type EnvValues, type Execution, newRun, type RunExecutor } from '../execution/run-executor.ts'
import type { RunStart } from '../execution/resume-log.ts'
import type { RunnableFlow } from '../execution/runnable-flows.ts'
import {
  type Admission,
  type AdmissionOptions,
  createAdmission,
  createCallCounter,
  createListingLimit,
} from './admit.ts'
import { createCallbackCall, type HandleCallback, isCallback } from './callback-call.ts'
import { createQuestionPage, type HandleQuestion, isQuestion } from './question-page.ts'
import type { Held, HoldsService } from './holds.ts'
import type { CallbacksService } from '../runs/callbacks.ts'
import type { QuestionsService } from '../runs/questions.ts'
import { createAnswerWait, type WaitForAnswer, type WebhookReply } from './await-answer.ts'
import { isProgram, mostBytesOf, readFormInput } from './form-input.ts'
import {
  ACCEPTED,
  FOR_PROGRAMS,
  type Replies,
  repliesToPerson,
  showForm,
  type ShownForm,
  withHeaders,
} from './replies.ts'
import {
  flowIdOf,
  headerOf,
  type Listing,
  queryOf,
  type ReadBody,
  signedRequest,
  type ReadOrStreamBody,
  WebhookCall,
  type WebhookHead,
} from './webhook-call.ts'
import { preflightHeaders } from './cors.ts'

export type WebhooksService = ReturnType<typeof createWebhooksService>

export interface WebhooksOptions extends AdmissionOptions {
  readonly store: Store
  readonly executor: RunExecutor
  readonly queue: RunQueue
  readonly deliveries: Deliveries
  readonly env: EnvValues
  /** The URL at which callers reach the webhooks, without the path; null if it isn't known. */
  readonly publicUrl: () => string | null
  readonly holds: Pick<HoldsService, 'isSet' | 'take'>
  readonly forwards: ForwardsService
  readonly questions: Pick<QuestionsService, 'find' | 'answer'>
  readonly callbacks: Pick<CallbacksService, 'isKnown' | 'receive'>
  readonly secrets: KnownSecrets
  readonly files: Pick<FilesService, 'store' | 'storeFromAnyone' | 'assign' | 'discard' | 'readLogo'>
  /** Time that a caller waits. Defaults to the specification's 30 s. */
  readonly answerWithinMs?: number | undefined
  readonly clock: Clock
  readonly random: Pick<SecureRandom, 'uuid'>
  readonly events: Pick<EventsService, 'emit'>
  readonly log: Log
}

export function createWebhooksService(options: WebhooksOptions) {
  const { store } = options
  const receiver = new WebhookReceiver(options)
  return {
    /**
     * Handles one request; null if nobody is left to respond to. Every rejection is a response and is listed with its
     * reason.
     *
     * @throws only on bugs
     */
    handle: (head: WebhookHead, readBody: ReadBody, readOrStream: ReadOrStreamBody) =>
      receiver.handle(head, readBody, readOrStream),
    /** Lists a request that got a 503 before it reached this service; `at` is Unix time in milliseconds. */
    noteUnserved: (head: WebhookHead, at: number, reason: Said) => receiver.noteUnserved(head, at, reason),
    pausedCounts: () => store.pausedRequests.list(),
  }
}

class WebhookReceiver {
  readonly #options: WebhooksOptions
  readonly #admit: (head: WebhookHead) => Admission
  readonly #waitForAnswer: WaitForAnswer
  readonly #answerQuestion: HandleQuestion
  readonly #takeCallback: HandleCallback
  readonly #hasPlace: () => boolean
  readonly #door: Door
  readonly #forwardedCalls: ForwardedCalls

  constructor(options: WebhooksOptions) {
    const { clock, log, answerWithinMs = LIMITS.syncWebhookMs } = options
    this.#options = options
    this.#admit = createAdmission(options)
    const countCall = createCallCounter(options)
    this.#answerQuestion = createQuestionPage({ ...options, countCall })
    this.#takeCallback = createCallbackCall({ ...options, countCall })
    this.#hasPlace = createListingLimit(options)
    this.#door = createDoor(options)
    this.#forwardedCalls = createForwardedCalls(options, {
      run: (request) => this.#run(request),
      accept: (...args) => this.#accept(...args),
      list: (...args) => this.#list(...args),
    })
    this.#waitForAnswer = createAnswerWait({ answerWithinMs, clock, log })
  }

  /** The whole path from the head of a request to its response and its row in the list. */
  async handle(
    head: WebhookHead,
    readBody: ReadBody,
    readOrStream: ReadOrStreamBody,
  ): Promise<WebhookReply | null> {
    if (isQuestion(head.target)) return this.#answerQuestion(head, readBody)
    if (isCallback(head.target)) return this.#takeCallback(head, readBody)
    const preflight = head.method === 'OPTIONS' ? this.#answerPreflight(head) : null
    if (preflight !== null) return preflight
    const call = new WebhookCall(head, this.#options)
    let flow: RunnableFlow | null = null
    try {
      const admission = this.#admit(head)
      flow = admission.flow
      const { answer, listing } = await this.#respond(call, admission, readBody, readOrStream)
      if (listing !== null) this.#list(call, flow, listing)
      return answer
    } catch (error) {
      this.#list(call, flow, { status: 500, reason: DEFECT, size: 0 })
      throw error
    }
  }

  noteUnserved(head: WebhookHead, at: number, reason: Said): void {
    // A question's link gives access to it, so it isn't listed anywhere.
    if (isQuestion(head.target)) return
    const call = new WebhookCall(head, this.#options, at)
    const flowId = flowIdOf(head.target)
    const flow = flowId === null ? null : this.#options.runnable.get(flowId)
    this.#list(call, flow, { status: 503, reason, size: 0 })
  }

  #answerPreflight(head: WebhookHead): WebhookReply | null {
    const flowId = flowIdOf(head.target)
    const trigger = flowId === null ? null : this.#options.runnable.get(flowId)?.compiled.trigger
    const headers = trigger ? preflightHeaders(head, trigger.config) : null
    return headers && { status: 204, headers, body: null }
  }

  /** Does everything between admission and listing. Also turns rejections before a run starts into responses. */
  async #respond(
    call: WebhookCall,
    admission: Admission,
    readBody: ReadBody,
    readOrStream: ReadOrStreamBody,
  ): Promise<Handled> {
    const { flow, config, headers, refusal } = admission
    const shown = flow && this.#shownForm(flow)
    const replies = shown === null || isProgram(call.head) ? FOR_PROGRAMS : repliesToPerson(call.head, shown)
    if (refusal !== null) return refused(refusal, { replies, headers, size: 0 })
    const door = this.#door
    const { settings, deliveries, holds, publicUrl, forwards } = this.#options
    let size = 0
    let rejectedBody: Buffer | null = null
    try {
      const opened = door.answerHandshake(call.head, config, null)
      if (opened !== null) return without(opened, headers)
      if (flow.status === 'paused') return this.#answerPaused(flow, replies, headers)
      // Opening a form only shows it, so anybody may do so.
      if (shown !== null && call.head.method !== 'POST')
        return { answer: withHeaders(showForm(call.head, shown, null), headers), listing: null }
      const { webhook_body_limit_bytes: limit } = settings()
      const body = await (shown === null && forwards.takesLarge(flow, call.head)
        ? readOrStream(limit)
        : readBody(shown?.maxBytes ?? limit, (bytes) => (size = bytes)))
      if (body !== null && !Buffer.isBuffer(body))
        return await this.#forwardedCalls.onlyForward(call, flow, body, { replies, headers })
      if (body === null) return { answer: null, listing: { status: 400, reason: LEFT, size } }
      size = body.length
      rejectedBody = shown === null ? body : null
      let read = await this.#readStart(call, flow, body)
      const delivery =
        config.signature === null
          ? read.sending
          : deliveries.checkSignature(
              config.signature,
              signedRequest(call.head, read.decodedBody, publicUrl()),
            )
      const checked = door.answerHandshake(call.head, config, read.decodedBody)
      if (checked !== null) return without(checked, headers)
      const isSeen = config.run_if !== undefined && delivery && deliveries.answerOf(flow.id, delivery)
      const filtered = isSeen
        ? null
        : door.filter(call, { config, ref: refOf(flow), start: read.start, body })
      if (filtered !== null) {
        await this.#options.files.discard(read.fileIds)
        return without(filtered, headers)
      }
      const held = holds.isSet ? await this.#hold(call, flow, read, size) : null
      if (held !== null && held.kind !== 'goes') return unrun(held, { headers, size, body })
      read = held?.read ?? read
      const { start, fileIds } = read
      // From here on, the run stores the body.
      rejectedBody = null
      const seen = delivery && deliveries.answerOf(flow.id, delivery)
      const isEdited = held !== null && held.read !== null
      if (isEdited) call.head = asEdited(call.head, read.decodedBody)
      const sent = isEdited ? read.decodedBody : body
      const forwarding = shown === null ? this.#forwardedCalls.begin(call, flow, sent, start) : null
      const request: ReceivedRequest = {
        call,
        flow,
        replies,
        headers,
        start,
        size,
        fileIds,
        delivery,
        forwarding,
      }
      if (forwarding !== null)
        return await this.#forwardedCalls.forward(request, forwarding, { body, seen: seen || null })
      if (seen) return answeredAgain(seen, request)
      return await this.#run(request)
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      return refused(error, { replies, headers, size }, rejectedBody)
    }
  }

  async #hold(
    call: WebhookCall,
    flow: RunnableFlow,
    { start, decodedBody, fileIds }: ReadStart,
    size: number,
  ): Promise<Held<ReadStart> | null> {
    const { holds, files } = this.#options
    const read = (head: WebhookHead, edited: Buffer) =>
      this.#readStart(new WebhookCall(head, this.#options), flow, edited)
    const held = await holds.take({ call, flow, start, size, body: decodedBody, read })
    if (held !== null && (held.kind !== 'goes' || held.read !== null)) await files.discard(fileIds)
    return held
  }

  /** Null if the flow doesn't begin with a form. */
  #shownForm({ name, compiled: { form } }: RunnableFlow): ShownForm | null {
    if (form === null) return null
    const { settings, random, files } = this.#options
    const { config } = form
    const maxBytes = mostBytesOf(config.fields, settings().webhook_body_limit_bytes)
    const logo = () => {
      const image = files.readLogo(config.logo_file_id)
      return image && { ...image, alt: config.logo_alt }
    }
    return { config, flowName: name, sending: random.uuid(), maxBytes, logo }
  }

  #answerPaused({ id }: RunnableFlow, replies: Replies, headers: Headers): Handled {
    const { store, clock } = this.#options
    store.pausedRequests.add(id, clock.now())
    return { answer: replies.refusal(new AppError('biz_logic', PAUSED), headers), listing: null }
  }

  async #readStart(call: WebhookCall, flow: RunnableFlow, body: Buffer): Promise<ReadStart> {
    const { settings, files } = this.#options
    const { head } = call
    const { form } = flow.compiled
    const isSigned = Boolean(flow.compiled.trigger?.config.signature)
    const isOpen = !flow.settings.webhook_token_enabled && !isSigned
    const storeFile = isOpen ? files.storeFromAnyone : files.store
    if (form !== null) {
      const { fields } = form.config
      const maxBytes = mostBytesOf(fields, settings().webhook_body_limit_bytes)
      const {
        values,
        choice: _choice,
        ...read
      } = await readFormInput(head, body, {
        fields,
        choices: null,
        maxBytes,
        storeFile,
        files,
      })
      return { start: { input: values, ...call.details(flow, read.decodedBody) }, ...read }
    }
    const fileIds: string[] = []
    const { input, decodedBody } = await parseWebhookInput(
      {
        contentType: headerOf(head, 'content-type'),
        contentEncoding: headerOf(head, 'content-encoding'),
        body,
        query: queryOf(head.target),
        limits: { maxBytes: settings().webhook_body_limit_bytes },
      },
      async (content, meta) => {
        const stored = await storeFile(content, meta)
        fileIds.push(stored.file_id)
        return stored
      },
    )
    return { start: { input, ...call.details(flow, decodedBody) }, decodedBody, fileIds, sending: null }
  }

  #run(request: ReceivedRequest): Promise<Handled> {
    return request.flow.compiled.makesCallersWait ? this.#runNow(request) : this.#accept(request)
  }

  /**
   * Responds once the run is stored, and leaves it to the queue.
   *
   * @param given the response, if it isn't the usual one
   * @param alsoKeep called inside the write that stores the run
   */
  async #accept(
    request: ReceivedRequest,
    given: WebhookReply | null = null,
    alsoKeep: ((requestId: string) => void) | null = null,
  ): Promise<Handled> {
    const { call, flow, replies, headers, start, size, fileIds, delivery } = request
    const { store, clock, files, queue, deliveries } = this.#options
    const answer = given ?? replies.accepted(headers)
    const { status } = given ?? ACCEPTED
    const run: FlowRun = {
      ...newRun(flow, { id: store.flowRuns.newId(), ...startOf(flow) }, isoOf(clock.now())),
      status: 'queued',
      started_at: null,
    }
    const requestId = webhookRequestId(run.id)
    if (fileIds.length > 0) await files.assign(fileIds, run.id)
    try {
      await queue.accept({
        flow,
        run,
        start,
        request: call.listedRequest(flow, { status, reason: null, size }, run.id),
        ...((delivery !== null || alsoKeep !== null) && {
          alsoStore() {
            const remembered = given === null ? ACCEPTED : { status, headers: {}, body: null }
            if (delivery !== null && !deliveries.remember(flow.id, delivery, remembered))
              throw new DuplicateDelivery()
            alsoKeep?.(requestId)
          },
        }),
      })
    } catch (error) {
      if (error instanceof DuplicateDelivery) return { answer, listing: { status, reason: SEEN, size } }
      throw error
    }
    call.onListed?.(requestId)
    return { answer, listing: null }
  }

  /** Runs the flow and returns its response. If a run for the delivery is in progress, only waits for that run. */
  async #runNow(request: ReceivedRequest): Promise<Handled> {
    const { call, flow, replies, headers, fileIds, delivery } = request
    const { store, files, deliveries } = this.#options
    const { receivedAt } = call
    const runId = store.flowRuns.newId()
    if (fileIds.length > 0) await files.assign(fileIds, runId)
    const running = delivery === null ? null : deliveries.findRunning(flow.id, delivery)
    if (running) {
      const answer = await this.#waitForAnswer(running, { receivedAt, isOwn: false })
      return answeredAgain(answer, request)
    }
    const execution = this.#execute(request, runId)
    call.onListed?.(webhookRequestId(runId))
    void request.forwarding?.taken.then((status) => execution.recorder.setAnswerStatus(status))
    if (delivery !== null) deliveries.begin(flow.id, delivery, { runId, execution })
    try {
      const answer = await this.#waitForAnswer({ runId, execution }, { receivedAt, isOwn: true })
      return { answer: withHeaders(answer, headers), listing: null }
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      return { answer: replies.refusal(error, headers), listing: null }
    }
  }

  /** The run lists the request, once the response is known. */
  #execute({ call, flow, start, size, delivery }: ReceivedRequest, runId: string): Execution {
    const { executor, clock, deliveries } = this.#options
    return executor.execute({
      flow,
      run: newRun(flow, { id: runId, ...startOf(flow) }, isoOf(clock.now())),
      start,
      redactor: call.redactor,
      request: { record: call.pendingRequest(flow, size, runId), receivedAt: call.receivedAt },
      isQueued: false,
      resumeData: null,
      storeWithAnswer:
        delivery === null ? undefined : (answer) => deliveries.remember(flow.id, delivery, answer),
    })
  }

  /** Lists a request that started no run. The caller doesn't wait for it. */
  #list(call: WebhookCall, flow: RunnableFlow | null, listing: Listing): void {
    if (!this.#hasPlace()) return
    const { store, events, log } = this.#options
    const { status, rejectedBody } = listing
    const record = call.listedRequest(flow, listing, null)
    store
      .write(() => store.webhookRequests.insert(record, rejectedBody))
      .then(
        ({ id }) => {
          events.emit({ type: 'created', noun: 'webhook_request', id, flow_id: record.flow_id, status })
          call.onListed?.(id)
          return undefined
        },
        (error: unknown) => log.warn({ err: error }, "A rejected webhook request couldn't be stored"),
      )
  }
}

interface ReadStart {
  readonly start: RunStart
  readonly decodedBody: Buffer
  readonly fileIds: readonly string[]
  /** The page's ID for the submission; null if there is none. */
  readonly sending: string | null
}

const refOf = ({ compiled }: RunnableFlow) => (compiled.trigger ?? compiled.form)?.ref ?? ''

function startOf(flow: RunnableFlow): Pick<FlowRun, 'trigger' | 'trigger_ref'> {
  return { trigger: flow.compiled.form === null ? 'webhook' : 'form', trigger_ref: refOf(flow) }
}

/** Thrown if a run for this delivery was stored a moment ago. */
class DuplicateDelivery extends Error {}

const PAUSED = say('Flow status is `paused`. Unpause to run this flow using a webhook')
const LEFT = say('The caller disconnected before its body was complete')
const DEFECT = say('Internal error while handling this request; see the log')
