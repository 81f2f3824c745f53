import { type Entity, isCovered, type Operation } from '../../../shared/contract/base/scopes.ts'

/** On whose behalf a request acts. The session is the page's and the owner's command line: it may do everything. */
export interface Caller {
  readonly kind: 'session' | 'token'
  readonly userId: string
  readonly scopes: readonly string[]
  readonly tokenId: string | null
}

/** May the caller do this to that kind of record? A session may do everything. */
export function may(caller: Caller, entity: Entity, operation: Operation): boolean {
  return caller.kind === 'session' || isCovered(caller.scopes, entity, operation)
}
