import { ChevronRight, Plus } from '../../../lib/icons.tsx'
import { memo, useRef, useState } from 'react'
import type { DragEvent, KeyboardEvent, MouseEvent, ReactNode } from 'react'
import { cx } from '../../../lib/cx.ts'
import { english, t } from '../../../lib/i18n.ts'
import type { English } from '../../../lib/i18n.ts'
import type { ScopeNode } from '../../../lib/scope.ts'

interface DataTreeProps {
  readonly roots: readonly ScopeNode[]
  /** Whether matches are listed flat, with their full path. */
  readonly searching: boolean
  readonly onInsert: (node: ScopeNode, withDefault: boolean) => void
  /** A note on what a root is, if its name doesn't make that clear. */
  readonly noteOf: (root: ScopeNode) => string | null
  /** Rendered next to the first step without known values, since what helps that step helps the others. */
  readonly renderUnknown: () => ReactNode
}

interface Row {
  readonly node: ScopeNode
  readonly depth: number
  readonly open: boolean
}

/**
 * Names with types and samples: arrow keys move and open, Enter inserts, Alt+Enter inserts with a default. Typing
 * in the form doesn't render it again, because a long flow has hundreds of rows.
 */
export const DataTree = memo(function DataTree(props: DataTreeProps) {
  const { roots, searching, onInsert, noteOf, renderUnknown } = props
  const tree = useRef<HTMLDivElement>(null)
  const [toggled, setToggled] = useState<ReadonlySet<string>>(new Set())
  const [active, setActive] = useState('')
  const first = roots.find((root) => root.type === 'dictionary' && root.hasChildren)?.path
  // The nearest result starts open, because it is read most.
  const isOpen = (path: string) => toggled.has(path) !== (!searching && path === first)
  const rows = rowsOf(roots, isOpen, 0)
  const unknown = roots.find((root) => root.type === 'unknown')?.path
  const at = Math.max(
    0,
    rows.findIndex(({ node }) => node.path === active),
  )

  function toggle(path: string) {
    setToggled((before) => {
      const after = new Set(before)
      if (!after.delete(path)) after.add(path)
      return after
    })
  }

  function go(to: number) {
    const index = Math.min(rows.length - 1, Math.max(0, to))
    setActive(rows[index]?.node.path ?? '')
    tree.current?.querySelectorAll<HTMLElement>('[role="treeitem"]')[index]?.focus()
  }

  function onKeyDown(event: KeyboardEvent) {
    const row = rows[at]
    if (row === undefined || event.ctrlKey || event.metaKey) return
    const { node, open, depth } = row
    const parent = rows.slice(0, at).findLastIndex((above) => above.depth < depth)
    const keys: Record<string, () => void> = {
      ArrowDown: () => go(at + 1),
      ArrowUp: () => go(at - 1),
      Home: () => go(0),
      End: () => go(rows.length - 1),
      ArrowRight: () => (node.hasChildren && !open ? toggle(node.path) : go(at + 1)),
      ArrowLeft: () => (open ? toggle(node.path) : go(parent)),
      Enter: () => onInsert(node, event.altKey),
    }
    const run = keys[event.key]
    if (run === undefined || isOnButton(event)) return
    event.preventDefault()
    event.stopPropagation()
    run()
  }

  if (rows.length === 0) return <p className="flex-1 p-3 text-muted">{t('No results')}</p>
  return (
    <div
      ref={tree}
      role="tree"
      tabIndex={-1}
      aria-label={t('Data of earlier steps')}
      className="min-h-0 flex-1 overflow-auto py-1 font-mono text-code"
    >
      {rows.map((row, index) => (
        <DataRow
          key={row.node.path}
          {...row}
          label={searching ? row.node.path : row.node.name}
          note={row.depth === 0 && !searching ? noteOf(row.node) : null}
          tabbable={index === at}
          onKeyDown={onKeyDown}
          onFocus={() => setActive(row.node.path)}
          onToggle={() => toggle(row.node.path)}
          onInsert={(withDefault) => onInsert(row.node, withDefault)}
          aside={row.node.path === unknown ? renderUnknown() : null}
        />
      ))}
    </div>
  )
})

