import { Plug } from '../../lib/icons.tsx'
import { useEffect, useRef } from 'react'
import { testConnectorAuthRoute } from '../../../shared/contract/connector-auths.ts'
import type { ConnectorAuthTest } from '../../../shared/contract/connector-auths.ts'
import { asAppError } from '../../api/failure.ts'
import { t } from '../../lib/i18n.ts'
import { Button } from '../controls/button.tsx'
import { ErrorNotice } from '../screen/error-notice.tsx'
import { Card } from '../screen/page.tsx'
import { type ChosenCall, TestCallFields, TestOutcome } from './trial.tsx'

export interface TestState {
  readonly busy: boolean
  readonly result: ConnectorAuthTest | null
  readonly failure: unknown
}

interface TestCardProps {
  readonly chosen: ChosenCall
  readonly state: TestState
  readonly onTest: () => void
}

/**
 * Calls an action of the connector, or a URL, once with the credentials of the form, saved or not, and shows the
 * request without its secrets.
 */
export function TestCard({ chosen, state, onTest }: TestCardProps) {
  const outcome = useRef<HTMLDivElement>(null)
  // The outcome is often below the visible area.
  useEffect(() => {
    if (state.result !== null || state.failure !== null) outcome.current?.scrollIntoView({ block: 'nearest' })
  }, [state])

  const { busy, result, failure } = state
  return (
    <Card
      title={t('Credentials test')}
      aside={
        <Button
          icon={Plug}
          needs={testConnectorAuthRoute}
          busy={busy}
          disabled={chosen.call === null}
          onClick={onTest}
        >
          {t('Test credentials')}
        </Button>
      }
    >
      <div className="flex flex-col gap-4 p-4 pb-0">
        <TestCallFields chosen={chosen} />
      </div>
      <div ref={outcome} aria-live="polite">
        {result === null && failure === null ? (
          <p className="p-4 text-muted">
            {busy
              ? chosen.server === null
                ? t('Calling the API…')
                : t('Signing in…')
              : chosen.server === null
                ? t('Sends one request with the values above. Nothing is saved.')
                : t('Uses the values above. Nothing is saved.')}
          </p>
        ) : null}
        {failure === null ? null : (
          <div className="p-4">
            <ErrorNotice error={asAppError(failure)} title={t('Couldn’t run the test')} />
          </div>
        )}
        {result === null ? null : <TestOutcome result={result} />}
      </div>
    </Card>
  )
}
