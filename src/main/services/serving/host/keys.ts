/** Moves the data keys to another machine, where the data that they encrypted can be read at once. */
import type { Clock } from '../../../engine/ports.ts'
import type { Store } from '../../../store/index.ts'
import type { Env } from '../../keeping/env/env.ts'
import type { EventsService } from '../../kit/live-events.ts'

export type KeysService = ReturnType<typeof createKeysService>

export interface KeysOptions {
  readonly store: Pick<Store, 'dataKeys'>
  readonly clock: Pick<Clock, 'now'>
  readonly env: Pick<Env, 'forget'>
  readonly events: Pick<EventsService, 'emit'>
}

export function createKeysService({ store, clock, env, events }: KeysOptions) {
  return {
    /** The keys in plain bytes: together with the data folder they reveal every secret. */
    exportKeys: () => store.dataKeys.exportKeys(),
    /** Imports another machine's keys; values that were unreadable without them open at once, without a restart. */
    async importKeys(keys: readonly Uint8Array[]): Promise<void> {
      await store.dataKeys.importKeys(keys, clock.now())
      // Both caches were filled while some values couldn't be decrypted.
      env.forget()
      for (const noun of ['env_variable', 'connector_auth'] as const)
        events.emit({ type: 'updated', noun, id: null })
    },
  }
}
