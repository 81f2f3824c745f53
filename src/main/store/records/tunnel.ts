import type { Database } from 'better-sqlite3'
import {
  DEFAULT_TUNNEL_SETTINGS,
  type TunnelSecret,
  type TunnelSettings,
} from '../../../shared/contract/reach/tunnel.ts'
import { toFlag } from '../sql/codec.ts'
import { openSecrets, type SecretBox, sealSecrets } from '../secrets/secret-box.ts'
import { command, rows } from '../sql/statement.ts'

export type TunnelSecrets = { readonly [N in TunnelSecret]?: string }

export interface StoredTunnel {
  readonly settings: TunnelSettings
  readonly isWanted: boolean
  /** Unix time in milliseconds; null for never. */
  readonly endsAt: number | null
}

export type TunnelRepository = ReturnType<typeof createTunnelRepository>

interface TunnelRow {
  readonly settings: string
  readonly sealed: Buffer | null
  readonly is_wanted: number
  readonly ends_at: number | null
}

const OWNER = 'tunnel:1'

export function createTunnelRepository(db: Database, box: SecretBox) {
  const row = rows<TunnelRow>(db, 'SELECT settings, sealed, is_wanted, ends_at FROM tunnel')
  const store = command(
    db,
    `INSERT INTO tunnel (id, settings, sealed, is_wanted, ends_at) VALUES (1, @settings, @sealed, @is_wanted, @ends_at)
     ON CONFLICT (id) DO UPDATE SET settings = excluded.settings, sealed = excluded.sealed,
       is_wanted = excluded.is_wanted, ends_at = excluded.ends_at`,
  )
  return {
    get(): StoredTunnel {
      const stored = row.get()
      if (stored === undefined) return { settings: DEFAULT_TUNNEL_SETTINGS, isWanted: false, endsAt: null }
      const settings = JSON.parse(stored.settings) as Partial<TunnelSettings>
      return {
        settings: { ...DEFAULT_TUNNEL_SETTINGS, ...settings },
        isWanted: stored.is_wanted === 1,
        endsAt: stored.ends_at,
      }
    },
    /** Leaves out secrets that can't be decrypted. */
    secrets(): TunnelSecrets {
      try {
        return openSecrets(box, OWNER, row.get()?.sealed ?? null)
      } catch {
        return {}
      }
    },
    /** @param secrets unchanged if absent */
    save({ settings, isWanted, endsAt }: StoredTunnel, secrets?: TunnelSecrets): void {
      store.run({
        settings: JSON.stringify(settings),
        sealed: secrets === undefined ? (row.get()?.sealed ?? null) : sealSecrets(box, OWNER, { ...secrets }),
        is_wanted: toFlag(isWanted),
        ends_at: endsAt,
      })
    },
  }
}
