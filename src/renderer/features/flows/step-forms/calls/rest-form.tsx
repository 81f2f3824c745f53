import { Plus } from '../../../../lib/icons.tsx'
import { useState } from 'react'
import { Button } from '../../../../components/controls/button.tsx'
import { Field, Switch, TextInput } from '../../../../components/controls/field.tsx'
import { Select } from '../../../../components/controls/select.tsx'
import { english, t } from '../../../../lib/i18n.ts'
import { TemplateField } from '../../fields/template-field.tsx'
import { TemplateJsonField } from '../../fields/template-json-field.tsx'
import { AuthField } from '../../fields/auth-field.tsx'
import { DictionaryOrTemplate } from '../../fields/dictionary-or-template.tsx'
import { RestPaging } from './rest-paging.tsx'
import { asTemplate, orAbsent } from '../../fields/form-props.ts'
import type { StepFormProps } from '../../fields/form-props.ts'
import { InDoubtField } from './in-doubt-field.tsx'

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'] as const
const BODY_TYPES = {
  json: 'JSON',
  form: english('Form (urlencoded)'),
  multipart: english('Form (multipart)'),
  text: english('Text'),
  xml: 'XML',
  binary: english('Binary'),
  none: english('None'),
} as const
type BodyType = keyof typeof BODY_TYPES

export function RestForm({ step, config, onChange, errorOf }: StepFormProps) {
  const method = METHODS.find((known) => known === config.method) ?? 'GET'
  return (
    <>
      <div className="grid grid-cols-[7rem_minmax(0,1fr)] gap-2">
        <Field label={t('Method')} error={errorOf('method')}>
          <Select
            value={method}
            onChange={(next) => onChange({ method: next })}
            options={METHODS.map((value) => ({ value, label: value }))}
          />
        </Field>
        <TemplateField
          refId={step.ref_id}
          label={t('URL')}
          field="config.url"
          error={errorOf('url')}
          kind="text"
          placeholder="https://api.example.com/orders/{{ web1.id }}"
          value={asTemplate(config.url)}
          onChange={(url) => onChange({ url: orAbsent(url) })}
        />
      </div>
      <AuthField
        refId={step.ref_id}
        address={asTemplate(config.url)}
        value={config.auth_id}
        error={errorOf('auth_id')}
        onChange={(auth_id) => onChange({ auth_id })}
      />
      <RestPaging step={step} config={config} error={errorOf('pagination')} onChange={onChange} />
      <DictionaryOrTemplate
        refId={step.ref_id}
        label={t('Query')}
        noun={t('parameter')}
        error={errorOf('query')}
        value={config.query}
        onChange={(query) => onChange({ query })}
      />
      <DictionaryOrTemplate
        refId={step.ref_id}
        label={t('Headers')}
        noun={t('header')}
        error={errorOf('headers')}
        value={config.headers}
        onChange={(headers) => onChange({ headers })}
      />
      <BodySection step={step} config={config} onChange={onChange} errorOf={errorOf} />
    </>
  )
}

/** One line if there is no body, and for methods without one until it is requested. */
function BodySection({ step, config, onChange, errorOf }: Omit<StepFormProps, 'onStepChange'>) {
  const bodyType = (config.body_type ?? 'json') as BodyType
  const [isWanted, setIsWanted] = useState(false)
  const isSet = (config.body ?? null) !== null || !['json', 'none'].includes(bodyType)
  const hasNone = ['GET', 'HEAD'].includes(asTemplate(config.method) || 'GET')
  if (hasNone && !isSet && !isWanted)
    return (
      <div className="flex min-h-6 items-center justify-between gap-2">
        <span className="text-sm font-medium">
          {t('Body')} <span className="font-normal text-faint">–</span>
        </span>
        <Button look="quiet" icon={Plus} className="h-6" onClick={() => setIsWanted(true)}>
          {t('Add {{noun}}', { noun: t('body') })}
        </Button>
      </div>
    )
  return (
    <>
      <Field label={t('Body')} className="max-w-60" error={errorOf('body_type')}>
        <Select
          value={bodyType}
          onChange={(next) => onChange({ body_type: next })}
          options={(Object.keys(BODY_TYPES) as BodyType[]).map((value) => ({
            value,
            label: t(BODY_TYPES[value]),
          }))}
        />
      </Field>
      {bodyType === 'none' ? null : (
        <TemplateJsonField
          refId={step.ref_id}
          field="config.body"
          textKind={bodyType === 'text' || bodyType === 'xml' ? bodyType : undefined}
          label={t('Body content')}
          hint={
            bodyType === 'xml'
              ? t('XML. Inserted values are escaped.')
              : t('JSON (strings can be templates), or a template.')
          }
          error={errorOf('body')}
          value={config.body ?? null}
          onChange={(body) => onChange({ body })}
        />
      )}
    </>
  )
}

/** When a call counts as failed. */
export function RestOptions({ config, onChange, errorOf }: StepFormProps) {
  return (
    <>
      <Switch
        label={t('Fail on HTTP errors (400 and above)')}
        checked={config.fail_on_error !== false}
        onChange={(fail_on_error) => onChange({ fail_on_error })}
      />
      <Field label={t('Timeout (seconds)')} optional className="max-w-40" error={errorOf('timeout_seconds')}>
        <TextInput
          inputMode="decimal"
          value={asTemplate(config.timeout_seconds)}
          placeholder="300"
          onChange={(text) => onChange({ timeout_seconds: readNumber(text) })}
        />
      </Field>
      {config.pagination ? <InDoubtField config={config} onChange={onChange} errorOf={errorOf} /> : null}
    </>
  )
}

/** Text that isn't a number stays as typed; saving reports the problem. */
function readNumber(text: string): number | string | undefined {
  if (text.trim() === '') return undefined
  return /^\d+(?:\.\d+)?$/.test(text.trim()) ? Number(text) : text
}
