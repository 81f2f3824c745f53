import { X } from '../../lib/icons.tsx'
import { useEffect, useEffectEvent, useState } from 'react'
import type { Json } from '../../../shared/contract/base/common.ts'
import { needsAuth, type SearchChoice, searchConnectorRoute } from '../../../shared/contract/connectors.ts'
import { asAppError, isAbort, wordsOf } from '../../api/failure.ts'
import { useApi } from '../../api/provider.tsx'
import { t } from '../../lib/i18n.ts'
import type { SchemaField } from '../../lib/schema-fields.ts'
import { LookupInput, type Picked } from './lookup-input.tsx'
import type { LookupPlace } from './lookup-place.ts'
import type { LookupTarget } from './lookup-store.ts'

interface LookupControlProps {
  readonly field: SchemaField
  readonly path: string
  readonly place: LookupPlace
  readonly value: unknown
  readonly onChange: (value: unknown) => void
}

type Id = string | number

/** Records of the API, chosen by name, by ID or by URL. Their names are kept with the IDs, so they show offline, too. */
export function LookupControl({ field, path, place, value, onChange }: LookupControlProps) {
  const ids = idsOf(value)
  const target = targetOf(place, path)
  const stored = useStored(ids, target)
  const kept = place.names[path] ?? {}
  const shown = ids.map((id): Picked => ({
    value: id,
    label: stored.labels[String(id)] ?? kept[String(id)] ?? '',
  }))
  const gone = shown.filter(({ value: id }) => stored.gone.includes(String(id)))

  function choose(next: readonly Picked[]) {
    place.keep(
      path,
      Object.fromEntries(next.flatMap(({ value: id, label }) => (label === '' ? [] : [[String(id), label]]))),
    )
    onChange(field.multiple ? next.map(({ value: id }) => id) : next[0]?.value)
  }

  const remove = (one: Picked) => choose(shown.filter(({ value: id }) => id !== one.value))
  return (
    <>
      {field.multiple ? (
        <ul className="flex flex-wrap gap-1.5 empty:hidden">
          {shown.map((one) => (
            <li
              key={String(one.value)}
              className="flex min-w-0 items-center gap-1 rounded-full bg-sunken pr-1 pl-2"
            >
              <span className="truncate">{one.label || one.value}</span>
              {one.label === '' ? null : <Id id={one.value} />}
              <button
                type="button"
                aria-label={t('Remove {{one}}', { one: one.label || one.value })}
                className="grid size-5 shrink-0 place-items-center rounded-full text-muted hover:bg-hover"
                onClick={() => remove(one)}
              >
                <X size={12} aria-hidden />
              </button>
            </li>
          ))}
        </ul>
      ) : null}
      <LookupInput
        field={field}
        target={target}
        mendAuth={place.mendAuth}
        value={field.multiple ? null : (shown[0] ?? null)}
        onPick={(picked) => {
          if (picked === null) choose([])
          else if (!field.multiple) choose([picked])
          else if (!ids.includes(picked.value)) choose([...shown, picked])
        }}
      />
      {!field.multiple && shown[0] !== undefined && shown[0].label !== '' ? (
        <p className="flex text-muted">
          <Id id={shown[0].value} />
        </p>
      ) : null}
      {stored.failure === null ? null : (
        <p role="status" className="break-words text-retrying">
          {t('{{record}} couldn’t be looked up. {{reason}}', {
            record: shown.map(({ value: id, label }) => label || id).join(', '),
            reason: stored.failure,
          })}
        </p>
      )}
      {gone.length === 0 ? null : (
        <p role="status" className="text-retrying">
          {t('{{record}} no longer exists, or this connector auth can’t see it.', {
            record: gone.map(({ value: id, label }) => label || id).join(', '),
          })}
        </p>
      )}
    </>
  )
}

function Id({ id }: { readonly id: Id }) {
  return <span className="min-w-0 truncate font-mono text-code text-muted select-text">{id}</span>
}

function idsOf(value: unknown): readonly Id[] {
  return [value]
    .flat()
    .filter((one): one is Id => (typeof one === 'string' && one !== '') || typeof one === 'number')
}

function targetOf({ connector, action, authId, input, unsaved }: LookupPlace, path: string): LookupTarget {
  if (authId === undefined)
    return { problem: t('Each run chooses its own connector auth. Enter an ID, or a template.') }
  if (authId === null && needsAuth(connector))
    return { problem: t('Choose a connector auth first, or enter an ID.') }
  const lookup = unsaved?.(path)
  return {
    place: {
      connectorId: connector.id,
      auth_id: authId,
      ...(lookup === undefined ? { action, field: path } : { field: path, lookup }),
      input,
    },
  }
}

interface Stored {
  /** Why the API couldn't be asked. */
  readonly failure: string | null
  readonly labels: Readonly<Record<string, string>>
  readonly gone: readonly string[]
}

const UNKNOWN: Stored = { failure: null, labels: {}, gone: [] }

/** The API's current names of the records, and which no longer exist; or why the API can't be asked. */
function useStored(ids: readonly Id[], target: LookupTarget): Stored {
  const api = useApi()
  const [answer, setAnswer] = useState<{ readonly key: string; readonly stored: Stored }>()
  const place = 'place' in target ? target.place : null
  const key =
    place === null || ids.length === 0
      ? ''
      : JSON.stringify([ids, place.connectorId, place.auth_id, place.field])
  // The place is a new object at each render; the key contains the parts that matter.
  const ask = useEffectEvent((signal: AbortSignal) => {
    if (place === null) return
    const { connectorId, ...body } = place
    const asked = ids.slice(0, MOST_CHECKED)
    void api
      .call(
        searchConnectorRoute,
        { params: { id: connectorId }, body: { ...body, q: '', values: asked } },
        signal,
      )
      .then(
        (found) => setAnswer({ key, stored: storedOf(asked, found) }),
        (thrown: unknown) => {
          const failure = asAppError(thrown)
          // Values that are still missing in the form are reported when a list is opened.
          if (failure.code !== 'validation' && !isAbort(thrown))
            setAnswer({ key, stored: { ...UNKNOWN, failure: wordsOf(failure) } })
        },
      )
  })
  useEffect(() => {
    if (key === '') return undefined
    const abort = new AbortController()
    ask(abort.signal)
    return () => abort.abort()
  }, [key])
  return answer?.key === key ? answer.stored : UNKNOWN
}

const MOST_CHECKED = 50

function storedOf(ids: readonly Id[], found: readonly SearchChoice[]): Stored {
  const there = new Set(found.map(({ value }) => idText(value)))
  return {
    failure: null,
    labels: Object.fromEntries(
      found.flatMap(({ value, label, record }) => (record === null ? [] : [[idText(value), label]])),
    ),
    gone: ids.map(String).filter((id) => !there.has(id)),
  }
}

/** IDs are strings or numbers. */
const idText = (value: Json) => (typeof value === 'string' ? value : JSON.stringify(value))
