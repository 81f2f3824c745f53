import { Clock3 } from '../../lib/icons.tsx'
import type { Token } from '../../../shared/contract/tokens.ts'
import { Button } from '../../components/controls/button.tsx'
import { Time, useNow } from '../../components/values/time.tsx'
import { Trans } from '../../lib/trans.tsx'
import { t } from '../../lib/i18n.ts'
import { tokenState } from './token-state.ts'

interface EndingNoticeProps {
  readonly tokens: readonly Token[]
  readonly onRegenerate: (token: Token) => void
}

/** Warns a week before, so that nothing stops overnight. */
export function EndingNotice({ tokens, onRegenerate }: EndingNoticeProps) {
  const now = useNow()
  const ending = tokens.filter((token) => tokenState(token, now) === 'ending')
  if (ending.length === 0) return null
  return (
    <ul className="flex max-h-40 shrink-0 flex-col overflow-auto border-b border-retrying/40 bg-retrying-soft px-4 py-1">
      {ending.map((token) => (
        <li key={token.id} className="flex min-h-9 items-center gap-2.5">
          <Clock3 size={15} aria-hidden className="shrink-0 text-retrying" />
          <p className="min-w-0 flex-1 truncate">
            <Trans
              text="<strong/> expires <time/>. Clients using it will then get 401."
              parts={{
                strong: <strong>{token.note === '' ? `…${token.last_four}` : token.note}</strong>,
                time: <Time at={token.expiration ?? ''} />,
              }}
            />
          </p>
          <Button onClick={() => onRegenerate(token)}>{t('Extend or regenerate')}</Button>
        </li>
      ))}
    </ul>
  )
}
