import { lazy, Suspense } from 'react'
import type { AuthSheetProps } from './auths.ts'

const ConnectSheet = lazy(async () => ({ default: (await import('./connect-sheet.tsx')).ConnectSheet }))

/** Loads when it is first opened, because most screens with a list of auths never open it. */
export function AuthSheet(props: AuthSheetProps) {
  return (
    <Suspense>
      <ConnectSheet {...props} />
    </Suspense>
  )
}
