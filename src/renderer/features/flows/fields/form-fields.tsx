import type { ComponentType } from 'react'
import type { z } from 'zod'
import { definitionOf, facesOf } from '../../../../shared/contract/step-types/index.ts'
import { CONNECTOR_ID_OF } from '../../../../shared/contract/connectors.ts'
import { isNumeric, kindOf } from '../../../../shared/contract/step-types/parts/fields.ts'
import type { FieldFace, FieldKind } from '../../../../shared/contract/step-types/parts/step-type.ts'
import { CodeField } from '../../../components/code/code-field.tsx'
import { Field, Switch, TextArea, TextInput } from '../../../components/controls/field.tsx'
import { JsonField } from '../../../components/code/json-field.tsx'
import { Select } from '../../../components/controls/select.tsx'
import { TemplateDictionary, TemplateField } from './template-field.tsx'
import { TemplateJsonField } from './template-json-field.tsx'
import { type English, t } from '../../../lib/i18n.ts'
import { AuthField } from './auth-field.tsx'
import { DictionaryOrTemplate } from './dictionary-or-template.tsx'
import { asDictionary, asNumberOrTemplate, asTemplate, orAbsent } from './form-props.ts'
import type { StepFormProps } from './form-props.ts'

interface FormFieldsProps extends StepFormProps {
  /** The names of the fields to show, in the order of the definition; defaults to all. */
  readonly only?: readonly string[]
  /** Shows the fields below the main ones instead. */
  readonly options?: boolean
}

/** The fields of a step as its type defines them, without those that its config doesn't need. */
export function FormFields({ only, options = false, ...props }: FormFieldsProps) {
  const { type } = props.step
  const definition = definitionOf(type)
  return Object.keys(definition?.fields ?? {})
    .filter((name) => only?.includes(name) !== false)
    .flatMap((name) => facesOf(type, name).map((face, at) => ({ name, face, key: `${name}${at}` })))
    .filter(({ face }) => face.when?.(props.config) !== false && (face.option === true) === options)
    .map(({ name, face, key }) => (
      <FormControl key={key} name={name} face={face} schema={definition?.config.shape[name]} {...props} />
    ))
}

export function hasOptions(type: string): boolean {
  return Object.keys(definitionOf(type)?.fields ?? {}).some((name) =>
    facesOf(type, name).some(({ option }) => option),
  )
}

/** The frame around a field's control, for forms with a custom control. */
export function frameOf({ step, errorOf }: Pick<StepFormProps, 'step' | 'errorOf'>, name: string): Frame {
  return frameWith(facesOf(step.type, name)[0], errorOf(name))
}

interface Frame {
  readonly label: string
  readonly error: string | undefined
  readonly hint?: string
  readonly optional?: true
}

function frameWith(face: FieldFace | undefined, error: string | undefined): Frame {
  if (face === undefined) return { label: '', error }
  const { label, hint, optional } = face
  return {
    label: t(label),
    error,
    ...(hint === undefined ? {} : { hint: t(hint) }),
    ...(optional === undefined ? {} : { optional }),
  }
}

interface FormControlProps extends StepFormProps {
  readonly name: string
  readonly face: FieldFace
  readonly schema: z.ZodType | undefined
}

/** One field, with its label and its error. */
export function FormControl({ name, face, schema, step, config, onChange, errorOf }: FormControlProps) {
  if (schema === undefined) return null
  const Control = CONTROLS[kindOf(schema, face)]
  return (
    <Control
      name={name}
      face={face}
      schema={schema}
      refId={step.ref_id}
      value={config[name]}
      onChange={(next) => onChange({ [name]: next })}
      frame={frameWith(face, errorOf(name))}
    />
  )
}

interface ControlProps {
  readonly name: string
  readonly face: FieldFace
  readonly schema: z.ZodType
  readonly refId: string
  readonly value: unknown
  readonly onChange: (value: unknown) => void
  readonly frame: Frame
}

