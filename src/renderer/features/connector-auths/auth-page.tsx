import { getRouteApi, useNavigate, Link } from '@tanstack/react-router'
import { KeyRound, Save, Trash2 } from '../../lib/icons.tsx'
import { useEffect, useRef, useState } from 'react'
import {
  updateConnectorAuthRoute,
  deleteConnectorAuthRoute,
  listConnectorAuthFlowsRoute,
} from '../../../shared/contract/connector-auths.ts'
import type { ConnectorAuth } from '../../../shared/contract/connector-auths.ts'
import type { Connector } from '../../../shared/contract/connectors.ts'
import { AppError } from '../../../shared/contract/base/errors.ts'
import { quoted } from '../../../shared/contract/base/message.ts'
import { asAppError } from '../../api/failure.ts'
import { CONNECTOR_AUTHS, CONNECTORS } from '../../api/lists.ts'
import { useApi } from '../../api/provider.tsx'
import { together, useResource, resource } from '../../api/resource.ts'
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
import { t } from '../../lib/i18n.ts'
import { type AuthDraft, emptyDraft, toBody, toDraft } from '../../components/auths/auth-draft.ts'
import { AuthForm, isGuidedBy } from '../../components/auths/auth-form.tsx'
import { AUTH_USES, type AuthTestCall, saveAuth, testAuth } from '../../components/auths/auths.ts'
import { SignInCard } from '../../components/auths/sign-in-card.tsx'
import { TestCard } from '../../components/auths/test-card.tsx'
import { useOneAtATime } from '../../components/controls/use-one-at-a-time.ts'

const route = getRouteApi('/auths/$authId')

export function AuthPage() {
  const { authId } = route.useParams()
  const { connector = '' } = route.useSearch()
  const isNew = authId === 'new'
  const ofConnectors = useResource(CONNECTORS)
  const { data, failure, reload } = together({
    auths: useResource(CONNECTOR_AUTHS),
    connectors: ofConnectors,
  })
  // A connector created after the list was loaded: the form starts with its types and its name.
  const { reload: reloadConnectors } = ofConnectors
  const known = data?.connectors.some(({ id }) => id === connector) ?? false
  const [asked, setAsked] = useState<string>()
  const [createdId, setCreatedId] = useState<string>()
  const isComing = isNew && connector !== '' && !known && asked !== connector
  useEffect(() => {
    if (isComing) void reloadConnectors().then(() => setAsked(connector))
  }, [isComing, reloadConnectors, connector])
  if (data === null || isComing)
    return (
      <Page title={t('Connector auth')} crumbs={[{ label: t('Connector auths'), to: '/auths' }]}>
        <Loaded
          value={isComing ? null : data}
          failure={failure}
          what={t('the connector auth')}
          onRetry={reload}
        >
          {() => null}
        </Loaded>
      </Page>
    )
  const auth = data.auths.find((one) => one.id === authId)
  if (auth === undefined && !isNew) return <NoSuchAuth id={authId} />
  return (
    <AuthScreen
      key={authId}
      auth={auth}
      connectors={data.connectors}
      connectorId={connector}
      isCreated={authId === createdId}
      onCreated={setCreatedId}
    />
  )
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
  /** Absent for a new one. */
  readonly auth: ConnectorAuth | undefined
  readonly connectors: readonly Connector[]
  readonly connectorId: string
  /** It was saved for the first time just now. */
  readonly isCreated: boolean
  readonly onCreated: (authId: string) => void
}

