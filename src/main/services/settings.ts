import type { Settings } from '../../shared/contract/settings.ts'

export interface SettingsService {
  /** The settings as they are now, without a look into the database. */
  current(): Settings
}
