import { ArrowDown, ArrowUp, Braces, Plus, Trash2 } from '../../lib/icons.tsx'
import { useLayoutEffect, useRef, useState } from 'react'
import type { Json } from '../../../shared/contract/base/common.ts'
import { Button, IconButton } from '../controls/button.tsx'
import { Field, Switch, TextArea, TextInput } from '../controls/field.tsx'
import { JsonField } from '../code/json-field.tsx'
import { Select } from '../controls/select.tsx'
import { LookupEditor } from './lookup-editor.tsx'
import { english, t } from '../../lib/i18n.ts'
import type { English } from '../../lib/i18n.ts'
import { readSchemaFields, SCHEMA_FIELD_TYPES } from '../../lib/schema-fields.ts'
import type { SchemaFieldType } from '../../lib/schema-fields.ts'

/** Only a page in a browser can send files. */
type EditedType = SchemaFieldType | 'file'
type RawField = Readonly<Record<string, Json>>

interface FormSchemaEditorProps {
  readonly label: string
  readonly hint?: string
  readonly error?: string | undefined
  /** For the fields of a page in a browser: only these types are offered, and options have no labels. */
  readonly pageTypes?: readonly EditedType[]
  /** The value as stored: unknown keys are kept. */
  readonly value: readonly unknown[]
  readonly onChange: (value: RawField[]) => void
}

/** The fields of a form, one below the other, each of which opens to all its properties; or the whole form as JSON. */
export function FormSchemaEditor({ label, hint, error, pageTypes, value, onChange }: FormSchemaEditorProps) {
  const [asJson, setAsJson] = useState(false)
  const toggle = (
    <IconButton
      small
      icon={Braces}
      aria-pressed={asJson}
      label={t('{{label}} as JSON', { label })}
      onClick={() => setAsJson(!asJson)}
    />
  )
  if (asJson)
    return (
      <JsonField
        label={label}
        error={error}
        value={value}
        aside={toggle}
        onChange={(next) => onChange(Array.isArray(next) ? (next as RawField[]) : [])}
      />
    )
  return (
    <fieldset className="flex min-w-0 flex-col gap-2">
      <div className="flex items-center justify-between gap-2">
        <legend className="contents font-medium">{label}</legend>
        {toggle}
      </div>
      {hint === undefined ? null : <p className="text-muted">{hint}</p>}
      {error === undefined ? null : <p className="text-error">{error}</p>}
      <FieldList fields={value.filter(isField)} pageTypes={pageTypes} onChange={onChange} />
    </fieldset>
  )
}

interface FieldListProps {
  readonly pageTypes: readonly EditedType[] | undefined
  readonly fields: readonly RawField[]
  readonly onChange: (fields: RawField[]) => void
}

function FieldList({ fields, pageTypes, onChange }: FieldListProps) {
  const [open, setOpen] = useState<number | null>(null)
  const list = useRef<HTMLOListElement>(null)
  const added = useRef(false)
  useLayoutEffect(() => {
    if (!added.current) return
    added.current = false
    list.current?.querySelector<HTMLInputElement>(':scope > :last-child input')?.select()
  })
  function move(at: number, by: -1 | 1) {
    const field = fields[at]
    if (field === undefined) return
    onChange(fields.toSpliced(at, 1).toSpliced(at + by, 0, field))
    setOpen((index) => (index === at ? at + by : index))
  }
  return (
    <>
      {fields.length === 0 ? <p className="text-faint">{t('No fields')}</p> : null}
      <ol ref={list} className="flex flex-col gap-1.5 empty:hidden">
        {fields.map((field, at) => (
          // Fields are identified only by their position while their names are typed.
          <li key={at} className="rounded border border-line bg-surface">
            <div className="flex items-center gap-1 py-1 pr-1 pl-2">
              <button
                type="button"
                aria-expanded={open === at}
                className="flex min-w-0 flex-1 items-center gap-2 rounded-sm text-left"
                onClick={() => setOpen(open === at ? null : at)}
              >
                <span className="min-w-0 truncate font-medium">{nameOf(field)}</span>
                <span className="shrink-0 text-sm text-muted">{t(TYPE_WORDS[typeOf(field)])}</span>
                {field['required'] === true ? (
                  <span className="shrink-0 text-sm text-muted">{t('required')}</span>
                ) : null}
              </button>
              <IconButton
                small
                icon={ArrowUp}
                label={t('Move {{nameOf}} up', { nameOf: nameOf(field) })}
                disabled={at === 0}
                onClick={() => move(at, -1)}
              />
              <IconButton
                small
                icon={ArrowDown}
                label={t('Move {{nameOf}} down', { nameOf: nameOf(field) })}
                disabled={at === fields.length - 1}
                onClick={() => move(at, 1)}
              />
              <IconButton
                small
                icon={Trash2}
                label={t('Remove {{nameOf}}', { nameOf: nameOf(field) })}
                onClick={() => {
                  setOpen(null)
                  onChange(fields.toSpliced(at, 1))
                }}
              />
            </div>
            {open === at ? (
              <FieldEditor
                field={field}
                pageTypes={pageTypes}
                onChange={(next) => onChange(fields.with(at, next))}
              />
            ) : null}
          </li>
        ))}
      </ol>
      <Button
        icon={Plus}
        className="self-start"
        onClick={() => {
          added.current = true
          setOpen(fields.length)
          onChange([...fields, { name: freeName(fields), label: '', type: 'text', required: false }])
        }}
      >
        {t('Add field')}
      </Button>
    </>
  )
}

