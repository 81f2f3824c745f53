/** Runs that the tools of AI clients start for the flow's result. */
import type { FlowRun } from '../../../../shared/contract/flow-runs.ts'
import { type Data, writeJson } from '@millrace/jinja/data'
import type { Store } from '../../../store/index.ts'
import { readOutput } from '../execution/resume-log.ts'
import type { Caller } from '../../kit/caller.ts'
import type { EventsService } from '../../kit/live-events.ts'
import type { KnownSecrets } from '../../keeping/secrets/known-secrets.ts'
import type { FlowRunsService } from './flow-runs.ts'
import { hasEnded } from './run-history.ts'

export interface ToolRunsOptions {
  readonly store: Pick<Store, 'flowRuns' | 'runStates'>
  readonly flowRuns: Pick<FlowRunsService, 'startByHand'>
  readonly secrets: Pick<KnownSecrets, 'redactor'>
  readonly events: Pick<EventsService, 'listen'>
}

export function createToolRuns({ store, flowRuns, secrets, events }: ToolRunsOptions) {
  const waiting = new Map<string, Set<() => void>>()
  events.listen(({ noun, id }) => {
    if (noun === 'flow_run' && id !== null) for (const look of waiting.get(id) ?? []) look()
  })

  return {
    /** @throws AppError `not_found`, `conflict` if the flow is paused */
    async start(caller: Pick<Caller, 'userId'>, flowId: string, input: Data): Promise<string> {
      const started = await flowRuns.startByHand(caller, flowId, {
        input,
        workingCopy: false,
        wait: false,
        keepsOutput: true,
      })
      return started.flow_run_id
    },
    /** Resolves once the run has ended, or when the signal aborts. */
    settled(runId: string, signal: AbortSignal): Promise<void> {
      const { promise, resolve } = Promise.withResolvers<void>()
      const looks = waiting.get(runId) ?? new Set()
      const look = () => {
        const run = store.flowRuns.get(runId)
        if (run === null || hasEnded(run)) resolve()
      }
      const abort = () => resolve()
      waiting.set(runId, looks.add(look))
      signal.addEventListener('abort', abort, { once: true })
      look()
      if (signal.aborted) resolve()
      return promise.finally(() => {
        signal.removeEventListener('abort', abort)
        looks.delete(look)
        if (looks.size === 0) waiting.delete(runId)
      })
    },
    /**
     * The flow's output, as JSON with secrets redacted: its response, or else the result of its last step. Null if the
     * run didn't succeed, or if the output is too large to be kept.
     */
    outputOf(run: FlowRun): string | null {
      if (run.status !== 'success') return null
      const output = readOutput(store.runStates.of(run.id))
      return output === undefined ? null : writeJson(secrets.redactor().redactData(output))
    },
  }
}
