import { ChevronRight, Lightbulb } from '../../../lib/icons.tsx'
import { useEffect, useState } from 'react'
import type { ReactNode, RefObject } from 'react'
import { definitionOf, isStepType } from '../../../../shared/contract/step-types/index.ts'
import { ON_ERROR, RESERVED_REFS } from '../../../../shared/contract/steps.ts'
import type { Step } from '../../../../shared/contract/steps.ts'
import { Button } from '../../../components/controls/button.tsx'
import { Field, Switch, TextArea, TextInput } from '../../../components/controls/field.tsx'
import { JsonField } from '../../../components/code/json-field.tsx'
import { Select } from '../../../components/controls/select.tsx'
import { announce, attempt } from '../../../components/screen/toast.tsx'
import { cx } from '../../../lib/cx.ts'
import { english, t, tn } from '../../../lib/i18n.ts'
import type { English } from '../../../lib/i18n.ts'
import type { StepFormProps as FieldsProps } from '../fields/form-props.ts'
import { useEditor, useProblems, useRunPanel, usePlugins } from '../state/editor-context.tsx'
import { renameReferences } from '../model/rename-ref.ts'
import { isSame } from '../model/draft.ts'
import { errorOf } from '../model/step-errors.ts'
import { FormFields, hasOptions } from '../fields/form-fields.tsx'
import { OutcomeView } from '../fields/step-outcome.tsx'
import { OWN_FORMS } from './index.ts'
import { TriggerState } from './trigger-state.tsx'
import { partOf } from '../../../components/plugins/plugin-parts.ts'
import { findStep, updateStep } from '../model/step-tree.ts'
import type { PlacedStep } from '../model/step-tree.ts'
import { faceOf, STEP_FACES } from '../step-types/index.ts'

interface StepFormProps {
  readonly placed: PlacedStep
  /** Identifies the step: another step has another key, and a renamed step keeps its own. */
  readonly identity: string
  readonly onRenamed: (from: string, to: string) => void
  readonly formRef: RefObject<HTMLDivElement | null>
}

const NO_FIELDS: Readonly<Record<string, string>> = {}

