import { say } from '../../../../../shared/contract/base/message.ts'
import { type Data, estimateBytes, type StoredMark } from '@millrace/jinja/data'
import type { RecordWriter } from '../../model/ports.ts'
import type { StepScope } from '../../model/compiled-step.ts'

/** A list that is being built: in memory while it is short, then in a file of the run. */
export class RecordSpill {
  readonly #scope: StepScope
  #held: Data[] = []
  #heldBytes = 0
  #writer: RecordWriter | null = null

  constructor(scope: StepScope) {
    this.#scope = scope
  }

  /** Continues a list that was begun before the run was resumed. */
  static async after(
    scope: StepScope,
    records: readonly Data[],
    mark: StoredMark | null,
  ): Promise<RecordSpill> {
    const spill = new RecordSpill(scope)
    const files = scope.ports.recordFiles
    if (mark !== null && files) spill.#writer = await files.write(scope.runId, scope.key, mark)
    else for (const record of records) spill.push(record)
    return spill
  }

  /** Null while the list is in memory. */
  get mark(): StoredMark | null {
    return this.#writer?.mark ?? null
  }

  /** True if `flush` is due. */
  push(record: Data): boolean {
    this.#held.push(record)
    if (!this.#scope.ports.recordFiles?.isOpen) return false
    this.#heldBytes += estimateBytes(record, MOST_HELD_BYTES)
    return this.#heldBytes > (this.#writer === null ? MOST_HELD_BYTES : FLUSH_BYTES)
  }

  async flush(): Promise<void> {
    const { ports, runId, key } = this.#scope
    this.#writer ??= (await ports.recordFiles?.write(runId, key)) ?? null
    await this.#writer?.append(this.#held)
    this.#held = []
    this.#heldBytes = 0
  }

  /** Adds a page; once there is a file, the whole page is written to it. */
  async add(records: readonly Data[]): Promise<void> {
    let isDue = this.#writer !== null
    for (const record of records) isDue = this.push(record) || isDue
    if (isDue) await this.flush()
  }

  async appendAside(value: Data): Promise<number> {
    if (this.#writer === null) throw new Error('The list has no file')
    return this.#writer.appendAside(value)
  }

  async end(): Promise<readonly Data[]> {
    if (this.#writer === null) return this.#held
    if (this.#held.length > 0) await this.flush()
    const { ports, runId } = this.#scope
    const { mark } = this.#writer
    this.#scope.warn(
      'stored_records',
      say(
        '{{count}} records are stored in a file of the data folder ({{size}} MB compressed); read them in pages from /v1/flow-runs/{id}/steps/{step_id}/records',
        {
          count: mark.count.toLocaleString('en-US'),
          size: (mark.bytes / 1_000_000).toFixed(1),
        },
      ),
    )
    await this.close()
    return ports.recordFiles?.read(runId, mark) ?? []
  }

  /** Closes the file; can be called repeatedly. */
  async close(): Promise<void> {
    const writer = this.#writer
    this.#writer = null
    await writer?.close()
  }
}

/** Size in memory; this is about 5 MB of JSON. */
const MOST_HELD_BYTES = 10_000_000
const FLUSH_BYTES = 1_000_000
