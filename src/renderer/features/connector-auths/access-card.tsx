import type { ConnectorAuth } from '../../../shared/contract/connector-auths.ts'
import { Field } from '../../components/field.tsx'
import { Card } from '../../components/page.tsx'
import { Select } from '../../components/select.tsx'
import { english, t } from '../../lib/i18n.ts'
import { useAuths } from './auths-store.ts'

type Access = ConnectorAuth['access']

const OPTIONS = [
  {
    value: 'account',
    label: english('Everybody'),
    hint: english('All users of this Millrace, and their flows'),
  },
  { value: 'selected', label: english('Chosen users'), hint: english('You and those you choose') },
  {
    value: 'private',
    label: english('Only me'),
    hint: english('Nobody else sees it, and no flow of theirs can use it'),
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
  const users = useAuths((state) => state.users)
  const { visibility, user_ids: chosen } = access
  return (
    <Card title={t('Who may use it')}>
      <div className="flex flex-col gap-4 p-4">
        <Field label={t('Visible to')} error={error}>
          <Select
            value={visibility}
            options={OPTIONS.map((option) => ({ ...option, label: t(option.label), hint: t(option.hint) }))}
            onChange={(next) => onChange({ visibility: next, user_ids: next === 'selected' ? chosen : [] })}
          />
        </Field>
        {visibility === 'selected' ? (
          <fieldset className="flex flex-col gap-1.5">
            <legend className="mb-1 text-sm font-medium">{t('Users')}</legend>
            {users.map(({ id, name, email }) => (
              <label key={id} className="flex items-center gap-2">
                <input
                  type="checkbox"
                  className="size-3.5 accent-(--accent)"
                  checked={chosen.includes(id)}
                  onChange={({ target }) =>
                    onChange({
                      visibility,
                      user_ids: target.checked ? [...chosen, id] : chosen.filter((one) => one !== id),
                    })
                  }
                />
                {name}
                <span className="text-sm text-muted">{email}</span>
              </label>
            ))}
          </fieldset>
        ) : null}
      </div>
    </Card>
  )
}