/** The selected step as a form, or as the JSON that the form writes. */
export function StepForm({ placed: { step, path }, identity, onRenamed, formRef }: StepFormProps) {
  const changed = useEditor((state) => state.changed)
  const errors = useEditor((state) => state.errors.bySteps[step.ref_id] ?? NO_FIELDS)
  const [asJson, setAsJson] = useState(false)
  const visited = useProblems((state) => state.visited)
  useEffect(() => visited(step.ref_id), [visited, step.ref_id])
  const plugins = usePlugins()
  const docs = partOf(step, plugins)?.part.docs
  const face = faceOf(step, plugins)
  const definition = definitionOf(step.type)
  const Form = isStepType(step.type) ? (OWN_FORMS[step.type] ?? FormFields) : null

  const change = (patch: Partial<Step>, mark?: string) =>
    changed(
      (draft) => ({ ...draft, steps: updateStep(draft.steps, path, (old) => ({ ...old, ...patch })) }),
      mark,
    )

  function changeConfig(patch: Readonly<Record<string, unknown>>) {
    const config = Object.fromEntries(
      Object.entries({ ...step.config, ...patch }).filter(([, value]) => value !== undefined),
    )
    change({ config }, `${step.ref_id}.${Object.keys(patch).join()}`)
  }

  const form: FieldsProps = {
    step,
    config: step.config,
    onChange: changeConfig,
    onStepChange: (patch) => change(patch, `${step.ref_id}.${Object.keys(patch).join()}`),
    errorOf: (field) => errorOf(errors, `config.${field}`) ?? errorOf(errors, field),
  }

  return (
    <div
      ref={formRef}
      data-help={`steps ${step.type}`}
      data-help-title={t(face.label)}
      data-help-purpose={t(face.purpose)}
      data-help-text={docs?.replace(/^# .*\n+/, '')}
      className="flex min-h-0 flex-1 flex-col overflow-auto bg-surface"
    >
      <div className="flex max-w-4xl flex-col gap-4 p-4">
        <div className="flex items-center gap-2 max-sm:flex-wrap">
          <face.icon size={16} aria-hidden className="shrink-0 text-muted" />
          <h2 className="text-lg font-semibold">{t(face.label)}</h2>
          <span className="min-w-0 flex-1 truncate text-sm text-muted">{t(face.purpose)}</span>
          <div
            role="group"
            aria-label={t('Step view')}
            className="flex rounded border border-line-control/60 p-px"
          >
            {(['Form', 'JSON'] as const).map((view) => (
              <button
                key={view}
                type="button"
                aria-pressed={(view === 'JSON') === asJson}
                onClick={() => setAsJson(view === 'JSON')}
                className={cx(
                  'h-6 rounded-sm px-2 text-sm text-muted hover:text-text',
                  'aria-pressed:bg-selected aria-pressed:font-medium aria-pressed:text-text',
                )}
              >
                {view === 'Form' ? t('Form') : view}
              </button>
            ))}
          </div>
        </div>
        {asJson || Form === null ? (
          <JsonField
            label={t('Config')}
            hint={
              Form === null
                ? t(
                    'This version doesn’t support this step type. The step is kept as it is but does nothing. Replace it with another step with the same name.',
                  )
                : t('The same configuration as in the form, as JSON.')
            }
            value={step.config}
            onChange={(config) => change({ config: (config ?? {}) as Step['config'] }, `${step.ref_id}.json`)}
            error={errorOf(errors, 'config')}
          />
        ) : (
          <>
            <div className="grid grid-cols-[minmax(8rem,1fr)_minmax(0,2fr)] gap-3 max-sm:grid-cols-1">
              <RefIdField key={`${identity} name`} step={step} error={errors.ref_id} onRenamed={onRenamed} />
              <Field label={t('Title')} optional error={errors.title}>
                <TextInput
                  value={step.title}
                  placeholder={t(face.label)}
                  onChange={(title) => change({ title }, `${step.ref_id}.title`)}
                />
              </Field>
            </div>
            {isUntouched(step) ? (
              <Button
                look="quiet"
                icon={Lightbulb}
                className="-my-2 -ml-2.5 self-start"
                onClick={() => change({ ...face.sample })}
              >
                {t('Insert example')}
              </Button>
            ) : null}
            <div data-step-fields className="contents">
              <Form key={identity} {...form} />
              {definition?.showsOutcome ? <OutcomeView step={step} /> : null}
              {definition?.trigger?.polls ? <TriggerState refId={step.ref_id} /> : null}
            </div>
            <Behaviour key={`${identity} options`} step={step} errors={errors} onChange={change}>
              {hasOptions(step.type) ? <FormFields options {...form} /> : null}
            </Behaviour>
          </>
        )}
      </div>
    </div>
  )
}

/** The step is unchanged since it was added, so replacing it with an example loses nothing. */
function isUntouched({ type, config, cases = [] }: Step): boolean {
  return isStepType(type) && cases.length === 0 && isSame(config, STEP_FACES[type].config)
}

/** Renaming happens as a whole, on Enter or when the field loses focus, and updates the templates. */
function RefIdField(props: {
  readonly step: Step
  readonly error: string | undefined
  readonly onRenamed: StepFormProps['onRenamed']
}) {
  const { step, error, onRenamed } = props
  const changed = useEditor((state) => state.changed)
  const steps = useEditor((state) => state.history?.present.steps)
  const pinMoved = useRunPanel((state) => state.pinMoved)
  const [text, setText] = useState(step.ref_id)
  const [given, setGiven] = useState(step.ref_id)
  // Undo can also rename the step.
  if (given !== step.ref_id) {
    setGiven(step.ref_id)
    setText(step.ref_id)
  }
  const problem = text === step.ref_id ? undefined : refIdProblem(text, steps ?? [])

  function rename() {
    if (text === step.ref_id || problem !== undefined) return
    let templates = 0
    changed((draft) => {
      const place = findStep(draft.steps, step.ref_id)
      if (place === undefined) return draft
      const named = updateStep(draft.steps, place.path, (old) => ({ ...old, ref_id: text }))
      const renamed = renameReferences(named, step.ref_id, text)
      templates = renamed.changed
      return { ...draft, steps: renamed.steps }
    })
    announce(
      templates === 0
        ? t('{{before}} renamed to {{after}}', { before: step.ref_id, after: text })
        : tn(
            templates,
            '{{before}} renamed to {{after}}, also in {{count}} template',
            '{{before}} renamed to {{after}}, also in {{count}} templates',
            { before: step.ref_id, after: text },
          ),
    )
    void attempt(t('Its pinned value isn’t renamed'), () => pinMoved(step.ref_id, text))
    onRenamed(step.ref_id, text)
  }

  return (
    <Field label={t('Reference name')} error={problem ?? error}>
      <TextInput
        mono
        value={text}
        onChange={setText}
        onBlur={rename}
        onKeyDown={(event) => {
          if (event.key === 'Enter') rename()
          if (event.key === 'Escape') setText(step.ref_id)
        }}
      />
    </Field>
  )
}

function refIdProblem(refId: string, steps: readonly Step[]): string | undefined {
  if (!/^[A-Za-z_]\w*$/.test(refId)) return t('Start with a letter or _, then use letters, digits and _.')
  if (RESERVED_REFS.includes(refId)) return t('“{{refId}}” is reserved in templates.', { refId })
  if (findStep(steps, refId) !== undefined) return t('Another step is already called “{{refId}}”.', { refId })
  return undefined
}

const ON_ERROR_WORDS: { readonly [O in (typeof ON_ERROR)[number]]: English } = {
  stop: english('Fail the run'),
  continue: english('Continue with the next step'),
  skip_iteration: english('Continue with the next iteration'),
  break_loop: english('Exit the loop'),
}

interface BehaviourProps {
  readonly step: Step
  readonly errors: Readonly<Record<string, string>>
  readonly onChange: (patch: Partial<Step>, mark?: string) => void
  /** The fields specific to this type of step. */
  readonly children: ReactNode
}

/** Settings that every step has: notes, whether it runs at all, and what happens when it fails. */
function Behaviour({ step, errors, onChange, children }: BehaviourProps) {
  const isSet =
    step.config.fail_on_error === false ||
    step.config.timeout_seconds !== undefined ||
    step.description !== '' ||
    step.disabled ||
    step.on_error !== 'stop' ||
    step.retry !== null
  const [open, setOpen] = useState(isSet)
  return (
    <section className="border-t border-line pt-2">
      <Button look="quiet" aria-expanded={open} onClick={() => setOpen(!open)} className="-ml-2.5">
        <ChevronRight size={13} aria-hidden className={cx(open && 'rotate-90')} />
        {t('Options')}
        <span className="font-normal text-muted">
          {children === null ? t('on error, retry, notes') : t('timeout, on error, retry, notes')}
        </span>
      </Button>
      {open ? (
        <div className="flex flex-col gap-4 pt-2">
          {children}
          <Field label={t('On failure')} className="max-w-80" error={errors.on_error}>
            <Select
              value={step.on_error}
              onChange={(on_error) => onChange({ on_error })}
              options={ON_ERROR.map((value) => ({ value, label: t(ON_ERROR_WORDS[value]) }))}
            />
          </Field>
          <Switch
            label={t('Retry on failure')}
            checked={step.retry !== null}
            onChange={(on) => onChange({ retry: on ? { attempts: 3, wait_seconds: 5 } : null })}
          />
          {step.retry === null ? null : (
            <div className="flex gap-3">
              <NumberField
                label={t('Attempts')}
                value={step.retry.attempts}
                error={errors['retry.attempts']}
                onChange={(attempts) =>
                  onChange({ retry: { attempts, wait_seconds: step.retry?.wait_seconds ?? 5 } }, 'retry')
                }
              />
              <NumberField
                label={t('Delay (seconds)')}
                value={step.retry.wait_seconds}
                error={errors['retry.wait_seconds']}
                onChange={(wait_seconds) =>
                  onChange({ retry: { attempts: step.retry?.attempts ?? 3, wait_seconds } }, 'retry')
                }
              />
            </div>
          )}
          <Switch
            label={t('Off')}
            hint={t('Runs skip it. Later steps can’t use its result.')}
            checked={step.disabled}
            onChange={(disabled) => onChange({ disabled })}
          />
          <Field label={t('Notes')} optional error={errors.description}>
            <TextArea
              value={step.description}
              onChange={(description) => onChange({ description }, `${step.ref_id}.description`)}
            />
          </Field>
        </div>
      ) : null}
    </section>
  )
}

interface NumberFieldProps {
  readonly label: string
  readonly value: number
  readonly error: string | undefined
  readonly onChange: (value: number) => void
}

function NumberField({ label, value, error, onChange }: NumberFieldProps) {
  return (
    <Field label={label} error={error} className="w-32">
      <TextInput
        inputMode="numeric"
        value={String(value)}
        onChange={(text) => onChange(Number(text.replace(/\D/g, '') || 0))}
      />
    </Field>
  )
}
