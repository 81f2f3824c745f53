import { getRouteApi, useNavigate, Link } from '@tanstack/react-router'
import { CircleX, KeyRound, Save, Trash2 } from '../../lib/icons.tsx'
import { useState } from 'react'
import {
  updateConnectorAuthRoute,
  deleteConnectorAuthRoute,
  listConnectorAuthFlowsRoute,
} from '../../../shared/contract/connector-auths.ts'
import type {
  ConnectorAuth,
  ConnectorAuthTest,
  ConnectorAuthUse,
} from '../../../shared/contract/connector-auths.ts'
import type { Connector } from '../../../shared/contract/connectors.ts'
import { AppError } from '../../../shared/contract/base/errors.ts'
import { quoted } from '../../../shared/contract/base/message.ts'
import { asAppError } from '../../api/failure.ts'
import { AUTH_USES, CONNECTOR_AUTHS, CONNECTORS } from '../../api/lists.ts'
import { useApi } from '../../api/provider.tsx'
import { together, useResource, resource } from '../../api/resource.ts'
import { CopyIcon } from '../../components/values/copy-button.tsx'
import { Button, ButtonLink } from '../../components/controls/button.tsx'
import { ConfirmDialog } from '../../components/screen/confirm-dialog.tsx'
import { EmptyState } from '../../components/screen/empty-state.tsx'
import { ErrorNotice } from '../../components/screen/error-notice.tsx'
import { Loaded } from '../../components/screen/loaded.tsx'
import { Column, Page, Card } from '../../components/screen/page.tsx'
import { useShortcut } from '../../components/screen/shortcuts.tsx'
import { ViewOnlyNotice } from '../../components/screen/view-only-notice.tsx'
import { AuthBadge } from '../../components/auths/auth-badge.tsx'
import { announce, deleteWithUndo } from '../../components/screen/toast.tsx'
import { useUnsaved } from '../../components/screen/unsaved.tsx'
import { t, translateMessage } from '../../lib/i18n.ts'
import { type AuthDraft, toBody, toDraft } from '../../components/auths/auth-draft.ts'
import { AuthForm, isGuidedBy } from '../../components/auths/auth-form.tsx'
import { type AuthTestCall, saveAuth, testAuth } from '../../components/auths/auths.ts'
import { SignInCard } from '../../components/auths/sign-in-card.tsx'
import { TestCard, type TestState } from '../../components/auths/test-card.tsx'
import { useTestCall } from '../../components/auths/trial.tsx'
import { AuthDays } from '../../components/auths/auth-days.tsx'
import { ServiceMark } from '../../components/services/service-mark.tsx'
import { RateLimits } from './rate-limits.tsx'
import { useOneAtATime } from '../../components/controls/use-one-at-a-time.ts'

const route = getRouteApi('/auths/$authId')

export function AuthPage() {
  const { authId } = route.useParams()
  const { data, failure, reload } = together({
    auths: useResource(CONNECTOR_AUTHS),
    connectors: useResource(CONNECTORS),
  })
  if (data === null)
    return (
      <Page title={t('Connector auth')} crumbs={[{ label: t('Connector auths'), to: '/auths' }]}>
        <Loaded value={data} failure={failure} what={t('the connector auth')} onRetry={reload}>
          {() => null}
        </Loaded>
      </Page>
    )
  const auth = data.auths.find((one) => one.id === authId)
  if (auth === undefined) return <NoSuchAuth id={authId} />
  return <AuthScreen key={authId} auth={auth} connectors={data.connectors} />
}

function NoSuchAuth({ id }: { readonly id: string }) {
  return (
    <Page title={t('Unknown connector auth')} crumbs={[{ label: t('Connector auths'), to: '/auths' }]}>
      <EmptyState
        icon={KeyRound}
        title={t('Connector auth not found')}
        action={<ButtonLink to="/auths">{t('Show all connector auths')}</ButtonLink>}
      >
        {t(
          'There’s no connector auth with the ID {{id}}, or you don’t have access to it. It may have been deleted.',
          { id },
        )}
      </EmptyState>
    </Page>
  )
}

interface AuthScreenProps {
  readonly auth: ConnectorAuth
  readonly connectors: readonly Connector[]
}

const UNTESTED: TestState = { busy: false, result: null, failure: null }

