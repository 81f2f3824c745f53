import { ChevronRight, CircleAlert, CircleCheck, TriangleAlert } from '../../../lib/icons.tsx'
import { useState } from 'react'
import { cx } from '../../../lib/cx.ts'
import { plural } from '../../../lib/format.ts'
import { t, translateMessage } from '../../../lib/i18n.ts'
import { recall, remember } from '../../../lib/remembered.ts'
import type { Step } from '../../../../shared/contract/steps.ts'
import { findStep } from '../model/step-tree.ts'
import { placeInWords } from '../model/step-errors.ts'
import { useEditor, usePlugins, useProblems } from '../state/editor-context.tsx'
import type { ShownProblem } from '../state/problems-store.ts'

const NO_STEPS: readonly Step[] = []

interface ProblemsViewProps {
  readonly onSelect: (refId: string, field: string) => void
}

/** All problems of the flow in the editor, saved or not; a problem leads to its step. */
export function ProblemsView({ onSelect }: ProblemsViewProps) {
  const problems = useProblems((state) => state.problems)
  const [open, setOpen] = useState(() => recall('problems') !== 'closed')
  if (problems === null) return null
  const errors = problems.filter(({ severity }) => severity === 'error').length
  const warnings = problems.length - errors
  const Icon = errors > 0 ? CircleAlert : warnings > 0 ? TriangleAlert : CircleCheck

  function toggle() {
    remember('problems', open ? 'closed' : 'open')
    setOpen(!open)
  }

  return (
    <section aria-label={t('Problems')} className="flex max-h-[45%] shrink-0 flex-col border-t border-line">
      <button
        type="button"
        aria-expanded={open}
        disabled={problems.length === 0}
        onClick={toggle}
        className="flex h-9 shrink-0 items-center gap-2 px-3 text-left hover:bg-hover focus-visible:-outline-offset-2 disabled:hover:bg-transparent"
      >
        <Icon
          size={14}
          aria-hidden
          className={errors > 0 ? 'text-error' : warnings > 0 ? 'text-retrying' : 'text-success'}
        />
        <span role="status" className="min-w-0 flex-1 truncate">
          {summaryOf(errors, warnings)}
        </span>
        {problems.length === 0 ? null : (
          <ChevronRight size={13} aria-hidden className={cx('text-muted', open && 'rotate-90')} />
        )}
      </button>
      {open && problems.length > 0 ? (
        <ul className="min-h-0 overflow-y-auto pb-1">
          {problems.map((problem) => (
            <li key={`${problem.path}:${problem.message}`}>
              <ProblemRow problem={problem} onSelect={onSelect} />
            </li>
          ))}
        </ul>
      ) : null}
    </section>
  )
}

/** A problem in words, which leads to its field. */
export function ProblemRow({
  problem,
  onSelect,
}: {
  readonly problem: ShownProblem
  readonly onSelect: (refId: string, field: string) => void
}) {
  const { severity, stepRef, field, path, message } = problem
  const Icon = severity === 'error' ? CircleAlert : TriangleAlert
  const plugins = usePlugins()
  const step = useEditor((state) => findStep(state.history?.present.steps ?? NO_STEPS, stepRef ?? '')?.step)
  const place = placeInWords(step ?? { type: '', config: {} }, field, plugins)
  return (
    <button
      type="button"
      disabled={stepRef === null}
      onClick={() => stepRef !== null && onSelect(stepRef, field)}
      className="flex w-full items-start gap-2 px-3 py-1 text-left text-sm hover:bg-hover focus-visible:-outline-offset-2"
    >
      <Icon
        size={12}
        aria-label={severity}
        className={cx('mt-0.5 shrink-0', severity === 'error' ? 'text-error' : 'text-retrying')}
      />
      <span className="min-w-0 flex-1 [overflow-wrap:anywhere]">
        <code className="font-medium">{stepRef ?? path}</code>
        {place === '' ? ' ' : <span className="text-muted"> {place} </span>}
        {translateMessage(message, problem)}
      </span>
    </button>
  )
}

function summaryOf(errors: number, warnings: number): string {
  const parts = [
    ...(errors > 0 ? [plural(errors, 'problem')] : []),
    ...(warnings > 0 ? [plural(warnings, 'warning')] : []),
  ]
  return parts.length === 0 ? t('No problems') : parts.join(', ')
}
