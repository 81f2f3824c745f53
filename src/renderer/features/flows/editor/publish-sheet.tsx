import { Sparkles } from '../../../lib/icons.tsx'
import { type ReactNode, useEffect } from 'react'
import {
  type FlowReach,
  REACH_KINDS,
  readFlowReachRoute,
  type ReachKind,
} from '../../../../shared/contract/reach/flow-reach.ts'
import { type Flow, updateFlowRoute } from '../../../../shared/contract/flows.ts'
import { resource, useResource } from '../../../api/resource.ts'
import { Button } from '../../../components/controls/button.tsx'
import { Dialog } from '../../../components/screen/dialog.tsx'
import { Loaded } from '../../../components/screen/loaded.tsx'
import { english, type English, t } from '../../../lib/i18n.ts'
import { isSame, type FlowDraft } from '../model/draft.ts'
import { useEditor } from '../state/editor-context.tsx'
import { ChangeList } from './change-list.tsx'

interface PublishSheetProps {
  readonly flow: Flow
  readonly draft: FlowDraft
  /** Saves the changes. */
  readonly onPublish: () => void
  readonly onClose: () => void
}

const reachOf = (flowId: string) =>
  resource(readFlowReachRoute, {
    nouns: ['flow', 'working_copy'],
    concerns: ({ id }) => id === flowId,
    params: { id: flowId },
  })

/** What changes with the next version, and what the flow can then access. */
export function PublishSheet({ flow, draft, onPublish, onClose }: PublishSheetProps) {
  const writtenWith = useEditor((state) => state.writtenWith)
  const kept = useEditor((state) => state.kept)
  const saving = useEditor((state) => state.saving)
  const gone = useEditor((state) => state.gone)
  const { data, failure, reload } = useResource(reachOf(flow.id))
  // Includes the latest input.
  useEffect(() => void kept(), [kept])
  const haveStepsChanged = !isSame(flow.steps, draft.steps)
  return (
    <Dialog
      open
      side
      title={t('Publish changes')}
      onClose={onClose}
      onSubmit={onPublish}
      actions={
        <>
          <Button onClick={onClose}>{t('Cancel')}</Button>
          <Button look="primary" needs={updateFlowRoute} busy={saving} disabled={gone} onClick={onPublish}>
            {t('Publish')}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-5">
        {writtenWith === null ? null : (
          <p className="flex items-start gap-2 rounded border border-line bg-retrying-soft px-3 py-2">
            <Sparkles size={16} aria-hidden className="mt-0.5 shrink-0" />
            {t('Written with the access token “{{name}}”. Review it before it runs.', { name: writtenWith })}
          </p>
        )}
        <Section title={t('Changes')}>
          {haveStepsChanged ? (
            <ChangeList before={flow.steps} after={draft.steps} />
          ) : (
            <p className="text-muted">{t('Same steps. Only the name, tags or settings change.')}</p>
          )}
        </Section>
        <Section title={t('What the flow may reach')}>
          <Loaded
            value={data}
            failure={failure}
            what={t('what the flow may reach')}
            onRetry={() => void reload()}
          >
            {(reached) => <ReachList reached={reached} />}
          </Loaded>
        </Section>
      </div>
    </Dialog>
  )
}

function Section({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section aria-label={title} className="flex flex-col gap-2">
      <h3 className="font-semibold">{title}</h3>
      {children}
    </section>
  )
}

const KINDS: { readonly [K in ReachKind]: { readonly title: English; readonly any: English } } = {
  host: { title: english('Hosts'), any: english('any host') },
  connector: { title: english('Connectors'), any: english('any connector') },
  auth: { title: english('Connector auths'), any: english('any connector auth') },
  program: { title: english('Programs'), any: english('any program') },
  file: { title: english('Files and folders'), any: english('any file in the allowed folders') },
  email: { title: english('Email recipients'), any: english('any email address') },
  table: { title: english('Tables'), any: english('any table') },
  flow: { title: english('Other flows'), any: english('any flow') },
  plugin: { title: english('Plug-ins'), any: english('any plug-in') },
}

function ReachList({ reached }: { readonly reached: readonly FlowReach[] }) {
  if (reached.length === 0) return <p className="text-muted">{t('Nothing outside of the flow.')}</p>
  return (
    <dl className="grid grid-cols-[8rem_minmax(0,1fr)] gap-x-4 gap-y-2">
      {REACH_KINDS.filter((kind) => reached.some((one) => one.kind === kind)).map((kind) => (
        <div key={kind} className="contents">
          <dt className="text-muted">{t(KINDS[kind].title)}</dt>
          <dd className="flex flex-col gap-0.5">
            {reached
              .filter((one) => one.kind === kind)
              .map(({ name, id, steps, is_new: isNew }) => (
                <p key={id ?? name ?? ''} className="[overflow-wrap:anywhere]">
                  <span className={name === null ? 'font-medium text-retrying' : 'font-medium'}>
                    {name ?? t(KINDS[kind].any)}
                  </span>{' '}
                  {isNew ? <span className="rounded-sm bg-selected px-1 text-sm">{t('new')}</span> : null}{' '}
                  <code className="text-code text-muted">{steps.join(', ')}</code>
                </p>
              ))}
          </dd>
        </div>
      ))}
    </dl>
  )
}
