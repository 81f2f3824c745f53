import { useMemo } from 'react'
import type { ReceivedBody } from '../../../shared/contract/webhooks.ts'
import { plural } from '../../lib/format.ts'
import { t } from '../../lib/i18n.ts'
import { CodeField } from '../code/code-field.tsx'
import { DictionaryField } from '../controls/dictionary-field.tsx'
import { Field, TextInput } from '../controls/field.tsx'

/** The parts of a request that can be changed before it is sent again. */
export interface EditableRequest {
  /** The query with its `?`; empty if there is none. */
  readonly query: string
  readonly headers: Readonly<Record<string, string>>
  readonly encoding: ReceivedBody['encoding']
  /** Text, or two hexadecimal digits per byte. */
  readonly body: string
}

/** Null if the digits aren't bytes. */
export function toBytes({ encoding, body }: EditableRequest): Uint8Array<ArrayBuffer> | null {
  if (encoding === 'text') return new TextEncoder().encode(body)
  const digits = body.replace(/\s/g, '')
  if (digits.length % 2 !== 0 || /[^0-9a-f]/i.test(digits)) return null
  return Uint8Array.from({ length: digits.length / 2 }, (_, index) =>
    Number.parseInt(digits.slice(index * 2, index * 2 + 2), 16),
  )
}

const hasWrongQuery = ({ query }: EditableRequest) => query !== '' && !query.startsWith('?')

/** Whether the request can be sent as typed. */
export const isComplete = (draft: EditableRequest) => !hasWrongQuery(draft) && toBytes(draft) !== null

interface RequestFieldsProps {
  readonly draft: EditableRequest
  readonly onChange: (draft: EditableRequest) => void
}

/** Query, headers and body of a request, to be edited. */
export function RequestFields({ draft, onChange }: RequestFieldsProps) {
  const bytes = useMemo(() => toBytes(draft), [draft])
  const change = (patch: Partial<EditableRequest>) => onChange({ ...draft, ...patch })
  return (
    <>
      <Field
        label={t('Query')}
        optional
        error={hasWrongQuery(draft) ? t('A query string starts with “?”.') : undefined}
      >
        <TextInput mono value={draft.query} placeholder="?page=2" onChange={(query) => change({ query })} />
      </Field>
      <DictionaryField
        label={t('Headers')}
        noun={t('header')}
        value={draft.headers}
        onChange={(headers) => change({ headers: headers as Record<string, string> })}
      />
      <Field
        label={draft.encoding === 'hex' ? t('Body (hex, two digits per byte)') : t('Body')}
        error={bytes === null ? t('Enter bytes as pairs of hex digits (0 to 9, a to f).') : undefined}
        aside={
          <span className="text-sm text-muted">{bytes === null ? '' : plural(bytes.length, 'byte')}</span>
        }
      >
        <CodeField
          first
          language={isJson(draft) ? 'json' : 'text'}
          value={draft.body}
          onChange={(body) => change({ body })}
        />
      </Field>
    </>
  )
}

function isJson({ headers, encoding }: EditableRequest): boolean {
  const type = Object.entries(headers).find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? 'json'
  return encoding === 'text' && type.includes('json')
}
