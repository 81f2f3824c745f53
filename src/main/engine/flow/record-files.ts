import type { Data } from '../data/value.ts'
import type { StoredMark } from '../data/stored-list.ts'

/** Where the lists of runs lie that are too long to be held. A run has a file for each step, named by its key. */
export interface RecordFiles {
  /** False while nothing can be encrypted: lists are then held, however long. */
  readonly isOpen: boolean
  /** Begins a list, or goes on behind the end of one; what lies behind that is dropped. */
  write(runId: string, key: string, after?: StoredMark | null): Promise<RecordWriter>
  /** Reads nothing until a record is asked for. */
  read(runId: string, mark: StoredMark): readonly Data[]
  /** What `appendAside` wrote at that place. */
  readAside(runId: string, mark: StoredMark, at: number): Data
}

export interface RecordWriter {
  /** What is on the disk. */
  readonly mark: StoredMark
  /** Resolves once the records are on the disk. */
  append(records: readonly Data[]): Promise<void>
  /** Writes something that is no record, and says where. */
  appendAside(value: Data): Promise<number>
  close(): Promise<void>
}
