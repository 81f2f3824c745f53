import type { FlowPorts } from '../../../engine/flow/model/ports.ts'
import type { SendRequest } from '../../../engine/ports.ts'
import type { RateBudget } from '../../../engine/request/rate-budget.ts'
import type { WorkPlace } from './work-places.ts'

/** The ports of a run that returns its place while it waits for a response, a delay or a file server. */
export function portsGivingPlaceBack(ports: FlowPorts, place: WorkPlace, runSignal: AbortSignal): FlowPorts {
  const during = <T>(work: () => Promise<T>, signal: AbortSignal = runSignal) =>
    place.giveBackDuring(work, signal)
  const waiting =
    (send: SendRequest): SendRequest =>
    (request, options) =>
      during(() => send(request, options), options?.signal)
  const { subFlows, questions, callbacks } = ports
  return {
    ...ports,
    sendRequest: waiting(ports.sendRequest),
    senderFor: (auth) => waiting(ports.senderFor(auth)),
    sleep: (ms, signal) => during(() => ports.sleep(ms, signal), signal),
    callSftp: (call) => during(() => ports.callSftp(call), call.signal),
    sendMail: (mail, signal) => during(() => ports.sendMail(mail, signal), signal),
    openAuth(id) {
      const auth = ports.openAuth(id)
      return auth instanceof Promise ? during(() => auth) : auth
    },
    budgetFor: (key, limit) => waitingBudget(ports.budgetFor(key, limit), during),
    questions: { ...questions, wait: (id, signal) => during(() => questions.wait(id, signal), signal) },
    callbacks: { ...callbacks, wait: (place, signal) => during(() => callbacks.wait(place, signal), signal) },
    subFlows: { ...subFlows, wait: (runId, signal) => during(() => subFlows.wait(runId, signal), signal) },
  }
}

function waitingBudget(budget: RateBudget, during: <T>(work: () => Promise<T>) => Promise<T>): RateBudget {
  return {
    ...budget,
    enter() {
      const admission = budget.enter()
      return admission.kind === 'busy'
        ? { ...admission, answered: during(() => admission.answered) }
        : admission
    },
  }
}
