/** The data keys, moved to another machine: what they encrypt can be read there at once. */
import type { Clock } from '../../engine/ports.ts'
import type { Store } from '../../store/index.ts'
import type { Env } from '../env/env.ts'
import type { EventsService } from '../kit/live-events.ts'

export interface KeysService {
  /** The keys in plain bytes: whoever has them and the data folder reads every secret. */
  exportKeys(): readonly Uint8Array[]
  /** Takes keys of another machine; what was locked for want of them opens, without a restart. */
  importKeys(keys: readonly Uint8Array[]): Promise<void>
}

export interface KeysOptions {
  readonly store: Pick<Store, 'dataKeys'>
  readonly clock: Pick<Clock, 'now'>
  readonly env: Pick<Env, 'forget'>
  readonly events: Pick<EventsService, 'emit'>
}

export function createKeysService({ store, clock, env, events }: KeysOptions): KeysService {
  return {
    exportKeys: () => store.dataKeys.exportKeys(),
    async importKeys(keys) {
      await store.dataKeys.importKeys(keys, clock.now())
      // Both were read while some of it could not be decrypted.
      env.forget()
      for (const noun of ['env_variable', 'connector_auth'] as const)
        events.emit({ type: 'updated', noun, id: null })
    },
  }
}
