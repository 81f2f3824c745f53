import { useEffect } from 'react'
import type { ReactNode } from 'react'
import type { DataFolder } from '../../../shared/contract/data-folder.ts'
import { CopyIcon } from '../../components/copy-button.tsx'
import { Card } from '../../components/page.tsx'
import { Time } from '../../components/time.tsx'
import { formatBytes, plural } from '../../lib/format.ts'
import { useSettings } from './settings-store.ts'

/** Where everything lies, how large it is, and how to take it along. */
export function DataFolderCard() {
  const folder = useSettings((state) => state.folder)
  const measured = useSettings((state) => state.measured)
  useEffect(() => void measured(), [measured])
  if (folder === null) return null
  const [newest] = folder.backups
  return (
    <Card title="Data folder">
      <dl className="grid grid-cols-[10rem_minmax(0,1fr)] items-start gap-x-4 gap-y-1.5 p-4">
        <Row name="Folder">
          <code className="min-w-0 truncate text-sm">{folder.path}</code>
          <CopyIcon label="Copy the path of the folder" text={folder.path} />
        </Row>
        <Row name="Database">
          {formatBytes(folder.database_bytes)}
          {folder.free_bytes === 0 ? null : (
            <span className="text-muted">{formatBytes(folder.free_bytes)} of it free for new runs</span>
          )}
        </Row>
        <Row name="Files">{formatBytes(folder.files_bytes)}</Row>
        <Row name="Backups">
          {newest === undefined ? (
            'none yet; one is taken each day that Millrace runs'
          ) : (
            <>
              {plural(folder.backups.length, 'backup')}, {formatBytes(folder.backups_bytes)}
              <span className="text-muted">
                the newest <Time at={newest.created_at} />
              </span>
            </>
          )}
        </Row>
        <Row name="Free on the disk">{formatBytes(folder.disk_free_bytes)}</Row>
        <Row name="Secrets">{SECRETS[folder.secrets]}</Row>
      </dl>
      <p className="border-t border-line px-4 py-3 text-sm text-muted">
        <code>millrace backup FILE</code> copies the database while Millrace runs,{' '}
        <code>millrace restore FILE</code> brings one back, and <code>millrace key export</code> takes along
        what opens its secrets.
      </p>
    </Card>
  )
}

const SECRETS: { readonly [S in DataFolder['secrets']]: string } = {
  readable: 'encrypted in the database; the key lies outside this folder',
  needs_key:
    'some were stored under a key that is not here: import it with millrace key import, or enter them again',
  locked: 'cannot be stored: this start has no key',
}

function Row({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <>
      <dt className="text-muted">{name}</dt>
      <dd className="flex min-w-0 flex-wrap items-center gap-x-2">{children}</dd>
    </>
  )
}
