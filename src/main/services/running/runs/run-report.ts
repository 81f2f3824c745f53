/** Exports a run as a file to attach to a report, and its HTTP calls as HAR. Both are redacted like the history. */
import type { RunReport } from '../../../../shared/contract/run-debugging.ts'
import { type FlowRunStep, MOST_REPORTED_STEPS } from '../../../../shared/contract/flow-runs.ts'
import type { Data } from '@millrace/jinja/data'
import { type Har, toHar } from '../../../../shared/har.ts'
import type { Redactor } from '../../../engine/redaction/redactor.ts'
import { type Caller, may } from '../../kit/caller.ts'
import type { RunHistory } from './run-history.ts'

export interface RunReportsOptions {
  readonly flowRuns: Pick<RunHistory, 'read' | 'stepsOf'>
  /** The flow without its secrets; null if it or its version no longer exists. */
  readonly flowOf: (caller: Caller, id: string, version: number) => Data
  readonly program: RunReport['program']
  readonly redactor: () => Redactor
}

export function createRunReportsService(options: RunReportsOptions) {
  const { flowRuns, flowOf, program, redactor } = options

  async function stepsOf(id: string): Promise<{ readonly steps: FlowRunStep[]; readonly isCut: boolean }> {
    const steps: FlowRunStep[] = []
    for (let after: string | null | undefined; ;) {
      const page = await flowRuns.stepsOf(id, { per_page: 200, ...(after && { after }) })
      steps.push(...page.records)
      after = page.next
      if (after === null || steps.length >= MOST_REPORTED_STEPS) return { steps, isCut: after !== null }
    }
  }

  /** Redacted again, because data stored before a secret became known can contain it. */
  const redacted = <T>(value: T) => redactor().redactData(value as Data) as T

  return {
    /** @throws AppError `not_found` */
    async report(caller: Caller, id: string): Promise<RunReport> {
      const run = flowRuns.read(id)
      const { steps, isCut } = await stepsOf(id)
      const read = may(caller, 'flows', 'read') ? flowOf(caller, run.flow_id, run.flow_version) : null
      // A source is a JSON object.
      const flow = read as RunReport['flow']
      return redacted({ format: 'millrace-run', version: 1, program, flow, run, steps, steps_cut: isCut })
    },
    /** @throws AppError `not_found` */
    async har(id: string): Promise<Har> {
      flowRuns.read(id)
      const { steps } = await stepsOf(id)
      const calls = steps.flatMap((step) => {
        const earlier = (step.earlier_attempts ?? []).flatMap(({ http }) => http)
        return [...earlier, ...step.http].map((exchange) => ({ exchange, comment: commentOf(step) }))
      })
      return redacted(toHar(calls, program.version))
    },
  }
}

const commentOf = ({ ref_id: ref, iteration }: FlowRunStep) =>
  iteration.length === 0 ? `Step ${ref}` : `Step ${ref}, iteration ${iteration.join('.')}`
