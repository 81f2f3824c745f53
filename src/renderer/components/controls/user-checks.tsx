import { CircleAlert } from '../../lib/icons.tsx'
import type { User } from '../../../shared/contract/users.ts'
import { userName } from '../../lib/format.ts'

interface UserChecksProps {
  readonly legend: string
  readonly users: readonly User[]
  readonly chosen: readonly string[]
  readonly error?: string | undefined
  readonly onChange: (userIds: readonly string[]) => void
}

/** Chooses some of the users, with a checkbox for each. */
export function UserChecks({ legend, users, chosen, error, onChange }: UserChecksProps) {
  return (
    <fieldset className="flex min-w-0 flex-col gap-1.5">
      <legend className="mb-1 font-medium">{legend}</legend>
      {users.map(({ id, name, email }) => (
        <label key={id} className="flex min-h-6 items-center gap-2">
          <input
            type="checkbox"
            className="size-3.5 accent-(--accent)"
            checked={chosen.includes(id)}
            onChange={({ target }) =>
              onChange(target.checked ? [...chosen, id] : chosen.filter((one) => one !== id))
            }
          />
          {userName({ name })}
          <span className="min-w-0 truncate text-sm text-muted">{email}</span>
        </label>
      ))}
      {error === undefined ? null : (
        <p className="flex items-start gap-1.5 text-error">
          <CircleAlert size={13} aria-hidden className="mt-0.5 shrink-0" />
          {error}
        </p>
      )}
    </fieldset>
  )
}
