import { useEffect, useState } from 'react'
import type { ConnectorAuth, ConnectorAuthTest } from '../../../shared/contract/connector-auths.ts'
import { type Connector, HTTP_CONNECTOR_ID } from '../../../shared/contract/connectors.ts'
import { asAppError } from '../../api/failure.ts'
import { CONNECTOR_AUTHS, CONNECTORS } from '../../api/lists.ts'
import { useApi } from '../../api/provider.tsx'
import { useResource } from '../../api/resource.ts'
import { t, translateConnectorText } from '../../lib/i18n.ts'
import { Button } from '../controls/button.tsx'
import { Dialog } from '../screen/dialog.tsx'
import { ErrorNotice } from '../screen/error-notice.tsx'
import { Loaded } from '../screen/loaded.tsx'
import { Card } from '../screen/page.tsx'
import { announce } from '../screen/toast.tsx'
import { type AuthDraft, emptyDraft, toBody, toDraft } from './auth-draft.ts'
import { AuthForm, hasSignIn, isGuidedBy } from './auth-form.tsx'
import { type AuthSheetProps, type AuthTestCall, saveAuth, testAuth, testNewAuth } from './auths.ts'
import { SignInCard } from './sign-in-card.tsx'
import { type ChosenCall, TestCallFields, TestOutcome, useTestCall } from './trial.tsx'
import { useOneAtATime } from '../controls/use-one-at-a-time.ts'

/**
 * Connects a new auth, or changes the credentials of one, next to the form that needs it. It is stored only after its
 * test.
 */
export function ConnectSheet(props: AuthSheetProps) {
  const { data, failure, reload } = useResource(CONNECTORS)
  const connectors = data ?? []
  const { connectorId, onClose } = props
  // The connector may have been created after the list was loaded.
  const isKnown = connectorId === '' ? connectors.length > 0 : connectors.some(({ id }) => id === connectorId)
  useEffect(() => {
    if (!isKnown) void reload()
  }, [isKnown, reload])
  if (isKnown) return <Connect {...props} connectors={connectors} />
  // While the list loads, no dialog is shown: replacing it with the next one would lose the focus and typed keys.
  if (failure === null) return null
  return (
    <Dialog open side title={titleOf(props.auth)} onClose={onClose}>
      <Loaded value={null} failure={failure} what={t('the connectors')} onRetry={() => void reload()}>
        {() => null}
      </Loaded>
    </Dialog>
  )
}

type ConnectProps = AuthSheetProps & { readonly connectors: readonly Connector[] }

const titleOf = (auth: ConnectorAuth | undefined) =>
  auth === undefined ? t('New connector auth') : t('Change “{{name}}”', { name: auth.name })

