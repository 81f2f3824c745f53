/** The settings of the desktop app itself, passed through the preload instead of HTTP. */
import { z } from 'zod'

export interface DesktopSettings {
  /** Whether closing the window leaves the app running; null: it asks. */
  readonly keep_running: boolean | null
  readonly has_tray: boolean
  readonly start_at_login: boolean
  readonly spell_check: boolean
  /** Dictionaries come from a Google server, not from the system. */
  readonly downloads_dictionaries: boolean
  /** The `millrace` command. */
  readonly command: {
    readonly path: string
    readonly state: 'absent' | 'installed' | 'foreign'
    readonly on_path: boolean
  }
  readonly data_folder: {
    readonly path: string
    /** Set by an argument or the environment, which a move would not change. */
    readonly is_given: boolean
  }
}

export const desktopChange = z
  .strictObject({
    keep_running: z.boolean(),
    start_at_login: z.boolean(),
    spell_check: z.boolean(),
    /** Installs or removes it. */
    command: z.boolean(),
  })
  .partial()
export type DesktopChange = z.output<typeof desktopChange>
