import { useNavigate } from '@tanstack/react-router'
import { updateFlowRoute } from '../../../../shared/contract/flows.ts'
import { Button } from '../../../components/controls/button.tsx'
import { ErrorNotice } from '../../../components/screen/error-notice.tsx'
import { SaveWarnings } from '../../../components/screen/save-warnings.tsx'
import { ViewOnlyNotice } from '../../../components/screen/view-only-notice.tsx'
import { announce, attempt } from '../../../components/screen/toast.tsx'
import { fieldsOf } from '../../../api/failure.ts'
import { t, tn } from '../../../lib/i18n.ts'
import { placeProblems } from '../state/problems-store.ts'
import { ProblemRow } from '../steps/problems-view.tsx'
import { useEditor } from '../state/editor-context.tsx'

/** Shows why the last save was rejected, and whether somebody else has saved in the meantime. */
export function Notices() {
  const refusal = useEditor((state) => state.refusal)
  const errors = useEditor((state) => state.errors)
  const overtaken = useEditor((state) => state.overtaken)
  const discarded = useEditor((state) => state.discarded)
  const gone = useEditor((state) => state.gone)
  const overwritten = useEditor((state) => state.overwritten)
  const failingTests = useEditor((state) => state.failingTests)
  const testsSeen = useEditor((state) => state.testsSeen)
  if (refusal === null && !overtaken && !gone && overwritten.length === 0)
    return (
      <>
        <SaveWarnings warnings={failingTests} onDismiss={testsSeen} />
        <ViewOnlyNotice needs={updateFlowRoute} />
      </>
    )
  return (
    <div className="flex shrink-0 flex-col gap-2 border-b border-line p-3">
      {refusal === null ? null : Object.keys(errors.bySteps).length === 0 ? (
        <ErrorNotice error={refusal} title={t('Couldn’t save flow')} labels={settingLabels()} />
      ) : (
        <Unfinished fields={fieldsOf(refusal)} />
      )}
      {gone ? <Gone /> : null}
      {overwritten.length === 0 ? null : <Overwritten steps={overwritten} />}
      {overtaken && !gone ? (
        <div
          role="status"
          className="flex flex-wrap items-center gap-3 rounded border border-line bg-retrying-soft px-3 py-2"
        >
          <p className="min-w-0 flex-1">
            {t('This flow was changed in another window. Saving creates a new version with your changes.')}
          </p>
          <Button onClick={() => void attempt(t('Couldn’t discard changes'), discarded)}>
            {t('Discard my changes')}
          </Button>
        </div>
      ) : null}
    </div>
  )
}

/** The labels of the fields in the settings view. */
const settingLabels = (): Readonly<Record<string, string>> => ({
  name: t('Name'),
  description: t('Description'),
  tags: t('Tags'),
  'settings.concurrency': t('Max concurrent runs'),
  'settings.timeout_seconds': t('Run timeout (seconds)'),
  'settings.dynamic_title': t('Run name'),
  'settings.error_handling_flow_id': t('On failure, run flow'),
  'settings.data_retention_days': t('Keep runs for (days)'),
})

/** If two windows change the same step, the last one wins, but not silently. */
function Overwritten({ steps }: { readonly steps: readonly string[] }) {
  const undone = useEditor((state) => state.undone)
  const seen = useEditor((state) => state.overwrittenSeen)
  return (
    <div
      role="status"
      className="flex flex-wrap items-center gap-3 rounded border border-line bg-retrying-soft px-3 py-2"
    >
      <p className="min-w-0 flex-1">
        {tn(
          steps.length,
          'Another window has changed {{steps}}, which you had changed here. Its change is shown.',
          'Another window has changed {{steps}}, which you had changed here. Its changes are shown.',
          { steps: steps.join(', ') },
        )}
      </p>
      <Button onClick={undone}>{t('Back to my version')}</Button>
      <Button look="quiet" onClick={seen}>
        {t('Dismiss')}
      </Button>
    </div>
  )
}

/** Steps that can't be saved as a version yet, worded as in the list of problems. */
function Unfinished({ fields }: { readonly fields: Readonly<Record<string, readonly string[]>> }) {
  const navigate = useNavigate({ from: '/flows/$flowId' })
  const steps = useEditor((state) => state.history?.present.steps)
  const problems = placeProblems(
    steps ?? [],
    Object.entries(fields).flatMap(([path, messages]) =>
      messages.map((message) => ({ severity: 'error' as const, ref_id: null, path, message })),
    ),
  )
  const more = problems.length - SHOWN
  return (
    <div
      role="alert"
      className="flex flex-col gap-1 rounded border border-retrying/40 bg-retrying-soft px-3 py-2"
    >
      <p>
        <span className="font-medium">{t('Kept as a draft.')}</span>{' '}
        {t('Your changes become the next version once these problems are solved:')}
      </p>
      <ul className="-mx-3">
        {problems.slice(0, SHOWN).map((problem) => (
          <li key={`${problem.path}:${problem.message}`}>
            <ProblemRow
              problem={problem}
              onSelect={(step, field) =>
                void navigate({
                  search: (before) => ({ ...before, view: 'steps', step, field }),
                  replace: true,
                })
              }
            />
          </li>
        ))}
      </ul>
      {more > 0 ? (
        <p className="text-muted">{tn(more, 'And {{count}} more problem', 'And {{count}} more problems')}</p>
      ) : null}
    </div>
  )
}

/** The others are in the list of problems, which stays below the steps. */
const SHOWN = 3

function Gone() {
  const rescued = useEditor((state) => state.rescued)
  const navigate = useNavigate()
  const rescue = () =>
    attempt(t('Couldn’t create flow'), async () => {
      const flow = await rescued()
      announce(t('New flow “{{name}}” created', { name: flow.name }))
      await navigate({ to: '/flows/$flowId', params: { flowId: flow.id } })
    })
  return (
    <div
      role="alert"
      className="flex flex-wrap items-center gap-3 rounded border border-error/40 bg-error-soft px-3 py-2"
    >
      <p className="min-w-0 flex-1">
        {t('This flow was deleted in another window. What you see here exists only in this window.')}
      </p>
      <Button onClick={() => void rescue()}>{t('Create new flow from this')}</Button>
    </div>
  )
}
