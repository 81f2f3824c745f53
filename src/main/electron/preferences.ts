/**
 * The desktop app's preferences for this computer. They are stored in the app's own folder, because they don't belong
 * in a backup of the data.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { z } from 'zod'
import type { Log } from '../services/kit/ports.ts'
import { moveFileSync } from '../store/index.ts'

const bounds = z.object({ x: z.int(), y: z.int(), width: z.int().min(1), height: z.int().min(1) })

const preferences = z.object({
  /** Whether closing the window leaves the program running; null if the user hasn't been asked yet. */
  keep_running: z.boolean().nullable().catch(null),
  /** Null means the system's default. */
  spell_check: z.boolean().nullable().catch(null),
  /** Off until the user turns it on, because it contacts a server. */
  check_updates: z.boolean().catch(false),
  /** The version that was announced; each is announced once. */
  announced_update: z.string().nullable().catch(null),
  /** The window's last position. */
  window: z.object({ bounds, maximized: z.boolean() }).nullable().catch(null),
})
export type Preferences = z.output<typeof preferences>

export type PreferencesFile = ReturnType<typeof openPreferences>

/** A missing or damaged file must not prevent the start. */
export function openPreferences(path: string, log: Log) {
  let current = preferences.parse(readObject(path))
  return {
    current: () => current,
    set(change: Partial<Preferences>): void {
      current = { ...current, ...change }
      try {
        writeFileSync(`${path}.new`, `${JSON.stringify(current, null, 2)}\n`, { mode: 0o600 })
        moveFileSync(`${path}.new`, path)
      } catch (error) {
        log.warn({ err: error, path }, 'The preferences of the desktop app are not stored')
      }
    },
  }
}

function readObject(path: string): object {
  try {
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'))
    return typeof value === 'object' && value !== null ? value : {}
  } catch {
    return {}
  }
}
