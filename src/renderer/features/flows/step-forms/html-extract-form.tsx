import { Plus, X } from '../../../lib/icons.tsx'
import { useState } from 'react'
import { JsonField } from '../../../components/code/json-field.tsx'
import { Button, IconButton } from '../../../components/controls/button.tsx'
import { Field, TextInput } from '../../../components/controls/field.tsx'
import { Select } from '../../../components/controls/select.tsx'
import { english, t } from '../../../lib/i18n.ts'
import { FormFields, frameOf } from '../fields/form-fields.tsx'
import { asDictionary } from '../fields/form-props.ts'
import type { StepFormProps } from '../fields/form-props.ts'

/** What a field reads from its element. `fields` is a separate object in JSON. */
const TAKES = {
  text: english('Text'),
  own_text: english('Text without inner elements'),
  html: english('HTML'),
  attribute: english('Attribute'),
  value: english('Value of a form field'),
  fields: english('Fields within'),
} as const

interface Row {
  readonly name: string
  readonly spec: Readonly<Record<string, unknown>>
}

export function HtmlExtractForm(props: StepFormProps) {
  return (
    <>
      <FormFields {...props} only={['text', 'file_id', 'each']} />
      <FieldRows {...props} />
    </>
  )
}

/** Rows that have no name yet, or one that is taken, exist only here. */
function FieldRows(props: StepFormProps) {
  const { config, onChange } = props
  const outside = JSON.stringify(asDictionary(config.fields))
  const [rows, setRows] = useState<readonly Row[]>(() => toRows(config.fields))
  const [shown, setShown] = useState(outside)
  if (shown !== outside) {
    setShown(outside)
    if (JSON.stringify(fromRows(rows)) !== outside) setRows(toRows(config.fields))
  }

  function change(next: readonly Row[]) {
    setRows(next)
    const fields = fromRows(next)
    setShown(JSON.stringify(fields))
    onChange({ fields })
  }
  const patch = (at: number, changes: Readonly<Record<string, unknown>>) =>
    change(
      rows.map((row, index) => (index === at ? { ...row, spec: tidy({ ...row.spec, ...changes }) } : row)),
    )

  return (
    <Field
      {...frameOf(props, 'fields')}
      aside={
        <Button
          look="quiet"
          icon={Plus}
          className="h-6"
          onClick={() => setRows([...rows, { name: '', spec: {} }])}
        >
          {t('Add field')}
        </Button>
      }
    >
      <div role="group" aria-label={t('Fields')} className="flex flex-col gap-2">
        {rows.map(({ name, spec }, index) => {
          const take = spec['fields'] === undefined ? textOf(spec['take'], 'text') : 'fields'
          const number = { index: index + 1 }
          return (
            // Fields are identified only by their position while they are typed.
            <div key={index} className="flex flex-col gap-1 border-l-2 border-line pl-2">
              <div className="flex items-start gap-1">
                <TextInput
                  mono
                  id={undefined}
                  value={name}
                  placeholder="price"
                  aria-label={t('Name of field {{index}}', number)}
                  onChange={(text) =>
                    change(rows.map((row, at) => (at === index ? { ...row, name: text } : row)))
                  }
                />
                <TextInput
                  mono
                  id={undefined}
                  value={textOf(spec['selector'], '')}
                  placeholder=".price"
                  aria-label={t('Selector of field {{index}}', number)}
                  onChange={(selector) => patch(index, { selector })}
                />
                <IconButton
                  label={t('Remove field {{index}}', number)}
                  icon={X}
                  onClick={() => change(rows.filter((_row, at) => at !== index))}
                />
              </div>
              <div className="flex flex-wrap gap-1">
                <Select
                  label={t('What to read for field {{index}}', number)}
                  value={take}
                  className="w-44 shrink-0"
                  onChange={(next) =>
                    patch(
                      index,
                      next === 'fields'
                        ? { take: undefined, attribute: undefined, list: true, fields: {} }
                        : { take: next, attribute: undefined, fields: undefined },
                    )
                  }
                  options={Object.entries(TAKES).map(([value, words]) => ({ value, label: t(words) }))}
                />
                {take === 'attribute' ? (
                  <TextInput
                    mono
                    id={undefined}
                    className="w-24 shrink-0"
                    value={textOf(spec['attribute'], '')}
                    placeholder="href"
                    aria-label={t('Attribute of field {{index}}', number)}
                    onChange={(attribute) => patch(index, { attribute })}
                  />
                ) : null}
                <Select
                  label={t('Number of values of field {{index}}', number)}
                  value={spec['list'] === true ? 'all' : 'first'}
                  className="w-24 shrink-0"
                  onChange={(next) => patch(index, { list: next === 'all' })}
                  options={[
                    { value: 'first', label: t('First') },
                    { value: 'all', label: t('All') },
                  ]}
                />
              </div>
              {take === 'fields' ? (
                <JsonField
                  label={t('Fields within field {{index}}', number)}
                  value={spec['fields']}
                  onChange={(fields) => patch(index, { fields: fields ?? {} })}
                />
              ) : null}
            </div>
          )
        })}
        {rows.length === 0 ? <p className="text-faint">{t('None')}</p> : null}
      </div>
    </Field>
  )
}

const textOf = (value: unknown, fallback: string) => (typeof value === 'string' ? value : fallback)

function toRows(fields: unknown): readonly Row[] {
  return Object.entries(asDictionary(fields)).map(([name, spec]) => ({ name, spec: asDictionary(spec) }))
}

function fromRows(rows: readonly Row[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(rows.filter(({ name }) => name !== '').map(({ name, spec }) => [name, spec]))
}

/** Defaults are left out. */
function tidy(spec: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(spec).filter(
      ([key, value]) =>
        value !== undefined && value !== '' && !(key === 'take' && value === 'text') && value !== false,
    ),
  )
}
