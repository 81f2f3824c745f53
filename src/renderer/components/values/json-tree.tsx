import { useVirtualizer } from '@tanstack/react-virtual'
import { Braces, ChevronRight, Copy, Route, Search } from '../../lib/icons.tsx'
import { type KeyboardEvent, memo, useEffect, useMemo, useRef, useState } from 'react'
import { cx } from '../../lib/cx.ts'
import { plural } from '../../lib/format.ts'
import { t } from '../../lib/i18n.ts'
import {
  ancestorsOf,
  type JsonRow,
  pathOf,
  searchJson,
  toJsonPath,
  toTemplate,
  visibleRows,
} from '../../lib/json-rows.ts'
import { formatJson } from '../../lib/json.ts'
import { IconButton } from '../controls/button.tsx'
import { TextInput } from '../controls/field.tsx'
import { announce } from '../screen/toast.tsx'
import { CopyIcon, copyText } from './copy-button.tsx'

interface JsonTreeProps {
  readonly value: unknown
  /** The accessible name of the tree: `Output of step "web1"`. */
  readonly label: string
  /** The name by which templates read this value; offers a path as a template. */
  readonly root?: string
  /** Number of levels that are initially open. */
  readonly openDepth?: number
  /** The rows to highlight, by ID: every item of these lists, and these values. */
  readonly marks?: TreeMarks
  /** Whether long lists and texts of the value were cut; only the remaining part is counted and searched. */
  readonly isShortened?: boolean
  /** The search text if its field is elsewhere; the tree then has none. */
  readonly words?: string
}

export interface TreeMarks {
  readonly lists: ReadonlySet<string>
  readonly values: ReadonlySet<string>
}

const ROW_PX = 22
const OPEN_DEPTH = 2
const NO_MARKS: TreeMarks = { lists: new Set(), values: new Set() }
const MATCHES = 500
/** Values in a longer list or object start closed: opening all of them would show the whole text at once. */
const MOST_SIBLINGS = 100

/**
 * A JSON value of any size as a tree: arrow keys move and open, c copies the value, p its path as a template, Shift+p
 * as a JSONPath. Enter in the search goes from match to match.
 */
