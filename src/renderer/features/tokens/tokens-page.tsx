import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { Plus, RefreshCw, ScanSearch, Ticket, Trash2 } from '../../lib/icons.tsx'
import { useMemo, useState } from 'react'
import { createTokenRoute, regenerateTokenRoute, revokeTokenRoute } from '../../../shared/contract/tokens.ts'
import type { Token } from '../../../shared/contract/tokens.ts'
import { TOKENS } from '../../api/lists.ts'
import { useApi } from '../../api/provider.tsx'
import { useResource } from '../../api/resource.ts'
import { Button, IconButton } from '../../components/controls/button.tsx'
import { timeColumn, TimeOrNever } from '../../components/values/columns.tsx'
import { DataTable } from '../../components/values/data-table.tsx'
import type { Column } from '../../components/values/data-table.tsx'
import { ConfirmDialog } from '../../components/screen/confirm-dialog.tsx'
import { EmptyState } from '../../components/screen/empty-state.tsx'
import { Loaded } from '../../components/screen/loaded.tsx'
import { Page } from '../../components/screen/page.tsx'
import { useShortcut } from '../../components/screen/shortcuts.tsx'
import { StatusBadge } from '../../components/values/status-badge.tsx'
import { useNow } from '../../components/values/time.tsx'
import { announce } from '../../components/screen/toast.tsx'
import { english, t } from '../../lib/i18n.ts'
import { CheckDialog } from './check-dialog.tsx'
import { CreateDialog } from './create-dialog.tsx'
import { EndingNotice } from './ending-notice.tsx'
import { IssuedDialog } from './issued-dialog.tsx'
import { RegenerateDialog } from './regenerate-dialog.tsx'
import { formatRelative, plural } from '../../lib/format.ts'
import { madeWith, tokenState } from './token-state.ts'
import { useTokens } from './tokens-store.ts'
import { WhatBreaks } from './what-breaks.tsx'

const route = getRouteApi('/tokens')

export function TokensPage() {
  const { create: creating = false, check: checking = false } = route.useSearch()
  const navigate = useNavigate({ from: '/tokens' })
  const api = useApi()
  const isLocal = api.remote === null
  const { data: tokens, failure, reload, after } = useResource(TOKENS)
  const issued = useTokens((state) => state.issued)
  const create = useTokens((state) => state.create)
  const regenerate = useTokens((state) => state.regenerate)
  const dismissIssued = useTokens((state) => state.dismissIssued)
  const [changing, setChanging] = useState<{ what: 'regenerate' | 'revoke'; token: Token } | null>(null)

  const openCreate = () => void navigate({ search: { create: true } })
  useShortcut(
    { keys: 'n', label: t('Create access token'), group: t('Access tokens'), needs: createTokenRoute },
    openCreate,
  )
  const columns = useMemo(() => tokenColumns((what, token) => setChanging({ what, token })), [])
  const createButton = (
    <Button look="primary" icon={Plus} needs={createTokenRoute} onClick={openCreate}>
      {t('Create token')}
    </Button>
  )

  const checkButton = isLocal ? (
    <Button icon={ScanSearch} onClick={() => void navigate({ search: { check: true } })}>
      {t('Check token')}
    </Button>
  ) : null

  return (
    <Page
      title={t('Access tokens')}
      actions={
        <>
          {checkButton}
          {tokens?.length === 0 ? null : createButton}
        </>
      }
    >
      <EndingNotice
        tokens={tokens ?? []}
        onRegenerate={(token) => setChanging({ what: 'regenerate', token })}
      />
      <Loaded value={tokens} failure={failure} what={t('the access tokens')} onRetry={() => void reload()}>
        {(list) =>
          list.length === 0 ? (
            <EmptyState
              icon={Ticket}
              example={[t('Nightly export'), 'automation:webhook_run', t('expires in 90 days')]}
              title={t('No tokens yet')}
              action={createButton}
            >
              {t(
                'An access token lets a script or another program call the Millrace API as you, limited to its scopes. Its value is shown only once.',
              )}
            </EmptyState>
          ) : (
            <DataTable label={t('Access tokens')} noun={t('token')} columns={columns} rows={list} />
          )
        }
      </Loaded>
      {creating ? (
        <CreateDialog onCreate={create} onClose={() => void navigate({ search: {}, replace: true })} />
      ) : null}
      {checking ? (
        <CheckDialog
          onRevoke={(token) => {
            void navigate({ search: {}, replace: true })
            setChanging({ what: 'revoke', token })
          }}
          onClose={() => void navigate({ search: {}, replace: true })}
        />
      ) : null}
      {issued === null ? null : <IssuedDialog issued={issued} onClose={dismissIssued} />}
      {changing?.what === 'regenerate' ? (
        <RegenerateDialog
          token={changing.token}
          onRegenerate={(expiration) => regenerate(changing.token.id, expiration)}
          onClose={() => setChanging(null)}
        />
      ) : null}
      <ConfirmDialog
        open={changing?.what === 'revoke'}
        title={t('Revoke token?')}
        action={t('Revoke token')}
        onClose={() => setChanging(null)}
        onConfirm={async () => {
          if (changing === null) return
          await after(api.call(revokeTokenRoute, { params: { id: changing.token.id } }))
          announce(t('Token …{{lastFour}} revoked', { lastFour: changing.token.last_four }))
        }}
      >
        {changing === null ? null : (
          <>
            <WhatBreaks token={changing.token} ending={t('This can’t be undone.')} />
            <MadeWith tokens={madeWith(tokens ?? [], changing.token.id)} />
          </>
        )}
      </ConfirmDialog>
    </Page>
  )
}

