import type { ReactNode } from 'react'
import { DictionaryField } from '../../../components/controls/dictionary-field.tsx'
import { Field } from '../../../components/controls/field.tsx'
import { TemplateInput, type TemplateInputProps } from './template-input.tsx'

interface TemplateFieldProps extends Omit<TemplateInputProps, 'label' | 'title'> {
  readonly label: string
  readonly hint?: string
  readonly error?: string | undefined
  readonly optional?: boolean
  readonly aside?: ReactNode
}

/** A string that can use other steps' results. */
export function TemplateField({ label, hint, error, optional, aside, ...input }: TemplateFieldProps) {
  return (
    <Field
      label={label}
      error={error}
      hint={hint}
      {...(optional === undefined ? {} : { optional })}
      aside={aside}
    >
      <TemplateInput title={label} {...input} />
    </Field>
  )
}

interface TemplateDictionaryProps {
  readonly refId: string
  /** The place of the values, which determines what they can read. */
  readonly field: string
  readonly label: string
  /** The noun for an item: `header`. */
  readonly noun: string
  readonly hint?: string | undefined
  readonly error?: string | undefined
  readonly value: Readonly<Record<string, unknown>>
  readonly onChange: (value: Record<string, unknown>) => void
  readonly aside?: ReactNode
  /** Whether values can be JSON, such as a number or a list, as well as plain text. */
  readonly typed?: boolean
}

/** Names with values that can use other steps' results. */
export function TemplateDictionary({ refId, field, ...others }: TemplateDictionaryProps) {
  return (
    <DictionaryField
      {...others}
      renderValue={(control) => <TemplateInput refId={refId} field={field} {...control} />}
    />
  )
}