function Connect(props: ConnectProps) {
  const { connectorId, connectorGiven, address, auth: changed, connectors, onClose, onReady } = props
  const api = useApi()
  const { data: auths } = useResource(CONNECTOR_AUTHS)
  const [begun] = useState(() =>
    changed === undefined
      ? beginWith(
          connectors.find(({ id }) => id === connectorId),
          address,
        )
      : toDraft(changed),
  )
  const [draft, setDraft] = useState(begun)
  const [savedId, setSavedId] = useState(changed?.id)
  const saved = auths?.find(({ id }) => id === savedId)
  const [state, setState] = useState<{ busy: boolean; result: ConnectorAuthTest | null; failure: unknown }>({
    busy: false,
    result: null,
    failure: null,
  })
  const connector = connectors.find(({ id }) => id === draft.connector_id)
  const chosen = useTestCall(draft.connector_id, connector, draft.api_endpoint, address)
  const signsIn = draft.auth_type === 'oauth2' && hasSignIn(connector)
  const failure = state.failure === null ? null : asAppError(state.failure)

  async function keep(): Promise<ConnectorAuth> {
    const auth = await saveAuth(api, savedId, toBody(draft))
    setSavedId(auth.id)
    return auth
  }

  function handOver(auth: ConnectorAuth) {
    announce(t('Connector auth “{{name}}” saved', { name: auth.name }))
    onReady(auth)
  }

  async function attempt(work: () => Promise<ConnectorAuthTest | null>) {
    setState({ busy: true, result: null, failure: null })
    try {
      setState({ busy: false, result: await work(), failure: null })
    } catch (error) {
      setState({ busy: false, result: null, failure: error })
    }
  }

  /** A sign-in needs a stored auth, so only its outcome is tested. */
  async function signInAndTest(): Promise<ConnectorAuthTest | null> {
    const auth = await keep()
    if (auth.state !== 'ok') return null
    const result = chosen.call === null ? null : await testAuth(api, auth.id, chosen.call)
    if (result === null || result.ok) handOver(auth)
    return result
  }

  async function testAndStore(call: AuthTestCall): Promise<ConnectorAuthTest> {
    const changes = toBody(draft)
    const result =
      savedId === undefined
        ? await testNewAuth(api, changes, call)
        : await testAuth(api, savedId, { ...call, changes })
    if (!result.ok) return result
    const auth = await keep()
    // The credentials that were just found to work are now stored. Testing the stored ones records that they work.
    void testAuth(api, auth.id, call).catch(() => undefined)
    handOver(auth)
    return result
  }

  const store = useOneAtATime(() =>
    attempt(async () => {
      handOver(await keep())
      return null
    }),
  )
  const connect = useOneAtATime(async () => {
    if (signsIn) await attempt(signInAndTest)
    else if (chosen.call === null) await store()
    else {
      const { call } = chosen
      await attempt(() => testAndStore(call))
    }
  })
  // Credentials that can't be tested, or have just failed their test, are stored only on request.
  const isRefused = state.result?.ok === false
  const storing =
    signsIn && saved !== undefined
      ? { label: isRefused ? t('Use anyway') : t('Use without testing'), run: () => handOver(saved) }
      : isRefused && state.result?.status !== null
        ? { label: t('Save anyway'), run: () => void store() }
        : isRefused || (failure !== null && chosen.call !== null)
          ? { label: t('Save without testing'), run: () => void store() }
          : undefined

  return (
    <Dialog
      open
      side
      title={titleOf(changed)}
      unsaved={draft !== begun}
      onClose={onClose}
      onSubmit={connect}
      actions={
        <>
          {storing === undefined ? (
            <Button onClick={onClose}>{t('Cancel')}</Button>
          ) : (
            <Button onClick={storing.run}>{storing.label}</Button>
          )}
          <Button look="primary" busy={state.busy} onClick={() => void connect()}>
            {signsIn || chosen.call !== null ? t('Connect') : t('Save without testing')}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        {failure === null ? null : (
          <ErrorNotice
            error={failure}
            title={
              savedId === undefined || changed !== undefined
                ? t('Couldn’t save connector auth')
                : t('Couldn’t run the test')
            }
          />
        )}
        {state.result === null ? null : (
          <Card>
            <div aria-live="polite">
              <TestOutcome isFolded result={state.result} />
            </div>
          </Card>
        )}
        {saved === undefined ||
        connector === undefined ||
        !signsIn ||
        isGuidedBy(draft.auth_type, connector) ? null : (
          <SignInCard auth={saved} connector={connector} save={() => keep().then(() => true)} />
        )}
        <AuthForm
          brief
          connectorGiven={connectorGiven}
          draft={draft}
          auth={saved}
          connectors={connectors}
          failure={failure}
          keep={async () => {
            try {
              return await keep()
            } catch (error) {
              setState({ busy: false, result: null, failure: error })
              return null
            }
          }}
          onChange={(patch) => setDraft((before) => ({ ...before, ...patch }))}
        />
        <HowTested chosen={chosen} />
      </div>
    </Dialog>
  )
}

/** Shows the call that tests the credentials before they are stored; one line if the connector specifies it. */
function HowTested({ chosen }: { readonly chosen: ChosenCall }) {
  const [isOpen, setOpen] = useState(false)
  const { action, actions, connector, isNamed } = chosen
  const named = actions.find(({ name }) => name === action)
  if (isNamed && !isOpen && named !== undefined)
    return (
      <p className="flex flex-wrap items-center px-3 text-sm text-muted">
        {t('Connect calls “{{action}}” once and stores the credentials if they are accepted.', {
          action: translateConnectorText(named.title, connector) || named.name,
        })}
        <Button look="quiet" className="-ml-2.5 h-6" onClick={() => setOpen(true)}>
          {t('Test with another call')}
        </Button>
      </p>
    )
  return (
    <Card stacked title={t('Test')}>
      <TestCallFields optional chosen={chosen} />
    </Card>
  )
}

/** An auth for a plain HTTP URL is named after its host, and its secrets are sent only to its origin. */
function beginWith(connector: Connector | undefined, address = ''): AuthDraft {
  const draft = emptyDraft(connector?.id ?? '', connector)
  const url = URL.parse(address)
  if (url === null || connector?.id !== HTTP_CONNECTOR_ID) return draft
  return {
    ...draft,
    name: t('{{name}} connector auth', { name: url.host }),
    user_input: { url: url.origin },
  }
}
