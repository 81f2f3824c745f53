import type { FlowEvent, Journal } from '../model/run-events.ts'

/**
 * The journal of one run. Where a commit fails the run cannot go on: whatever its steps make of that, such as a loop
 * that takes it for the failure of its child, is only an echo.
 */
export class WatchedJournal implements Journal {
  readonly #journal: Journal
  #failure: JournalFailure | null = null

  constructor(journal: Journal) {
    this.#journal = journal
  }

  /** Of the newest commit; null where all is written down. */
  get failure(): JournalFailure | null {
    return this.#failure
  }

  record(event: FlowEvent): void {
    this.#journal.record(event)
  }

  async commit(): Promise<void> {
    try {
      await this.#journal.commit()
      this.#failure = null
    } catch (error) {
      this.#failure = new JournalFailure(error)
      throw this.#failure
    }
  }
}

/** Its `cause` is what the journal's commit rejected with. */
export class JournalFailure extends Error {
  override readonly name = 'JournalFailure'

  constructor(cause: unknown) {
    super('The run could not be written down', { cause })
  }
}
