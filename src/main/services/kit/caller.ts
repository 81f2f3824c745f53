import { type Entity, isCovered, type Operation } from '../../../shared/contract/base/scopes.ts'

/**
 * The user and rights a request acts with. A session belongs to the page or the owner's command line and has all
 * permissions.
 */
export interface Caller {
  readonly kind: 'session' | 'token'
  readonly userId: string
  readonly scopes: readonly string[]
  readonly tokenId: string | null
  /** Unix time in milliseconds at which its rights end; absent: never. */
  readonly endsAt?: number
  /** Set if the caller is a browser that signed in from elsewhere. */
  readonly pageSessionId?: string
  /** Whose session it is; absent for tokens. */
  readonly by?: 'app' | 'command'
}

/** Whether the caller can do this to that kind of record. A session can do everything. */
export function may(caller: Caller, entity: Entity, operation: Operation): boolean {
  return caller.kind === 'session' || isCovered(caller.scopes, entity, operation)
}
