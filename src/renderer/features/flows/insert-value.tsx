import { Popover } from '@base-ui/react/popover'
import { Braces } from 'lucide-react'
import { useState } from 'react'
import type { Step } from '../../../shared/contract/steps.ts'
import { IconButton } from '../../components/button.tsx'
import { TextInput } from '../../components/field.tsx'
import { useEditor, useRunPanel } from './editor-context.tsx'
import { readableValues } from './readable-values.ts'
import { findStep, stepsBefore } from './step-tree.ts'

interface InsertValueProps {
  readonly refId: string
  /** Called with a path such as `web1.order.id`. */
  readonly onInsert: (path: string) => void
}

const NO_STEPS: readonly Step[] = []
const SHOWN = 100

/** What this step can read: the results of the steps before it, as they were in the run that is shown below. */
export function InsertValue({ refId, onInsert }: InsertValueProps) {
  const [open, setOpen] = useState(false)
  return (
    <Popover.Root open={open} onOpenChange={setOpen}>
      <Popover.Trigger
        render={<IconButton small label="Insert a value of an earlier step" icon={Braces} />}
      />
      <Popover.Portal>
        <Popover.Positioner sideOffset={4} align="end" className="z-50">
          <Popover.Popup className="floating flex max-h-96 w-96 flex-col rounded border border-line bg-raised shadow-float">
            {open ? (
              <Choices
                refId={refId}
                onChoose={(path) => {
                  setOpen(false)
                  onInsert(path)
                }}
              />
            ) : null}
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  )
}

function Choices({ refId, onChoose }: { readonly refId: string; readonly onChoose: (path: string) => void }) {
  const steps = useEditor((state) => state.history?.present.steps ?? NO_STEPS)
  const records = useRunPanel((state) => state.steps)
  const [search, setSearch] = useState('')
  const place = findStep(steps, refId)
  const before = place === undefined ? [] : stepsBefore(steps, place.path)
  const values = readableValues(before, place?.path.includes('steps') ?? false, records)
  const shown = values
    .filter((value) => value.path.toLowerCase().includes(search.toLowerCase()))
    .slice(0, SHOWN)
  const unknown = before.some((step) => records[step.ref_id] === undefined)

  return (
    <>
      <div className="border-b border-line p-2">
        <TextInput
          mono
          value={search}
          onChange={setSearch}
          aria-label="Search the values"
          placeholder="Search"
          onKeyDown={(event) => {
            const [first] = shown
            if (event.key === 'Enter' && first !== undefined) onChoose(first.path)
          }}
        />
      </div>
      <ul className="min-h-0 flex-1 overflow-y-auto p-1">
        {shown.map((value) => (
          <li key={value.path}>
            <button
              type="button"
              onClick={() => onChoose(value.path)}
              className="flex w-full items-baseline gap-3 rounded-sm px-2 py-0.5 text-left font-mono text-sm hover:bg-hover focus-visible:-outline-offset-2"
            >
              <span className="min-w-0 truncate text-data-key">{value.path}</span>
              <span className="ml-auto max-w-[45%] shrink-0 truncate text-faint">{value.sample}</span>
            </button>
          </li>
        ))}
      </ul>
      <p className="border-t border-line px-3 py-2 text-sm text-muted">
        {before.length === 0
          ? 'No step runs before this one.'
          : unknown
            ? 'Run the flow once to see the fields of every step.'
            : 'Values of the run shown below.'}
      </p>
    </>
  )
}
