import type { Data } from '../../data/value.ts'

/** Records that follow those before. */
export interface Batch {
  readonly items: readonly Data[]
  /** Those before `from` were in earlier batches. */
  readonly from: number
  /** How many turns there were before. */
  readonly turns: number
}

/**
 * Hands the pages of one step to the loop that follows it, one at a time: the next page is asked for only when the loop
 * is through with the one before, so that neither waits in memory, and the two never run at once.
 */
export class PageFeed {
  /** Records handed over so far. */
  count = 0
  /** A loop that has taken records cannot begin again. */
  isBegun = false
  #offered: { readonly batch: Batch; readonly taken: PromiseWithResolvers<boolean> } | null = null
  #wanted: PromiseWithResolvers<void> = Promise.withResolvers()
  #end: { readonly error: unknown } | 'complete' | null = null
  #left: { readonly error: unknown } | null = null

  /**
   * Resolves once the loop is through with the records.
   *
   * @returns false where it wants no more
   * @throws what the loop failed with
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

  /** The list is complete. */
  end(): void {
    this.#end ??= 'complete'
    this.#wanted.resolve()
  }

  /** The list cannot be complete; the loop fails with the same error. */
  fail(error: unknown): void {
    this.#end ??= { error }
    this.#wanted.resolve()
  }

  /** @param error null where the loop ended as it wanted to */
  leave(error: unknown): void {
    this.#left ??= { error }
    this.#offered?.taken.resolve(false)
  }

  /** For the loop: each batch is taken when the next one is asked for. */
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
        // A page that came meanwhile, or the end, has been told already.
        if (this.#end !== null) this.#wanted.resolve()
        continue
      }
      if (this.#end === 'complete') return
      if (this.#end !== null) throw this.#end.error
    }
  }
}
