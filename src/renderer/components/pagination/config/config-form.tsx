import { useState } from 'react'
import type { PaginationStyle } from '../../../../shared/contract/pagination.ts'
import { plural } from '../../../lib/format.ts'
import { english, type English, t } from '../../../lib/i18n.ts'
import { Trans } from '../../../lib/trans.tsx'
import { Button } from '../../controls/button.tsx'
import { Field, TextInput } from '../../controls/field.tsx'
import { Select } from '../../controls/select.tsx'
import {
  type ConfigFields,
  type End,
  fieldsFor,
  FORM_STYLES,
  longPath,
  NO_FIELDS,
  othersIn,
  readFields,
  shortPath,
  writeFields,
} from '../state/config-fields.ts'
import { readConfigText, writeConfig } from '../state/config-text.ts'
import { usePagination } from '../state/pagination-store.ts'
import { STYLE_NAMES } from '../state/style-names.ts'
import { listsIn, type ResponseSample, shown, valueAt } from './config-completion.ts'

interface ConfigFormProps {
  readonly text: string
  readonly fields: ConfigFields
  /** The first response: values and lists in it are shown next to their paths. */
  readonly sample: ResponseSample | null
  readonly onChange: (fields: ConfigFields, text: string) => void
}

/** A configuration as one choice and a few fields. */
export function ConfigForm({ text, fields, sample, onChange }: ConfigFormProps) {
  const found = usePagination((state) => state.found)
  /** Keyed by style: the configuration at the moment when another style was chosen. */
  const [left, setLeft] = useState<{ readonly [style: string]: string }>({})
  const before = valueOf(text)
  const others = othersIn(before)
  const write = (next: ConfigFields) => onChange(next, writeConfig(writeFields(before, fields, next)))

  function chooseStyle(style: ConfigFields['style']) {
    if (style === fields.style) return
    setLeft({ ...left, [fields.style]: text })
    if (style === 'none') return onChange(NO_FIELDS, '')
    const suggestion = found?.suggestions.find((one) => one.style === style)?.config
    const known = left[style] ?? (suggestion === undefined ? null : writeConfig(suggestion))
    const read = readFields(known === null ? null : valueOf(known))
    if (known !== null && !('why' in read)) return onChange(read, known)
    write(fieldsFor(style, fields))
  }

  return (
    <div className="@container flex flex-col gap-3">
      <div className="grid gap-3 @md:grid-cols-2">
        <Field
          label={t('Style')}
          {...(fields.style === 'none' ? { hint: t('Only one request is sent.') } : {})}
        >
          <Select
            value={fields.style}
            onChange={chooseStyle}
            options={FORM_STYLES.map((value) => ({
              value,
              label: value === 'none' ? t('None') : t(STYLE_NAMES[value]),
              hint: t(STYLE_HINTS[value]),
            }))}
          />
        </Field>
        {fields.style === 'none' ? null : (
          <>
            <NextField fields={fields} sample={sample} onChange={write} />
            {fields.place === 'endpoint' ? null : <PlaceField fields={fields} onChange={write} />}
            <RecordsField fields={fields} sample={sample} onChange={write} />
            <EndField fields={fields} onChange={write} />
          </>
        )}
      </div>
      {others.length === 0 ? null : (
        <p className="break-words text-muted">
          <Trans
            text="Other settings, which are kept: <others/>"
            parts={{ others: <code className="text-code">{others.join(', ')}</code> }}
          />
        </p>
      )}
    </div>
  )
}

const STYLE_HINTS: { readonly [S in ConfigFields['style']]: English } = {
  none: english('The first response has all records'),
  cursor: english('The response has a token for the next page'),
  page_number: english('?page=2, ?page=3, …'),
  offset: english('?offset=50, ?offset=100, …'),
  link_header: english('The Link header has the URL of the next page'),
  next_address: english('The response body has the URL of the next page'),
  last_record: english('Continues after the ID of the last record'),
}

const NEXT_LABELS: { readonly [S in PaginationStyle]: English } = {
  cursor: english('Next cursor'),
  page_number: english('Next page number'),
  offset: english('Next offset'),
  link_header: english('Next link'),
  next_address: english('Next link'),
  last_record: english('Value of the last record'),
}

interface FieldPartProps {
  readonly fields: ConfigFields
  readonly onChange: (fields: ConfigFields) => void
}

type SampledProps = FieldPartProps & Pick<ConfigFormProps, 'sample'>

