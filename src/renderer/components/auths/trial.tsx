import { CircleCheck, CircleX } from '../../lib/icons.tsx'
import { useState } from 'react'
import type { ConnectorAuthTest } from '../../../shared/contract/connector-auths.ts'
import {
  type Action,
  type Connector,
  type ServerKind,
  serverKindOf,
} from '../../../shared/contract/connectors.ts'
import { actionsOf } from '../../api/lists.ts'
import { useResource } from '../../api/resource.ts'
import { formatDuration } from '../../lib/format.ts'
import { type English, english, t, translateConnectorText, translateMessage } from '../../lib/i18n.ts'
import { Combo } from '../controls/combo.tsx'
import { Field, TextInput } from '../controls/field.tsx'
import { ExchangeList } from '../values/exchange-view.tsx'
import type { AuthTestCall } from './auths.ts'

const NO_ACTIONS: readonly Action[] = []
const BY_URL = ''

const SIGN_IN_WORDS: { readonly [K in ServerKind]: English } = {
  database: english('Signs in to the database. No table is read or changed.'),
  smtp: english('Signs in to the mail server. No email is sent.'),
  imap: english('Signs in to the mail server and opens the inbox. No email is changed.'),
  sftp: english('Signs in to the server and lists the folder in the URL.'),
}

export interface ChosenCall {
  /** Null if there is nothing to call yet. */
  readonly call: AuthTestCall | null
  readonly connector: Connector | undefined
  readonly actions: readonly Action[]
  /** Whether the connector has a test action. */
  readonly isNamed: boolean
  /** The kind of server if it isn't called by HTTP; the test logs in to it. */
  readonly server: ServerKind | null
  readonly action: string
  readonly url: string
  readonly onAction: (action: string) => void
  readonly onUrl: (url: string) => void
}

/**
 * The call that tests an auth: its connector's test action, another action, a URL, or the login to its server.
 *
 * @param endpoint the base URL of the auth, saved or not
 * @param address the initial URL to call
 */
export function useTestCall(
  connectorId: string,
  connector: Connector | undefined,
  endpoint: string,
  address = '',
): ChosenCall {
  const actions = useResource(connectorId === '' ? null : actionsOf(connectorId)).data ?? NO_ACTIONS
  const own = actions.find(({ name }) => name === connector?.test_action)?.name
  const [chosen, setChosen] = useState<string>()
  const [url, setUrl] = useState(address)
  const action = chosen ?? own ?? BY_URL
  const byUrl = url.trim() === '' ? null : { url: url.trim() }
  const server = serverKindOf(connectorId, endpoint)
  return {
    call: server !== null ? {} : action === BY_URL ? byUrl : { action },
    server,
    connector,
    actions,
    isNamed: own !== undefined,
    action,
    url,
    onAction: setChosen,
    onUrl: setUrl,
  }
}

interface TestCallFieldsProps {
  readonly chosen: ChosenCall
  /** Whether the test can be skipped. */
  readonly optional?: boolean
}

export function TestCallFields({ chosen, optional = false }: TestCallFieldsProps) {
  const { connector, actions, action, url, isNamed, server, onAction, onUrl } = chosen
  if (server !== null) return <p className="text-muted">{t(SIGN_IN_WORDS[server])}</p>
  return (
    <>
      {actions.length === 0 && optional ? null : (
        <Field
          label={t('Call')}
          hint={
            isNamed
              ? undefined
              : t('The connector has no test action. Choose an action that only reads data, or enter a URL.')
          }
        >
          <Combo
            value={action}
            onChange={onAction}
            options={[
              { value: BY_URL, label: t('URL') },
              ...actions.map(({ name, title, method, endpoint }) => ({
                value: name,
                label: title === '' ? name : translateConnectorText(title, connector),
                hint: `${method} ${endpoint}`,
              })),
            ]}
          />
        </Field>
      )}
      {action === BY_URL ? (
        <Field
          label={t('URL to request')}
          optional={optional}
          hint={t('An API path, for example /me, or a full URL.')}
        >
          <TextInput mono value={url} placeholder="/me" onChange={onUrl} />
        </Field>
      ) : null}
    </>
  )
}

/** Says whether the auth works, and shows the requests that were sent. */
export function TestOutcome({
  result,
  isFolded = false,
}: {
  readonly result: ConnectorAuthTest
  /** The request is shown as one line until it is opened. */
  readonly isFolded?: boolean
}) {
  return (
    <>
      <p className="flex items-start gap-2 p-4">
        {result.ok ? (
          <CircleCheck size={16} aria-hidden className="mt-0.5 shrink-0 text-success" />
        ) : (
          <CircleX size={16} aria-hidden className="mt-0.5 shrink-0 text-error" />
        )}
        <span className="min-w-0 break-words">
          <strong>{result.ok ? t('Credentials work.') : t('Test failed.')}</strong>{' '}
          {result.account === null ? null : (
            <>{t('Signed in as {{account}}.', { account: result.account })} </>
          )}
          {result.advice === null ? null : <>{translateMessage(result.advice)} </>}
          {translateMessage(result.message, result)}{' '}
          <span className="tabular text-muted">{formatDuration(result.duration_ms)}</span>
        </span>
      </p>
      {result.http.length === 0 ? null : (
        <div className="border-t border-line">
          <ExchangeList exchanges={result.http} isFolded={isFolded} />
        </div>
      )}
    </>
  )
}
