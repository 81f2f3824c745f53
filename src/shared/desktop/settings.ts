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
  /** Looks for a newer version once a day. */
  readonly check_updates: boolean
  readonly update: {
    /** `none`: the package doesn't say where updates are. `waiting`: until no run is under way. */
    readonly status:
      | 'none'
      | 'idle'
      | 'looking'
      | 'current'
      | 'available'
      | 'downloading'
      | 'waiting'
      | 'installing'
      | 'failed'
    readonly version: string | null
    readonly message: string | null
  }
  /** The key to stored credentials. */
  readonly key: {
    readonly place: 'environment' | 'keychain' | 'file'
    /** Where the key file is, or would be. */
    readonly path: string
    readonly is_protected: boolean
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
    check_updates: z.boolean(),
    update: z.enum(['look', 'install', 'cancel']),
    /** Installs or removes it. */
    command: z.boolean(),
  })
  .partial()
export type DesktopChange = z.output<typeof desktopChange>

export const SHORTEST_PASSPHRASE = 8

/** The passphrase of the key file; null: none. */
export const passphraseChange = z.strictObject({
  current: z.string().nullable(),
  next: z.string().min(SHORTEST_PASSPHRASE).nullable(),
})
export type PassphraseChange = z.output<typeof passphraseChange>
