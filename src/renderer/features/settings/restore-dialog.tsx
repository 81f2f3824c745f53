import { useState } from 'react'
import { type Backup, type DataFolder, restoreBackupRoute } from '../../../shared/contract/data-folder.ts'
import type { Api } from '../../api/create-api.ts'
import { useApi } from '../../api/provider.tsx'
import { Field, TextInput } from '../../components/controls/field.tsx'
import { SaveDialog } from '../../components/screen/save-dialog.tsx'
import { Select } from '../../components/controls/select.tsx'
import { formatBytes, formatExact } from '../../lib/format.ts'
import { english, t } from '../../lib/i18n.ts'
import type { English } from '../../lib/i18n.ts'

/** Replaces the database with a backup; the server restarts for that, and the page reloads. */
export function RestoreDialog({
  folder,
  onClose,
}: {
  readonly folder: DataFolder
  readonly onClose: () => void
}) {
  const api = useApi()
  const [path, setPath] = useState(folder.backups[0]?.path ?? '')
  const [passphrase, setPassphrase] = useState('')
  const isListed = folder.backups.some((backup) => backup.path === path)
  return (
    <SaveDialog
      title={t('Restore backup')}
      action={t('Restore and restart')}
      failed={t('Couldn’t restore backup')}
      saved={t('{{path}} restored', { path })}
      onSave={async () => {
        const body = { path, ...(passphrase === '' ? {} : { passphrase }) }
        await api.call(restoreBackupRoute, { body })
        await connectedAgain(api)
        window.location.reload()
      }}
      onClose={onClose}
    >
      {(errors) => (
        <>
          {folder.backups.length === 0 ? null : (
            <Field label={t('Backup')}>
              <Select
                value={isListed ? path : ''}
                onChange={setPath}
                options={[
                  ...folder.backups.map((backup) => ({ value: backup.path, label: describe(backup) })),
                  ...(isListed ? [] : [{ value: '', label: t('Another file') }]),
                ]}
              />
            </Field>
          )}
          <Field label={t('File')} hint={t('Full path on this computer.')} error={errors['path']?.[0]}>
            <TextInput mono value={path} onChange={setPath} />
          </Field>
          {isListed ? null : (
            <Field
              label={t('Passphrase')}
              hint={t('Only for a backup with a passphrase')}
              error={errors['passphrase']?.[0]}
            >
              <TextInput type="password" autoComplete="off" value={passphrase} onChange={setPassphrase} />
            </Field>
          )}
          <p>
            {t(
              'Replaces flows, runs, tokens and settings with those from the backup. Active runs are stopped and Millrace restarts. The current database is kept in the data folder under another name.',
            )}
          </p>
        </>
      )}
    </SaveDialog>
  )
}

/** Resolves once the server has restarted. */
const connectedAgain = ({ live }: Pick<Api, 'live'>) =>
  new Promise<void>((resolve) => {
    const stop = live.subscribe([], () => {
      stop()
      resolve()
    })
  })

const REASONS: { readonly [R in Backup['reason']]: English } = {
  daily: english('daily'),
  update: english('before an update'),
  asked: english('on request'),
}

function describe({ created_at: at, bytes, reason }: Backup): string {
  return `${formatExact(Date.parse(at))} · ${formatBytes(bytes)} · ${t(REASONS[reason])}`
}