interface FieldEditorProps {
  readonly pageTypes: readonly EditedType[] | undefined
  readonly field: RawField
  readonly onChange: (field: RawField) => void
}

function FieldEditor({ field, pageTypes, onChange }: FieldEditorProps) {
  const type = typeOf(field)
  const set = (patch: Readonly<Record<string, Json | undefined>>) =>
    onChange(
      Object.fromEntries(
        Object.entries({ ...field, ...patch }).filter(
          (entry): entry is [string, Json] => entry[1] !== undefined,
        ),
      ),
    )
  const text = (key: string) => (typeof field[key] === 'string' ? field[key] : '')
  return (
    <div className="flex flex-col gap-3 border-t border-line p-3">
      <div className="grid grid-cols-[minmax(0,1fr)_minmax(0,1fr)_9rem] gap-3">
        <Field label={t('Field name')}>
          <TextInput mono value={text('name')} onChange={(name) => set({ name })} placeholder="order_id" />
        </Field>
        <Field label={t('Label')}>
          <TextInput value={text('label')} onChange={(label) => set({ label })} placeholder={t('Order')} />
        </Field>
        <Field label={t('Field type')}>
          <Select
            value={type}
            onChange={(next) => set({ type: next, ...(pageTypes === undefined ? {} : OF_ONE_TYPE) })}
            options={(pageTypes ?? SCHEMA_FIELD_TYPES).map((value) => ({
              value,
              label: t(TYPE_WORDS[value]),
            }))}
          />
        </Field>
      </div>
      <Field label={t('Help')} optional>
        <TextInput value={text('help')} onChange={(help) => set({ help: help || undefined })} />
      </Field>
      {type === 'file' ? (
        <FileLimits field={field} set={set} />
      ) : type === 'select' ? (
        <>
          <Field
            label={t('Options')}
            hint={
              pageTypes === undefined
                ? t('One per line. To show a different label, enter value | label.')
                : t('One per line.')
            }
          >
            <OptionsInput
              hasLabels={pageTypes === undefined}
              value={field['options']}
              onChange={(options) => set({ options })}
            />
          </Field>
          {pageTypes === undefined ? (
            <div className="flex flex-wrap gap-x-6 gap-y-2">
              <Switch
                label={t('Allow multiple values')}
                checked={field['multiple'] === true}
                onChange={(on) => set({ multiple: on || undefined })}
              />
              <Switch
                label={t('Allow custom values')}
                checked={field['allowCreate'] === true}
                onChange={(on) => set({ allowCreate: on || undefined })}
              />
            </div>
          ) : null}
        </>
      ) : type === 'lookup' ? (
        <>
          <LookupEditor
            value={isField(field['lookup']) ? field['lookup'] : {}}
            onChange={(lookup) => set({ lookup })}
          />
          <Switch
            label={t('Allow multiple values')}
            checked={field['multiple'] === true}
            onChange={(on) => set({ multiple: on || undefined })}
          />
        </>
      ) : type === 'nested_object' ? (
        <fieldset className="flex flex-col gap-2 rounded border border-line bg-sunken p-2">
          <legend className="px-1 font-medium">{t('Fields')}</legend>
          <FieldList
            fields={Array.isArray(field['fields']) ? field['fields'].filter(isField) : []}
            pageTypes={pageTypes}
            onChange={(fields) => set({ fields })}
          />
        </fieldset>
      ) : pageTypes !== undefined || WITHOUT_PLACEHOLDER.has(type) ? null : (
        <Field label={t('Placeholder')} optional>
          <TextInput
            value={text('placeholder')}
            onChange={(placeholder) => set({ placeholder: placeholder || undefined })}
          />
        </Field>
      )}
      <Switch
        label={t('Required')}
        checked={field['required'] === true}
        onChange={(required) => set({ required })}
      />
    </div>
  )
}