function AuthScreen({ auth, connectors, connectorId, isCreated, onCreated }: AuthScreenProps) {
  const navigate = useNavigate()
  const api = useApi()
  const { data: uses } = useResource(AUTH_USES)
  /** Typed values that a test found to work. */
  const [proven, setProven] = useState<{ draft: AuthDraft; call: AuthTestCall } | null>(null)
  const [draft, setDraft] = useState(() =>
    auth === undefined
      ? emptyDraft(
          connectorId,
          connectors.find((one) => one.id === connectorId),
        )
      : toDraft(auth),
  )
  const [state, setState] = useState<{ busy: boolean; failure: unknown }>({ busy: false, failure: null })
  const connector = connectors.find(({ id }) => id === draft.connector_id)
  const [untouched, setUntouched] = useState(draft)
  const isChanged = JSON.stringify(draft) !== JSON.stringify(untouched)
  const { asking, leave } = useUnsaved(isChanged)
  const failure = state.failure === null ? null : asAppError(state.failure)

  /** Entered values override stored ones; without entered values nothing needs to be reported. */
  async function saveChanges(): Promise<boolean> {
    return (await keep()) !== null
  }

  async function keep(): Promise<ConnectorAuth | null> {
    return isChanged || auth === undefined ? save() : auth
  }

  /** Null if it was rejected, which the page then reports. */
  async function save(): Promise<ConnectorAuth | null> {
    setState({ busy: true, failure: null })
    try {
      const saved = await saveAuth(api, auth?.id, toBody(draft))
      announce(t('Connector auth “{{name}}” saved', { name: saved.name }))
      if (auth === undefined) {
        leave()
        onCreated(saved.id)
        await navigate({ to: '/auths/$authId', params: { authId: saved.id }, replace: true })
      } else {
        setDraft(toDraft(saved))
        setUntouched(toDraft(saved))
        // What was just found to work is stored now, and is said to work by a test of what is stored.
        if (proven?.draft === draft) await testAuth(api, saved.id, proven.call).catch(() => undefined)
        setProven(null)
      }
      setState({ busy: false, failure: null })
      return saved
    } catch (error) {
      setState({ busy: false, failure: error })
      return null
    }
  }
  const saveOnce = useOneAtATime(save)

  const form = useRef<HTMLDivElement>(null)
  const saveButton = useRef<HTMLButtonElement>(null)
  const isNew = auth === undefined
  useEffect(() => {
    if (isCreated) saveButton.current?.focus()
    else if (isNew)
      [...(form.current?.querySelectorAll('input') ?? [])].find(({ value }) => value === '')?.focus()
  }, [isCreated, isNew])
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
      title={auth?.name ?? t('New connector auth')}
      crumbs={[{ label: t('Connector auths'), to: '/auths' }]}
      badge={
        auth === undefined ? null : (
          <AuthBadge auth={auth} use={uses?.find((use) => use.auth_id === auth.id)} dated />
        )
      }
      actions={
        <>
          {auth === undefined ? null : <DeleteAuth auth={auth} onDeleted={leave} />}
          <Button
            ref={saveButton}
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
      <Column ref={form}>
        {failure === null ? null : <ErrorNotice error={failure} title={t('Couldn’t save connector auth')} />}
        {auth === undefined ||
        connector === undefined ||
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
        {auth === undefined ? null : (
          <>
            <TestCard
              auth={auth}
              connector={connector}
              changes={isChanged ? toBody(draft) : undefined}
              onTested={({ ok, call }) => setProven(ok ? { draft, call } : null)}
            />
            <UsedByCard authId={auth.id} />
          </>
        )}
      </Column>
    </Page>
  )
}

interface DeleteAuthProps {
  readonly auth: ConnectorAuth
  readonly onDeleted: () => void
}

function DeleteAuth({ auth, onDeleted }: DeleteAuthProps) {
  const navigate = useNavigate()
  const api = useApi()
  const [asking, setAsking] = useState(false)
  /** The flows that use it, once they have been named. */
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
function UsedByCard({ authId }: { readonly authId: string }) {
  const { data: flows } = useResource(flowsUsing(authId))
  if (flows === null) return null
  return (
    <Card title={t('Used by')}>
      {flows.length === 0 ? (
        <p className="p-4 text-muted">
          {t(
            'No flows use it. Flows that take the connector auth from the caller (dynamic_auth_id) aren’t listed.',
          )}
        </p>
      ) : (
        <ul className="flex flex-col p-2">
          {flows.map(({ id, name }) => (
            <li key={id}>
              <Link
                to="/flows/$flowId"
                params={{ flowId: id }}
                className="block rounded-sm px-2 py-1 text-accent-text hover:bg-hover hover:underline"
              >
                {name}
              </Link>
            </li>
          ))}
        </ul>
      )}
    </Card>
  )
}