export function JsonTree(props: JsonTreeProps) {
  const { value, label, root, openDepth = OPEN_DEPTH, marks = NO_MARKS, words, isShortened = false } = props
  const [toggled, setToggled] = useState<ReadonlySet<string>>(new Set())
  const [typed, setSearch] = useState('')
  const search = words?.trim() ?? typed
  const [active, setActive] = useState('$')
  const scroller = useRef<HTMLDivElement>(null)

  const { ids: found, isLooking } = useFoundRows(value, search, MATCHES)
  const rows = useMemo(() => {
    const ways = new Set(found.flatMap(ancestorsOf))
    const isOpenAtFirst = (depth: number, siblings: number) => depth < openDepth && siblings <= MOST_SIBLINGS
    return visibleRows(value, { isOpenAtFirst, toggled, ways })
  }, [value, toggled, found, openDepth])
  const matches = useMemo(() => new Set(found), [found])
  const index = useMemo(() => Math.max(0, rows.indexOf(active)), [rows, active])

  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PX,
    overscan: 12,
  })

  function toggle(row: JsonRow) {
    if (row.size === null || row.size === 0) return
    setToggled((before) => {
      const after = new Set(before)
      if (!after.delete(row.id)) after.add(row.id)
      return after
    })
  }

  function moveTo(target: number) {
    const at = Math.min(rows.length - 1, Math.max(0, target))
    const row = rows.at(at)
    if (row === undefined) return
    setActive(row.id)
    virtual.scrollToIndex(at)
  }

  function copyPath(row: JsonRow, isTemplate = root !== undefined) {
    const path = isTemplate && root !== undefined ? toTemplate(root, pathOf(row)) : toJsonPath(pathOf(row))
    void copyText(path).then((copied) => copied && announce(t('{{path}} copied', { path })))
  }

  // The first match is scrolled into view.
  const shownMatch = useRef(found)
  useEffect(() => {
    if (found === shownMatch.current) return
    shownMatch.current = found
    const first = found[0] === undefined ? -1 : rows.indexOf(found[0])
    if (first !== -1) virtual.scrollToIndex(first)
  }, [found, rows, virtual])

  /** Moves from match to match, wrapping around. */
  function moveToMatch(by: 1 | -1) {
    if (found.length === 0) return
    const at = found.indexOf(active)
    const next = found[at === -1 ? 0 : (at + by + found.length) % found.length]
    if (next !== undefined) moveTo(rows.indexOf(next))
  }

  function onKeyDown(event: KeyboardEvent) {
    const row = rows.at(index)
    if (row === undefined || event.ctrlKey || event.metaKey || event.altKey) return
    const keys: Record<string, () => void> = {
      ArrowDown: () => moveTo(index + 1),
      ArrowUp: () => moveTo(index - 1),
      Home: () => moveTo(0),
      End: () => moveTo(rows.length - 1),
      PageDown: () => moveTo(index + 20),
      PageUp: () => moveTo(index - 20),
      ArrowRight: () => (row.size !== null && !row.open ? toggle(row) : moveTo(index + 1)),
      ArrowLeft: () =>
        row.open ? toggle(row) : moveTo(row.parent === null ? 0 : rows.indexOf(row.parent.id)),
      Enter: () => toggle(row),
      ' ': () => toggle(row),
      c: () => void copyText(asText(row.value)).then((copied) => copied && announce(t('Value copied'))),
      p: () => copyPath(row),
      P: () => copyPath(row, false),
    }
    const run = keys[event.key]
    if (run === undefined) return
    event.preventDefault()
    event.stopPropagation()
    run()
  }

  const now = useRef<RowActions>({ toggle, copyPath })
  useEffect(() => {
    now.current = {
      toggle(row) {
        setActive(row.id)
        toggle(row)
      },
      copyPath,
    }
  })
  /** Always the same object, so that it never causes rows to be rendered again. */
  const [actions] = useState<RowActions>(() => ({
    toggle: (row) => now.current.toggle(row),
    copyPath: (row, isTemplate) => now.current.copyPath(row, isTemplate),
  }))

  return (
    <div className="flex min-h-0 flex-1 flex-col">
      {words === undefined ? (
        <div className="flex shrink-0 items-center gap-1 border-b border-line px-3 py-1">
          <Search size={13} aria-hidden className="text-faint" />
          <TextInput
            value={search}
            onChange={setSearch}
            aria-label={t('Search in {{label}}', { label })}
            placeholder={t('Search keys and values')}
            className="h-6 border-transparent bg-transparent px-1"
            onKeyDown={(event) => {
              if (event.key !== 'Enter') return
              event.preventDefault()
              moveToMatch(event.shiftKey ? -1 : 1)
            }}
          />
          {search === '' ? null : (
            <span role="status" className="shrink-0 text-sm text-muted">
              {isLooking
                ? t('searching…')
                : found.length === MATCHES
                  ? t('{{count}} or more found', { count: MATCHES })
                  : isShortened
                    ? t('{{count}} found in the shortened value', { count: found.length })
                    : t('{{count}} found', { count: found.length })}
            </span>
          )}
          <CopyIcon label={t('Copy all as JSON')} text={() => formatJson(value)} />
        </div>
      ) : null}
      <div
        ref={scroller}
        role="tree"
        tabIndex={0}
        aria-label={label}
        aria-activedescendant={rowId(label, index)}
        onKeyDown={onKeyDown}
        className="group/tree min-h-0 flex-1 overflow-auto py-1 font-mono text-code focus-visible:-outline-offset-2"
      >
        <div className="relative" style={{ height: virtual.getTotalSize() }}>
          {virtual.getVirtualItems().map((item) => {
            const row = rows.at(item.index)
            if (row === undefined) return null
            return (
              <Row
                key={row.id}
                id={rowId(label, item.index)}
                row={row}
                top={item.start}
                active={item.index === index}
                matched={matches.has(row.id)}
                marked={isMarked(row, marks)}
                template={root !== undefined}
                isShortened={isShortened}
                actions={actions}
              />
            )
          })}
        </div>
      </div>
    </div>
  )
}

interface RowProps {
  readonly id: string
  readonly row: JsonRow
  readonly top: number
  readonly active: boolean
  readonly matched: boolean
  readonly marked: boolean
  readonly template: boolean
  readonly isShortened: boolean
  readonly actions: RowActions
}

interface RowActions {
  readonly toggle: (row: JsonRow) => void
  readonly copyPath: (row: JsonRow, isTemplate: boolean) => void
}

