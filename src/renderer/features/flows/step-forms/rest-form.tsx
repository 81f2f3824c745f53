import { Plus } from '../../../lib/icons.tsx'
import { useState } from 'react'
import { Button } from '../../../components/controls/button.tsx'
import { t } from '../../../lib/i18n.ts'
import { AuthField } from '../fields/auth-field.tsx'
import { FormFields, frameOf } from '../fields/form-fields.tsx'
import { asTemplate, type StepFormProps } from '../fields/form-props.ts'
import { TemplateJsonField } from '../fields/template-json-field.tsx'
import { ForEachSection } from './for-each-section.tsx'
import { RestPaging } from './rest-paging.tsx'

export function RestForm(props: StepFormProps) {
  const { step, config, onChange, errorOf } = props
  return (
    <>
      <div className="grid grid-cols-[7rem_minmax(0,1fr)] gap-2">
        <FormFields {...props} only={['method', 'url']} />
      </div>
      <AuthField
        refId={step.ref_id}
        address={asTemplate(config.url)}
        value={config.auth_id}
        error={errorOf('auth_id')}
        onChange={(auth_id) => onChange({ auth_id })}
      />
      <RestPaging step={step} config={config} error={errorOf('pagination')} onChange={onChange} />
      <FormFields {...props} only={['query', 'headers']} />
      <BodySection {...props} />
      <ForEachSection {...props} />
    </>
  )
}

/** The body; only one line if there is none, and for methods without a body until one is requested. */
function BodySection(props: StepFormProps) {
  const { step, config, onChange } = props
  const bodyType = asTemplate(config.body_type) || 'json'
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
      <FormFields {...props} only={['body_type']} />
      {bodyType === 'none' ? null : (
        <TemplateJsonField
          refId={step.ref_id}
          field="config.body"
          textKind={bodyType === 'text' || bodyType === 'xml' ? bodyType : undefined}
          {...frameOf(props, 'body')}
          hint={
            bodyType === 'xml'
              ? t('XML. Inserted values are escaped.')
              : t('JSON (strings can be templates), or a template.')
          }
          value={config.body ?? null}
          onChange={(body) => onChange({ body })}
        />
      )}
    </>
  )
}
