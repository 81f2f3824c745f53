import { useState } from 'react'
import type { AppError } from '../../../shared/contract/base/errors.ts'
import type { Settings } from '../../../shared/contract/settings.ts'
import { faultInList } from '../../api/failure.ts'
import { Field, TextArea, TextInput } from '../../components/controls/field.tsx'
import { t } from '../../lib/i18n.ts'

/** The settings as they are on the screen, and why they were rejected. */
export interface SettingsDraft {
  readonly shown: Settings
  readonly failure: AppError | null
  readonly set: (patch: Partial<Settings>) => void
}

type NamesOf<Value> = { [N in keyof Settings]-?: Settings[N] extends Value ? N : never }[keyof Settings]

interface SettingProps<Value> extends SettingsDraft {
  readonly name: NamesOf<Value>
  readonly label: string
  readonly hint?: string
}

export function NumberSetting({ name, label, hint, shown, failure, set }: SettingProps<number | null>) {
  return (
    <Field label={label} hint={hint} error={faultInList(failure, name)}>
      <TextInput
        inputMode="numeric"
        className="w-40"
        value={String(shown[name])}
        onChange={(text) => set({ [name]: Number(text.replace(/\D/g, '').slice(0, 12)) })}
      />
    </Field>
  )
}

const BYTES_PER_MB = 1_048_576

/** Bytes as megabytes, possibly with a fraction: `0.5`. The text stays as typed. */
export function MegabyteSetting({ name, label, shown, failure, set }: SettingProps<number>) {
  const bytes = shown[name]
  const [typed, setTyped] = useState(String(bytes / BYTES_PER_MB))
  return (
    <Field label={label} error={faultInList(failure, name)} hint={t('Larger requests get 413.')}>
      <TextInput
        inputMode="decimal"
        className="w-40"
        value={toBytes(typed) === bytes ? typed : String(bytes / BYTES_PER_MB)}
        onChange={(text) => {
          const next = text
            .replaceAll(',', '.')
            .replaceAll(/[^\d.]/g, '')
            .slice(0, 12)
          setTyped(next)
          set({ [name]: toBytes(next) })
        }}
      />
    </Field>
  )
}

function toBytes(megabytes: string): number {
  return Math.round((Number.parseFloat(megabytes) || 0) * BYTES_PER_MB)
}

interface LinesSettingProps extends SettingProps<readonly string[]> {
  /** The name of a folder may end in a space. */
  readonly keepsSpaces?: true
}

/** One item per line; empty lines are left out once the field is left. */
export function LinesSetting({ name, label, hint, shown, failure, set, keepsSpaces }: LinesSettingProps) {
  const lines = () => shown[name].filter((line) => line.trim() !== '')
  return (
    <Field label={label} optional hint={hint} error={faultInList(failure, name)}>
      <TextArea
        mono
        value={shown[name].join('\n')}
        onChange={(text) => set({ [name]: text.split('\n') })}
        onBlur={() => set({ [name]: keepsSpaces ? lines() : lines().map((line) => line.trim()) })}
      />
    </Field>
  )
}

interface UrlSettingProps extends Omit<SettingProps<string | null>, 'name'> {
  readonly name: 'public_url' | 'page_url'
  readonly placeholder: string
}

export function UrlSetting({ name, label, hint, placeholder, shown, failure, set }: UrlSettingProps) {
  return (
    <Field label={label} optional hint={hint} error={faultInList(failure, name)}>
      <TextInput
        mono
        value={shown[name] ?? ''}
        placeholder={placeholder}
        onChange={(text) => set({ [name]: text.trim() || null })}
      />
    </Field>
  )
}
