import { CircleCheck, CircleX, Plug } from 'lucide-react'
import { useState } from 'react'
import type { ConnectorAuth, ConnectorAuthTest } from '../../../shared/contract/connector-auths.ts'
import { asAppError } from '../../api/failure.ts'
import { Button } from '../../components/controls/button.tsx'
import { ErrorNotice } from '../../components/screen/error-notice.tsx'
import { ExchangeList } from '../../components/values/exchange-view.tsx'
import { Card } from '../../components/screen/page.tsx'
import { formatDuration } from '../../lib/format.ts'
import { t, translateMessage } from '../../lib/i18n.ts'
import { useAuths } from './auths-store.ts'

/** Calls the connector's test action once with what is stored, and shows the call without its secrets. */
export function TestCard({
  auth,
  save,
}: {
  readonly auth: ConnectorAuth
  readonly save: () => Promise<boolean>
}) {
  const test = useAuths((state) => state.test)
  const [state, setState] = useState<{ busy: boolean; result: ConnectorAuthTest | null; failure: unknown }>({
    busy: false,
    result: null,
    failure: null,
  })

  async function run() {
    setState({ busy: true, result: null, failure: null })
    try {
      const result = (await save()) ? await test(auth.id) : null
      setState({ busy: false, result, failure: null })
    } catch (failure) {
      setState({ busy: false, result: null, failure })
    }
  }

  const { busy, result, failure } = state
  return (
    <Card
      title={t('Connection')}
      aside={
        <Button icon={Plug} busy={busy} onClick={() => void run()}>
          {t('Test connection')}
        </Button>
      }
    >
      <div aria-live="polite">
        {result === null && failure === null ? (
          <p className="p-4 text-muted">
            {busy
              ? t('Calling the API…')
              : t('One call of the connector’s test action, with what is entered above.')}
          </p>
        ) : null}
        {failure === null ? null : (
          <div className="p-4">
            <ErrorNotice error={asAppError(failure)} title={t('The test was not made')} />
          </div>
        )}
        {result === null ? null : (
          <p className="flex items-start gap-2 p-4">
            {result.ok ? (
              <CircleCheck size={16} aria-hidden className="mt-0.5 shrink-0 text-success" />
            ) : (
              <CircleX size={16} aria-hidden className="mt-0.5 shrink-0 text-error" />
            )}
            <span className="min-w-0 break-words">
              <strong>{result.ok ? t('It works.') : t('It does not work.')}</strong>{' '}
              {translateMessage(result.message)}{' '}
              <span className="tabular text-muted">{formatDuration(result.duration_ms)}</span>
            </span>
          </p>
        )}
      </div>
      {result === null || result.http.length === 0 ? null : (
        <div className="border-t border-line">
          <ExchangeList exchanges={result.http} />
        </div>
      )}
    </Card>
  )
}
