import type { Store } from '../store/index.ts'
import type { RunnableFlow } from './execution/runnable-flows.ts'

/**
 * Who must all see an auth for what the editor holds to use it: neither its steps nor results that are typed in borrow
 * one from the flow's owner.
 */
export function readersOfCopy(
  store: Pick<Store, 'flows'>,
  { id, readers }: Pick<RunnableFlow, 'id' | 'readers'>,
  userId: string,
): readonly string[] {
  const [owner = ''] = readers
  return [...new Set([owner, store.flows.authorOfWorkingCopy(id) ?? owner, userId])]
}
