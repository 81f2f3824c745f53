import type { Noun } from '../../shared/contract/host.ts'
import type { Api } from './create-api.ts'
import { createRefresher } from './refresh.ts'

/**
 * Builds a store's `opened` function, which loads immediately, and again whenever one of the nouns changes, until the
 * function that it returns is called. `load` never throws; a failure is state like any other.
 */
export function followNouns(
  api: Pick<Api, 'live'>,
  nouns: readonly Noun[],
  load: () => Promise<void>,
): () => () => void {
  const refresh = createRefresher(load)
  return () => {
    refresh()
    return api.live.subscribe(nouns, refresh)
  }
}
