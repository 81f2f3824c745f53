import type { Token } from '../../../shared/contract/tokens.ts'
import { Time } from '../../components/values/time.tsx'
import { Trans } from '../../lib/trans.tsx'
import { t } from '../../lib/i18n.ts'

/** Who is affected when the current value of a token stops working. */
export function WhatBreaks({ token, ending }: { readonly token: Token; readonly ending: string }) {
  const value = <code className="font-medium">…{token.last_four}</code>
  return (
    <p>
      {token.note === '' ? (
        <Trans
          text="Whatever sends the value ending in <value/> is answered 401 from that moment."
          parts={{ value }}
        />
      ) : (
        <Trans
          text={'Whatever sends the value ending in <value/> (“{{note}}”) is answered 401 from that moment.'}
          values={{ note: token.note }}
          parts={{ value }}
        />
      )}{' '}
      {token.last_used === null ? (
        t('It was never used.')
      ) : (
        <Trans text="It was last used <time/>." parts={{ time: <Time at={token.last_used} /> }} />
      )}{' '}
      {ending}
    </p>
  )
}
