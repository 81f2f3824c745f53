import { useState } from 'react'
import { createUserRoute, updateUserRoute } from '../../../shared/contract/users.ts'
import type { User } from '../../../shared/contract/users.ts'
import { USERS } from '../../api/lists.ts'
import { useApi } from '../../api/provider.tsx'
import { cached } from '../../api/resource.ts'
import { Field, TextInput } from '../../components/controls/field.tsx'
import { SaveDialog } from '../../components/screen/save-dialog.tsx'
import { t } from '../../lib/i18n.ts'

interface UserDialogProps {
  /** Absent for a new one. */
  readonly user: User | undefined
  readonly onClose: () => void
}

export function UserDialog({ user, onClose }: UserDialogProps) {
  const api = useApi()
  const [draft, setDraft] = useState<Pick<User, 'name' | 'email'>>({
    name: user?.name ?? '',
    email: user?.email ?? '',
  })
  async function save() {
    const saved =
      user === undefined
        ? api.call(createUserRoute, { body: draft })
        : api.call(updateUserRoute, { params: { id: user.id }, body: draft })
    await cached(api, USERS).getState().after(saved)
  }
  return (
    <SaveDialog
      title={user === undefined ? t('Add user') : t('Edit “{{name}}”', { name: user.name })}
      action={user === undefined ? t('Add user') : t('Save user')}
      failed={t('Couldn’t save user')}
      saved={t('User “{{name}}” saved', { name: draft.name })}
      onSave={save}
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
