import { useState } from 'react'
import { createTeamRoute, updateTeamRoute } from '../../../shared/contract/teams.ts'
import type { Team } from '../../../shared/contract/teams.ts'
import { TEAMS, USERS } from '../../api/lists.ts'
import { useApi } from '../../api/provider.tsx'
import { cached, useResource } from '../../api/resource.ts'
import { UserChecks } from '../../components/controls/user-checks.tsx'
import { Field, TextInput } from '../../components/controls/field.tsx'
import { SaveDialog } from '../../components/screen/save-dialog.tsx'
import { t } from '../../lib/i18n.ts'

interface TeamDialogProps {
  /** Absent for a new one. */
  readonly team: Team | undefined
  readonly onClose: () => void
}

export function TeamDialog({ team, onClose }: TeamDialogProps) {
  const api = useApi()
  const { data: users } = useResource(USERS)
  const [draft, setDraft] = useState<Pick<Team, 'name' | 'user_ids'>>({
    name: team?.name ?? '',
    user_ids: team?.user_ids ?? [],
  })
  async function save() {
    const saved =
      team === undefined
        ? api.call(createTeamRoute, { body: draft })
        : api.call(updateTeamRoute, { params: { id: team.id }, body: draft })
    await cached(api, TEAMS).getState().after(saved)
  }
  return (
    <SaveDialog
      title={team === undefined ? t('Add team') : t('Edit “{{name}}”', { name: team.name })}
      action={team === undefined ? t('Add team') : t('Save team')}
      failed={t('Couldn’t save team')}
      saved={t('Team “{{name}}” saved', { name: draft.name })}
      onSave={save}
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
