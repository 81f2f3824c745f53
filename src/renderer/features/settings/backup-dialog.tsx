import { useState } from 'react'
import { Field, Switch, TextInput } from '../../components/controls/field.tsx'
import { SaveDialog } from '../../components/screen/save-dialog.tsx'
import { t } from '../../lib/i18n.ts'
import { useSettings } from './settings-store.ts'

/** A copy of the database, to any folder this computer can write to. */
export function BackupDialog({ free, onClose }: { readonly free: string; readonly onClose: () => void }) {
  const backedUp = useSettings((state) => state.backedUp)
  const [path, setPath] = useState(free)
  const [overwrite, setOverwrite] = useState(false)
  return (
    <SaveDialog
      title={t('Back up the database')}
      action={t('Create backup')}
      failed={t('Couldn’t create backup')}
      saved={t('Backup created: {{path}}', { path })}
      onSave={() => backedUp(path, overwrite)}
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
          <p className="text-sm text-muted">
            {t(
              'Use Restore on this card to restore it. To read its secrets you need the key: millrace key export. Uploaded files and values above 5 MB are stored next to the database, in the folders files and records.',
            )}
          </p>
        </>
      )}
    </SaveDialog>
  )
}