/** The tokens that end with the one that created them. */
function MadeWith({ tokens }: { readonly tokens: readonly Token[] }) {
  if (tokens.length === 0) return null
  return (
    <>
      <p>{t('These tokens were created with it and will be revoked too:')}</p>
      <ul className="list-disc pl-5">
        {tokens.map(({ id, note, last_four }) => (
          <li key={id}>
            {note === '' ? null : `${note} `}
            <code>…{last_four}</code>
          </li>
        ))}
      </ul>
    </>
  )
}

function tokenColumns(
  onChange: (what: 'regenerate' | 'revoke', token: Token) => void,
): readonly Column<Token>[] {
  return [
    {
      id: 'note',
      header: english('Note'),
      width: 'minmax(10rem, 2fr)',
      sortBy: (token) => token.note.toLowerCase(),
      cell: (token) =>
        token.note === '' ? (
          <span className="text-faint">{t('No note')}</span>
        ) : (
          <span className="font-medium">{token.note}</span>
        ),
    },
    {
      id: 'last_four',
      header: english('Ends with'),
      width: '5rem',
      yields: 5,
      cell: (token) => <code className="text-code">…{token.last_four}</code>,
    },
    {
      id: 'state',
      header: english('State'),
      width: '9.5rem',
      sortBy: (token) => token.expiration ?? '9999',
      cell: (token) => <TokenBadge token={token} />,
    },
    {
      id: 'scopes',
      header: english('Scopes'),
      width: 'minmax(10rem, 2fr)',
      yields: 2,
      cell: (token) => (
        <code className="text-code text-muted" title={token.scopes.join(', ')}>
          {token.scopes.join(', ')}
        </code>
      ),
    },
    {
      id: 'reach',
      header: english('Reaches'),
      width: 'minmax(6rem, 1fr)',
      yields: 2,
      cell: ({ flow_ids: flows, auth_ids: auths }) => (
        <span className="text-muted">
          {flows === null && auths === null
            ? t('everything')
            : [
                ...(flows === null ? [] : [plural(flows.length, 'flow')]),
                ...(auths === null ? [] : [plural(auths.length, 'connector auth')]),
              ].join(', ')}
        </span>
      ),
    },
    {
      id: 'expiration',
      header: english('Expires'),
      width: '7rem',
      yields: 4,
      sortBy: (token) => token.expiration ?? '9999',
      cell: (token) => <TimeOrNever at={token.expiration} />,
    },
    timeColumn('last_used', english('Last used'), { width: '7rem', yields: 3 }),
    timeColumn('created_at', english('Created'), { width: '6.5rem', yields: 1 }),
    {
      id: 'actions',
      header: null,
      width: '4rem',
      align: 'end',
      cell: (token) => (
        <>
          <IconButton
            small
            label={t('Regenerate token …{{lastFour}}', { lastFour: token.last_four })}
            icon={RefreshCw}
            needs={regenerateTokenRoute}
            onClick={() => onChange('regenerate', token)}
          />
          <IconButton
            small
            label={t('Revoke token …{{lastFour}}', { lastFour: token.last_four })}
            icon={Trash2}
            needs={revokeTokenRoute}
            onClick={() => onChange('revoke', token)}
          />
        </>
      ),
    },
  ]
}

/** `Valid`, `Valid, never used`, `Expires in 6 days`, `Expired` */
function TokenBadge({ token }: { readonly token: Token }) {
  const now = useNow()
  const state = tokenState(token, now)
  const words = {
    ok: token.last_used === null ? t('Valid, never used') : t('Valid'),
    ending: t('Expires {{when}}', { when: formatRelative(Date.parse(token.expiration ?? ''), now) }),
    expired: t('Expired'),
  }
  return <StatusBadge state={state} label={words[state]} />
}
