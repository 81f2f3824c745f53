import type { Exchange, FlowRunStep } from '../../../shared/contract/flow-runs.ts'
import { t } from '../../lib/i18n.ts'
import { hasFailed } from './timeline.ts'

const MOST_SHOWN = 10

/** The attempts of a step, `try 1 401 · try 2 401 · resumed 12:41 · 200`; null if there was only one. */
export function triesOf(step: FlowRunStep, timeOf: (at: string) => string): string | null {
  const attempts = [...(step.earlier_attempts ?? []), step]
  let tries = 0
  const parts = attempts.flatMap(({ started_at: at, http }, attempt) => [
    ...(attempt === 0 ? [] : [t('resumed {{time}}', { time: timeOf(at) })]),
    ...http
      .filter(hasFailed)
      .map((exchange) =>
        t('attempt {{count}} {{status}}', { count: (tries += 1), status: statusOf(exchange) }),
      ),
  ])
  const last = step.http.at(-1)
  const all = parts.length > 0 && last !== undefined && !hasFailed(last) ? [...parts, statusOf(last)] : parts
  if (all.length < 2) return null
  const isLong = all.length > MOST_SHOWN
  return (isLong ? [...all.slice(0, 3), '…', ...all.slice(-(MOST_SHOWN - 4))] : all).join(' · ')
}

function statusOf({ response }: Exchange): string {
  return response === null ? t('no response') : String(response.status)
}