/** Rendered again only when its row changes, not on every frame of scrolling. */
const Row = memo(function Row(props: RowProps) {
  const { id, row, top, active, matched, marked, template, isShortened, actions } = props
  const { key } = row
  const [hovered, setHovered] = useState(false)
  return (
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events -- the tree itself takes the keys
    <div
      id={id}
      role="treeitem"
      aria-level={row.depth + 1}
      aria-selected={active}
      {...(row.size === null ? {} : { 'aria-expanded': row.open })}
      tabIndex={-1}
      onClick={() => actions.toggle(row)}
      onPointerEnter={() => setHovered(true)}
      onPointerLeave={() => setHovered(false)}
      className={cx(
        'group/row absolute inset-x-0 flex h-[22px] items-center gap-1 pr-2 whitespace-nowrap hover:bg-hover',
        active && 'group-focus-visible/tree:bg-selected',
        marked && 'bg-success-soft shadow-[inset_2px_0_var(--success)]',
        matched && 'bg-retrying-soft',
      )}
      style={{ top, paddingLeft: 8 + row.depth * 14 }}
    >
      <ChevronRight
        size={12}
        aria-hidden
        className={cx('shrink-0 text-faint', row.open && 'rotate-90', !row.size && 'invisible')}
      />
      {key === null ? null : (
        <span className={typeof key === 'number' ? 'text-faint' : 'text-data-key'}>{key}:</span>
      )}
      <Value row={row} isShortened={isShortened} />
      {hovered ? <RowButtons row={row} template={template} actions={actions} /> : null}
    </div>
  )
})

/** The buttons are only for the pointer; the keys c and p do the same. */
function RowButtons({ row, template, actions }: Pick<RowProps, 'row' | 'template' | 'actions'>) {
  return (
    <span className="ml-auto flex shrink-0 pl-2">
      {template ? (
        <IconButton
          small
          tabIndex={-1}
          label={t('Copy as template')}
          icon={Braces}
          onClick={(event) => {
            event.stopPropagation()
            actions.copyPath(row, true)
          }}
        />
      ) : null}
      <IconButton
        small
        tabIndex={-1}
        label={t('Copy JSONPath')}
        icon={Route}
        onClick={(event) => {
          event.stopPropagation()
          actions.copyPath(row, false)
        }}
      />
      <IconButton
        small
        tabIndex={-1}
        label={t('Copy value')}
        icon={Copy}
        onClick={(event) => {
          event.stopPropagation()
          void copyText(asText(row.value))
        }}
      />
    </span>
  )
}

function Value({ row, isShortened }: { readonly row: JsonRow; readonly isShortened: boolean }) {
  const { value, size, open } = row
  if (size !== null) {
    const [left, right] = Array.isArray(value) ? ['[', ']'] : ['{', '}']
    const kept = Array.isArray(value) ? plural(size, 'item') : plural(size, 'key')
    const count = isShortened && size >= MOST_KEPT ? t('{{kept}} or more', { kept }) : kept
    return (
      <span className="text-faint">
        {left}
        {size === 0 ? right : open ? '' : `…${right}`}
        {size === 0 ? null : <span className="ml-2 font-sans">{count}</span>}
      </span>
    )
  }
  if (typeof value === 'string')
    return <span className="truncate text-data-string">{JSON.stringify(shorten(value))}</span>
  if (typeof value === 'number' || typeof value === 'bigint')
    return <span className="text-data-number">{String(value)}</span>
  return <span className="text-data-literal">{String(value)}</span>
}

/** Number of list items or object keys that a shortened value keeps. */
const MOST_KEPT = 1_000
const SHOWN_CHARACTERS = 2_000

function shorten(text: string): string {
  return text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : formatJson(value)
}

/** Everything inside a highlighted value is highlighted with it. */
function isMarked(row: JsonRow, { lists, values }: TreeMarks): boolean {
  if (lists.size === 0 && values.size === 0) return false
  for (let at: JsonRow | null = row; at !== null; at = at.parent)
    if (values.has(at.id) || (at.parent !== null && lists.has(at.parent.id))) return true
  return false
}

function rowId(label: string, index: number): string {
  return `tree-${label.replace(/\W+/g, '-')}-${index}`
}

interface Found {
  readonly ids: readonly string[]
  /** Whether a part of the value remains to be searched. */
  readonly isLooking: boolean
}

const NOTHING: Found = { ids: [], isLooking: false }
/** The time in each frame that is left after rendering. */
const SLICE_MS = 6

/** Rows that match a search, found in slices, so that a value of 20 MB delays neither typing nor scrolling. */
function useFoundRows(value: unknown, search: string, most: number): Found {
  const [found, setFound] = useState<Found & { readonly of: string }>({ ...NOTHING, of: '' })

  useEffect(() => {
    if (search === '') return undefined
    const ids: string[] = []
    const steps = searchJson(value, search)
    let timer = setTimeout(look, 0)
    function look() {
      const until = performance.now() + SLICE_MS
      let isLooking = true
      while (isLooking && performance.now() < until) {
        const step = steps.next()
        if (step.done) isLooking = false
        else if (step.value !== null) isLooking = ids.push(step.value) < most
      }
      if (isLooking) timer = setTimeout(look, 0)
      else setFound({ ids, isLooking, of: search })
    }
    return () => clearTimeout(timer)
  }, [value, search, most])

  if (search === '') return NOTHING
  return found.of === search ? found : { ids: found.ids, isLooking: true }
}