function AuthScreen({ auth, connectors }: AuthScreenProps) {
  const api = useApi()
  const use = useResource(AUTH_USES).data?.find(({ auth_id: id }) => id === auth.id)
  /** Typed values that a test found to work. */
  const [proven, setProven] = useState<{ draft: AuthDraft; call: AuthTestCall } | null>(null)
  const [draft, setDraft] = useState(() => toDraft(auth))
  const [state, setState] = useState<{ busy: boolean; failure: unknown }>({ busy: false, failure: null })
  const [test, setTest] = useState(UNTESTED)
  /** Typed values that weren't stored because no test found them to work. */
  const [refused, setRefused] = useState<AuthDraft>()
  const connector = connectors.find(({ id }) => id === draft.connector_id)
  const chosen = useTestCall(draft.connector_id, connector, draft.api_endpoint)
  const [untouched, setUntouched] = useState(draft)
  const isChanged = JSON.stringify(draft) !== JSON.stringify(untouched)
  const { asking, leave } = useUnsaved(isChanged)
  const failure = state.failure === null ? null : asAppError(state.failure)

  /** Saves the entered values, if there are any. False if that failed. */
  async function saveChanges(): Promise<boolean> {
    return (await keep()) !== null
  }

  async function keep(): Promise<ConnectorAuth | null> {
    return isChanged ? store(proven?.draft === draft ? proven.call : undefined) : auth
  }

  /**
   * Tests the typed values if there are any, otherwise the stored ones. Null if there is nothing to call, or the test
   * couldn't be run.
   */
  async function runTest(): Promise<ConnectorAuthTest | null> {
    const { call } = chosen
    if (call === null) return null
    setTest({ ...UNTESTED, busy: true })
    try {
      const result = await testAuth(api, auth.id, { ...call, ...(isChanged && { changes: toBody(draft) }) })
      setProven(result.ok ? { draft, call } : null)
      setTest({ ...UNTESTED, result })
      return result
    } catch (error) {
      setTest({ ...UNTESTED, failure: error })
      return null
    }
  }

  /** Null if it was rejected, which the page then reports. */
  async function store(works: AuthTestCall | undefined): Promise<ConnectorAuth | null> {
    setState({ busy: true, failure: null })
    try {
      const saved = await saveAuth(api, auth.id, toBody(draft))
      announce(t('Connector auth “{{name}}” saved', { name: saved.name }))
      setDraft(toDraft(saved))
      setUntouched(toDraft(saved))
      // The credentials that were just found to work are now stored. Testing the stored ones records that they work.
      if (works !== undefined) await testAuth(api, saved.id, works).catch(() => undefined)
      setProven(null)
      setRefused(undefined)
      setState({ busy: false, failure: null })
      return saved
    } catch (error) {
      setState({ busy: false, failure: error })
      return null
    }
  }

  /** Changed credentials are tested before they replace the stored ones. */
  async function save(): Promise<void> {
    const { call } = chosen
    if (!hasOtherCredentials(draft, untouched) || call === null || isSignedIn(auth)) await store(undefined)
    else if (proven?.draft === draft) await store(proven.call)
    else {
      setState({ busy: true, failure: null })
      const result = await runTest()
      setState({ busy: false, failure: null })
      if (result?.ok === true) await store(call)
      else setRefused(draft)
    }
  }
  const saveOnce = useOneAtATime(save)

  useShortcut(
    {
      keys: 'mod+s',
      label: t('Save connector auth'),
      group: t('Connector auth'),
      needs: updateConnectorAuthRoute,
    },
    () => void saveOnce(),
  )

  return (
    <Page
      title={auth.name}
      crumbs={[{ label: t('Connector auths'), to: '/auths' }]}
      badge={<AuthBadge auth={auth} use={use} />}
      actions={
        <>
          <DeleteAuth auth={auth} onDeleted={leave} />
          <Button
            look="primary"
            icon={Save}
            needs={updateConnectorAuthRoute}
            busy={state.busy}
            onClick={() => void saveOnce()}
          >
            {t('Save')}
          </Button>
        </>
      }
    >
      {asking}
      <ViewOnlyNotice needs={updateConnectorAuthRoute} />
      <Column>
        {failure === null ? null : <ErrorNotice error={failure} title={t('Couldn’t save connector auth')} />}
        {refused === draft && !test.busy ? (
          <NotSaved test={test} busy={state.busy} onAnyway={() => void store(undefined)} />
        ) : null}
        <UseCard auth={auth} connector={connector} use={use} />
        <RateLimits authId={auth.id} />
        {connector === undefined ||
        auth.auth_type !== 'oauth2' ||
        isGuidedBy(draft.auth_type, connector) ? null : (
          <SignInCard auth={auth} connector={connector} save={saveChanges} />
        )}
        <AuthForm
          draft={draft}
          auth={auth}
          connectors={connectors}
          failure={failure}
          keep={keep}
          onChange={(patch) => setDraft((before) => ({ ...before, ...patch }))}
        />
        <TestCard chosen={chosen} state={test} onTest={() => void runTest()} />
      </Column>
    </Page>
  )
}

/** Whether its token comes from a sign-in, not from the form. */
const isSignedIn = ({ auth_type: type }: ConnectorAuth) => type === 'oauth2'

const BESIDE_CREDENTIALS = { name: '', tags: [], access: null, auth_details: '' }

/** Whether calls would be made with other credentials. */
function hasOtherCredentials(draft: AuthDraft, before: AuthDraft): boolean {
  const rest = (one: AuthDraft) => JSON.stringify({ ...one, ...BESIDE_CREDENTIALS })
  return rest(draft) !== rest(before)
}

interface NotSavedProps {
  readonly test: TestState
  readonly busy: boolean
  readonly onAnyway: () => void
}

