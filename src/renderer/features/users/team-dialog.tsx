import { useState } from 'react'
import type { Team } from '../../../shared/contract/teams.ts'
import { UserChecks } from '../../components/controls/user-checks.tsx'
import { Field, TextInput } from '../../components/controls/field.tsx'
import { SaveDialog } from '../../components/screen/save-dialog.tsx'
import { t } from '../../lib/i18n.ts'
import { useUsers } from './users-store.ts'
import type { TeamBody } from './users-store.ts'

interface TeamDialogProps {
  /** Absent for a new one. */
  readonly team: Team | undefined
  readonly onClose: () => void
}

export function TeamDialog({ team, onClose }: TeamDialogProps) {
  const teamSaved = useUsers((state) => state.teamSaved)
  const users = useUsers((state) => state.users)
  const [draft, setDraft] = useState<TeamBody>({ name: team?.name ?? '', user_ids: team?.user_ids ?? [] })
  return (
    <SaveDialog
      title={team === undefined ? t('Add team') : t('Edit “{{name}}”', { name: team.name })}
      action={team === undefined ? t('Add team') : t('Save team')}
      failed={t('Couldn’t save team')}
      saved={t('Team “{{name}}” saved', { name: draft.name })}
      onSave={() => teamSaved(team?.id, draft)}
      onClose={onClose}
    >
      {(errors) => (
        <>
          <Field label={t('Name')} error={errors['name']?.[0]}>
            <TextInput
              value={draft.name}
              onChange={(name) => setDraft({ ...draft, name })}
              placeholder={t('Sales')}
            />
          </Field>
          <UserChecks
            legend="Members"
            users={users ?? []}
            chosen={draft.user_ids}
            error={errors['user_ids']?.[0]}
            onChange={(user_ids) => setDraft({ ...draft, user_ids: [...user_ids] })}
          />
        </>
      )}
    </SaveDialog>
  )
}
