import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { AlarmSettings } from '../../../shared/contract/alarms.ts'
import { t } from '../../lib/i18n.ts'
import { Trans } from '../../lib/trans.tsx'
import { Field, Switch, TextInput } from '../controls/field.tsx'
import { FlowSelect } from './flow-select.tsx'

interface AlarmFieldsProps {
  readonly alarms: AlarmSettings
  /** Keyed by field name; the key of the recipients is `email_to`. */
  readonly errors: Readonly<Record<string, string | undefined>>
  readonly onChange: (alarms: AlarmSettings) => void
  /** A flow can't be its own alarm. */
  readonly exceptFlow: string | undefined
}

/** When and how to notify about one flow. */
export function AlarmFields({ alarms, errors, onChange, exceptFlow }: AlarmFieldsProps) {
  const set = (patch: Partial<AlarmSettings>) => onChange({ ...alarms, ...patch })
  return (
    <>
      <Switch
        label={t('Failed runs')}
        hint={t('Manual runs don’t count.')}
        checked={alarms.on_failure}
        onChange={(on_failure) => set({ on_failure })}
      />
      <Switch
        label={t('Missed scheduled times')}
        hint={t('For example, because Millrace wasn’t running.')}
        checked={alarms.on_missed}
        onChange={(on_missed) => set({ on_missed })}
      />
      <SilenceField
        value={alarms.silent_after_minutes}
        error={errors['silent_after_minutes']}
        onChange={(silent_after_minutes) => set({ silent_after_minutes })}
      />
      <Switch
        label={t('Notify me in the app')}
        hint={t('Also sends browser and desktop notifications if you allow them.')}
        checked={alarms.notify}
        onChange={(notify) => set({ notify })}
      />
      <Field
        label={t('Notify by email')}
        optional
        hint={
          <Trans
            text="Comma-separated. Choose the mail server in <place>Settings, Alarms</place>."
            parts={{
              place: (
                <Link
                  to="/settings"
                  hash={t('Alarms')}
                  className="rounded-sm text-accent-text hover:underline"
                />
              ),
            }}
          />
        }
        error={errors['email_to']}
      >
        <AddressesInput value={alarms.email_to} onChange={(email_to) => set({ email_to })} />
      </Field>
      <Field
        label={t('Start a flow')}
        optional
        hint={t('It can use {{ alarm_message }}, {{ alarm_kind }} and {{ alarm_flow_name }}.')}
        error={errors['flow_id']}
      >
        <FlowSelect value={alarms.flow_id} except={exceptFlow} onChange={(flow_id) => set({ flow_id })} />
      </Field>
    </>
  )
}

interface SilenceFieldProps {
  /** In minutes. */
  readonly value: number | null
  readonly error: string | undefined
  readonly onChange: (value: number | null) => void
}

export function SilenceField({ value, error, onChange }: SilenceFieldProps) {
  return (
    <Field
      label={t('No run for (minutes)')}
      optional
      hint={t('Time when Millrace isn’t running doesn’t count. Leave empty for flows that rarely run.')}
      error={error}
    >
      <TextInput
        inputMode="numeric"
        className="w-40"
        value={value === null ? '' : String(value)}
        onChange={(text) => {
          const digits = text.replaceAll(/\D/g, '').slice(0, 9)
          onChange(digits === '' ? null : Number(digits))
        }}
      />
    </Field>
  )
}

interface AddressesInputProps {
  readonly value: readonly string[]
  readonly onChange: (addresses: string[]) => void
}

/** Keeps the text as typed. */
export function AddressesInput({ value, onChange }: AddressesInputProps) {
  const [typed, setTyped] = useState(value.join(', '))
  const shown = addressesOf(typed).join() === value.join() ? typed : value.join(', ')
  return (
    <TextInput
      value={shown}
      placeholder="ada@example.com"
      onChange={(text) => {
        setTyped(text)
        onChange(addressesOf(text))
      }}
    />
  )
}

const addressesOf = (text: string) =>
  text.split(/[,;\s]+/).flatMap((address) => (address === '' ? [] : [address]))
