import { type Said } from '../../../../shared/contract/base/message.ts'
import type { Filter } from '../../../../shared/contract/base/common.ts'
import type { WRITE_MODES } from '../../../../shared/contract/step-types/files/write-records.ts'
import type { RunWarning } from '../../../../shared/contract/flow-runs.ts'
import type { Action, Connector } from '../../../../shared/contract/connectors.ts'
import type { FormField } from '../../../../shared/contract/step-types/parts/page-field.ts'
import type { PaginationLimits } from '../../../../shared/contract/pagination.ts'
import type { HtmlExtract } from '../../../../shared/contract/step-types/files/html-extract.ts'
import type { PluginManifest } from '../../../../shared/contract/plugins/manifest.ts'
import type { Plugin } from '../../../../shared/contract/plugins/plugins.ts'
import type { SCRIPT_RUNTIMES } from '../../../../shared/contract/step-types/values/code.ts'
import type { OpenAuth } from '../../connector/open-auth.ts'
import type { Data, Dictionary, StoredMark } from '@millrace/jinja/data'
import type { Clock, Exchange, Random, SendRequest, Sleep } from '../../ports.ts'
import type { ColumnTypes } from '../../sql/columns.ts'
import type { DatabaseKind } from '../../sql/database-kind.ts'
import type { RateBudget } from '../../request/rate-budget.ts'
import type { RatePolicy } from '../../request/rate-limit.ts'

/** The services that a run uses. */
export interface FlowPorts extends Capabilities {
  readonly clock: Clock
  readonly random: Random
  readonly sleep: Sleep
  /** Lets the process do other work in between. */
  readonly yieldToEventLoop: () => Promise<void>
  readonly sendRequest: SendRequest
  /** Null if there is no such connector or action. */
  findAction(connectorId: string, action: string): FoundAction | null
  findConnector(connectorId: string): Connector | null
  /** Credentials as they are sent; null if there is no such auth. An access token may have to be fetched first. */
  openAuth(authId: string): OpenAuth | null | Promise<OpenAuth>
  /** Sends the calls with these credentials. */
  senderFor(auth: OpenAuth | null): SendRequest
  callSftp(call: SftpFlowCall): Promise<Data>
  /** The budget for calls to an API, shared by all calls to its host with the same credentials. */
  budgetFor(key: string, limit?: RatePolicy | null): RateBudget
  /** The content of an uploaded file; null if there is no such file. */
  readFile(fileId: string): StoredFile | null
  /** Keeps a file for as long as the run exists; resolves to its `file_id`. */
  keepFile(file: StoredFile, runId: string): Promise<string>
  /** Safety limits for lists; if absent, the defaults of pagination. */
  readonly pageLimits?: (() => PaginationLimits) | undefined
  readonly whenInDoubt?: (() => 'warn' | 'fail') | undefined
  /** Storage for long lists; if absent, all lists are held in memory. */
  readonly recordFiles?: RecordFiles | undefined
  /** Receives defects, because the run itself only reports that there was one. */
  readonly onDefect?: (defect: StepDefect) => void
}

