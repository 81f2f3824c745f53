/** The folder in which everything is kept: what is in it, copies of it, and the keys to its secrets. */
import { z } from 'zod'
import { text, timestamp } from './base/common.ts'
import { can, defineRoute } from './base/route.ts'

const bytes = z.number().int().min(0)

export const backup = z.object({
  path: z.string(),
  bytes,
  created_at: timestamp,
  /** `update`: taken before a newer version changed the database. `asked`: to a place of the user's choice. */
  reason: z.enum(['daily', 'update', 'asked']),
})
export type Backup = z.output<typeof backup>

export const readDataFolderRoute = defineRoute({
  method: 'GET',
  path: '/v1/data-folder',
  summary: 'How large the data folder is, what backups there are, and whether its secrets can be read',
  access: can('settings', 'read'),
  status: 200,
  result: z.object({
    path: z.string(),
    database_bytes: bytes,
    /** Of the database, what deleted rows left; used again before the file grows. */
    free_bytes: bytes,
    /** Uploads, files of requests, large records. */
    files_bytes: bytes,
    backups_bytes: bytes,
    /** On the disk, for this user. */
    disk_free_bytes: bytes,
    /** Newest first. */
    backups: z.array(backup),
    /** A file outside of the data folder that a backup could be written to; nothing is there yet. */
    backup_path: z.string(),
    /** `needs_key`: some were stored under a key that is not here; `locked`: no key is here at all. */
    secrets: z.enum(['readable', 'needs_key', 'locked']),
  }),
})
export type DataFolder = z.output<typeof readDataFolderRoute.result>

export const writeBackupRoute = defineRoute({
  method: 'POST',
  path: '/v1/database/backup',
  summary: 'Copy the database to a file on this machine, outside of the data folder',
  access: 'session',
  status: 200,
  body: z.strictObject({
    path: text(4_000).meta({ examples: ['/home/ada/millrace.db'] }),
    /** Replaces a file of that name, once the copy is sound; without it such a file is 400. */
    overwrite: z.boolean().default(false),
  }),
  result: backup,
})

export const restoreBackupRoute = defineRoute({
  method: 'POST',
  path: '/v1/database/restore',
  summary:
    'Put a backup in the place of the database: the program stops, restores it and starts again by itself',
  access: 'session',
  status: 202,
  body: z.strictObject({ path: text(4_000).meta({ examples: ['/home/ada/millrace.db'] }) }),
  /** `path`: as it was asked for; it is restored once what is being served has ended. */
  result: z.object({ path: z.string() }),
})

const dataKey = z.string().regex(/^[0-9a-f]{64}$/, 'must be 64 hexadecimal digits')

export const exportDataKeysRoute = defineRoute({
  method: 'POST',
  path: '/v1/data-keys/export',
  summary: 'The keys that open the stored secrets, to be taken to another machine',
  access: 'session',
  status: 200,
  result: z.object({ keys: z.array(dataKey) }),
})

export const importDataKeysRoute = defineRoute({
  method: 'POST',
  path: '/v1/data-keys/import',
  summary: 'Take over keys of another machine; what they sealed can be read at once',
  access: 'session',
  status: 200,
  body: z.strictObject({
    keys: z
      .array(dataKey)
      .min(1)
      .max(100)
      .meta({ examples: [['0'.repeat(64)]] }),
  }),
  result: readDataFolderRoute.result.pick({ secrets: true }),
})