const CONTROLS: { readonly [K in FieldKind]: ComponentType<ControlProps> } = {
  template: ({ name, face, schema, refId, value, onChange, frame }) => (
    <TemplateField
      refId={refId}
      field={`config.${name}`}
      {...frame}
      {...(face.rows === undefined ? {} : { rows: face.rows })}
      {...(face.expression === undefined ? {} : { expression: face.expression })}
      {...(face.entryPath === undefined ? {} : { entryPath: face.entryPath })}
      {...(face.preview === undefined ? {} : { kind: face.preview })}
      placeholder={placeholderOf(face, refId)}
      value={asTemplate(value ?? face.initial)}
      onChange={(text) =>
        onChange(
          face.number || isNumeric(schema)
            ? asNumberOrTemplate(text)
            : // If a default would replace an empty value, the empty string is kept.
              face.initial === undefined
              ? orAbsent(text)
              : text,
        )
      }
    />
  ),
  text: ({ face, refId, value, onChange, frame }) => {
    const control = {
      value: asTemplate(value),
      placeholder: placeholderOf(face, refId),
      onChange: (text: string) => onChange(orAbsent(text)),
    }
    return face.rows === undefined ? (
      <Field {...frame} className="max-w-80">
        <TextInput mono={face.example === undefined} {...control} />
      </Field>
    ) : (
      <Field {...frame}>
        <TextArea rows={face.rows} {...control} />
      </Field>
    )
  },
  lines: ({ value, onChange, frame }) => (
    <Field {...frame}>
      <TextArea
        mono
        value={(Array.isArray(value) ? value : []).join('\n')}
        onChange={(text) => onChange(text.split('\n').filter((line) => line.trim() !== ''))}
      />
    </Field>
  ),
  number: ({ face, refId, value, onChange, frame }) => (
    <Field {...frame} className="max-w-60">
      <TextInput
        inputMode="numeric"
        value={asTemplate(value)}
        placeholder={placeholderOf(face, refId)}
        onChange={(text) => onChange(asNumberOrTemplate(text))}
      />
    </Field>
  ),
  choice: ({ face, schema, value, onChange, frame }) => (
    <Field {...frame} className="max-w-80">
      <Select
        label={frame.label}
        value={asTemplate(value ?? initialOf(face, schema))}
        onChange={(next) => onChange(next === (face.initial ?? '') ? undefined : next)}
        options={choicesOf(face).map(([choice, label, hint]) => ({
          value: choice,
          label: t(label),
          ...(hint === undefined ? {} : { hint: t(hint) }),
        }))}
      />
    </Field>
  ),
  choices: ({ face, schema, value, onChange, frame }) => {
    const chosen: readonly unknown[] = [value ?? initialOf(face, schema)].flat()
    const choices = choicesOf(face)
    return (
      <fieldset className="flex flex-col gap-2">
        <legend className="pb-1 font-medium">{frame.label}</legend>
        {choices.map(([choice, label]) => (
          <Switch
            key={choice}
            label={t(label)}
            checked={chosen.includes(choice)}
            onChange={(on) =>
              onChange(
                choices.map(([one]) => one).filter((one) => (one === choice ? on : chosen.includes(one))),
              )
            }
          />
        ))}
        {frame.error === undefined ? null : (
          <p role="alert" className="text-danger">
            {frame.error}
          </p>
        )}
      </fieldset>
    )
  },
  switch: ({ face, schema, value, onChange, frame: { label, hint } }) => (
    <Switch
      label={label}
      hint={hint}
      checked={(value ?? initialOf(face, schema)) === true}
      onChange={onChange}
    />
  ),
  json: ({ name, face, refId, value, onChange, frame: { optional: _optional, ...frame } }) =>
    face.orText ? (
      <TemplateJsonField
        refId={refId}
        field={`config.${name}`}
        rows={3}
        {...(face.entryPath === undefined ? {} : { entryPath: face.entryPath })}
        {...frame}
        value={value ?? null}
        onChange={(next) => onChange(next ?? undefined)}
      />
    ) : (
      <JsonField {...frame} value={value ?? null} onChange={(next) => onChange(next ?? undefined)} />
    ),
  dictionary: ({ name, face, refId, value, onChange, frame: { optional: _optional, ...frame } }) => (
    <DictionaryOrTemplate
      refId={refId}
      field={`config.${name}`}
      noun={nounOf(face)}
      {...frame}
      value={value}
      onChange={onChange}
    />
  ),
  record: ({ name, face, refId, value, onChange, frame: { optional: _optional, ...frame } }) => (
    <TemplateDictionary
      refId={refId}
      field={`config.${name}`}
      noun={nounOf(face)}
      {...frame}
      value={asDictionary(value)}
      onChange={onChange}
    />
  ),
  code: ({ value, onChange, frame }) => (
    <Field {...frame}>
      <CodeField language="text" value={asTemplate(value)} onChange={(text) => onChange(orAbsent(text))} />
    </Field>
  ),
  auth: ({ face: { connector }, refId, value, onChange, frame }) => (
    <AuthField
      {...(connector === undefined ? {} : { newFor: CONNECTOR_ID_OF[connector] })}
      refId={refId}
      value={value}
      error={frame.error}
      onChange={onChange}
    />
  ),
}

const nounOf = ({ noun }: FieldFace) => (noun === undefined ? t('value') : t(noun))

function placeholderOf({ placeholder, example }: FieldFace, refId: string): string | undefined {
  return example === undefined ? placeholder?.replaceAll('REF_ID', refId) : t(example)
}

function initialOf({ initial }: FieldFace, schema: z.ZodType): unknown {
  return initial ?? schema.safeParse(undefined).data
}

type ChoiceWords = readonly [value: string, label: English, hint?: English]

function choicesOf({ options = {} }: FieldFace): readonly ChoiceWords[] {
  return Object.entries(options === 'values' ? {} : options).map(([value, words]) =>
    isPair(words) ? [value, ...words] : [value, words],
  )
}

const isPair = (words: unknown): words is readonly [English, English] => Array.isArray(words)
