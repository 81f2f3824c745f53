import { useEffect, useState } from 'react'
import { formatDuration } from '../../../lib/format.ts'
import { t } from '../../../lib/i18n.ts'
import type { WaitState } from './timeline-rows.ts'

interface CountdownProps {
  /** `endsAt` in milliseconds of `performance.now`. */
  readonly wait: { readonly wait_ms: number; readonly endsAt: number }
  readonly state: WaitState
}

const TICK_MS = 100

/** How much of a wait is left, and afterwards how long it was. */
export function Countdown({ wait, state }: CountdownProps) {
  if (state === 'waiting') return <Running wait={wait} />
  const duration = formatDuration(wait.wait_ms)
  return (
    <span className="shrink-0">
      {state === 'over' ? t('waited {{duration}}', { duration }) : t('a wait of {{duration}}', { duration })}
    </span>
  )
}

function Running({ wait }: Pick<CountdownProps, 'wait'>) {
  const left = useLeft(wait.endsAt)
  if (left <= 0)
    return (
      <span className="shrink-0">{t('waited {{duration}}', { duration: formatDuration(wait.wait_ms) })}</span>
    )
  const share = Math.min(1, left / Math.max(1, wait.wait_ms))
  return (
    <span className="flex shrink-0 items-center gap-2" role="timer">
      <span className="tabular w-16">
        {t('{{seconds}} s left', { seconds: (Math.ceil(left / TICK_MS) / 10).toFixed(1) })}
      </span>
      <span aria-hidden className="h-1 w-14 overflow-hidden rounded-full bg-retrying-soft">
        <span className="block h-full bg-retrying" style={{ width: `${share * 100}%` }} />
      </span>
    </span>
  )
}

function useLeft(endsAt: number): number {
  const [left, setLeft] = useState(() => endsAt - performance.now())
  useEffect(() => {
    const timer = setInterval(() => {
      const now = endsAt - performance.now()
      setLeft(now)
      if (now <= 0) clearInterval(timer)
    }, TICK_MS)
    return () => clearInterval(timer)
  }, [endsAt])
  return left
}
