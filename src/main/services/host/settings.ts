import type { Settings } from '../../../shared/contract/settings.ts'
import type { Store } from '../../store/index.ts'
import type { EventsService } from '../kit/live-events.ts'
import { sentKeys } from '../kit/patch.ts'

export interface SettingsService {
  /** The settings as they are now, without a look into the database. */
  current(): Settings
  /** Absent keys stay as they are. */
  update(patch: SettingsPatch): Promise<Settings>
}

type SettingsPatch = { readonly [K in keyof Settings]?: Settings[K] | undefined }

export interface SettingsOptions {
  readonly store: Pick<Store, 'settings' | 'write'>
  readonly events: Pick<EventsService, 'emit'>
  /** What arguments and environment say for this start; it goes before what is stored. */
  readonly overrides?: Partial<Settings>
}

export function createSettingsService({ store, events, overrides = {} }: SettingsOptions): SettingsService {
  let settings: Settings = { ...store.settings.get(), ...overrides }
  return {
    current: () => settings,
    async update(patch) {
      const stored = await store.write(() => store.settings.update(sentKeys(patch)))
      settings = { ...stored, ...overrides }
      events.emit({ type: 'updated', noun: 'settings', id: null })
      return settings
    },
  }
}
