import { WEBHOOK_METHODS } from '../../../../../shared/contract/step-configs/triggers.ts'
import { Field, Switch, TextArea } from '../../../../components/controls/field.tsx'
import { cx } from '../../../../lib/cx.ts'
import { t } from '../../../../lib/i18n.ts'
import { asDictionary, asNumberOrTemplate, asTemplate, type StepFormProps } from '../../fields/form-props.ts'
import { TemplateDictionary, TemplateField } from '../../fields/template-field.tsx'
import { WebhookCard } from '../../webhook/webhook-card.tsx'
import { SignatureFields } from './signature-fields.tsx'

export function WebhookForm({ step, config, onChange, errorOf }: StepFormProps) {
  const isAsync = config.async === true
  return (
    <>
      <WebhookCard refId={step.ref_id} />
      <Methods
        value={config.methods}
        error={errorOf('methods')}
        onChange={(methods) => onChange({ methods })}
      />
      <Switch
        label={t('Respond immediately')}
        hint={t('Makes the webhook async: returns 200 with null as soon as the run is queued.')}
        checked={isAsync}
        onChange={(checked) => onChange({ async: checked })}
      />
      {isAsync ? (
        <p className="rounded bg-sunken px-3 py-2 text-sm text-muted">
          {t('While this is on, the status and body below aren’t used.')}
        </p>
      ) : null}
      <TemplateField
        refId={step.ref_id}
        label={t('Response status code')}
        kind="text"
        hint={t('Rendered after the last step.')}
        error={errorOf('response_status_code')}
        placeholder="200"
        value={asTemplate(config.response_status_code)}
        onChange={(text) => onChange({ response_status_code: asNumberOrTemplate(text) })}
      />
      <TemplateField
        refId={step.ref_id}
        label={t('Response body')}
        kind="body"
        rows={6}
        hint={t(
          'Template that can use the results of all steps. Sent as JSON if it starts with { or [. Inserted values are escaped.',
        )}
        error={errorOf('response_body')}
        placeholder={`{\n  "received": {{ ${step.ref_id}.order_id }}\n}`}
        value={asTemplate(config.response_body)}
        onChange={(body) => onChange({ response_body: body })}
      />
      <TemplateDictionary
        refId={step.ref_id}
        label={t('Response headers')}
        noun={t('header')}
        error={errorOf('response_headers')}
        value={asDictionary(config.response_headers)}
        onChange={(headers) => onChange({ response_headers: headers })}
      />
      <Field
        label={t('Allowed CORS origins')}
        optional
        hint={t('One per line, for example https://shop.example. Only needed for calls from a browser.')}
        error={errorOf('cors_origins')}
      >
        <TextArea
          mono
          value={(Array.isArray(config.cors_origins) ? config.cors_origins : []).join('\n')}
          onChange={(text) =>
            onChange({ cors_origins: text.split('\n').filter((line) => line.trim() !== '') })
          }
        />
      </Field>
      <SignatureFields config={config} onChange={onChange} errorOf={errorOf} />
    </>
  )
}

interface MethodsProps {
  readonly value: unknown
  readonly error: string | undefined
  readonly onChange: (methods: readonly string[]) => void
}

/** At least one stays chosen. */
function Methods({ value, error, onChange }: MethodsProps) {
  const chosen: readonly unknown[] = Array.isArray(value) ? value : ['POST']
  const opens = chosen.includes('GET') || chosen.includes('HEAD')
  function toggle(method: string) {
    const next = WEBHOOK_METHODS.filter((one) => (one === method) !== chosen.includes(one))
    if (next.length > 0) onChange(next)
  }
  return (
    <fieldset className="flex flex-col gap-1">
      <legend className="pb-1 font-medium">{t('Methods')}</legend>
      <div className="flex flex-wrap gap-1">
        {WEBHOOK_METHODS.map((method) => (
          <button
            key={method}
            type="button"
            aria-pressed={chosen.includes(method)}
            onClick={() => toggle(method)}
            className={cx(
              'h-7 rounded border border-line-control px-2.5 font-mono text-sm hover:bg-selected',
              'aria-pressed:border-accent aria-pressed:bg-selected aria-pressed:text-accent-text',
            )}
          >
            {method}
          </button>
        ))}
      </div>
      {opens ? (
        <p className="text-sm text-muted">
          {t(
            'With GET or HEAD, opening the link starts the flow, also when an email scanner or a preview does.',
          )}
        </p>
      ) : null}
      {error === undefined ? null : (
        <p role="alert" className="text-sm text-danger">
          {error}
        </p>
      )}
    </fieldset>
  )
}
