/** The data folder: its contents, backups, and the keys to its secrets. */
import { doc } from './base/doc.ts'
import { z } from 'zod'
import { text, timestamp } from './base/common.ts'
import { can, defineRoute } from './base/route.ts'

const bytes = z.int().min(0)

export const backup = z.object({
  path: z.string().meta(doc('Full path of the backup file.', '/home/ada/millrace.db')),
  bytes: bytes.meta(doc('Size of the backup file in bytes.', 20971520)),
  created_at: timestamp.describe('When the backup was taken, in UTC.'),
  reason: z
    .enum(['daily', 'update', 'asked'])
    .describe(
      '`daily`: taken automatically; `update`: taken before a newer version changed the database; `asked`: requested by you.',
    ),
})
export type Backup = z.output<typeof backup>

export const readDataFolderRoute = defineRoute({
  method: 'GET',
  path: '/v1/data-folder',
  summary: 'Read the size of the data folder, its backups, and whether its secrets are readable',
  access: can('settings', 'read'),
  status: 200,
  result: z.object({
    path: z.string().meta(doc('Full path of the data folder.', '/home/ada/.local/share/millrace')),
    database_bytes: bytes.meta(doc('Size of the database in bytes.', 20971520)),
    free_bytes: bytes
      .describe(
        'Bytes inside the database that deleted rows left free. They are reused before the file grows.',
      )
      .meta({ examples: [1048576] }),
    files_bytes: bytes.meta(doc('Bytes used by uploads, files of requests and large records.', 5242880)),
    backups_bytes: bytes.meta(doc('Bytes used by backups inside the data folder.', 20971520)),
    disk_free_bytes: bytes.meta(doc('Bytes still free for you on the disk of the data folder.', 53687091200)),
    backups: z.array(backup).describe('Backups in the data folder, newest first.'),
    backup_path: z
      .string()
      .describe("Suggested path for a backup outside the data folder. The file doesn't exist yet.")
      .meta({ examples: ['/home/ada/millrace-2026-03-01.db'] }),
    secrets: z
      .enum(['readable', 'needs_key', 'locked'])
      .describe(
        '`readable`; `needs_key`: some secrets were stored with a key that is missing here; `locked`: no key is available.',
      ),
  }),
})
export type DataFolder = z.output<typeof readDataFolderRoute.result>

const passphrase = z
  .string()
  .min(12, 'must have at least 12 characters')
  .max(1_000, 'must have at most 1000 characters')
  .meta({ examples: ['correct horse battery staple'] })

export const writeBackupRoute = defineRoute({
  method: 'POST',
  path: '/v1/database/backup',
  summary: 'Back up the database to a file on this computer, outside the data folder',
  access: 'session',
  status: 200,
  body: z.strictObject({
    path: text(4_000)
      .meta({ examples: ['/home/ada/millrace.db'] })
      .describe('Full path of the file to write, outside the data folder.'),
    overwrite: z
      .boolean()
      .default(false)
      .describe(
        'True replaces an existing file once the copy is verified. If false, an existing file is an error (400).',
      ),
    passphrase: passphrase
      .optional()
      .describe(
        'Encrypts the backup with this passphrase, and includes the keys to its secrets: whoever has both can restore everything elsewhere. Without the passphrase nobody can read it. If absent, it is stored in plain and has no keys.',
      ),
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
  body: z.strictObject({
    path: text(4_000)
      .meta({ examples: ['/home/ada/millrace.db'] })
      .describe('Full path of the backup to restore.'),
    passphrase: text(1_000)
      .optional()
      .meta({ examples: ['correct horse battery staple'] })
      .describe('Passphrase of an encrypted backup.'),
  }),
  /** `path` is that of the requested backup, which is restored once all pending requests have finished. */
  result: z.object({
    path: z
      .string()
      .describe(
        'The path that was requested. The backup is restored when the requests in progress have finished.',
      )
      .meta({ examples: ['/home/ada/millrace.db'] }),
  }),
})

const dataKey = z.string().regex(/^[0-9a-f]{64}$/, 'must be 64 hexadecimal digits')

export const exportDataKeysRoute = defineRoute({
  method: 'POST',
  path: '/v1/data-keys/export',
  summary: 'Export the keys to the stored secrets, to move to another computer',
  access: 'session',
  status: 200,
  result: z.object({
    keys: z
      .array(dataKey)
      .describe(
        'The data keys, each as 64 hexadecimal digits. Keep them secret: with a copy of the database they decrypt all credentials.',
      ),
  }),
})

export const importDataKeysRoute = defineRoute({
  method: 'POST',
  path: '/v1/data-keys/import',
  summary: 'Import keys from another computer; what they encrypted becomes readable at once',
  access: 'session',
  status: 200,
  body: z.strictObject({
    keys: z
      .array(dataKey)
      .min(1)
      .max(100)
      .meta({ examples: [['0'.repeat(64)]] })
      .describe('Data keys exported from another computer, each as 64 hexadecimal digits.'),
  }),
  result: readDataFolderRoute.result.pick({ secrets: true }),
})

export const dataFolderRoutes = {
  readDataFolderRoute,
  writeBackupRoute,
  restoreBackupRoute,
  exportDataKeysRoute,
  importDataKeysRoute,
}
