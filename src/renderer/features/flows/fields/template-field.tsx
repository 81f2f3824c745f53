import type { ReactNode } from 'react'
import { Field } from '../../../components/controls/field.tsx'
import { TemplateInput } from './template-input.tsx'
import type { TemplateInputProps } from './template-input.tsx'

interface TemplateFieldProps extends Omit<TemplateInputProps, 'label' | 'title'> {
  readonly label: string
  readonly hint?: string
  readonly error?: string | undefined
  readonly optional?: boolean
  readonly aside?: ReactNode
}

/** A text that may read other steps' results. */
export function TemplateField({ label, hint, error, optional, aside, ...input }: TemplateFieldProps) {
  return (
    <Field
      label={label}
      error={error}
      {...(hint === undefined ? {} : { hint })}
      {...(optional === undefined ? {} : { optional })}
      aside={aside}
    >
      <TemplateInput title={label} {...input} />
    </Field>
  )
}
