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
      action={t('Write backup')}
      failed={t('The backup was not written')}
      saved={t('Wrote the backup to {{path}}', { path })}
      onSave={() => backedUp(path, overwrite)}
      onClose={onClose}
    >
      {(errors) => (
        <>
          <Field
            label={t('File')}
            hint={t('The full path on this computer, outside of the data folder')}
            error={errors['path']?.[0]}
          >
            <TextInput mono value={path} onChange={setPath} />
          </Field>
          <Switch
            label={t('Replace the file if it is already there')}
            checked={overwrite}
            onChange={setOverwrite}
          />
          <p className="text-sm text-muted">
            {t(
              'Restore on this card brings it back. Its secrets need the key, which millrace key export takes along. Uploaded files and values above 5 MB lie beside the database, in the folders files and records.',
            )}
          </p>
        </>
      )}
    </SaveDialog>
  )
}
