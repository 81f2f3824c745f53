import type { ComponentType } from 'react'
import { CodeField } from '../../../components/code/code-field.tsx'
import { Field, Switch, TextInput } from '../../../components/controls/field.tsx'
import { JsonField } from '../../../components/code/json-field.tsx'
import { Select } from '../../../components/controls/select.tsx'
import { TemplateField } from './template-field.tsx'
import { TemplateJsonField } from './template-json-field.tsx'
import { t } from '../../../lib/i18n.ts'
import type { English } from '../../../lib/i18n.ts'
import { AuthField } from './auth-field.tsx'
import { DictionaryOrTemplate } from './dictionary-or-template.tsx'
import { asNumberOrTemplate, asTemplate, orAbsent } from './form-props.ts'
import type { StepFormProps } from './form-props.ts'

interface FieldBase {
  /** Of the config. */
  readonly name: string
  readonly label: English
  readonly hint?: English
  readonly optional?: boolean
  readonly placeholder?: string | English
  /** Whether it is shown, depending on the other fields. */
  readonly when?: (config: Readonly<Record<string, unknown>>) => boolean
}

/** A name, such as UTF-8, or words that have a German translation. */
type Words = string | English

export type ChoiceOptions = Readonly<Record<string, Words | readonly [label: Words, hint: Words]>>

/** A field as defined by a step's form. */
export type FormField =
  /** `number`: digits are saved as a number. `expression`: an expression without braces. */
  | (FieldBase & {
      readonly kind: 'template'
      readonly rows?: number
      readonly number?: boolean
      readonly expression?: boolean
      /** The value in an empty config. */
      readonly initial?: string
      readonly entryPath?: boolean
    })
  | (FieldBase & { readonly kind: 'text' })
  | (FieldBase & { readonly kind: 'number' })
  | (FieldBase & {
      readonly kind: 'choice'
      readonly initial: string
      /** Labels by value; a second sentence says what choosing it means. */
      readonly options: ChoiceOptions
    })
  | (FieldBase & { readonly kind: 'switch'; readonly initial: boolean })
  | (FieldBase & { readonly kind: 'json'; readonly orText?: boolean; readonly entryPath?: boolean })
  | (FieldBase & { readonly kind: 'dictionary'; readonly noun: English })
  | (FieldBase & { readonly kind: 'code' })
  | (FieldBase & { readonly kind: 'auth'; readonly newFor: string })

/** The form of a step whose fields are listed one below the other. */
export function formOf(fields: readonly FormField[]): ComponentType<StepFormProps> {
  return function FieldsForm(props: StepFormProps) {
    return fields
      .filter(({ when }) => when?.(props.config) !== false)
      .map((field) => <FormControl key={field.name} field={field} {...props} />)
  }
}

/** The control of one field, for forms with other fields beside it. */
export function FormControl({ field, ...props }: StepFormProps & { readonly field: FormField }) {
  // The table's type says which control belongs to which field; TypeScript can't follow that through an index.
  const Control = CONTROLS[field.kind] as ComponentType<ControlProps<FormField>>
  const { step, config, onChange, errorOf } = props
  const { name, label, hint, optional } = field
  return (
    <Control
      field={field}
      refId={step.ref_id}
      value={config[name]}
      onChange={(next) => onChange({ [name]: next })}
      frame={{
        label: t(label),
        error: errorOf(name),
        ...(hint === undefined ? {} : { hint: t(hint) }),
        ...(optional ? { optional } : {}),
      }}
    />
  )
}

type Kind = FormField['kind']

interface ControlProps<F extends FormField> {
  readonly field: F
  readonly refId: string
  readonly value: unknown
  readonly onChange: (value: unknown) => void
  /** The wrapper of the control. */
  readonly frame: {
    readonly label: string
    readonly error: string | undefined
    readonly hint?: string
    readonly optional?: boolean
  }
}

const CONTROLS: { readonly [K in Kind]: ComponentType<ControlProps<Extract<FormField, { kind: K }>>> } = {
  template: ({ field, refId, value, onChange, frame }) => (
    <TemplateField
      refId={refId}
      field={`config.${field.name}`}
      {...frame}
      {...(field.rows === undefined ? {} : { rows: field.rows })}
      {...(field.expression === undefined ? {} : { expression: field.expression })}
      {...(field.entryPath === undefined ? {} : { entryPath: field.entryPath })}
      {...(field.placeholder === undefined ? {} : { placeholder: t(field.placeholder) })}
      value={asTemplate(value ?? field.initial)}
      onChange={(text) =>
        onChange(field.number ? asNumberOrTemplate(text) : textOrAbsent(text, field.initial))
      }
    />
  ),
  text: ({ field, value, onChange, frame }) => (
    <Field {...frame} className="max-w-80">
      <TextInput
        mono
        value={asTemplate(value)}
        placeholder={field.placeholder === undefined ? undefined : t(field.placeholder)}
        onChange={(text) => onChange(orAbsent(text))}
      />
    </Field>
  ),
  number: ({ field, value, onChange, frame }) => (
    <Field {...frame} className="max-w-60">
      <TextInput
        inputMode="numeric"
        value={asTemplate(value)}
        placeholder={field.placeholder === undefined ? undefined : t(field.placeholder)}
        onChange={(text) => onChange(asNumberOrTemplate(text))}
      />
    </Field>
  ),
  choice: ({ field, value, onChange, frame }) => (
    <Field {...frame} className="max-w-80">
      <Select
        value={asTemplate(value ?? field.initial)}
        onChange={onChange}
        options={Object.entries(field.options).map(([key, words]) =>
          Array.isArray(words)
            ? { value: key, label: t(words[0] as Words), hint: t(words[1] as Words) }
            : { value: key, label: t(words as Words) },
        )}
      />
    </Field>
  ),
  switch: ({ field, value, onChange, frame: { label, hint } }) => (
    <Switch
      label={label}
      {...(hint === undefined ? {} : { hint })}
      checked={(value ?? field.initial) === true}
      onChange={onChange}
    />
  ),
  json: ({ field, refId, value, onChange, frame: { optional: _optional, ...frame } }) =>
    field.orText ? (
      <TemplateJsonField
        refId={refId}
        field={`config.${field.name}`}
        rows={3}
        {...(field.entryPath === undefined ? {} : { entryPath: field.entryPath })}
        {...frame}
        value={value ?? null}
        onChange={(next) => onChange(next ?? undefined)}
      />
    ) : (
      <JsonField {...frame} value={value ?? null} onChange={(next) => onChange(next ?? undefined)} />
    ),
  dictionary: ({ field, refId, value, onChange, frame: { optional: _optional, ...frame } }) => (
    <DictionaryOrTemplate refId={refId} noun={t(field.noun)} {...frame} value={value} onChange={onChange} />
  ),
  code: ({ value, onChange, frame }) => (
    <Field {...frame}>
      <CodeField language="text" value={asTemplate(value)} onChange={(text) => onChange(orAbsent(text))} />
    </Field>
  ),
  auth: ({ field, refId, value, onChange, frame }) => (
    <AuthField newFor={field.newFor} refId={refId} value={value} error={frame.error} onChange={onChange} />
  ),
}

/** If a default would replace an empty value, the empty string is kept. */
function textOrAbsent(text: string, initial: string | undefined): string | undefined {
  return initial === undefined ? orAbsent(text) : text
}
