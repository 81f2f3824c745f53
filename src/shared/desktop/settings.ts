/** The settings of the desktop app itself, passed through the preload instead of HTTP. */
import { z } from 'zod'

export interface DesktopSettings {
  /** Whether closing the window leaves the app running; null if the app asks. */
  readonly keep_running: boolean | null
  readonly has_tray: boolean
  readonly start_at_login: boolean
  readonly spell_check: boolean
  /** Whether dictionaries come from a Google server instead of the system. */
  readonly downloads_dictionaries: boolean
  /** The `millrace` command. */
  readonly command: {
    readonly path: string
    readonly state: 'absent' | 'installed' | 'foreign'
    readonly on_path: boolean
  }
  /** Whether the app checks for a newer version once a day. */
  readonly check_updates: boolean
  readonly update: {
    /** `none` means that the package doesn't say where updates are, `waiting` that runs are still in progress. */
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
  /** The key that encrypts stored credentials. */
  readonly key: {
    readonly place: 'environment' | 'keychain' | 'file'
    /** The path of the key file, even if it doesn't exist. */
    readonly path: string
    readonly is_protected: boolean
  }
  readonly data_folder: {
    readonly path: string
    /** Whether the folder comes from an argument or the environment, which a move wouldn't change. */
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
    /** Installs or removes the command. */
    command: z.boolean(),
  })
  .partial()
export type DesktopChange = z.output<typeof desktopChange>

export const SHORTEST_PASSPHRASE = 8

/** The passphrase of the key file; null means none. */
export const passphraseChange = z.strictObject({
  current: z.string().nullable(),
  next: z.string().min(SHORTEST_PASSPHRASE).nullable(),
})
export type PassphraseChange = z.output<typeof passphraseChange>
