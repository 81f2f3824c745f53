import type { Action, Connector } from '../../../../shared/contract/connectors.ts'
import type { PaginationLimits } from '../../../../shared/contract/pagination.ts'
import type { OpenAuth } from '../../connector/open-auth.ts'
import type { StoredMark } from '../../data/stored-list.ts'
import type { Data, Dictionary } from '../../data/value.ts'
import type { Clock, Exchange, Random, SendRequest, Sleep } from '../../ports.ts'
import type { RateBudget } from '../../request/rate-budget.ts'

/** What a run is given from outside. */
export interface FlowPorts {
  readonly clock: Clock
  readonly random: Random
  readonly sleep: Sleep
  /** Lets the process do other work for a moment. */
  readonly yieldToEventLoop: () => Promise<void>
  readonly sendRequest: SendRequest
  /** Null where there is no such connector or action. */
  findAction(connectorId: string, action: string): FoundAction | null
  findConnector(connectorId: string): Connector | null
  /** Credentials as they are sent; null where there is no such auth. An access token may have to be fetched first. */
  openAuth(authId: string): OpenAuth | null | Promise<OpenAuth>
  /** The way out for calls with these credentials. */
  senderFor(auth: OpenAuth | null): SendRequest
  /** One call of an SFTP server. */
  callSftp(call: SftpFlowCall): Promise<Data>
  /** What is left of the rate limit of an API, shared by all calls with one credential. */
  budgetFor(key: string): RateBudget
  /** Content of an uploaded file; null where there is no such file. */
  readFile(fileId: string): StoredFile | null
  /** Keeps a file for as long as the run is there; resolves to its `file_id`. */
  keepFile(file: StoredFile, runId: string): Promise<string>
  /** Limits of safety for lists; absent: those of pagination itself. */
  readonly pageLimits?: (() => PaginationLimits) | undefined
  /** Where long lists lie; absent: all of them are held. */
  readonly recordFiles?: RecordFiles | undefined
  readonly folders: FolderPort
  readonly keyValues: KeyValuePort
  readonly sendMail: SendMail
  readonly runScript: RunScript
  readonly subFlows: SubFlowPort
  /** Told of what went wrong in a way that nobody expected: the run itself says only that it did. */
  readonly onDefect?: (defect: StepDefect) => void
}

export interface StepDefect {
  readonly cause: unknown
  readonly flowRunId: string
  readonly refId: string
}

export interface SftpFlowCall {
  /** `sftp://…` */
  readonly address: string
  readonly auth: OpenAuth | null
  /** What the action asks for: `{"operation": "list", "path": "…"}`. */
  readonly body: Data
  readonly signal: AbortSignal
  readonly onExchange: (exchange: Exchange) => void
}

export interface FoundAction {
  readonly connector: Connector
  readonly action: Action
}

export interface StoredFile {
  readonly filename: string
  readonly contentType: string
  readonly content: Uint8Array
}

/** Files of the machine, in the folders that the settings allow. All throw AppError with the path and what to do. */
export interface FolderPort {
  read(path: string): Promise<Uint8Array>
  /** @returns the full path and the size of the file afterwards */
  write(
    path: string,
    content: Uint8Array,
    options: { readonly append: boolean },
  ): Promise<{ readonly path: string; readonly size: number }>
}

/** Values under keys, the same for all flows, kept until they are deleted or their time has passed. */
export interface KeyValuePort {
  /** Undefined where there is none. */
  get(key: string): Data | undefined
  list(prefix: string): readonly (readonly [key: string, value: Data])[]
  /** Resolves once it is on the disk. A change with an `id` that the key has seen last is not made again. */
  change(change: KeyValueChange): Promise<Data>
}

export type KeyValueChange = {
  readonly key: string
  /** Of the step and turn that asks for it. */
  readonly id: string
} & (
  | { readonly kind: 'set'; readonly value: Data; readonly expiresAt: number | null }
  | { readonly kind: 'delete' }
  /** @throws NoNumberError where another value stands there */
  | { readonly kind: 'increment'; readonly by: number; readonly expiresAt: number | null }
)

export interface Mail {
  readonly auth: OpenAuth
  readonly messageId: string
  readonly from: string
  readonly to: readonly string[]
  readonly cc: readonly string[]
  readonly bcc: readonly string[]
  readonly replyTo: string | null
  readonly subject: string
  readonly text: string
  readonly html: string
  readonly attachments: readonly StoredFile[]
}

/** @throws AppError saying which server refused what */
export type SendMail = (mail: Mail, signal: AbortSignal) => Promise<{ readonly messageId: string }>

/**
 * Runs JavaScript where it can reach nothing but its input.
 *
 * @param input JSON text
 */
export type RunScript = (source: string, input: string, signal: AbortSignal) => Promise<ScriptResult>

export interface ScriptResult {
  /** What it wrote to the console, in order. */
  readonly log: readonly {
    readonly level: 'log' | 'info' | 'warn' | 'error' | 'debug'
    readonly text: string
  }[]
  readonly outcome:
    | { readonly kind: 'returned'; /** JSON text. */ readonly value: string }
    | { readonly kind: 'threw'; readonly message: string; readonly line: number | null }
    | {
        readonly kind: 'stopped'
        readonly limit: 'time' | 'memory' | 'output' | 'depth'
        readonly message: string
      }
}

/** Runs of other flows, by the queue: none of them holds the worker of the one that waits. */
export interface SubFlowPort {
  newRunId(): string
  /** Whether a run of that id is stored. */
  isStored(runId: string): boolean
  /**
   * Resolves once the run is stored. One that is there already is left as it is.
   *
   * @throws AppError where there is no such flow, it is paused, or flows run flows too deeply
   */
  start(run: {
    readonly runId: string
    readonly flowId: string
    readonly input: Dictionary
    readonly parentRunId: string
    /** Whether its answer or last result is to be kept for the parent. */
    readonly awaited: boolean
  }): Promise<void>
  /** Null while it goes on. */
  endOf(runId: string): SubFlowEnd | null
  /** Resolves when it has ended, or may have. */
  wait(runId: string, signal: AbortSignal): Promise<void>
}

export type SubFlowEnd =
  | { readonly kind: 'output'; readonly output: Data }
  | { readonly kind: 'failed'; readonly message: string }

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
