import { ArrowDown, ArrowUp, Check, GripVertical, Plus, Trash2 } from '../../../lib/icons.tsx'
import { useState } from 'react'
import type { KeyboardEvent } from 'react'
import { Button, IconButton } from '../../controls/button.tsx'
import { cx } from '../../../lib/cx.ts'
import { plural } from '../../../lib/format.ts'
import { t } from '../../../lib/i18n.ts'
import { scanJson } from '../../../lib/json-text.ts'
import { addEntry, entriesOf, isList, moveEntry, removeEntry } from '../state/config-text.ts'

interface EntryListProps {
  readonly text: string
  /** The index of the configuration that the last test used. */
  readonly used: number | null
  readonly onChange: (text: string) => void
  /** Goes to an offset of the text. */
  readonly onGo: (offset: number) => void
}

/** The configurations of a list in the order they are tried; drag them, or move them with Alt and the arrow keys. */
export function EntryList({ text, used, onChange, onGo }: EntryListProps) {
  const [dragged, setDragged] = useState<number | null>(null)
  const [over, setOver] = useState<number | null>(null)
  const entries = entriesOf(text)
  const list = isList(text)

  const drop = (to: number) => {
    if (dragged !== null && dragged !== to) onChange(moveEntry(text, dragged, to))
    setDragged(null)
    setOver(null)
  }
  const onKeyDown = (event: KeyboardEvent, index: number) => {
    const step = event.altKey ? ({ ArrowUp: -1, ArrowDown: 1 }[event.key] ?? 0) : 0
    if (step === 0 || index + step < 0 || index + step >= entries.length) return
    event.preventDefault()
    onChange(moveEntry(text, index, index + step))
    focusRow(event.currentTarget.parentElement, index + step)
  }

  return (
    <div className="flex flex-col gap-1">
      <div className="flex items-center">
        {text.trim() === '' ? null : (
          <h3 className="font-medium">
            {list ? plural(entries.length, 'configuration') : t('One configuration')}
          </h3>
        )}
        <Button look="quiet" icon={Plus} className="ml-auto h-6" onClick={() => onChange(addEntry(text))}>
          {t('Add configuration')}
        </Button>
      </div>
      {list ? (
        <ol aria-label={t('Configurations, in order')} className="rounded border border-line">
          {entries.map((entry, index) => (
            // Items are identified only by their position in the text.
            <li
              key={index}
              className={cx(
                'border-line not-first:border-t',
                over === index && dragged !== index && 'bg-selected',
              )}
            >
              {/* oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- its buttons do the same by keyboard */}
              <div
                draggable
                onDragStart={() => setDragged(index)}
                onDragEnd={() => drop(over ?? index)}
                onDragOver={(event) => {
                  event.preventDefault()
                  setOver(index)
                }}
                onKeyDown={(event) => onKeyDown(event, index)}
                className="group flex h-7 items-center gap-1.5 px-1.5"
              >
                <GripVertical size={13} aria-hidden className="shrink-0 cursor-grab text-faint" />
                <span className="tabular w-4 shrink-0 text-right text-sm text-faint">{index + 1}</span>
                <button
                  type="button"
                  title={entry.when}
                  onClick={() => onGo(entryOffset(text, index))}
                  className="min-w-0 flex-1 truncate rounded-sm text-left font-mono text-code hover:underline"
                >
                  {entry.when ?? <span className="font-sans text-muted">{t('matches everything else')}</span>}
                </button>
                {used === index ? (
                  <span className="flex shrink-0 items-center gap-1 text-sm text-success">
                    <Check size={13} aria-hidden />
                    {t('used')}
                  </span>
                ) : null}
                <span className="flex shrink-0">
                  <IconButton
                    small
                    label={t('Move configuration {{index}} up', { index: index + 1 })}
                    icon={ArrowUp}
                    disabled={index === 0}
                    onClick={() => onChange(moveEntry(text, index, index - 1))}
                  />
                  <IconButton
                    small
                    label={t('Move configuration {{index}} down', { index: index + 1 })}
                    icon={ArrowDown}
                    disabled={index === entries.length - 1}
                    onClick={() => onChange(moveEntry(text, index, index + 1))}
                  />
                  <IconButton
                    small
                    label={t('Remove configuration {{index}}', { index: index + 1 })}
                    icon={Trash2}
                    onClick={() => onChange(removeEntry(text, index))}
                  />
                </span>
              </div>
            </li>
          ))}
        </ol>
      ) : null}
    </div>
  )
}

function entryOffset(text: string, index: number): number {
  return scanJson(text).root?.members[index]?.from ?? 0
}

/** The focus follows the moved item. */
function focusRow(from: HTMLElement | null, index: number): void {
  const rows = from?.closest('ol')?.querySelectorAll<HTMLElement>('li')
  requestAnimationFrame(() => rows?.[index]?.querySelector<HTMLElement>('button:not(:disabled)')?.focus())
}