/** The properties that a field of a page loses if its type changes. */
const OF_ONE_TYPE = { options: undefined, accept: undefined, max_mb: undefined, multiple: undefined }

interface FileLimitsProps {
  readonly field: RawField
  readonly set: (patch: Readonly<Record<string, Json | undefined>>) => void
}

/** The restrictions on the files that a page's field accepts. */
function FileLimits({ field, set }: FileLimitsProps) {
  const { accept, max_mb: most, multiple } = field
  const [types, setTypes] = useState(() => (Array.isArray(accept) ? accept.map(String).join(', ') : ''))
  return (
    <>
      <div className="grid grid-cols-[minmax(0,1fr)_9rem] gap-3">
        <Field label={t('Accepted types')} optional hint={t('Extensions, separated by commas.')}>
          <TextInput
            mono
            value={types}
            placeholder=".pdf, .png"
            onChange={(text) => {
              setTypes(text)
              const all = text.split(/[\s,]+/).filter((one) => one !== '')
              set({ accept: all.length === 0 ? undefined : all })
            }}
          />
        </Field>
        <Field label={t('Largest size (MB)')} optional>
          <TextInput
            inputMode="decimal"
            value={typeof most === 'number' || typeof most === 'string' ? String(most) : ''}
            onChange={(text) => set({ max_mb: text === '' ? undefined : asNumber(text) })}
          />
        </Field>
      </div>
      <Switch
        label={t('Several files')}
        checked={multiple === true}
        onChange={(on) => set({ multiple: on || undefined })}
      />
    </>
  )
}

/** Anything else stays a string, which the step's validation rejects. */
const asNumber = (text: string): Json => (/^\d+(\.\d+)?$/.test(text) ? Number(text) : text)

const WITHOUT_PLACEHOLDER: ReadonlySet<EditedType> = new Set(['switch', 'date', 'datetime', 'daterange'])

interface OptionsInputProps {
  /** Whether a line can be `value | label`. */
  readonly hasLabels: boolean
  readonly value: unknown
  readonly onChange: (options: Json[]) => void
}

/** The text stays as typed; an empty line isn't an option yet. */
function OptionsInput({ hasLabels, value, onChange }: OptionsInputProps) {
  const [lines, setLines] = useState(() =>
    (readSchemaFields([{ name: 'x', type: 'select', options: value }])[0]?.options ?? [])
      .map((option) => (option.label === option.value ? option.value : `${option.value} | ${option.label}`))
      .join('\n'),
  )
  return (
    <TextArea
      mono
      rows={3}
      value={lines}
      onChange={(next) => {
        setLines(next)
        onChange(next.split('\n').flatMap(hasLabels ? readOption : readPlainOption))
      }}
    />
  )
}

function readPlainOption(line: string): string[] {
  return line.trim() === '' ? [] : [line.trim()]
}

function readOption(line: string): Json[] {
  const [value = '', label = ''] = line.split('|').map((part) => part.trim())
  if (value === '') return []
  return [label === '' ? value : { value, label }]
}

const TYPE_WORDS: { readonly [T in EditedType]: English } = {
  file: english('File'),
  text: english('Text'),
  textarea: english('Multi-line text'),
  number: english('Number'),
  email: english('Email'),
  password: english('Password'),
  select: english('Choice'),
  switch: english('Switch'),
  date: english('Date'),
  datetime: english('Date and time'),
  daterange: english('Start and end'),
  nested_object: english('Field group'),
  lookup: english('Look-up'),
}

function typeOf(field: RawField): EditedType {
  if (field['type'] === 'file') return 'file'
  return readSchemaFields([{ ...field, name: 'x' }])[0]?.type ?? 'text'
}

/** `field1`, `field2` …: a field without a name couldn't be read by any template. */
function freeName(fields: readonly RawField[]): string {
  const taken = new Set(fields.map((field) => field['name']))
  for (let number = 1; ; number += 1) if (!taken.has(`field${number}`)) return `field${number}`
}

function nameOf(field: RawField): string {
  const [label, name] = [field['label'], field['name']]
  if (typeof label === 'string' && label !== '') return label
  return typeof name === 'string' && name !== '' ? name : t('New field')
}

function isField(value: unknown): value is RawField {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
