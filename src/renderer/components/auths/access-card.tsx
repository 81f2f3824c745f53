import { UsersRound } from '../../lib/icons.tsx'
import type { ConnectorAuth } from '../../../shared/contract/connector-auths.ts'
import { TEAMS, USERS } from '../../api/lists.ts'
import { useResource } from '../../api/resource.ts'
import { Button } from '../controls/button.tsx'
import { Field } from '../controls/field.tsx'
import { Card } from '../screen/page.tsx'
import { UserChecks } from '../controls/user-checks.tsx'
import { Select } from '../controls/select.tsx'
import { english, t } from '../../lib/i18n.ts'

type Access = ConnectorAuth['access']

const OPTIONS = [
  {
    value: 'account',
    label: english('Everyone'),
    hint: english('All users and their flows'),
  },
  { value: 'selected', label: english('Selected users'), hint: english('You and the users you select') },
  {
    value: 'private',
    label: english('Private'),
    hint: english('Visible only to you, usable only in your flows'),
  },
] as const

export function AccessCard({
  access,
  error,
  onChange,
}: {
  readonly access: Access
  readonly error: string | undefined
  readonly onChange: (access: Access) => void
}) {
  const users = useResource(USERS).data ?? []
  const teams = useResource(TEAMS).data ?? []
  const { visibility, user_ids: chosen } = access
  return (
    <Card stacked title={t('Access')}>
      <Field label={t('Visible to')} error={error}>
        <Select
          value={visibility}
          options={OPTIONS.map((option) => ({ ...option, label: t(option.label), hint: t(option.hint) }))}
          onChange={(next) => onChange({ visibility: next, user_ids: next === 'selected' ? chosen : [] })}
        />
      </Field>
      {visibility === 'selected' ? (
        <>
          {teams.length === 0 ? null : (
            <div className="flex flex-wrap items-center gap-2">
              <span className="text-sm text-muted">{t('Add everyone in')}</span>
              {teams.map(({ id, name, user_ids: members }) => (
                <Button
                  key={id}
                  icon={UsersRound}
                  onClick={() => onChange({ visibility, user_ids: [...new Set([...chosen, ...members])] })}
                >
                  {name}
                </Button>
              ))}
            </div>
          )}
          {teams.length === 0 ? null : (
            <p className="text-muted">
              {t('Adds the current members. If people join the team later, add them here.')}
            </p>
          )}
          <UserChecks
            legend={t('Users')}
            users={users}
            chosen={chosen}
            onChange={(user_ids) => onChange({ visibility, user_ids: [...user_ids] })}
          />
        </>
      ) : null}
    </Card>
  )
}
