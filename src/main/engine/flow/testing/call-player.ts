/** Answers a flow's calls with recorded responses, so that nothing reaches the outside world. */
import { quoted, say, type Said, spoken } from '../../../../shared/contract/base/message.ts'
import type {
  FlowTest,
  FlowTestCall,
  HttpTestCall,
  StepTestCall,
  TestFailure,
} from '../../../../shared/contract/flow-tests.ts'
import { type Data, dictionaryOf, entriesOf, isDictionary, isList, writeJson } from '@millrace/jinja/data'
import type { OutgoingRequest, OutgoingResponse } from '../../ports.ts'
import { placeOf, RequestError } from '../../request/request-error.ts'
import { StepError } from '../model/step-error.ts'
import type { StepInProgress } from '../run/run-state.ts'
import {
  dataOf,
  differencesBetween,
  type Ignored,
  inputParts,
  partsOf,
  readIgnored,
  type ShownRequest,
  withoutSignature,
} from './match-call.ts'

/** Thrown instead of reaching the outside world, unless a recorded call can be used. */
export class NothingLeaves extends Error {
  override readonly name = 'NothingLeaves'

  static isCauseOf(error: unknown): boolean {
    for (let cause = error; cause instanceof Error; cause = cause.cause)
      if (cause instanceof NothingLeaves) return true
    return false
  }
}

export interface CallPlayerOptions extends Pick<FlowTest, 'calls' | 'ignore'> {
  /** A request as it is recorded, without secrets. */
  readonly shown: (request: OutgoingRequest) => ShownRequest
  readonly shownData: (data: Data) => Data
  /** Called when no recorded call matches, so the run has to stop. */
  readonly onMissing: (sentence: Said) => void
}

interface Slot<T extends FlowTestCall = FlowTestCall> {
  readonly call: T
  readonly parts: Data
  played: number
  failed: number
  isSpent: boolean
}

export class CallPlayer {
  readonly failures: TestFailure[] = []
  readonly #options: CallPlayerOptions
  readonly #ignored: Ignored
  readonly #http: Slot<HttpTestCall>[]
  readonly #steps: Slot<StepTestCall>[]