/** The capabilities of steps in addition to calls: files, databases, programs and others. */
export interface Capabilities {
  readonly folders: FolderPort
  readonly sql: SqlPort
  readonly sinks: SinkPort
  readonly documents: DocumentPort
  readonly programs: ProgramPort
  readonly keyValues: KeyValuePort
  readonly dataTables: DataTablePort
  readonly sendMail: SendMail
  readonly mailboxes: MailboxPort
  readonly runScript: RunScript
  readonly plugins: PluginPort
  readonly subFlows: SubFlowPort
  readonly questions: QuestionPort
  readonly callbacks: CallbackPort
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
  /** The operation that the action describes: `{"operation": "list", "path": "…"}`. */
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

/** Local files in the folders that the settings allow. Every method throws an AppError with the path and what to do. */
export interface FolderPort {
  read(path: string): Promise<Uint8Array>
  /** @returns the full path, and the size of the file after writing */
  write(
    path: string,
    content: Uint8Array,
    options: { readonly append: boolean },
  ): Promise<{ readonly path: string; readonly size: number }>
  /** The files in a folder whose names match, without links and unfinished downloads. */
  list(path: string, options: ListOptions): Promise<readonly FolderFile[]>
}

/** Databases: servers, and SQLite files in the folders that the settings allow. */
export interface SqlPort {
  /** @throws AppError if the URL of the database isn't one */
  kindOf(database: SqlCall['database']): DatabaseKind
  /** @throws AppError with the database and its own message */
  run(call: SqlCall): Promise<readonly SqlResult[]>
}

export interface SqlCall {
  readonly database: { readonly file: string } | { readonly auth: OpenAuth }
  readonly statements: readonly SqlStatement[]
  readonly inTransaction: boolean
  readonly timeoutMs: number
  readonly signal: AbortSignal
  readonly takeRows: TakeRows
}

export interface SqlStatement {
  readonly statement: string
  /** A list, or an object for named placeholders. */
  readonly parameters: Data
}

/** Called with the rows of a statement as they arrive; more are read once it resolves. */
export type TakeRows = (statement: number, rows: readonly Data[]) => Promise<void>

export interface SqlResult {
  readonly hasRows: boolean
  readonly changed: number
  /** The key that the database gave to the last new row; null if it doesn't report one. */
  readonly lastId: number | bigint | null
}

/** Programs that the settings allow. */
export interface ProgramPort {
  /** @throws AppError, whose data can name a field of the config */
  run(call: ProgramCall): Promise<ProgramResult>
}

export interface ProgramCall {
  /** Its name in the settings. */
  readonly program: string
  readonly arguments: readonly { readonly text: string; readonly isSeparator: boolean }[]
  readonly environment: Readonly<Record<string, string>>
  readonly input: string
  readonly timeoutMs: number
  /** Identifies the run, step and iteration. */
  readonly key: string
  readonly signal: AbortSignal
}

export interface ProgramResult {
  readonly exitCode: number
  readonly stdout: string
  readonly stderr: string
  readonly isStdoutCut: boolean
  readonly isStderrCut: boolean
}

/** HTML and Markdown. Every method throws an AppError, whose data can name a field of the config. */
export interface DocumentPort {
  /** Returns an object with the fields, or a list of such objects with `each`. */
  extract(text: string, extraction: Pick<HtmlExtract, 'each' | 'fields'>, signal: AbortSignal): Promise<Data>
  convert(text: string, to: 'html' | 'markdown', signal: AbortSignal): Promise<string>
  /** The entries of a feed, in its order. */
  readFeed(text: string, url: string, signal: AbortSignal): Promise<readonly Data[]>
}

/** Files and tables that records are written to. */
export interface SinkPort {
  /** @throws AppError if the target can't be used */
  open(target: SinkTarget, write: SinkWrite): Promise<RecordSink>
  /** The cursor of the last write that had one; null if there was none. */
  readCursor(target: SinkTarget, signal: AbortSignal): Promise<Data>
}

export type SinkTarget =
  | { readonly kind: 'jsonl' | 'csv' | 'parquet'; readonly path: string }
  | { readonly kind: 'sqlite'; readonly path: string; readonly table: string }
  | { readonly kind: 'postgres' | 'mysql'; readonly auth: OpenAuth; readonly table: string }

export interface SinkWrite {
  /** Identifies the run, step and iteration, so that a committed write isn't repeated. */
  readonly id: string
  readonly mode: (typeof WRITE_MODES)[number]
  readonly key: readonly string[]
  /** The declared types of fields, whose values are already strings of that type. */
  readonly types: ColumnTypes
  /** Whether a record that can't be written fails the write; otherwise it is set aside. */
  readonly isBadRecordFatal: boolean
  /** Whether text in CSV files gets an apostrophe if a spreadsheet can read it as a formula. */
  readonly quotesFormulas?: boolean
  readonly signal: AbortSignal
}

export interface SinkState {
  readonly cursor: Data
  readonly result: Data
}

export interface SinkNote {
  readonly code: 'columns_changed' | 'text_replaced' | 'records_rejected'
  readonly said: Said
}

/** The effect of a merge on its target's records. */
export interface MergeCounts {
  readonly new: number
  readonly changed: number
  readonly unchanged: number
}

export interface SinkOutcome {
  /** The step's result: the numbers of written and rejected records, and the cursor. */
  readonly result: Data
  /** Remarks about the write for the run to report. */
  readonly notes: readonly SinkNote[]
  /** Null if the target doesn't count the records. */
  readonly merged?: MergeCounts | null
}

/** Collects records; the target changes with `commit`, or not at all. */
export interface RecordSink {
  /** The state that a committed write with this ID left; null if there was none. */
  readonly done: SinkState | null
  /** The cursor before this write. */
  readonly cursor: Data
  write(records: readonly Dictionary[]): Promise<void>
  /**
   * Sets aside an item that isn't a valid record for this write.
   *
   * @throws AppError if the write fails because of it
   */
  reject(item: Data, reason: Said): void
  commit(cursor: Data): Promise<SinkOutcome>
  /** Discards uncommitted records; can be called repeatedly. */
  close(): Promise<void>
}

export interface ListOptions {
  readonly pattern: string
  readonly subfolders: boolean
}

export interface FolderFile {
  /** The full path. */
  readonly path: string
  /** The path below the folder, with `/` between its parts. */
  readonly name: string
  readonly size: number
  /** Milliseconds since the Unix epoch, as are all times. */
  readonly modifiedAt: number
  /** The time of the file's last change, including a change of its name. */
  readonly touchedAt: number
}

/** Values by key, shared by all flows, kept until they are deleted or expire. */
export interface KeyValuePort {
  /** Undefined if there is none. */
  get(key: string): Data | undefined
  list(prefix: string): readonly (readonly [key: string, value: Data])[]
  /** Resolves once it is on disk. If the key's last change has the same `id`, it isn't repeated. */
  change(change: KeyValueChange): Promise<Data>
}

export type KeyValueChange = {
  readonly key: string
  /** Identifies the step and iteration that make the change. */
  readonly id: string
} & (
  | { readonly kind: 'set'; readonly value: Data; readonly expiresAt: number | null }
  | { readonly kind: 'delete' }
  /** @throws NoNumberError if the current value isn't a number */
  | { readonly kind: 'increment'; readonly by: number; readonly expiresAt: number | null }
)

/** Tables of Millrace, by name or ID. Every method throws an AppError with the table and what to do. */
export interface DataTablePort {
  /** Reads one portion of the rows that match all filters. */
  read(table: string, query: TableQuery): { readonly records: readonly Data[]; readonly last: number | null }
  count(table: string, filters: readonly TableFilter[]): number
  /** Resolves to the result once it is on disk. A change with the same `id` isn't repeated. */
  change(table: string, change: TableChange): Promise<TableOutcome>
}

/** Its field is the name of a column. */
export type TableFilter = Filter

export interface TableQuery {
  readonly filters: readonly TableFilter[]
  /** The name of a column, with `-` in front for descending order. An empty name means oldest first. */
  readonly sort: string
  /** The `last` of the previous portion. */
  readonly after: number | null
  readonly limit: number
}

export type TableChange = {
  /** Identifies the step and iteration that make the change. */
  readonly id: string
  readonly runId: string
} & (
  | {
      readonly kind: 'insert' | 'upsert'
      readonly rows: readonly Data[]
      readonly key: readonly string[]
      readonly ignoresUnknown: boolean
    }
  | {
      readonly kind: 'update'
      readonly filters: readonly TableFilter[]
      readonly values: Data
      readonly ignoresUnknown: boolean
    }
  | { readonly kind: 'delete'; readonly filters: readonly TableFilter[] }
)

export interface TableOutcome {
  readonly result: Data
  /** The counts of an upsert. Null for other changes, and for a change that was already made. */
  readonly merged: MergeCounts | null
}

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

/** Mailboxes on servers, by IMAP. */
export interface MailboxPort {
  /**
   * The email that arrived last; null if there is none.
   *
   * @throws AppError with the server and its own message
   */
  readNewest(place: MailboxCall, signal: AbortSignal): Promise<ReceivedMail | null>
}

export interface MailboxCall {
  readonly auth: OpenAuth
  readonly mailbox: string
  /** Whether to read the content of attachments too. */
  readonly attachments: boolean
}

/** All strings except `text` and `html` are on one line. */
export interface ReceivedMail {
  readonly uid: number
  readonly messageId: string | null
  readonly subject: string
  readonly from: string
  readonly fromName: string
  readonly to: readonly string[]
  readonly cc: readonly string[]
  readonly replyTo: readonly string[]
  readonly date: string | null
  readonly receivedAt: string | null
  readonly text: string
  readonly html: string
  /** Keyed by name in lower case. */
  readonly headers: ReadonlyMap<string, string>
  /** A sentence that says which part couldn't be read. */
  readonly problem: string | null
  readonly files: readonly StoredFile[]
}

/** @throws AppError with the server and its own message */
export type SendMail = (mail: Mail, signal: AbortSignal) => Promise<{ readonly messageId: string }>

/**
 * Runs JavaScript that can reach nothing but its input.
 *
 * @param input as JSON
 */
export type RunScript = (script: Script, input: string, signal: AbortSignal) => Promise<ScriptResult>

export interface Script {
  readonly source: string
  /** Selects the functions available to the code in addition to JavaScript's own. */
  readonly runtime: (typeof SCRIPT_RUNTIMES)[number]
  /** Time and random seed in a test. Defaults to the system's. */
  readonly pinned?: {
    /** Milliseconds since the Unix epoch. */ readonly now: number
    /** The random seed, 16 bytes. */ readonly seed: readonly number[]
  }
}

/** Plug-ins, as found when their folders were last read. */
export interface PluginPort {
  /** Null if there is none. */
  find(name: string): InstalledPlugin | null
  run(call: PluginCall): Promise<ScriptResult>
}

export interface InstalledPlugin extends Pick<Plugin, 'status' | 'hash'> {
  readonly problem: Said | null
  /** Null if the manifest can't be read. */
  readonly manifest: PluginManifest | null
  /** The content of `run.js` whose hash was computed. */
  readonly source: string
}

export interface PluginCall {
  readonly plugin: string
  readonly kind: 'steps' | 'triggers' | 'filters'
  /** The name of the function. */
  readonly name: string
  /** The argument as JSON. */
  readonly argument: string
  /** Carries out a request of the plug-in's code, with JSON as input and output. */
  readonly call: (ability: string, argument: string) => Promise<string>
  readonly signal: AbortSignal
}

export const CONSOLE_LEVELS = ['log', 'info', 'warn', 'error', 'debug'] as const

export interface ScriptResult {
  /** Its console output, in order. */
  readonly log: readonly {
    readonly level: (typeof CONSOLE_LEVELS)[number]
    readonly text: string
  }[]
  readonly outcome:
    | { readonly kind: 'returned'; /** As JSON. */ readonly value: string }
    | {
        readonly kind: 'threw'
        readonly message: string
        readonly line: number | null
        /** Missing if the message is the plug-in's own. */
        readonly said?: Said
      }
    | {
        readonly kind: 'stopped'
        readonly limit: 'time' | 'memory' | 'output' | 'depth'
        readonly said: Said
      }
}

/** Runs of other flows, through the queue, so that none of them occupies the worker of the waiting run. */
export interface SubFlowPort {
  newRunId(): string
  isStored(runId: string): boolean
  /**
   * Resolves once the run is stored. An existing one is left unchanged.
   *
   * @throws AppError if there is no such flow, it is paused, or flows are nested too deeply
   */
  start(run: {
    readonly runId: string
    readonly flowId: string
    readonly input: Dictionary
    readonly parentRunId: string
    /** Whether its response or last result is kept for the parent. */
    readonly awaited: boolean
  }): Promise<void>
  /** Null while it is still running. */
  endOf(runId: string): SubFlowEnd | null
  /** Resolves when the run has finished, or may have. */
  wait(runId: string, signal: AbortSignal): Promise<void>
}

export type SubFlowEnd =
  | { readonly kind: 'output'; readonly output: Data; readonly doubts: readonly RunWarning[] }
  | { readonly kind: 'failed'; readonly said: Said }

/** Questions to people. Each has its own page, and can be answered once. */
export interface QuestionPort {
  /** The link of the question that this step of the run asks, or will ask. */
  urlOf(runId: string, stepKey: string): string
  /**
   * Resolves once the question is stored; one that this step of the run has asked before is left unchanged.
   *
   * @throws AppError if the run isn't stored, so that nothing would wait for the answer
   */
  ask(question: NewQuestion): Promise<AskedQuestion>
  /** Null while the question is open. Once its time is over, it is closed and can't be answered any longer. */
  settle(id: string): Promise<QuestionEnd | null>
  /** Resolves when the question has been answered, or its time is over. */
  wait(id: string, signal: AbortSignal): Promise<void>
}

/** Calls from outside to steps that wait for them. */
export interface CallbackPort {
  urlOf(runId: string, stepKey: string): string
  /** The request that was sent; null while nobody has called. Once the time is over, calls are rejected. */
  settle(place: CallbackPlace): Promise<Dictionary | 'timed_out' | null>
  /** Resolves when the URL has been called, or its time is over. */
  wait(place: CallbackPlace, signal: AbortSignal): Promise<void>
}

export interface CallbackPlace extends Pick<NewQuestion, 'runId' | 'stepKey' | 'refId' | 'expiresAt'> {}

export interface NewQuestion {
  readonly runId: string
  /** The step and iteration. */
  readonly stepKey: string
  readonly refId: string
  readonly iteration: readonly number[]
  readonly page: QuestionPage
  /** Milliseconds since the Unix epoch. */
  readonly expiresAt: number
}

/** The content of a question's page. */
export interface QuestionPage {
  readonly title: string
  readonly details: string
  /** An uploaded image. Null or missing means none. */
  readonly logo?: { readonly fileId: string; readonly alt: string } | null
  readonly fields: readonly FormField[]
  /** Labels of the buttons; null for a single button with the default label. */
  readonly choices: readonly string[] | null
}

export interface AskedQuestion {
  readonly id: string
  readonly url: string
  /** Whether the URL works from other computers. */
  readonly isPublic: boolean
  readonly expiresAt: number
}

export type QuestionEnd =
  | { readonly kind: 'timed_out' }
  | {
      readonly kind: 'answered'
      readonly choice: string | null
      readonly fields: Dictionary
      readonly at: number
    }

/** Storage for lists of runs that are too long for memory. A run has a file for each step, named by its key. */
export interface RecordFiles {
  /** False while nothing can be encrypted. In that case, even long lists are held in memory. */
  readonly isOpen: boolean
  /** Begins a list, or continues after the given end; anything after that is dropped. */
  write(runId: string, key: string, after?: StoredMark | null): Promise<RecordWriter>
  /** Reads nothing until a record is requested. */
  read(runId: string, mark: StoredMark): readonly Data[]
  /** Reads what `appendAside` wrote at that position. */
  readAside(runId: string, mark: StoredMark, at: number): Data
}

export interface RecordWriter {
  /** The end of the data on disk. */
  readonly mark: StoredMark
  /** Resolves once the records are on disk. */
  append(records: readonly Data[]): Promise<void>
  /** Writes a value that isn't a record, and returns its position. */
  appendAside(value: Data): Promise<number>
  close(): Promise<void>
}
