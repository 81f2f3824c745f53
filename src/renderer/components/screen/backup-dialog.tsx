import { useState } from 'react'
import { writeBackupRoute } from '../../../shared/contract/data-folder.ts'
import { DATA_FOLDER } from '../../api/lists.ts'
import { useApi } from '../../api/provider.tsx'
import { cached } from '../../api/resource.ts'
import { t } from '../../lib/i18n.ts'
import { Field, Switch, TextInput } from '../controls/field.tsx'
import { SaveDialog } from './save-dialog.tsx'

interface BackupDialogProps {
  /** The initial path, where no file exists yet. */
  readonly free: string
  readonly onClose: () => void
}

/** A copy of the database, to any folder this computer can write to. */
export function BackupDialog({ free, onClose }: BackupDialogProps) {
  const api = useApi()
  const [path, setPath] = useState(free)
  const [overwrite, setOverwrite] = useState(false)
  const [passphrase, setPassphrase] = useState('')
  return (
    <SaveDialog
      title={t('Back up the database')}
      action={t('Create backup')}
      failed={t('Couldn’t create backup')}
      saved={t('Backup created: {{path}}', { path })}
      onSave={async () => {
        const body = { path, overwrite, ...(passphrase === '' ? {} : { passphrase }) }
        await cached(api, DATA_FOLDER).getState().after(api.call(writeBackupRoute, { body }))
      }}
      onClose={onClose}
    >
      {(errors) => (
        <>
          <Field
            label={t('File')}
            hint={t('Full path on this computer, outside the data folder')}
            error={errors['path']?.[0]}
          >
            <TextInput mono value={path} onChange={setPath} />
          </Field>
          <Switch label={t('Overwrite an existing file')} checked={overwrite} onChange={setOverwrite} />
          <Field
            label={t('Passphrase')}
            hint={t('Optional. At least 12 characters.')}
            error={errors['passphrase']?.[0]}
          >
            <TextInput
              type="password"
              autoComplete="new-password"
              value={passphrase}
              onChange={setPassphrase}
            />
          </Field>
          <p className="text-muted">
            {passphrase === ''
              ? t(
                  'Contains the database and all files, but not the key to the secrets. To read the secrets elsewhere, you need millrace key export.',
                )
              : t(
                  'Contains the database, all files and the key to the secrets, encrypted with the passphrase. If you lose the passphrase, nobody can read this backup.',
                )}
          </p>
        </>
      )}
    </SaveDialog>
  )
}
