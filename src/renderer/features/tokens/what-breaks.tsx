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
        <Trans text="Clients using the token ending in <value/> will get 401." parts={{ value }} />
      ) : (
        <Trans
          text={'Clients using the token ending in <value/> (“{{note}}”) will get 401.'}
          values={{ note: token.note }}
          parts={{ value }}
        />
      )}{' '}
      {token.last_used === null ? (
        t('Never used.')
      ) : (
        <Trans text="Last used <time/>." parts={{ time: <Time at={token.last_used} /> }} />
      )}{' '}
      {ending}
    </p>
  )
}
