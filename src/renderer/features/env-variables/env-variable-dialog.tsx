import { quoted } from '../../../shared/contract/base/message.ts'
import { useState } from 'react'
import { createEnvVariableRoute, updateEnvVariableRoute } from '../../../shared/contract/env-variables.ts'
import type { EnvVariable } from '../../../shared/contract/env-variables.ts'
import { fieldErrors } from '../../../shared/contract/base/errors.ts'
import { useApi } from '../../api/provider.tsx'
import { cached } from '../../api/resource.ts'
import { CodeField } from '../../components/code/code-field.tsx'
import { Field, Switch, TextArea, TextInput } from '../../components/controls/field.tsx'
import { SaveDialog } from '../../components/screen/save-dialog.tsx'
import { Select } from '../../components/controls/select.tsx'
import { t } from '../../lib/i18n.ts'
import { toBody, toDraft } from './env-variable-draft.ts'
import type { EnvVariableDraft } from './env-variable-draft.ts'
import { ENV_VARIABLES, REENTRY } from './env-variables.ts'

interface EnvVariableDialogProps {
  /** Absent for a new one. */
  readonly variable: EnvVariable | undefined
  readonly onClose: () => void
}

export function EnvVariableDialog({ variable, onClose }: EnvVariableDialogProps) {
  const api = useApi()
  const [draft, setDraft] = useState(() => toDraft(variable))
  const set = (patch: Partial<EnvVariableDraft>) => setDraft((before) => ({ ...before, ...patch }))

  async function save() {
    const body = toBody(draft)
    if ('problem' in body) throw fieldErrors({ value: [quoted(body.problem)] })
    const saved =
      variable === undefined
        ? api.call(createEnvVariableRoute, { query: REENTRY, body })
        : api.call(updateEnvVariableRoute, { params: { id: variable.id }, query: REENTRY, body })
    await cached(api, ENV_VARIABLES).getState().after(saved)
  }

  return (
    <SaveDialog
      title={variable === undefined ? t('New variable') : t('Edit “{{name}}”', { name: variable.name })}
      action={t('Save variable')}
      failed={t('Couldn’t save variable')}
      saved={t('Variable “{{name}}” saved', { name: draft.name })}
      onSave={save}
      onClose={onClose}
    >
      {(errors) => (
        <>
          <div className="grid grid-cols-[minmax(0,1fr)_9rem] gap-3">
            <Field
              label={t('Name')}
              hint={
                draft.name === ''
                  ? t('Letters, digits and _')
                  : t('Use {{place}} in templates.', { place: `{{ ${draft.name} }}` })
              }
              error={errors['name']?.[0]}
            >
              <TextInput mono value={draft.name} onChange={(name) => set({ name })} placeholder="shop_url" />
            </Field>
            <Field label={t('Type')} error={errors['type']?.[0]}>
              <Select value={draft.type} onChange={(type) => set({ type })} options={typeOptions()} />
            </Field>
          </div>
          <ValueField
            draft={draft}
            isStored={variable?.secret === true}
            error={errors['value']?.[0]}
            onChange={(text) => set({ text })}
          />
          <Switch
            label={t('Secret')}
            hint={t('Stored encrypted, never shown again, and hidden in the run history.')}
            checked={draft.secret}
            onChange={(secret) => set({ secret, text: secret ? draft.text : (draft.text ?? '') })}
          />
        </>
      )}
    </SaveDialog>
  )
}

const typeOptions = () =>
  [
    { value: 'text', label: t('Text') },
    { value: 'number', label: t('Number') },
    { value: 'list', label: t('List'), hint: t('A JSON list') },
    { value: 'object', label: t('Object'), hint: t('A JSON object') },
  ] as const

interface ValueFieldProps {
  readonly draft: EnvVariableDraft
  /** Whether a secret is stored, which an empty field keeps. */
  readonly isStored: boolean
  readonly error: string | undefined
  readonly onChange: (text: string | null) => void
}

function ValueField({ draft: { type, secret, text }, isStored, error, onChange }: ValueFieldProps) {
  const keeps = isStored && secret
  return (
    <Field
      label={t('Value')}
      error={error}
      {...(keeps ? { hint: t('Stored encrypted. Leave empty to keep it.') } : {})}
    >
      {secret ? (
        // A text area, since keys and certificates have several lines; its text is masked.
        <TextArea
          mono
          rows={2}
          autoComplete="off"
          className="[-webkit-text-security:disc]"
          value={text ?? ''}
          placeholder={keeps && text === null ? '••••••••' : ''}
          onChange={(next) => onChange(keeps && next === '' ? null : next)}
        />
      ) : type === 'text' ? (
        <TextArea rows={2} value={text ?? ''} onChange={onChange} />
      ) : type === 'number' ? (
        <TextInput mono inputMode="decimal" value={text ?? ''} onChange={onChange} />
      ) : (
        <CodeField value={text ?? ''} language="json" onChange={onChange} fill={false} />
      )}
    </Field>
  )
}
