import type { Token } from '../../../shared/contract/tokens.ts'
import { Time } from '../../components/time.tsx'

/** Who will notice that the present value of a token is gone. */
export function WhatBreaks({ token, ending }: { readonly token: Token; readonly ending: string }) {
  return (
    <p>
      Whatever sends the value ending in <code className="font-medium">…{token.last_four}</code>
      {token.note === '' ? '' : ` (“${token.note}”)`} is answered 401 from that moment.{' '}
      {token.last_used === null ? (
        'It was never used.'
      ) : (
        <>
          It was last used <Time at={token.last_used} />.
        </>
      )}{' '}
      {ending}
    </p>
  )
}
