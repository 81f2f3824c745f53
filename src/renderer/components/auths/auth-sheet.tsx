import { useEffect, useState } from 'react'
import type { ConnectorAuth, ConnectorAuthTest } from '../../../shared/contract/connector-auths.ts'
import { type Connector, HTTP_CONNECTOR_ID } from '../../../shared/contract/connectors.ts'
import { asAppError } from '../../api/failure.ts'
import { CONNECTOR_AUTHS, CONNECTORS } from '../../api/lists.ts'
import { useApi } from '../../api/provider.tsx'
import { useResource } from '../../api/resource.ts'
import { t } from '../../lib/i18n.ts'
import { Button } from '../controls/button.tsx'
import { Dialog } from '../screen/dialog.tsx'
import { ErrorNotice } from '../screen/error-notice.tsx'
import { Loaded } from '../screen/loaded.tsx'
import { Card } from '../screen/page.tsx'
import { announce } from '../screen/toast.tsx'
import { type AuthDraft, emptyDraft, toBody } from './auth-draft.ts'
import { AuthForm, hasSignIn, isGuidedBy } from './auth-form.tsx'
import { saveAuth, testAuth } from './auths.ts'
import { SignInCard } from './sign-in-card.tsx'
import { TestCallFields, TestOutcome, useTestCall } from './test-call.tsx'
import { useOneAtATime } from '../controls/use-one-at-a-time.ts'

interface AuthSheetProps {
  /** The connector it is for, or starts with. */
  readonly connectorId: string
  /** Whether the connector is fixed. */
  readonly connectorGiven: boolean
  /** What it will call: the auth is tested there, and starts with its name and origin. */
  readonly address?: string
  readonly onClose: () => void
  /** The auth is stored, and works or is wanted anyway. */
  readonly onReady: (auth: ConnectorAuth) => void
}

/** A new auth next to the form that needs it: saved, tested and handed over without leaving the screen. */
export function AuthSheet(props: AuthSheetProps) {
  const { data, failure, reload } = useResource(CONNECTORS)
  const connectors = data ?? []
  const { connectorId, onClose } = props
  // A connector created after the list was loaded.
  const isKnown = connectorId === '' ? connectors.length > 0 : connectors.some(({ id }) => id === connectorId)
  useEffect(() => {
    if (!isKnown) void reload()
  }, [isKnown, reload])
  if (isKnown) return <NewAuth {...props} connectors={connectors} />
  return (
    <Dialog open side title={t('New connector auth')} onClose={onClose}>
      <Loaded value={null} failure={failure} what={t('the connectors')} onRetry={() => void reload()}>
        {() => null}
      </Loaded>
    </Dialog>
  )
}

type NewAuthProps = AuthSheetProps & { readonly connectors: readonly Connector[] }

function NewAuth({ connectorId, connectorGiven, address, connectors, onClose, onReady }: NewAuthProps) {
  const api = useApi()
  const { data: auths } = useResource(CONNECTOR_AUTHS)
  const [begun] = useState(() =>
    beginWith(
      connectors.find(({ id }) => id === connectorId),
      address,
    ),
  )
  const [draft, setDraft] = useState(begun)
  const [savedId, setSavedId] = useState<string>()
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

  const save = useOneAtATime(async () => {
    setState({ busy: true, result: null, failure: null })
    try {
      const auth = await keep()
      const mustSignIn = signsIn && auth.state !== 'ok'
      const result = mustSignIn || chosen.call === null ? null : await testAuth(api, auth.id, chosen.call)
      setState({ busy: false, result, failure: null })
      if (!mustSignIn && (result === null || result.ok)) handOver(auth)
    } catch (error) {
      setState({ busy: false, result: null, failure: error })
    }
  })

  return (
    <Dialog
      open
      side
      title={t('New connector auth')}
      unsaved={draft !== begun}
      onClose={onClose}
      onSubmit={save}
      actions={
        <>
          {saved === undefined ? (
            <Button onClick={onClose}>{t('Cancel')}</Button>
          ) : (
            <Button onClick={() => handOver(saved)}>
              {state.result === null ? t('Use without testing') : t('Use anyway')}
            </Button>
          )}
          <Button look="primary" busy={state.busy} onClick={() => void save()}>
            {chosen.call === null ? t('Save and use') : t('Save, test and use')}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        {failure === null ? null : (
          <ErrorNotice
            error={failure}
            title={savedId === undefined ? t('Couldn’t save connector auth') : t('Couldn’t run the test')}
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
        <Card stacked title={t('Test')}>
          <TestCallFields optional chosen={chosen} />
        </Card>
      </div>
    </Dialog>
  )
}

/** For a plain HTTP URL: its name; its secrets are sent only to its origin. */
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