  constructor(options: CallPlayerOptions) {
    this.#options = options
    this.#ignored = readIgnored(options.ignore)
    const slot = <T extends FlowTestCall>(call: T, parts: Data) => ({
      call,
      parts,
      played: 0,
      failed: 0,
      isSpent: false,
    })
    this.#http = options.calls.flatMap((call) =>
      call.type === 'http' ? [slot(call, partsOf(call.request))] : [],
    )
    this.#steps = options.calls.flatMap((call) =>
      call.type === 'step' ? [slot(call, inputParts(call.input as Data))] : [],
    )
  }

  /** @throws RequestError if the recorded call failed, or none was recorded */
  send(step: StepInProgress, request: OutgoingRequest, isSigned: boolean): OutgoingResponse {
    const sent = partsOf(this.#options.shown(request))
    const differences = ({ call, parts }: Slot<HttpTestCall>) =>
      differencesBetween(isSigned ? partsOf(withoutSignature(call)) : parts, sent, this.#ignored)
    const slot = this.#find(step, this.#http, differences, () =>
      say('{{method}} {{url}}', { method: request.method, url: placeOf(request.url) }),
    )
    return respond(slot, request)
  }

  /** The recorded result of a step that reaches the outside world in another way. */
  standIn(step: StepInProgress): Data {
    const shown = inputParts(this.#options.shownData(step.report.input))
    const differences = ({ parts }: Slot<StepTestCall>) => differencesBetween(parts, shown, this.#ignored)
    const { call } = this.#find(step, this.#steps, differences, () =>
      say('step "{{ref}}" ({{type}})', { ref: step.step.ref, type: step.step.type }),
    )
    if (call.error === undefined) return call.output ?? null
    const { code, message } = call.error
    throw new StepError(code, step.step.ref, quoted(message))
  }

  /** The calls that the flow made, in the order of the recording. */
  used(): FlowTestCall[] {
    const used = new Set<FlowTestCall>(
      [...this.#http, ...this.#steps].flatMap(({ call, played }) => (played > 0 ? [call] : [])),
    )
    return this.#options.calls.filter((call) => used.has(call))
  }

  #find<T extends FlowTestCall>(
    step: StepInProgress,
    slots: readonly Slot<T>[],
    differencesOf: (slot: Slot<T>) => TestFailure['differences'],
    place: () => Said,
  ): Slot<T> {
    const { ref } = step.step
    const own = slots.filter(({ call }) => call.step === ref && isSameTurn(call.iteration, step.iteration))
    const open = own.filter(({ isSpent }) => !isSpent)
    for (const slot of open) {
      if (differencesOf(slot).length > 0) continue
      slot.played++
      slot.isSpent = endsWith(slot)
      return slot
    }
    const others = open.length > 0 ? open : slots.filter(({ isSpent }) => !isSpent)
    const [nearest] = others
      .slice(0, MOST_COMPARED)
      .map((slot) => differencesOf(slot))
      .toSorted((one, other) => one.length - other.length)
    const sentence =
      nearest === undefined
        ? say('{{call}} was not recorded, or was recorded fewer times; no other call is left', {
            call: place(),
          })
        : say('{{call}} was not recorded; what differs from the nearest recorded call is listed', {
            call: place(),
          })
    this.failures.push({
      kind: 'missing_call',
      step: ref,
      ...spoken(sentence),
      differences: nearest ?? [],
    })
    this.#options.onMissing(sentence)
    throw new RequestError('cancelled', sentence)
  }

  /** Recorded calls that the flow didn't make. */
  unused(): FlowTestCall[] {
    return [...this.#http, ...this.#steps].flatMap(({ call, played }) => (played === 0 ? [call] : []))
  }
}

/** Whether a recorded call is used up once it has been played. One with a fault can be repeated. */
function endsWith({ call, failed }: Slot): boolean {
  if (call.type === 'step' || call.fault === undefined || call.fault.kind === 'empty') return true
  return call.fault.kind === 'status' && failed >= call.fault.times
}

function respond(slot: Slot<HttpTestCall>, request: OutgoingRequest): OutgoingResponse {
  const { fault, response } = slot.call
  const place = say('{{method}} {{url}}', { method: request.method, url: placeOf(request.url) })
  if (fault?.kind === 'timeout')
    throw new RequestError(
      'timeout',
      say('{{place}}: no response arrived in time (a fault that the test simulates)', { place }),
      {
        transient: true,
      },
    )
  if (fault?.kind === 'reset' || response === undefined)
    throw new RequestError('http_error', say('{{place}}: the connection was closed', { place }), {
      transient: true,
    })
  if (fault?.kind === 'status' && slot.failed < fault.times) {
    slot.failed++
    return toResponse({ status: fault.status, headers: fault.headers }, request.url)
  }
  return toResponse(
    fault?.kind === 'empty' ? { ...response, body: emptied(response.body) } : response,
    request.url,
  )
}

function toResponse(
  { status, headers, body, url }: NonNullable<HttpTestCall['response']>,
  requested: string,
): OutgoingResponse {
  const text = body === undefined ? '' : typeof body === 'string' ? body : writeJson(body)
  const bytes = new TextEncoder().encode(text)
  return {
    status,
    headers: Object.entries(headers),
    body: bytes,
    url: url ?? requested,
    wireBytes: bytes.length,
    durationMs: 0,
  }
}

/** Empties a list, or the lists directly in an object. */
function emptied(body: NonNullable<HttpTestCall['response']>['body']): HttpTestCall['request']['body'] {
  const value = (typeof body === 'string' ? dataOf(body) : body) as Data
  if (isList(value)) return []
  if (!isDictionary(value)) return body
  return dictionaryOf(
    entriesOf(value).map(([key, item]) => [key, isList(item) ? [] : item]),
  ) as HttpTestCall['request']['body']
}

const isSameTurn = (recorded: readonly number[] = [], turn: readonly number[]) =>
  recorded.length === turn.length && recorded.every((index, at) => index === turn[at])

const MOST_COMPARED = 200