/** The source of the value for the next request. */
function NextField({ fields, sample, onChange }: SampledProps) {
  const { style, value } = fields
  if (style === 'none') return null
  const example = isCounted(style) ? undefined : valueAt(value, sample)
  const hint =
    style === 'page_number'
      ? t('“page” is 1 for the second request, then 2, 3, …')
      : style === 'offset'
        ? t('“count” is the number of records read so far')
        : example === undefined
          ? t('Path in the response')
          : t('{{value}} in the first response', { value: shown(example) })
  return (
    <Field label={t(NEXT_LABELS[style])} hint={hint}>
      <TextInput
        mono
        value={isCounted(style) ? value : shortPath(value)}
        onChange={(typed) =>
          onChange({
            ...fields,
            value: isCounted(style) ? typed.replaceAll(/\{\{|\}\}/g, '') : longPath(typed),
          })
        }
      />
    </Field>
  )
}

const isCounted = (style: ConfigFields['style']) => style === 'page_number' || style === 'offset'

function PlaceField({ fields, onChange }: FieldPartProps) {
  const { place, style, name } = fields
  return (
    <div className="grid grid-cols-[minmax(0,1fr)_minmax(0,1fr)] gap-2">
      <Field label={t('Sent as')}>
        <TextInput mono value={name} onChange={(next) => onChange({ ...fields, name: next })} />
      </Field>
      <Field label={t('Sent in')}>
        <Select
          value={place as Exclude<ConfigFields['place'], 'endpoint'>}
          // The value of a header is a string; a number in a body stays a number.
          onChange={(next) =>
            onChange({ ...fields, place: next, isQuoted: next === 'header' || !isCounted(style) })
          }
          options={[
            { value: 'query', label: t('Query') },
            { value: 'body', label: t('Body'), hint: t('Makes the calls POST') },
            { value: 'header', label: t('Header') },
          ]}
        />
      </Field>
    </div>
  )
}

/** The path of the records, with their number in the first response. */
function RecordsField({ fields, sample, onChange }: SampledProps) {
  const lists = listsIn(sample?.body)
  const path = fields.records.replace(/\[\*\]$/, '') || '$'
  const list = lists.find((one) => one.path === path)
  const [longest] = lists
  const isMissing = sample !== null && list === undefined && /^[$.\w]+$/.test(path)
  return (
    <Field
      label={t('Records path')}
      hint={
        list !== undefined ? (
          t('{{records}} found', { records: plural(list.length, 'record') })
        ) : isMissing && longest !== undefined ? (
          <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
            <span className="text-retrying">
              <Trans
                text={'<path/> has {{records}}.'}
                values={{ records: plural(longest.length, 'record') }}
                parts={{ path: <code className="text-code">{longest.path}</code> }}
              />
            </span>
            <Button className="h-6" onClick={() => onChange({ ...fields, records: longest.path })}>
              {t('Use it')}
            </Button>
          </span>
        ) : isMissing ? (
          <span className="text-retrying">{t('No list in the first response')}</span>
        ) : (
          t('Leave empty if the response is the list')
        )
      }
    >
      <TextInput
        mono
        value={fields.records}
        placeholder="$"
        onChange={(records) => onChange({ ...fields, records })}
      />
    </Field>
  )
}

type EndChoice = 'auto' | 'when' | 'true' | 'false'

function EndField({ fields, onChange }: FieldPartProps) {
  const { end } = fields
  const choice: EndChoice = end.kind === 'flag' ? (end.is ? 'true' : 'false') : end.kind
  const choose = (next: EndChoice) =>
    onChange({ ...fields, isGuarded: next === 'auto' && fields.isGuarded, end: endFor(next, end) })
  return (
    <>
      <Field label={t('Ends')}>
        <Select
          value={choice}
          onChange={choose}
          options={[
            {
              value: 'auto',
              label: isCounted(fields.style)
                ? t('at the first page without records')
                : t('when there is no next value'),
            },
            { value: 'false', label: t('when a value in the response is false') },
            { value: 'true', label: t('when a value in the response is true') },
            { value: 'when', label: t('when a condition is true') },
          ]}
        />
      </Field>
      {end.kind === 'flag' ? (
        <Field label={t('Value that ends the list')}>
          <TextInput
            mono
            value={shortPath(end.path)}
            onChange={(typed) => onChange({ ...fields, end: { ...end, path: longPath(typed) } })}
          />
        </Field>
      ) : end.kind === 'when' ? (
        <Field label={t('Condition that ends the list')}>
          <TextInput
            mono
            value={end.condition}
            onChange={(condition) => onChange({ ...fields, end: { kind: 'when', condition } })}
          />
        </Field>
      ) : null}
    </>
  )
}

function endFor(choice: EndChoice, before: End): End {
  if (choice === 'auto') return { kind: 'auto' }
  if (choice === 'when') return { kind: 'when', condition: '' }
  const is = choice === 'true'
  if (before.kind === 'flag') return { ...before, is }
  return { kind: 'flag', path: `previous_request.${is ? 'done' : 'has_more'}`, is, isInValue: false }
}

function valueOf(text: string): unknown {
  const read = readConfigText(text)
  return 'value' in read ? read.value : null
}
