import { LogIn } from '../../lib/icons.tsx'
import { useEffect, useRef, useState } from 'react'
import { asAppError } from '../../api/failure.ts'
import { signIn, takeLink } from '../../api/remote-session.ts'
import { Button } from '../../components/controls/button.tsx'
import { Field, TextInput } from '../../components/controls/field.tsx'
import { t } from '../../lib/i18n.ts'
import { setTitle } from '../../lib/window-title.ts'
import { Form } from '../../components/controls/form.tsx'

/** The screen for somebody who opens the app from another device and isn't signed in. */
export function SignInPage() {
  const [link, setLink] = useState(() => takeLink(window))
  const [token, setToken] = useState('')
  const input = useRef<HTMLInputElement>(null)
  const [state, setState] = useState<{ busy: boolean; failure: string | null }>(IDLE)
  useEffect(() => {
    setTitle(t('Sign in to Millrace'))
    input.current?.focus()
    // A link opened in this tab changes only the fragment, which loads nothing by itself.
    const opened = () => setLink((before) => takeLink(window) ?? before)
    window.addEventListener('hashchange', opened)
    return () => window.removeEventListener('hashchange', opened)
  }, [])

  async function submit() {
    setState({ busy: true, failure: null })
    try {
      await signIn(window, link === null ? { token: token.trim() } : { link })
      window.location.reload()
    } catch (error) {
      setState({ busy: false, failure: asAppError(error).message })
      setLink(null)
    }
  }

  return (
    <main className="flex h-full items-start justify-center overflow-y-auto bg-canvas px-4 pt-[16vh] pb-8">
      <Form
        className="flex w-full max-w-96 flex-col gap-4 rounded border border-line bg-surface p-6"
        onSubmit={submit}
      >
        <h1 className="text-lg font-semibold">{t('Sign in to Millrace')}</h1>
        {link === null ? (
          <>
            <Field
              label={t('Millrace access token')}
              hint={t('This browser gets the token’s permissions until the token is revoked or expires.')}
              error={state.failure ?? undefined}
            >
              <TextInput
                mono
                type="password"
                name="token"
                autoComplete="current-password"
                ref={input}
                value={token}
                onChange={setToken}
              />
            </Field>
            <p className="text-muted">
              {t(
                'No token at hand? Run “millrace sign-in-link” on the computer that runs Millrace, and open the link here.',
              )}
            </p>
          </>
        ) : (
          <p className="text-muted">
            {t(
              'You opened a sign-in link. It works once and gives this browser every permission a token can have.',
            )}
          </p>
        )}
        <Button
          type="submit"
          look="primary"
          icon={LogIn}
          busy={state.busy}
          disabled={link === null && token.trim() === ''}
        >
          {t('Sign in')}
        </Button>
      </Form>
    </main>
  )
}

const IDLE = { busy: false, failure: null }
