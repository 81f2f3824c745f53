import { ListTree, Table2 } from '../../lib/icons.tsx'
import { useMemo, useState } from 'react'
import { cx } from '../../lib/cx.ts'
import { t } from '../../lib/i18n.ts'
import { recall, remember } from '../../lib/remembered.ts'
import { Button } from '../controls/button.tsx'
import { announceFailure } from '../screen/toast.tsx'
import { JsonTree } from './json-tree.tsx'
import { findTable, ValueTable } from './value-table.tsx'

interface ValueViewProps {
  readonly value: unknown
  readonly label: string
  /** The name by which templates read this value. */
  readonly root?: string
  /** Shown if there is no value. */
  readonly none: string
  /** Whether only its beginning is loaded. */
  readonly isShortened?: boolean
  /** Loads the complete value if only its beginning is loaded. */
  readonly readWhole?: (() => Promise<unknown>) | undefined
}

const KEY = 'value-view'

/** A value of any size: as a tree, and as a table if it is or contains a list of objects. */
export function ValueView({ value, label, root, none, isShortened = false, readWhole }: ValueViewProps) {
  const [wanted, setWanted] = useState(() => recall(KEY) ?? 'tree')
  const [whole, setWhole] = useState<{ readonly value: unknown } | null>(null)
  const [busy, setBusy] = useState(false)
  const shown = whole === null ? value : whole.value
  const table = useMemo(() => findTable(shown), [shown])
  if (shown === null || shown === undefined) return <p className="p-4 text-muted">{none}</p>
  const view = table === null ? 'tree' : wanted

  function choose(next: string) {
    setWanted(next)
    remember(KEY, next)
  }

  async function read(reader: () => Promise<unknown>) {
    setBusy(true)
    try {
      setWhole({ value: await reader() })
    } catch (error) {
      announceFailure(t('Couldn’t load the full value'), error)
    } finally {
      setBusy(false)
    }
  }

  const isCut = readWhole !== undefined && whole === null
  return (
    <>
      {table === null && !isCut ? null : (
        <div className="flex shrink-0 items-center gap-1 border-b border-line px-3 py-1">
          {table === null ? null : (
            <div role="group" aria-label={t('View as')} className="flex gap-1">
              <Switch icon={ListTree} label={t('Tree')} on={view === 'tree'} onClick={() => choose('tree')} />
              <Switch
                icon={Table2}
                label={t('Table')}
                on={view === 'table'}
                onClick={() => choose('table')}
              />
            </div>
          )}
          {table === null || table.path === '$' || view === 'tree' ? null : (
            <code className="ml-2 text-code text-muted">{table.path}</code>
          )}
          {isCut ? (
            <span className="ml-auto">
              <Button busy={busy} onClick={() => void read(readWhole)}>
                {t('Show full value')}
              </Button>
            </span>
          ) : null}
        </div>
      )}
      {table !== null && view === 'table' ? (
        <ValueTable rows={table.rows} label={label} />
      ) : (
        <JsonTree
          value={shown}
          label={label}
          isShortened={isShortened && whole === null}
          {...(root === undefined ? {} : { root })}
        />
      )}
    </>
  )
}

interface SwitchProps {
  readonly icon: typeof ListTree
  readonly label: string
  readonly on: boolean
  readonly onClick: () => void
}

function Switch({ icon: Icon, label, on, onClick }: SwitchProps) {
  return (
    <button
      type="button"
      aria-pressed={on}
      onClick={onClick}
      className={cx(
        'flex h-6 items-center gap-1.5 rounded px-2 text-sm',
        on ? 'bg-selected font-medium text-text' : 'text-muted hover:bg-hover hover:text-text',
      )}
    >
      <Icon size={13} aria-hidden />
      {label}
    </button>
  )
}
