import { useId } from 'react'
import type { Token } from '../../../shared/contract/tokens.ts'
import { LIMITS } from '../../../shared/contract/base/limits.ts'
import { Field, TextInput } from '../../components/controls/field.tsx'
import { useNow } from '../../components/values/time.tsx'
import { cx } from '../../lib/cx.ts'
import { formatDate, plural } from '../../lib/format.ts'
import { t } from '../../lib/i18n.ts'

/** `days` as typed while `choice` is `custom`. */
export interface Expiration {
  readonly choice: (typeof PRESETS)[number] | 'custom' | 'never'
  readonly days: string
}

const PRESETS = [7, 30, 60, 90, 365] as const
export const FIRST_EXPIRATION: Expiration = { choice: 90, days: '' }

/** An expiration as long as the token's previous one. */
export function expirationOf({
  created_at,
  expiration,
}: Pick<Token, 'created_at' | 'expiration'>): Expiration {
  if (expiration === null) return { choice: 'never', days: '' }
  const days = Math.max(1, Math.round((Date.parse(expiration) - Date.parse(created_at)) / 86_400_000))
  const preset = PRESETS.find((one) => one === days)
  return preset === undefined ? { choice: 'custom', days: String(days) } : { choice: preset, days: '' }
}

/** The number of days to send, null for never, or the problem with the input. */
export function readExpiration({ choice, days }: Expiration): { days: number | null } | { problem: string } {
  if (choice === 'never') return { days: null }
  if (choice !== 'custom') return { days: choice }
  const number = /^\d{1,6}$/.test(days.trim()) ? Number(days) : 0
  if (number >= 1 && number <= LIMITS.expirationDays) return { days: number }
  return {
    problem: t('Enter a whole number of days from 1 to {{expirationDays}}.', {
      expirationDays: LIMITS.expirationDays,
    }),
  }
}

interface ExpirationFieldProps {
  readonly value: Expiration
  readonly onChange: (value: Expiration) => void
  /** The problem is shown once something was typed or submitted. */
  readonly error?: string | undefined
}

export function ExpirationField({ value, onChange, error }: ExpirationFieldProps) {
  const name = useId()
  const now = useNow()
  const read = readExpiration(value)
  const choices: readonly (readonly [Expiration['choice'], string])[] = [
    ...PRESETS.map((days) => [days, plural(days, 'day')] as const),
    ['custom', t('Custom')],
    ['never', t('Never')],
  ]
  return (
    <fieldset className="flex flex-col gap-1.5">
      <legend className="mb-1.5 font-medium">{t('Expires in')}</legend>
      <div className="flex flex-wrap gap-1">
        {choices.map(([choice, label]) => (
          <label
            key={choice}
            className={cx(
              'flex h-7 items-center rounded border border-line-control/70 px-2.5 select-none hover:bg-hover',
              'has-checked:border-second has-checked:bg-selected has-checked:font-medium',
              'has-focus-visible:outline-2 has-focus-visible:outline-offset-1 has-focus-visible:outline-accent',
            )}
          >
            <input
              type="radio"
              name={name}
              className="sr-only"
              checked={value.choice === choice}
              onChange={() => onChange({ ...value, choice })}
            />
            {label}
          </label>
        ))}
      </div>
      {value.choice === 'custom' ? (
        <Field label={t('Days')} error={error} className="max-w-40">
          <TextInput
            value={value.days}
            inputMode="numeric"
            onChange={(days) => onChange({ ...value, days })}
          />
        </Field>
      ) : null}
      <p className="text-muted" aria-live="polite">
        {'problem' in read
          ? t('Up to {{expirationDays}} days.', { expirationDays: LIMITS.expirationDays })
          : endSentence(read.days, now)}
      </p>
    </fieldset>
  )
}

function endSentence(days: number | null, now: number): string {
  if (days === null) return t('Never expires. Revoke it when you no longer need it.')
  return t('Expires on {{date}}.', { date: formatDate(now + days * 86_400_000, 0) })
}
