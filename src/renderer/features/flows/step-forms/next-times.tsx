import { useEffect } from 'react'
import { createStore } from 'zustand/vanilla'
import { previewScheduleRoute, type SchedulePreview } from '../../../../shared/contract/flows.ts'
import { triggersOf } from '../../../../shared/contract/step-types/index.ts'
import type { Api } from '../../../api/create-api.ts'
import { createStoreHook } from '../../../api/provider.tsx'
import { formatExact } from '../../../lib/format.ts'
import { t } from '../../../lib/i18n.ts'
import { isSame } from '../model/draft.ts'
import { useEditor } from '../state/editor-context.tsx'

type Config = Readonly<Record<string, unknown>>

/** The server's preview of the schedule in the form; null until it has responded. */
export function useSchedulePreview(config: Config): SchedulePreview | null {
  const flowId = useEditor((state) => state.flow?.id ?? null)
  const changed = useScheduleTimes((state) => state.changed)
  const preview = useScheduleTimes((state) => state.preview)
  useEffect(() => {
    if (flowId === null) return undefined
    const timer = setTimeout(() => void changed(flowId, config), TYPING_MS)
    return () => clearTimeout(timer)
  }, [flowId, config, changed])
  return preview?.flowId === flowId ? preview.times : null
}

const TYPING_MS = 150

/** When this schedule would start the flow: in its time zone, and in the local one if that differs. */
export function NextTimes({ config, preview }: { config: Config; preview: SchedulePreview | null }) {
  const runs = useEditor(
    ({ flow }) =>
      flow?.status === 'active' && triggersOf(flow.steps).some((step) => isSame(step.config, config)),
  )
  if (preview === null || preview.problems.length > 0) return null
  const { next, timezone } = preview
  const isElsewhere = timezone !== new Intl.DateTimeFormat().resolvedOptions().timeZone
  return (
    <section aria-label={t('Next runs')} className="rounded bg-sunken px-3 py-2">
      <p className="font-medium">
        {runs ? t('Next run:') : t('Next runs, once the flow is saved and active:')}{' '}
        <span className="font-normal text-muted">{timezone}</span>
      </p>
      {next.length === 0 ? (
        <p className="text-muted">{t('No more runs.')}</p>
      ) : (
        <ol className="pt-1 tabular-nums">
          {next.map((moment) => (
            <li key={moment} className="flex flex-wrap gap-x-3">
              <time dateTime={moment}>{formatExact(Date.parse(moment), timezone)}</time>
              {isElsewhere ? (
                <span className="text-muted">
                  {t('{{moment}} local time', { moment: formatExact(Date.parse(moment)) })}
                </span>
              ) : null}
            </li>
          ))}
        </ol>
      )}
    </section>
  )
}

interface ScheduleTimesState {
  /** The preview of the last requested configuration. It stays until the next response, so that nothing jumps. */
  readonly preview: { readonly flowId: string; readonly times: SchedulePreview } | null
  /** The schedule in the form, which isn't stored. */
  readonly changed: (flowId: string, config: Readonly<Record<string, unknown>>) => Promise<void>
}

function createScheduleTimesStore(api: Pick<Api, 'call'>) {
  let asked: object | null = null
  return createStore<ScheduleTimesState>()((set) => ({
    preview: null,
    async changed(flowId, config) {
      asked = config
      const times = await api
        .call(previewScheduleRoute, { params: { id: flowId }, body: { config } })
        .catch(() => null)
      if (asked === config) set({ preview: times === null ? null : { flowId, times } })
    },
  }))
}

const useScheduleTimes = createStoreHook(createScheduleTimesStore)
