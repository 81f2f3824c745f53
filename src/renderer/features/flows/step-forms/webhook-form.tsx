import { WEBHOOK_METHODS } from '../../../../shared/contract/step-types/triggers/webhook.ts'
import { cx } from '../../../lib/cx.ts'
import { t } from '../../../lib/i18n.ts'
import { FormFields, frameOf } from '../fields/form-fields.tsx'
import type { StepFormProps } from '../fields/form-props.ts'
import { useEditor } from '../state/editor-context.tsx'
import { LetThrough } from '../webhook/let-through.tsx'
import { WebhookCard } from '../webhook/webhook-card.tsx'
import { SignatureFields } from './signature-fields.tsx'

export function WebhookForm(props: StepFormProps) {
  const { step, config, onChange } = props
  const flowId = useEditor((state) => state.flow?.id)
  return (
    <>
      <WebhookCard refId={step.ref_id} />
      <Methods
        {...frameOf(props, 'methods')}
        value={config.methods}
        onChange={(methods) => onChange({ methods })}
      />
      <FormFields {...props} only={['async']} />
      {config.async === true ? (
        <p className="rounded bg-sunken px-3 py-2 text-muted">
          {t('While this is on, the status and body below aren’t used.')}
        </p>
      ) : null}
      <FormFields
        {...props}
        only={['response_status_code', 'response_body', 'response_headers', 'cors_origins']}
      />
      <SignatureFields {...props} />
      <FormFields {...props} only={['handshake', 'verify_token', 'run_if']} />
      {flowId === undefined ? null : (
        <LetThrough
          flowId={flowId}
          refId={step.ref_id}
          condition={typeof config.run_if === 'string' ? config.run_if : ''}
        />
      )}
      <FormFields {...props} only={['filtered_status_code', 'filtered_body']} />
    </>
  )
}

interface MethodsProps {
  readonly label: string
  readonly value: unknown
  readonly error: string | undefined
  readonly onChange: (methods: readonly string[]) => void
}

/** At least one method stays chosen. */
function Methods({ label, value, error, onChange }: MethodsProps) {
  const chosen: readonly unknown[] = Array.isArray(value) ? value : ['POST']
  const opens = chosen.includes('GET') || chosen.includes('HEAD')
  function toggle(method: string) {
    const next = WEBHOOK_METHODS.filter((one) => (one === method) !== chosen.includes(one))
    if (next.length > 0) onChange(next)
  }
  return (
    <fieldset className="flex flex-col gap-1">
      <legend className="pb-1 font-medium">{label}</legend>
      <div className="flex flex-wrap gap-1">
        {WEBHOOK_METHODS.map((method) => (
          <button
            key={method}
            type="button"
            aria-pressed={chosen.includes(method)}
            onClick={() => toggle(method)}
            className={cx(
              'h-7 rounded border border-line-control px-2.5 font-mono text-code hover:bg-selected',
              'aria-pressed:border-second aria-pressed:bg-selected aria-pressed:text-text',
            )}
          >
            {method}
          </button>
        ))}
      </div>
      {opens ? (
        <p className="text-muted">
          {t(
            'With GET or HEAD, opening the link starts the flow, even if an email scanner or a preview opens it.',
          )}
        </p>
      ) : null}
      {error === undefined ? null : (
        <p role="alert" className="text-danger">
          {error}
        </p>
      )}
    </fieldset>
  )
}
