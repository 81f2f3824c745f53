import { ChevronRight, CircleAlert, CircleCheck, CircleDashed, TriangleAlert } from '../../../lib/icons.tsx'
import { useState } from 'react'
import { cx } from '../../../lib/cx.ts'
import { plural } from '../../../lib/format.ts'
import { t, translateMessage } from '../../../lib/i18n.ts'
import { recall, remember } from '../../../lib/remembered.ts'
import type { Step } from '../../../../shared/contract/steps.ts'
import { fixedSteps } from '../model/fixed-steps.ts'
import { findStep } from '../model/step-tree.ts'
import { placeInWords, placeOfField } from '../model/step-errors.ts'
import { useEditor, usePlugins, useProblems } from '../state/editor-context.tsx'
import { faceOf } from '../step-types/index.ts'
import { isToFillIn, type ShownProblem } from '../state/problems-store.ts'

const NO_STEPS: readonly Step[] = []

interface ProblemsViewProps {
  readonly onSelect: (refId: string, field: string) => void
}

/** All problems of the flow in the editor, saved or not; a problem leads to its step. */
export function ProblemsView({ onSelect }: ProblemsViewProps) {
  const problems = useProblems((state) => state.problems)
  const fresh = useProblems((state) => state.fresh)
  const [open, setOpen] = useState(() => recall('problems') !== 'closed')
  if (problems === null) return null
  const isOpen = (problem: ShownProblem) => isToFillIn({ fresh }, problem)
  const toFillIn = problems.filter(isOpen).length
  const errors = problems.filter(({ severity }) => severity === 'error').length - toFillIn
  const warnings = problems.length - errors - toFillIn
  const Icon =
    errors > 0 ? CircleAlert : warnings > 0 ? TriangleAlert : toFillIn > 0 ? CircleDashed : CircleCheck

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
          className={
            errors > 0
              ? 'text-error'
              : warnings > 0
                ? 'text-retrying'
                : toFillIn > 0
                  ? 'text-muted'
                  : 'text-success'
          }
        />
        <span role="status" className="min-w-0 flex-1 truncate">
          {summaryOf(errors, warnings, toFillIn)}
        </span>
        {problems.length === 0 ? null : (
          <ChevronRight size={13} aria-hidden className={cx('text-muted', open && 'rotate-90')} />
        )}
      </button>
      {open && problems.length > 0 ? (
        <ul className="min-h-0 overflow-y-auto pb-1">
          {problems.map((problem) => (
            <li key={`${problem.path}:${problem.message}`}>
              <ProblemRow problem={problem} isFresh={isOpen(problem)} onSelect={onSelect} />
            </li>
          ))}
        </ul>
      ) : null}
    </section>
  )
}

interface ProblemRowProps {
  readonly problem: ShownProblem
  /** Whether it belongs to a step that was just added. */
  readonly isFresh?: boolean
  readonly onSelect: (refId: string, field: string) => void
}

/** Each problem with its field's label and its step, and a link to it. */
export function ProblemRow({ problem, isFresh = false, onSelect }: ProblemRowProps) {
  const { severity, stepRef, field, path, message, fix } = problem
  const Icon = isFresh ? CircleDashed : severity === 'error' ? CircleAlert : TriangleAlert
  const plugins = usePlugins()
  const step = useEditor((state) => findStep(state.history?.present.steps ?? NO_STEPS, stepRef ?? '')?.step)
  const place = placeInWords(step ?? { type: '', config: {} }, field, plugins)
  const row = (
    <button
      type="button"
      disabled={stepRef === null}
      onClick={() => stepRef !== null && onSelect(stepRef, field)}
      className="group flex min-w-0 flex-1 items-start gap-2 px-3 py-1 text-left text-sm hover:bg-hover focus-visible:-outline-offset-2"
    >
      <Icon
        size={12}
        aria-label={isFresh ? t('To fill in') : severity === 'error' ? t('Problem') : t('Warning')}
        className={cx(
          'mt-0.5 shrink-0',
          isFresh ? 'text-muted' : severity === 'error' ? 'text-error' : 'text-retrying',
        )}
      />
      <span className="min-w-0 flex-1 [overflow-wrap:anywhere]">
        {step === undefined ? <code className="font-medium">{path}</code> : null}
        {place === '' ? null : <strong className="font-medium">{place}</strong>}{' '}
        {translateMessage(message, problem)}
        {step === undefined ? null : (
          <span className="text-muted">
            {' '}
            {t('in “{{step}}”', { step: step.title || t(faceOf(step, plugins).label) })}{' '}
            {step.title === '' ? <code className="ref-tag">{step.ref_id}</code> : null}
          </span>
        )}
      </span>
      {step === undefined ? null : (
        <span aria-hidden className="shrink-0 font-medium text-accent-text group-hover:underline">
          {isEmptyAt(step, field) ? t('Fill it in') : t('Go there')}
        </span>
      )}
    </button>
  )
  return (
    <span className="flex items-start">
      {row}
      {fix ? <FixButton fix={fix} /> : null}
    </span>
  )
}

/** Edits the steps; Undo reverts it. */
function FixButton({ fix }: { readonly fix: NonNullable<ShownProblem['fix']> }) {
  const changed = useEditor((state) => state.changed)
  const title = translateMessage(fix.title, fix)
  const what = fix.safe ? title : t('{{fix}} (check whether this is what you mean)', { fix: title })
  return (
    <button
      type="button"
      aria-label={t('Fix: {{fix}}', { fix: title })}
      title={what}
      onClick={() => changed((draft) => ({ ...draft, steps: fixedSteps(draft.steps, fix.edits) }))}
      className="mr-3 shrink-0 px-1 py-1 text-sm font-medium text-accent-text hover:underline"
    >
      {t('Fix')}
    </button>
  )
}

function isEmptyAt({ config }: Step, field: string): boolean {
  if (!field.startsWith('config.')) return false
  const value = config[placeOfField(field).key]
  return value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0)
}

/** The number of a step's problems; inconspicuous while the step is still being filled in. */
export function ErrorCount({ count, isFresh }: { readonly count: number; readonly isFresh: boolean }) {
  return isFresh ? (
    <CircleDashed size={13} aria-hidden className="shrink-0 text-faint" />
  ) : (
    <span className="shrink-0 rounded-full bg-error-soft px-1.5 text-sm font-medium text-error">{count}</span>
  )
}

function summaryOf(errors: number, warnings: number, toFillIn: number): string {
  const parts = [
    ...(errors > 0 ? [plural(errors, 'problem')] : []),
    ...(warnings > 0 ? [plural(warnings, 'warning')] : []),
    ...(toFillIn > 0 ? [t('{{count}} to fill in', { count: toFillIn })] : []),
  ]
  return parts.length === 0 ? t('No problems') : parts.join(', ')
}
