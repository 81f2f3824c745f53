import { useState } from 'react'
import type { User } from '../../../shared/contract/users.ts'
import { Field, TextInput } from '../../components/controls/field.tsx'
import { SaveDialog } from '../../components/screen/save-dialog.tsx'
import { t } from '../../lib/i18n.ts'
import { useUsers } from './users-store.ts'
import type { UserBody } from './users-store.ts'

interface UserDialogProps {
  /** Absent for a new one. */
  readonly user: User | undefined
  readonly onClose: () => void
}

export function UserDialog({ user, onClose }: UserDialogProps) {
  const userSaved = useUsers((state) => state.userSaved)
  const [draft, setDraft] = useState<UserBody>({
    name: user?.name ?? '',
    email: user?.email ?? '',
  })
  return (
    <SaveDialog
      title={user === undefined ? t('Add user') : t('Edit “{{name}}”', { name: user.name })}
      action={user === undefined ? t('Add user') : t('Save user')}
      failed={t('Couldn’t save user')}
      saved={t('User “{{name}}” saved', { name: draft.name })}
      onSave={() => userSaved(user?.id, draft)}
      onClose={onClose}
    >
      {(errors) => (
        <>
          <Field label={t('Name')} error={errors['name']?.[0]}>
            <TextInput value={draft.name} onChange={(name) => setDraft({ ...draft, name })} />
          </Field>
          <Field label={t('Email')} optional error={errors['email']?.[0]}>
            <TextInput
              type="email"
              value={draft.email}
              onChange={(email) => setDraft({ ...draft, email })}
              placeholder="ann@example.com"
            />
          </Field>
        </>
      )}
    </SaveDialog>
  )
}
