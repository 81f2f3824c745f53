import type { Database } from 'better-sqlite3'
import { DEFAULT_SETTINGS, type Settings } from '../../../shared/contract/settings.ts'
import { command, rows } from '../sql/statement.ts'

export type SettingsRepository = ReturnType<typeof createSettingsRepository>

export function createSettingsRepository(db: Database) {
  const all = rows<{ name: string; value: string }>(db, 'SELECT name, value FROM settings')
  const store = command(
    db,
    'INSERT INTO settings (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
  )

  /** A setting that only another version knows is kept but not returned. */
  function get(): Settings {
    const known = all.all().filter(({ name }) => Object.hasOwn(DEFAULT_SETTINGS, name))
    return {
      ...DEFAULT_SETTINGS,
      ...Object.fromEntries(known.map(({ name, value }) => [name, JSON.parse(value) as unknown])),
    }
  }

  return {
    /** The stored settings merged over the defaults. */
    get,
    /** Stores the settings in the patch and returns all settings. */
    update(patch: Partial<Settings>): Settings {
      for (const [name, value] of Object.entries(patch)) {
        if (value !== undefined) store.run(name, JSON.stringify(value))
      }
      return get()
    },
  }
}
