import { Plug } from 'lucide-react'
import { useState } from 'react'
import { testConnectorAuthRoute } from '../../../shared/contract/connector-auths.ts'
import type { ConnectorAuth, ConnectorAuthTest } from '../../../shared/contract/connector-auths.ts'
import type { Connector } from '../../../shared/contract/connectors.ts'
import { asAppError } from '../../api/failure.ts'
import { t } from '../../lib/i18n.ts'
import { Button } from '../controls/button.tsx'
import { ErrorNotice } from '../screen/error-notice.tsx'
import { Card } from '../screen/page.tsx'
import { useAuths } from './auths-store.ts'
import { TestCallFields, TestOutcome, useTestCall } from './test-call.tsx'

interface TestCardProps {
  readonly auth: ConnectorAuth
  readonly connector: Connector | undefined
  readonly save: () => Promise<boolean>
}

/**
 * Calls an action of the connector, or a URL, once with the stored credentials, and shows the request without its
 * secrets.
 */
export function TestCard({ auth, connector, save }: TestCardProps) {
  const chosen = useTestCall(auth.connector_id, connector)
  const test = useAuths((state) => state.test)
  const [state, setState] = useState<{ busy: boolean; result: ConnectorAuthTest | null; failure: unknown }>({
    busy: false,
    result: null,
    failure: null,
  })

  async function run() {
    if (chosen.call === null) return
    setState({ busy: true, result: null, failure: null })
    try {
      const result = (await save()) ? await test(auth.id, chosen.call) : null
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
      <div aria-live="polite">
        {result === null && failure === null ? (
          <p className="p-4 text-muted">
            {busy ? t('Calling the API…') : t('Sends one request with the values above.')}
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
