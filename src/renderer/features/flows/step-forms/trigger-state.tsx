import { RefreshCw, RotateCcw } from '../../../lib/icons.tsx'
import { useState } from 'react'
import {
  checkFlowTriggerRoute,
  type FlowTrigger,
  readFlowTriggerRoute,
  restartFlowTriggerRoute,
  retryFlowTriggerRoute,
} from '../../../../shared/contract/reach/flow-trigger.ts'
import { triggersOf } from '../../../../shared/contract/step-types/index.ts'
import type { Step } from '../../../../shared/contract/steps.ts'
import { useApi } from '../../../api/provider.tsx'
import { resource, useResource } from '../../../api/resource.ts'
import { Button } from '../../../components/controls/button.tsx'
import { Dialog } from '../../../components/screen/dialog.tsx'
import { attempt } from '../../../components/screen/toast.tsx'
import { formatExact } from '../../../lib/format.ts'
import { t, tn, translateMessage } from '../../../lib/i18n.ts'
import { useEditor } from '../state/editor-context.tsx'

/** @param refId without it, the flow's only trigger, whatever its name was when it was saved */
const triggerOf = (flowId: string, refId: string | undefined) =>
  resource(readFlowTriggerRoute, {
    nouns: ['flow_trigger', 'flow'],
    concerns: ({ id }) => id === flowId,
    params: { id: flowId },
    ...queryOf(refId),
  })

const queryOf = (refId: string | undefined) => (refId === undefined ? {} : { query: { ref_id: refId } })

/** Whether a trigger of the open flow works: when it last looked, what went wrong, and when it looks next. */
export function TriggerState({ refId }: { readonly refId: string }) {
  const flowId = useEditor((state) => state.flow?.id ?? null)
  const saved = useEditor((state) => state.flow?.steps ?? NO_STEPS)
  const triggers = triggersOf(saved)
  const isSaved = triggers.length < 2 || triggers.some((step) => step.ref_id === refId)
  const named = triggers.length < 2 ? undefined : refId
  const api = useApi()
  const { data: trigger, after } = useResource(flowId === null || !isSaved ? null : triggerOf(flowId, named))
  const [isAsking, setIsAsking] = useState(false)
  if (flowId === null || trigger === null || trigger.type === null) return null
  const send = (route: CheckRoute) =>
    attempt(t('Couldn’t look for new entries'), () =>
      after(api.call(route, { params: { id: flowId }, ...queryOf(named) })),
    )
  return (
    <section aria-label={t('State of the trigger')} className="rounded bg-sunken px-3 py-2">
      <Words trigger={trigger} />
      {trigger.active ? (
        <div className="flex flex-wrap gap-2 pt-2">
          <Button icon={RefreshCw} busy={trigger.checking} onClick={() => void send(checkFlowTriggerRoute)}>
            {t('Check now')}
          </Button>
          <Button look="quiet" icon={RotateCcw} onClick={() => setIsAsking(true)}>
            {t('Start over')}
          </Button>
          {trigger.set_aside.length === 0 ? null : (
            <Button look="quiet" icon={RotateCcw} onClick={() => void send(retryFlowTriggerRoute)}>
              {t('Read again')}
            </Button>
          )}
        </div>
      ) : null}
      {isAsking ? (
        <Dialog
          open
          title={t('Start over?')}
          onClose={() => setIsAsking(false)}
          actions={
            <>
              <Button onClick={() => setIsAsking(false)}>{t('Cancel')}</Button>
              <Button
                look="primary"
                onClick={() => {
                  setIsAsking(false)
                  void send(restartFlowTriggerRoute)
                }}
              >
                {t('Start over')}
              </Button>
            </>
          }
        >
          <p>
            {t(
              'The trigger discards what it has found and checks again now, as it did the first time. Entries can then start a second run.',
            )}
          </p>
        </Dialog>
      ) : null}
    </section>
  )
}

function Words({ trigger }: { readonly trigger: FlowTrigger }) {
  const { active, checked_at, found_at, found, next_check_at, error, failures, listening, note, set_aside } =
    trigger
  const exact = (moment: string) => formatExact(Date.parse(moment))
  return (
    <>
      {active ? null : <p className="text-muted">{t('Looks for new entries once the flow is active.')}</p>}
      {error === null ? null : (
        <p role="alert" className="text-danger">
          {tn(failures, 'The last check failed', 'The last {{count}} checks failed')}:{' '}
          {translateMessage(error.message, error)}
        </p>
      )}
      <p className="text-muted tabular-nums">
        {checked_at === null
          ? t('Not checked yet.')
          : t('Last checked {{moment}}.', { moment: exact(checked_at) })}{' '}
        {found_at === null
          ? checked_at === null
            ? null
            : t('Nothing new found so far.')
          : `${tn(found, '{{count}} entry found so far', '{{count}} entries found so far')}, ${t(
              'the last one {{moment}}.',
              { moment: exact(found_at) },
            )}`}{' '}
        {next_check_at === null ? null : t('Next check {{moment}}.', { moment: exact(next_check_at) })}
      </p>
      {listening === null ? null : (
        <p className="text-muted tabular-nums">
          {listening.connected
            ? t('Connected: the server reports new emails at once.')
            : t('Not connected. New emails are found at the next check.')}{' '}
          {listening.alive_at === null
            ? null
            : t('The server last responded {{moment}}.', { moment: exact(listening.alive_at) })}{' '}
          {listening.error === null ? null : translateMessage(listening.error, listening)}
        </p>
      )}
      {note === null ? null : <p>{translateMessage(note, trigger)}</p>}
      {set_aside.length === 0 ? null : (
        <>
          <p className="text-danger">
            {tn(
              set_aside.length,
              '{{count}} email was set aside and started no run:',
              '{{count}} emails were set aside and started no run:',
            )}
          </p>
          <ul className="list-disc pl-5">
            {set_aside.map(({ title, reason, file_id, at, ...rest }) => (
              <li key={`${at} ${title}`}>
                {title}, {exact(at)}: {translateMessage(reason, rest)}
                {file_id === null ? null : ` ${t('Its content is in Files.')}`}
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  )
}

const NO_STEPS: readonly Step[] = []

type CheckRoute = typeof checkFlowTriggerRoute | typeof restartFlowTriggerRoute | typeof retryFlowTriggerRoute
