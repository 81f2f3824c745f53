import { useState } from 'react'
import { Field, TextInput } from '../../components/controls/field.tsx'
import { SaveDialog } from '../../components/screen/save-dialog.tsx'
import { t } from '../../lib/i18n.ts'
import { useSettings } from './settings-store.ts'

/** A copy of the database, to wherever this computer can write. */
export function BackupDialog({ folder, onClose }: { readonly folder: string; readonly onClose: () => void }) {
  const backedUp = useSettings((state) => state.backedUp)
  const [path, setPath] = useState(() => `${folder}/millrace-${new Date().toISOString().slice(0, 10)}.db`)
  return (
    <SaveDialog
      title={t('Back up the database')}
      action={t('Write backup')}
      failed={t('The backup was not written')}
      saved={t('Wrote the backup to {{path}}', { path })}
      onSave={() => backedUp(path)}
      onClose={onClose}
    >
      {(errors) => (
        <>
          <Field
            label={t('File')}
            hint={t('The full path on this computer. What is there is replaced once the copy is sound.')}
            error={errors['path']?.[0]}
          >
            <TextInput mono value={path} onChange={setPath} />
          </Field>
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
