import { Link } from '@tanstack/react-router'
import { Unplug } from 'lucide-react'
import { useEffect } from 'react'
import { useStore } from 'zustand'
import { useApi } from '../../api/provider.tsx'
import { Keys } from '../../components/shortcuts.tsx'
import { EndingTokens } from './ending-tokens.tsx'
import { useShellStore } from './shell-store.ts'

export function StatusBar() {
  const opened = useShellStore((state) => state.opened)
  const meta = useShellStore((state) => state.meta)
  const unfinished = useShellStore((state) => state.unfinished)
  useEffect(() => opened(), [opened])

  return (
    <footer className="col-span-2 flex h-6 items-center gap-3 border-t border-line bg-canvas px-3 text-sm text-muted">
      <Connection />
      {meta === null ? null : <code className="text-sm">{meta.url.replace(/^https?:\/\//, '')}</code>}
      <span aria-hidden className="text-faint">
        ·
      </span>
      <Link
        to="/runs"
        search={{ status: 'unfinished' }}
        className="rounded-sm hover:text-text hover:underline"
      >
        {unfinished === 0 ? 'nothing runs' : `${unfinished >= 50 ? '50 or more' : unfinished} not ended`}
      </Link>
      <EndingTokens />
      <span className="ml-auto flex items-center gap-2">
        <Keys keys="?" /> shortcuts
      </span>
      {meta === null ? null : <span>{meta.version}</span>}
    </footer>
  )
}

function Connection() {
  const connection = useStore(useApi().live.connection, (state) => state.connection)
  return (
    <span role="status" className="flex items-center gap-1.5">
      {connection === 'lost' || connection === 'refused' ? (
        <>
          <Unplug size={13} aria-hidden className="text-error" />
          <span className="font-medium text-error">
            {connection === 'lost'
              ? 'Millrace does not answer; trying again'
              : 'This page belongs to an earlier start of Millrace'}
          </span>
        </>
      ) : (
        <>
          <span
            aria-hidden
            className={`size-1.5 rounded-full ${connection === 'live' ? 'bg-success' : 'bg-line-control'}`}
          />
          {connection === 'live' ? 'live' : 'connecting'}
        </>
      )}
    </span>
  )
}
