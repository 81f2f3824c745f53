import { Trans } from '../../lib/trans.tsx'

/** Explains how to sign in with a browser on this computer. */
export function SignInWay() {
  return (
    <p className="text-muted">
      <Trans
        text="Open Millrace from its icon, or run <code/> in a terminal."
        parts={{ code: <code className="rounded-sm bg-sunken px-1">millrace open</code> }}
      />
    </p>
  )
}
