import type { Data } from '@millrace/jinja/data'

/** Records that follow the previous batch. */
export interface Batch {
  readonly items: readonly Data[]
  /** Records before `from` were in earlier batches. */
  readonly from: number
  /** The number of iterations before this batch. */
  readonly turns: number
}

/**
 * Passes the pages of one step to the loop that follows it, one at a time. The next page is fetched only when the loop
 * is done with the previous one, so that neither waits in memory and the two never run at once.
 */
export class PageFeed {
  /** Records passed on so far. */
  count = 0
  /** Whether the loop has taken records, so that it can't start again. */
  isBegun = false
  #offered: { readonly batch: Batch; readonly taken: PromiseWithResolvers<boolean> } | null = null
  #wanted: PromiseWithResolvers<void> = Promise.withResolvers()
  #end: { readonly error: unknown } | 'complete' | null = null
  #left: { readonly error: unknown } | null = null

  /**
   * Resolves once the loop is done with the records.
   *
   * @returns false if it wants no more
   * @throws the error that the loop failed with
   */
  async offer(items: readonly Data[], from = 0): Promise<boolean> {
    if (this.#left === null && from < items.length) {
      const batch = { items, from, turns: this.count }
      const taken = Promise.withResolvers<boolean>()
      this.#offered = { batch, taken }
      this.count += items.length - from
      this.#wanted.resolve()
      await taken.promise
    }
    if (this.#left === null) return true
    if (this.#left.error !== null) throw this.#left.error
    return false
  }

  /** Called when the list is complete. */
  end(): void {
    this.#end ??= 'complete'
    this.#wanted.resolve()
  }

  /** Called when the list can't be completed. The loop fails with the same error. */
  fail(error: unknown): void {
    this.#end ??= { error }
    this.#wanted.resolve()
  }

  /** @param error null if the loop ended on its own */
  leave(error: unknown): void {
    this.#left ??= { error }
    this.#offered?.taken.resolve(false)
  }

  /** The batches for the loop. A batch counts as done when the next one is requested. */
  async *batches(): AsyncGenerator<Batch, void> {
    this.isBegun = true
    for (;;) {
      await this.#wanted.promise
      this.#wanted = Promise.withResolvers()
      const offered = this.#offered
      if (offered !== null) {
        yield offered.batch
        this.#offered = null
        offered.taken.resolve(true)
        // A page or the end that arrived in the meantime has already been announced.
        if (this.#end !== null) this.#wanted.resolve()
        continue
      }
      if (this.#end === 'complete') return
      if (this.#end !== null) throw this.#end.error
    }
  }
}
