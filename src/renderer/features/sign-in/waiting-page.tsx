import { useEffect } from 'react'
import { SignInWay } from '../../components/screen/sign-in-way.tsx'
import { t } from '../../lib/i18n.ts'
import { setTitle } from '../../lib/window-title.ts'

/** The screen of a tab on this computer that has no session, until another tab has one. */
export function WaitingPage() {
  useEffect(() => setTitle(t('Sign in to Millrace')), [])
  return (
    <main className="flex h-full items-start justify-center overflow-y-auto bg-canvas px-4 pt-[16vh] pb-8">
      <div className="flex w-full max-w-96 flex-col gap-4 rounded border border-line bg-surface p-6">
        <h1 className="text-lg font-semibold">{t('Sign in to Millrace')}</h1>
        <p>{t('This browser isn’t signed in to Millrace.')}</p>
        <SignInWay />
        <p className="text-muted">{t('This tab will then continue on its own.')}</p>
      </div>
    </main>
  )
}
