import { useLayoutEffect, useRef } from 'react'
import { Plus, X } from '../../../lib/icons.tsx'
import { Button, IconButton } from '../../../components/controls/button.tsx'
import { Field, TextInput } from '../../../components/controls/field.tsx'
import { plural } from '../../../lib/format.ts'
import { t } from '../../../lib/i18n.ts'
import { fieldLabel } from '../model/step-errors.ts'
import type { StepFormProps } from '../fields/form-props.ts'

interface CaseListProps extends Pick<StepFormProps, 'step' | 'onStepChange' | 'errorOf'> {
  readonly hint?: string
  readonly add: string
  /** Accessible names of the controls for the case with this number. */
  readonly labelOf: (number: number) => string
  readonly removeOf: (number: number) => string
  readonly placeholder: string
  readonly mono?: boolean
}

/** Labels of a step's cases. Their steps are in the list on the left. */
export function CaseList({ step, onStepChange, errorOf, ...props }: CaseListProps) {
  const { hint, add, labelOf, removeOf, placeholder, mono = false } = props
  const cases = step.cases ?? []
  const label = fieldLabel(step.type, 'cases')
  const list = useRef<HTMLDivElement>(null)
  const added = useRef(false)
  useLayoutEffect(() => {
    if (!added.current) return
    added.current = false
    list.current?.querySelector<HTMLElement>(':scope > :last-child input')?.focus()
  })
  return (
    <Field
      label={label}
      hint={hint}
      error={errorOf('cases')}
      aside={
        <Button
          look="quiet"
          icon={Plus}
          className="h-6"
          onClick={() => {
            added.current = true
            onStepChange({ cases: [...cases, { label: '', steps: [] }] })
          }}
        >
          {add}
        </Button>
      }
    >
      <div ref={list} role="group" aria-label={label} className="flex max-w-xl flex-col gap-1">
        {cases.map((one, index) => (
          // Cases are identified only by their position while their labels are typed.
          <div key={index} className="flex items-center gap-2">
            <TextInput
              mono={mono}
              id={undefined}
              value={one.label}
              placeholder={placeholder}
              aria-label={labelOf(index + 1)}
              onChange={(text) =>
                onStepChange({
                  cases: cases.map((other, at) => (at === index ? { ...other, label: text } : other)),
                })
              }
            />
            <span className="w-20 shrink-0 text-sm text-muted">{plural(one.steps.length, 'step')}</span>
            <IconButton
              label={removeOf(index + 1)}
              icon={X}
              onClick={() => onStepChange({ cases: cases.filter((_one, at) => at !== index) })}
            />
          </div>
        ))}
        {cases.length === 0 ? <p className="text-faint">{t('None')}</p> : null}
      </div>
    </Field>
  )
}
