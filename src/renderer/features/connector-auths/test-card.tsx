import { CircleCheck, CircleX, Plug } from 'lucide-react'
import { useEffect, useState } from 'react'
import type { ConnectorAuth, ConnectorAuthTest } from '../../../shared/contract/connector-auths.ts'
import { asAppError } from '../../api/failure.ts'
import type { Action, Connector } from '../../../shared/contract/connectors.ts'
import { Button } from '../../components/controls/button.tsx'
import { Combo } from '../../components/controls/combo.tsx'
import { Field, TextInput } from '../../components/controls/field.tsx'
import { ErrorNotice } from '../../components/screen/error-notice.tsx'
import { ExchangeList } from '../../components/values/exchange-view.tsx'
import { Card } from '../../components/screen/page.tsx'
import { formatDuration } from '../../lib/format.ts'
import { t, translateConnectorText, translateMessage } from '../../lib/i18n.ts'
import { useAuths } from './auths-store.ts'

interface TestCardProps {
  readonly auth: ConnectorAuth
  readonly connector: Connector | undefined
  readonly save: () => Promise<boolean>
}

const NO_ACTIONS: readonly Action[] = []
const BY_URL = ''

/** Calls an action of the connector, or a URL, once with what is stored, and shows the call without its secrets. */
export function TestCard({ auth, connector, save }: TestCardProps) {
  const actionsShown = useAuths((state) => state.actionsShown)
  const actions = useAuths((state) => state.actions[auth.connector_id] ?? NO_ACTIONS)
  useEffect(() => actionsShown(auth.connector_id), [actionsShown, auth.connector_id])
  const own = actions.find(({ name }) => name === connector?.test_action)?.name
  const [chosen, setChosen] = useState<string>()
  const [url, setUrl] = useState('')
  const action = chosen ?? own ?? BY_URL
  const test = useAuths((state) => state.test)
  const [state, setState] = useState<{ busy: boolean; result: ConnectorAuthTest | null; failure: unknown }>({
    busy: false,
    result: null,
    failure: null,
  })

  async function run() {
    setState({ busy: true, result: null, failure: null })
    try {
      const result = (await save()) ? await test(auth.id, action === BY_URL ? { url } : { action }) : null
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
        <Button
          icon={Plug}
          busy={busy}
          disabled={action === BY_URL && url.trim() === ''}
          onClick={() => void run()}
        >
          {t('Test connection')}
        </Button>
      }
    >
      <div className="flex flex-col gap-4 p-4 pb-0">
        <Field
          label={t('Call')}
          hint={
            own === undefined
              ? t('The connector names no action for this. Choose one that only reads, or enter a URL.')
              : undefined
          }
        >
          <Combo
            value={action}
            onChange={setChosen}
            options={[
              { value: BY_URL, label: t('A URL') },
              ...actions.map(({ name, title, method, endpoint }) => ({
                value: name,
                label: title === '' ? name : translateConnectorText(title, connector),
                hint: `${method} ${endpoint}`,
              })),
            ]}
          />
        </Field>
        {action === BY_URL ? (
          <Field label={t('URL to read')} hint={t('A path of the API such as /me, or a whole URL.')}>
            <TextInput mono value={url} placeholder="/me" onChange={setUrl} />
          </Field>
        ) : null}
      </div>
      <div aria-live="polite">
        {result === null && failure === null ? (
          <p className="p-4 text-muted">
            {busy ? t('Calling the API…') : t('One call, with what is entered above.')}
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
