import { ArrowRight, Check, X } from '../../../lib/icons.tsx'
import type { ReactNode } from 'react'
import { cx } from '../../../lib/cx.ts'
import { t } from '../../../lib/i18n.ts'
import { formatJson } from '../../../lib/json.ts'
import type { EventOf } from '../../../components/pagination/state/test-progress.ts'

/**
 * Each template of the configuration, before and after rendering, and the condition that selected the configuration.
 */
export function TemplatesView({ plan }: { readonly plan: EventOf<'plan'> | null }) {
  if (plan === null || (plan.templates.length === 0 && plan.conditions.length === 0))
    return (
      <p className="p-3 text-muted">
        {t(
          'No templates were used. The first request is sent as defined by the action. Configurations apply from the second request on.',
        )}
      </p>
    )
  return (
    <div className="flex flex-col gap-4 p-3">
      {plan.conditions.length === 0 ? null : (
        <Conditions conditions={plan.conditions} used={plan.config_index} />
      )}
      {plan.templates.map(({ field, source, value, taken }) => (
        <Part key={field} title={field.replace(/^\[\d+\]\./, '')}>
          <div className="overflow-hidden rounded border border-line font-mono text-code">
            <p className="bg-sunken px-2.5 py-1.5 [overflow-wrap:anywhere] whitespace-pre-wrap">
              <TemplateText text={asText(source)} />
            </p>
            {taken.length === 0 ? null : (
              <ul className="border-t border-line px-2.5 py-1.5">
                {taken.map((one, index) => (
                  // Expressions are in the order of the template.
                  <li key={index} className="flex items-start gap-2">
                    <span className="min-w-0 text-muted [overflow-wrap:anywhere]">{one.source}</span>
                    <ArrowRight size={13} aria-hidden className="mt-0.5 shrink-0 text-faint" />
                    <span className="sr-only">{t('returns')}</span>
                    <Taken value={one.value} missing={one.missing} />
                  </li>
                ))}
              </ul>
            )}
            <p className="border-t border-line px-2.5 py-1.5 [overflow-wrap:anywhere] whitespace-pre-wrap">
              {value === null ? (
                <span className="font-sans text-muted">{t('nothing')}</span>
              ) : (
                <span className="text-data-string">{asText(value)}</span>
              )}
            </p>
          </div>
        </Part>
      ))}
    </div>
  )
}

function Conditions({
  conditions,
  used,
}: {
  readonly conditions: EventOf<'plan'>['conditions']
  readonly used: number | null
}) {
  const holds = conditions.some((condition) => condition.holds)
  return (
    <Part title={t('Configuration')}>
      <ol className="font-mono text-code">
        {conditions.map((condition) => (
          <li key={condition.config_index} className="flex items-start gap-2">
            {condition.holds ? (
              <Check size={14} aria-hidden className="mt-0.5 shrink-0 text-success" />
            ) : (
              <X size={14} aria-hidden className="mt-0.5 shrink-0 text-faint" />
            )}
            <span className="sr-only">{condition.holds ? t('is true:') : t('is false:')}</span>
            <span className="w-4 shrink-0 text-right text-faint">{condition.config_index + 1}</span>
            <span className={cx('min-w-0 [overflow-wrap:anywhere]', !condition.holds && 'text-muted')}>
              {condition.when}
            </span>
          </li>
        ))}
      </ol>
      {holds ? null : (
        <p className="text-muted">
          {used === null
            ? t('No condition is true, and every configuration has one.')
            : t('No condition is true, so configuration {{used}} is used.', { used: used + 1 })}
        </p>
      )}
    </Part>
  )
}

/** A template with its expressions highlighted. */
function TemplateText({ text }: { readonly text: string }) {
  return text.split(/(\{\{[^]*?(?:\}\}|$))/).map((piece, index) => (
    <span key={index} className={piece.startsWith('{{') ? 'text-data-literal' : undefined}>
      {piece}
    </span>
  ))
}

function Taken({ value, missing }: { readonly value: unknown; readonly missing: boolean }) {
  if (missing) return <span className="font-sans text-retrying">{t('not in the response')}</span>
  return <span className="min-w-0 [overflow-wrap:anywhere]">{formatJson(value, 0)}</span>
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : formatJson(value)
}

interface PartProps {
  readonly title: string
  readonly aside?: ReactNode
  readonly children: ReactNode
  readonly className?: string
}

/** A titled section of a page's details. */
export function Part({ title, aside, children, className }: PartProps) {
  return (
    <section aria-label={title} className={cx('flex min-w-0 flex-col gap-1', className)}>
      <div className="flex min-h-5 items-baseline gap-2">
        <h3 className="font-semibold text-muted">{title}</h3>
        {aside}
      </div>
      {children}
    </section>
  )
}
