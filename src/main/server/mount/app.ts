import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Express, IRoute, Request } from 'express'
import type { Authorization } from '../../services/keeping/access/authorization.ts'
import type { ChosenRecords } from '../../services/keeping/access/chosen-records.ts'
import type { PageSessionsService } from '../../services/keeping/access/page-sessions.ts'
import type { IdempotencyService } from '../../services/keeping/access/idempotency.ts'
import type { CallLog } from '../../services/serving/logs/call-log.ts'
import type { JsonCodec, Log } from '../../services/kit/ports.ts'
import type { Preconditions } from '../../services/keeping/access/preconditions.ts'
import type { SettingsService } from '../../services/serving/host/settings.ts'
import type { Heading } from '../gates/heading.ts'

/** The services that the server itself needs; routes get theirs separately. */
export interface CoreServices {
  readonly authorization: Pick<Authorization, 'authenticate' | 'authorize'>
  readonly chosenRecords: Pick<ChosenRecords, 'requireRoute'>
  readonly pageSessions: Pick<PageSessionsService, 'authenticate'>
  readonly settings: Pick<SettingsService, 'current'>
  readonly json: JsonCodec
  readonly idempotency: IdempotencyService
  readonly preconditions: Pick<Preconditions, 'during'>
  readonly calls: Pick<CallLog, 'note'>
}

/** The target of `mountRoute`, `mountStream` and `mountRaw`. */
export interface App {
  readonly express: Express
  readonly services: CoreServices
  readonly log: Log
  readonly stopping: AbortSignal
  readonly paths: Map<string, MountedPath>
  readonly rawMounts: RawMount[]
}

export interface MountedPath {
  readonly route: IRoute
  readonly methods: Set<string>
  /** Reads the record at this path as JSON, as its caller sees it; absent if the path has no GET. */
  read?: ReadRecord
}

export type ReadRecord = (call: ItemCall) => string

/** The part of a checked request that is needed to read a record. */
export interface ItemCall {
  readonly params: unknown
  readonly caller: unknown
  readonly request: Request
}

/**
 * Handles every method and subpath itself; the body hasn't been read and the URL is unaltered. Its errors become
 * responses as usual.
 */
export type RawHandler = (
  request: IncomingMessage,
  response: ServerResponse,
  /** Headers to write with the handler's own. */
  heading: Heading,
) => Promise<void>

export interface RawMount {
  readonly path: string
  readonly handler: RawHandler
}