function rowsOf(
  nodes: readonly ScopeNode[],
  isOpen: (path: string) => boolean,
  depth: number,
): readonly Row[] {
  return nodes.flatMap((node): readonly Row[] => {
    const open = node.hasChildren && isOpen(node.path)
    return [{ node, depth, open }, ...(open ? rowsOf(node.children(), isOpen, depth + 1) : [])]
  })
}

interface DataRowProps extends Row {
  readonly label: string
  readonly note: string | null
  readonly tabbable: boolean
  readonly aside: ReactNode
  readonly onKeyDown: (event: KeyboardEvent) => void
  readonly onFocus: () => void
  readonly onToggle: () => void
  readonly onInsert: (withDefault: boolean) => void
}

function DataRow(props: DataRowProps) {
  const { node, depth, open, label, note, tabbable, aside, onKeyDown, onFocus, onToggle, onInsert } = props
  return (
    <div
      role="treeitem"
      aria-level={depth + 1}
      aria-selected={tabbable}
      aria-label={`${node.path}, ${t(TYPE_WORDS[node.type])}${node.sample === '' ? '' : `, ${node.sample}`}`}
      {...(node.hasChildren ? { 'aria-expanded': open } : {})}
      tabIndex={tabbable ? 0 : -1}
      draggable
      onKeyDown={onKeyDown}
      onFocus={onFocus}
      onDragStart={(event) => carry(event, node.path)}
      onClick={(event: MouseEvent) => {
        if (!isOnButton(event)) onInsert(event.altKey)
      }}
      title={t('Click or drag to insert · Alt+click adds a default')}
      // Rows off screen aren't painted again at each key press.
      className="group/row flex h-6 [contain-intrinsic-block-size:1.5rem] [content-visibility:auto] items-center gap-2 pr-2 whitespace-nowrap hover:bg-hover focus-visible:-outline-offset-2"
      style={{ paddingLeft: 6 + depth * 14 }}
    >
      <button
        type="button"
        aria-hidden
        tabIndex={-1}
        onClick={(event) => {
          event.stopPropagation()
          onToggle()
        }}
        className={cx('grid size-4 shrink-0 place-items-center text-muted', !node.hasChildren && 'invisible')}
      >
        <ChevronRight size={12} className={cx('transition-transform duration-100', open && 'rotate-90')} />
      </button>
      <span className="max-w-[65%] min-w-0 shrink-0 truncate text-data-key">{label}</span>
      <span className="shrink-0 font-sans text-sm text-muted">{note ?? t(TYPE_WORDS[node.type])}</span>
      {aside === null ? (
        <span className={cx('ml-auto min-w-0 truncate', SAMPLE_TONES[node.type] ?? 'text-faint')}>
          {node.sample}
        </span>
      ) : (
        <span className="ml-auto font-sans">{aside}</span>
      )}
      <span
        aria-hidden
        className="hidden shrink-0 items-center gap-0.5 font-sans text-accent-text group-hover/row:flex group-focus-visible/row:flex"
      >
        <Plus size={12} />
        {t('insert')}
      </span>
    </div>
  )
}

const TYPE_WORDS: { readonly [T in ScopeNode['type']]: English } = {
  text: english('text'),
  number: english('number'),
  boolean: english('bool'),
  null: english('null'),
  list: english('list'),
  dictionary: english('object'),
  unknown: english('not run yet'),
}

const SAMPLE_TONES: { readonly [T in ScopeNode['type']]?: string } = {
  text: 'text-data-string',
  number: 'text-data-number',
  boolean: 'text-data-literal',
  null: 'text-data-literal',
}

/** The row around the button must not repeat its action. */
function isOnButton({ target }: KeyboardEvent | MouseEvent): boolean {
  return (target as HTMLElement).closest('button') !== null
}

/** Sets the dragged data: a template for any program, and a path for Millrace's own fields. */
function carry(event: DragEvent, path: string): void {
  event.dataTransfer.setData('text/plain', `{{ ${path} }}`)
  event.dataTransfer.setData('application/x-millrace-path', path)
  event.dataTransfer.effectAllowed = 'copy'
}
