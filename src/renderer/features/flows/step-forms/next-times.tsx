import { useEffect } from 'react'
import { formatExact } from '../../../lib/format.ts'
import { t } from '../../../lib/i18n.ts'
import { useEditor } from '../editor-context.tsx'
import { useScheduleTimes } from '../schedule-store.ts'

/** When the flow runs next by itself, as it is saved. */
export function NextTimes() {
  const flow = useEditor((state) => state.flow)
  const opened = useScheduleTimes((state) => state.opened)
  const times = useScheduleTimes((state) => state.times)
  const id = flow?.id ?? null
  const savedAt = flow?.updated_at ?? ''
  useEffect(() => {
    if (id !== null) void opened(id, savedAt)
  }, [id, savedAt, opened])
  if (times === null || times.flowId !== id || times.schedule === null) return null
  const { active, next } = times.schedule
  return (
    <section aria-label={t('Next times')} className="rounded bg-sunken px-3 py-2 text-sm">
      <p className="font-medium">
        {active ? t('Runs next, as it is saved:') : t('Would run next, once the flow is saved and active:')}
      </p>
      {next.length === 0 ? (
        <p className="text-muted">{t('Never again.')}</p>
      ) : (
        <ol className="pt-1 tabular-nums">
          {next.map((moment) => (
            <li key={moment}>
              <time dateTime={moment}>{formatExact(Date.parse(moment))}</time>
            </li>
          ))}
        </ol>
      )}
    </section>
  )
}
