import type { Action, Connector } from '../../../shared/contract/connectors.ts'
import type { Data } from '../data/value.ts'
import type { Clock, Exchange, Random, SendRequest, Sleep } from '../ports.ts'
import type { RateBudget } from '../request/rate-budget.ts'
import type { RecordFiles } from './record-files.ts'
import type { OpenAuth } from '../connector/open-auth.ts'

/** What a run is given from outside. */
export interface FlowPorts {
  readonly clock: Clock
  readonly random: Random
  readonly sleep: Sleep
  /** Lets other work of the process go on for a moment. */
  readonly breathe: () => Promise<void>
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
  /** Where long lists lie; absent: all of them are held. */
  readonly recordFiles?: RecordFiles | undefined
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
