import { Plug } from '../../lib/icons.tsx'
import { useEffect, useRef, useState } from 'react'
import { testConnectorAuthRoute } from '../../../shared/contract/connector-auths.ts'
import type { ConnectorAuth, ConnectorAuthTest } from '../../../shared/contract/connector-auths.ts'
import type { Connector } from '../../../shared/contract/connectors.ts'
import { asAppError } from '../../api/failure.ts'
import { useApi } from '../../api/provider.tsx'
import { t } from '../../lib/i18n.ts'
import { Button } from '../controls/button.tsx'
import { ErrorNotice } from '../screen/error-notice.tsx'
import { Card } from '../screen/page.tsx'
import type { AuthBody } from './auth-draft.ts'
import { type AuthTestCall, testAuth } from './auths.ts'
import { TestCallFields, TestOutcome, useTestCall } from './test-call.tsx'

interface TestCardProps {
  readonly auth: ConnectorAuth
  readonly connector: Connector | undefined
  /** Typed and not saved: tested without being stored. */
  readonly changes: AuthBody | undefined
  readonly onTested: (test: { readonly ok: boolean; readonly call: AuthTestCall }) => void
}

/**
 * Calls an action of the connector, or a URL, once with the credentials of the form, saved or not, and shows the
 * request without its secrets.
 */
export function TestCard({ auth, connector, changes, onTested }: TestCardProps) {
  const chosen = useTestCall(auth.connector_id, connector, changes?.api_endpoint ?? auth.api_endpoint)
  const api = useApi()
  const [state, setState] = useState<{ busy: boolean; result: ConnectorAuthTest | null; failure: unknown }>({
    busy: false,
    result: null,
    failure: null,
  })

  const outcome = useRef<HTMLDivElement>(null)
  // It is often below the lower edge.
  useEffect(() => {
    if (state.result !== null || state.failure !== null) outcome.current?.scrollIntoView({ block: 'nearest' })
  }, [state])

  async function run() {
    if (chosen.call === null) return
    setState({ busy: true, result: null, failure: null })
    try {
      const { call } = chosen
      const result = await testAuth(api, auth.id, { ...call, ...(changes && { changes }) })
      onTested({ ok: result.ok, call })
      setState({ busy: false, result, failure: null })
    } catch (failure) {
      setState({ busy: false, result: null, failure })
    }
  }

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
          onClick={() => void run()}
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
