import { Link } from '@tanstack/react-router'
import { Unplug, Clock3 } from '../../lib/icons.tsx'
import { useStore } from 'zustand'
import { META, TOKENS } from '../../api/lists.ts'
import { useApi } from '../../api/provider.tsx'
import { useResource } from '../../api/resource.ts'
import { Keys } from '../../components/screen/shortcuts.tsx'
import { Trans } from '../../lib/trans.tsx'
import { t } from '../../lib/i18n.ts'
import { MOST_COUNTED, useSavedAppearance, useUnfinished } from './program-state.ts'
import { useNow } from '../../components/values/time.tsx'
import { plural } from '../../lib/format.ts'

export function StatusBar() {
  const { data: meta } = useResource(META)
  const unfinished = useUnfinished()
  useSavedAppearance()

  return (
    <footer className="col-span-2 flex min-h-6 flex-wrap items-center gap-x-3 border-t border-line bg-canvas px-3 text-sm text-muted">
      <Connection />
      {meta === null ? null : <code className="text-code">{meta.url.replace(/^https?:\/\//, '')}</code>}
      <span aria-hidden className="text-faint">
        ·
      </span>
      <Link
        to="/runs"
        search={{ status: 'unfinished' }}
        className="rounded-sm hover:text-text hover:underline"
      >
        {unfinished === 0
          ? t('No active runs')
          : unfinished >= MOST_COUNTED
            ? t('{{count}} or more active', { count: unfinished })
            : t('{{count}} active', { count: unfinished })}
      </Link>
      <EndingTokens />
      <span className="ml-auto flex items-center gap-2">
        <Trans text="<keys/> help" parts={{ keys: <Keys keys="?" /> }} />
      </span>
      {meta === null ? null : <span>{meta.version}</span>}
    </footer>
  )
}

function Connection() {
  const connection = useStore(useApi().live.connection, (state) => state.connection)
  return (
    <span role="status" className="flex min-w-0 items-center gap-1.5">
      {connection === 'lost' || connection === 'refused' ? (
        <>
          <Unplug size={13} aria-hidden className="text-error" />
          <span className="font-medium text-error">
            {connection === 'lost' ? t('Millrace isn’t responding. Retrying…') : t('Not signed in')}
          </span>
        </>
      ) : (
        <>
          <span
            aria-hidden
            className={`size-1.5 rounded-full ${connection === 'live' ? 'bg-success' : 'bg-line-control'}`}
          />
          {connection === 'off' ? t('no live updates') : connection === 'live' ? t('live') : t('connecting…')}
        </>
      )}
    </span>
  )
}

const WEEK_MS = 7 * 86_400_000

/** Shown on every screen, from a week before a token expires. */
function EndingTokens() {
  const { data: tokens } = useResource(TOKENS)
  const now = useNow()
  const ending = (tokens ?? []).filter(({ expiration }) => {
    const left = expiration === null ? Infinity : Date.parse(expiration) - now
    return left > 0 && left < WEEK_MS
  })
  if (ending.length === 0) return null
  return (
    <Link to="/tokens" className="flex items-center gap-1.5 rounded-sm text-retrying hover:underline">
      <Clock3 size={12} aria-hidden />
      {plural(ending.length, 'access token expires this week', 'access tokens expire this week')}
    </Link>
  )
}