/** Why the typed credentials weren't stored, with a button that stores them anyway. */
function NotSaved({ test: { result, failure }, busy, onAnyway }: NotSavedProps) {
  const wasAnswered = result !== null && result.status !== null
  return (
    <div
      role="alert"
      className="flex flex-wrap items-center gap-x-3 gap-y-2 rounded border border-error/40 bg-error-soft px-3 py-2.5"
    >
      <CircleX size={16} aria-hidden className="shrink-0 text-error" />
      <p className="min-w-0 flex-1">
        <strong className="font-medium">
          {wasAnswered
            ? t('Not saved: the test failed, and the stored credentials are unchanged.')
            : t('Not saved: the test couldn’t be run.')}
        </strong>{' '}
        {result === null ? asAppError(failure).message : translateMessage(result.message, result)}
      </p>
      <Button busy={busy} onClick={onAnyway}>
        {wasAnswered ? t('Save anyway') : t('Save without testing')}
      </Button>
    </div>
  )
}

interface UseCardProps {
  readonly auth: ConnectorAuth
  readonly connector: Connector | undefined
  readonly use: ConnectorAuthUse | undefined
}

/** The auth at a glance: its last 30 days, and the flows that depend on it. */
function UseCard({ auth, connector, use }: UseCardProps) {
  return (
    <Card className="flex flex-wrap items-center gap-x-5 gap-y-3 p-4">
      {connector === undefined ? null : <ServiceMark connector={connector} size={40} />}
      <div className="flex min-w-48 flex-1 flex-col gap-1">
        <p className="text-sm text-muted">{t('Used by')}</p>
        <ul className="flex flex-wrap gap-x-3 gap-y-1">
          {connector === undefined ? null : (
            <li>
              <Link to="/connectors/$connectorId" params={{ connectorId: connector.id }} className={LINK}>
                {connector.name}
              </Link>
            </li>
          )}
          <FlowLinks authId={auth.id} />
        </ul>
      </div>
      <div className="flex flex-col gap-1.5">
        <p className="text-sm text-muted">{t('Last 30 days')}</p>
        <AuthDays use={use} />
      </div>
      <div className="flex min-w-0 flex-col gap-1">
        <p className="text-sm text-muted">{t('ID')}</p>
        <p className="flex items-center gap-1">
          <code className="min-w-0 break-all">{auth.id}</code>
          <CopyIcon label={t('Copy ID')} text={auth.id} />
        </p>
      </div>
    </Card>
  )
}

const LINK = 'rounded-sm text-accent-text hover:underline'

interface DeleteAuthProps {
  readonly auth: ConnectorAuth
  readonly onDeleted: () => void
}

function DeleteAuth({ auth, onDeleted }: DeleteAuthProps) {
  const navigate = useNavigate()
  const api = useApi()
  const [asking, setAsking] = useState(false)
  /** The flows that use it, once their names are known. */
  const [usedBy, setUsedBy] = useState<readonly string[]>([])
  return (
    <>
      <Button
        icon={Trash2}
        needs={deleteConnectorAuthRoute}
        onClick={() => {
          setUsedBy([])
          setAsking(true)
        }}
      >
        {t('Delete')}
      </Button>
      <ConfirmDialog
        open={asking}
        title={t('Delete “{{name}}”?', { name: auth.name })}
        action={usedBy.length === 0 ? t('Delete connector auth') : t('Delete anyway')}
        onClose={() => setAsking(false)}
        onConfirm={async () => {
          const { id, name } = auth
          const params = { id }
          const flows = await api.call(listConnectorAuthFlowsRoute, { params })
          if (usedBy.length === 0 && flows.length > 0) {
            const names = flows.map((flow) => `“${flow.name}”`)
            setUsedBy(names)
            throw new AppError('conflict', quoted(t('Used by: {{names}}', { names: names.join(', ') })))
          }
          const query = usedBy.length === 0 ? {} : { force: 'true' as const }
          const text = t('Connector auth “{{name}}” deleted', { name })
          deleteWithUndo(api, deleteConnectorAuthRoute, { params, query }, { id, name, text })
          onDeleted()
          await navigate({ to: '/auths' })
        }}
      >
        {usedBy.length === 0
          ? t('The secrets are deleted permanently. If flows use this connector auth, you’ll see them first.')
          : t(
              'Runs of these flows will fail at the steps that use it, until you choose another connector auth there.',
            )}
      </ConfirmDialog>
    </>
  )
}

const flowsUsing = (id: string) => resource(listConnectorAuthFlowsRoute, { nouns: ['flow'], params: { id } })

/** The flows that break if this auth is deleted. */
function FlowLinks({ authId }: { readonly authId: string }) {
  const { data: flows } = useResource(flowsUsing(authId))
  if (flows === null) return null
  if (flows.length === 0)
    return (
      <li
        className="text-muted"
        title={t('Flows that take the connector auth from the caller (dynamic_auth_id) aren’t listed.')}
      >
        {t('No flow uses it yet')}
      </li>
    )
  return flows.map(({ id, name }) => (
    <li key={id}>
      <Link to="/flows/$flowId" params={{ flowId: id }} className={LINK}>
        {name}
      </Link>
    </li>
  ))
}
