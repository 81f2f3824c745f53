import { useEffect, useState } from 'react'
import { type TriedCondition, tryWebhookConditionRoute } from '../../../../shared/contract/webhooks.ts'
import { useApi } from '../../../api/provider.tsx'
import { useRefusal } from '../../../components/controls/needs.ts'
import { t, translateMessage } from '../../../lib/i18n.ts'

interface LetThroughProps {
  readonly flowId: string
  /** Defaults to the reference name of the saved webhook step. */
  readonly refId?: string
  readonly condition: string
}

/** The number of the latest stored requests that meet a condition, updated once typing pauses. */
export function LetThrough({ flowId, refId, condition }: LetThroughProps) {
  const api = useApi()
  const isRefused = useRefusal(tryWebhookConditionRoute) !== null
  const [result, setResult] = useState<{ readonly of: string; readonly tried: TriedCondition } | null>(null)
  const isEmpty = condition.trim() === '' || isRefused
  useEffect(() => {
    if (isEmpty) return undefined
    const stop = new AbortController()
    const timer = setTimeout(() => {
      const body = { condition, ...(refId === undefined ? {} : { ref_id: refId }) }
      api.call(tryWebhookConditionRoute, { params: { id: flowId }, body }, stop.signal).then(
        (tried) => setResult({ of: condition, tried }),
        () => {}, // The form itself reports what is wrong with the condition.
      )
    }, PAUSE_MS)
    return () => {
      clearTimeout(timer)
      stop.abort()
    }
  }, [api, flowId, refId, condition, isEmpty])
  if (isEmpty || result === null) return null
  const { tried, met, problem } = result.tried
  return (
    <p aria-live="polite" className={result.of === condition ? 'text-muted' : 'text-faint'}>
      {tried === 0
        ? t('There are no kept requests to test it with yet.')
        : t('Lets through {{met}} of the last {{tried}} kept requests.', { met, tried })}
      {problem === null ? null : (
        <span className="block text-retrying">{translateMessage(problem, result.tried)}</span>
      )}
    </p>
  )
}

const PAUSE_MS = 400
