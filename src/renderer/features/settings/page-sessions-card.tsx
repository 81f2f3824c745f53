import { LogOut } from '../../lib/icons.tsx'
import { endPageSessionRoute, listPageSessionsRoute } from '../../../shared/contract/page-sessions.ts'
import type { PageSession } from '../../../shared/contract/page-sessions.ts'
import { useApi } from '../../api/provider.tsx'
import { cached, resource, useResource } from '../../api/resource.ts'
import { Button } from '../../components/controls/button.tsx'
import { Card } from '../../components/screen/page.tsx'
import { announce, attempt } from '../../components/screen/toast.tsx'
import { Time } from '../../components/values/time.tsx'
import { t } from '../../lib/i18n.ts'
import { Trans } from '../../lib/trans.tsx'

const PAGE_SESSIONS = resource(listPageSessionsRoute, { nouns: ['page_session', 'token'] })

/** Signed-in browsers on other devices. Absent if there are none. */
export function PageSessionsCard() {
  // A failure is shown by the status bar.
  const { data: sessions } = useResource(PAGE_SESSIONS)
  if (sessions === null || sessions.length === 0) return null
  return (
    <Card title={t('Signed-in browsers')}>
      <ul className="divide-y divide-line">
        {sessions.map((session) => (
          <Session key={session.id} session={session} />
        ))}
      </ul>
    </Card>
  )
}

function Session({ session }: { readonly session: PageSession }) {
  const api = useApi()
  const { id, client, user_agent: agent, token_note: note, current } = session

  const end = () =>
    attempt(t('Couldn’t sign out browser'), async () => {
      await cached(api, PAGE_SESSIONS)
        .getState()
        .after(api.call(endPageSessionRoute, { params: { id } }))
      announce(t('Browser at {{client}} signed out', { client }))
    })

  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-2.5">
      <div className="flex min-w-0 flex-1 flex-col gap-0.5">
        <p className="flex flex-wrap items-center gap-x-2">
          <code className="text-code">{client}</code>
          <span className="min-w-0 truncate">{note}</span>
          {current ? <span className="text-muted">{t('this browser')}</span> : null}
        </p>
        <p className="min-w-0 truncate text-muted" title={agent}>
          {agent}
        </p>
        <p className="text-muted">
          <Trans
            text="signed in <from/>, last seen <seen/>"
            parts={{ from: <Time at={session.created_at} />, seen: <Time at={session.last_seen} /> }}
          />
        </p>
      </div>
      {current ? null : (
        <Button icon={LogOut} onClick={() => void end()} aria-label={t('Sign out {{client}}', { client })}>
          {t('Sign out')}
        </Button>
      )}
    </li>
  )
}
