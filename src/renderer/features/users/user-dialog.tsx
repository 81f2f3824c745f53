import { useState } from 'react'
import type { User } from '../../../shared/contract/users.ts'
import { Field, TextInput } from '../../components/field.tsx'
import { SaveDialog } from '../../components/save-dialog.tsx'
import { Select } from '../../components/select.tsx'
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
    role: user?.role ?? 'member',
  })
  return (
    <SaveDialog
      title={user === undefined ? 'Add a user' : `Edit “${user.name}”`}
      action={user === undefined ? 'Add user' : 'Save user'}
      failed="The user was not saved"
      saved={`Saved the user “${draft.name}”`}
      onSave={() => userSaved(user?.id, draft)}
      onClose={onClose}
    >
      {(errors) => (
        <>
          <Field label="Name" error={errors['name']?.[0]}>
            <TextInput value={draft.name} onChange={(name) => setDraft({ ...draft, name })} />
          </Field>
          <Field label="Email" optional error={errors['email']?.[0]}>
            <TextInput
              type="email"
              value={draft.email}
              onChange={(email) => setDraft({ ...draft, email })}
              placeholder="ann@example.com"
            />
          </Field>
          <Field
            label="Role"
            hint="Kept for programs that read it; in Millrace every user may do the same."
            error={errors['role']?.[0]}
          >
            <Select
              value={draft.role}
              onChange={(role) => setDraft({ ...draft, role })}
              options={[
                { value: 'owner', label: 'Owner' },
                { value: 'member', label: 'Member' },
              ]}
            />
          </Field>
        </>
      )}
    </SaveDialog>
  )
}
