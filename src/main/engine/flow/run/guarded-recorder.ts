import type { FlowEvent, RunRecorder } from '../model/run-events.ts'

/**
 * The recorder of one run. Once a commit has failed, the run can't continue. Any later error, such as a loop's
 * report that its child failed, is only a consequence.
 */
export class GuardedRecorder implements RunRecorder {
  readonly #recorder: RunRecorder
  readonly #time: { readonly spentMs: number } | null
  #failure: RecordingError | null = null

  /** @param time the time that has counted towards the limit; null if the run can't be resumed */
  constructor(recorder: RunRecorder, time: { readonly spentMs: number } | null) {
    this.#recorder = recorder
    this.#time = time
  }

  /** The newest commit's failure; null if everything is recorded. */
  get failure(): RecordingError | null {
    return this.#failure
  }

  record(event: FlowEvent): void {
    this.#recorder.record(event)
  }

  commitSoon(): void {
    this.#recorder.commitSoon()
  }

  async commit(): Promise<void> {
    if (this.#time !== null) this.#recorder.record({ type: 'time_spent', ms: this.#time.spentMs })
    try {
      await this.#recorder.commit()
      this.#failure = null
    } catch (error) {
      this.#failure = new RecordingError(error)
      throw this.#failure
    }
  }
}

/** Its `cause` is the error that the recorder's commit rejected with. */
export class RecordingError extends Error {
  override readonly name = 'RecordingError'

  constructor(cause: unknown) {
    super("The run couldn't be recorded", { cause })
  }
}
