import { LogIn } from '../../lib/icons.tsx'
import { useState } from 'react'
import type { ConnectorAuth } from '../../../shared/contract/connector-auths.ts'
import { type Connector, grantOf, hasUser } from '../../../shared/contract/connectors.ts'
import { redirectUrlOf } from '../../../shared/sign-in/index.ts'
import { Button } from '../controls/button.tsx'
import { CopyIcon } from '../values/copy-button.tsx'
import { ErrorNotice } from '../screen/error-notice.tsx'
import { Field, TextInput } from '../controls/field.tsx'
import { Card } from '../screen/page.tsx'
import { Time } from '../values/time.tsx'
import { asAppError } from '../../api/failure.ts'
import { Trans } from '../../lib/trans.tsx'
import { t } from '../../lib/i18n.ts'
import { safeHref } from '../../lib/urls.ts'
import { useSignIn } from './auths.ts'
import { DeviceCode, useDeviceSignIn } from './device-code.tsx'
import { SignInWaiting } from './sign-in-waiting.tsx'

interface SignInCardProps {
  readonly auth: ConnectorAuth
  readonly connector: Connector
  /** Saves the input, since the sign-in uses the stored values. False if that failed. */
  readonly save: () => Promise<boolean>
}

/** Signs in on the API's own page, in a separate window or with a code; the live stream reports the result. */
export function SignInCard({ auth, connector, save }: SignInCardProps) {
  const { authorize, outcome } = useSignIn(auth.id)
  const [state, setState] = useState<{ busy: boolean; failure: unknown }>({ busy: false, failure: null })
  const needsNobody = !hasUser(connector)
  const isByCode = grantOf(connector) === 'device_code'
  const { code, start, cancel } = useDeviceSignIn(auth.id)
  const redirectUri = redirectUrlOf(connector, location.origin)

  async function begin() {
    setState({ busy: true, failure: null })
    try {
      if (!(await save())) return setState({ busy: false, failure: null })
      if (isByCode) {
        await start()
        return setState({ busy: false, failure: null })
      }
      const { url } = await authorize(auth.id)
      setState({ busy: false, failure: null })
      if (url !== null && safeHref(url) !== undefined) window.open(url, '_blank', 'noopener')
    } catch (failure) {
      setState({ busy: false, failure })
    }
  }

  const isSignedIn = auth.state === 'ok' && auth.secrets['auth_token'] === true
  return (
    <Card title={t('Sign-in')}>
      <div className="flex flex-col gap-4 p-4" aria-live="polite">
        <p>{sentenceOf(auth, needsNobody)}</p>
        {auth.token_expires_at === null || !isSignedIn ? null : (
          <p className="text-muted">
            {auth.secrets['refresh_token'] === true || needsNobody ? (
              <Trans
                text="Access token expires <time/> and is refreshed automatically."
                parts={{ time: <Time at={auth.token_expires_at} /> }}
              />
            ) : (
              <Trans
                text="Access token expires <time/>."
                parts={{ time: <Time at={auth.token_expires_at} /> }}
              />
            )}
          </p>
        )}
        {needsNobody || isByCode ? null : (
          <Field
            label={t('Redirect URL')}
            hint={t('Register this URL with your app at the API provider.')}
            aside={<CopyIcon label={t('Copy redirect URL')} text={redirectUri} />}
          >
            <TextInput mono readOnly value={redirectUri} />
          </Field>
        )}
        {outcome?.kind === 'failed' ? (
          <p role="alert" className="text-error">
            {outcome.message}
          </p>
        ) : null}
        {outcome?.kind === 'done' ? (
          <p className="text-success">{t('Signed in. Flows can now use this connector auth.')}</p>
        ) : null}
        {state.failure === null ? null : (
          <ErrorNotice error={asAppError(state.failure)} title={t('Couldn’t start sign-in')} />
        )}
        {code === null ? null : <DeviceCode code={code} />}
        <div className="flex flex-wrap items-center gap-3">
          {code === null ? null : <Button onClick={cancel}>{t('Cancel sign-in')}</Button>}
          <Button
            look={isSignedIn ? 'secondary' : 'primary'}
            icon={LogIn}
            busy={state.busy}
            onClick={() => void begin()}
          >
            {needsNobody ? t('Fetch token now') : isSignedIn ? t('Sign in again') : t('Sign in')}
          </Button>
          {outcome?.kind !== 'waiting' ? null : <SignInWaiting url={outcome.url} />}
        </div>
      </div>
    </Card>
  )
}

function sentenceOf({ state, secrets, new_origins: origins }: ConnectorAuth, needsNobody: boolean): string {
  if (needsNobody) return t('No sign-in needed: tokens are fetched with the client ID and secret.')
  if (state === 'expired') return t('Access has expired and can’t be refreshed. Sign in again.')
  if (state === 'needs_authorization')
    return secrets['auth_token'] === true
      ? t('The API revoked access. Sign in again to let flows continue.')
      : t('Not signed in.')
  if (origins !== undefined)
    return t(
      'This connector auth now points to {{origins}}, where its tokens have never been sent. Check that the URL is right, then sign in again.',
      { origins: origins.join(', ') },
    )
  if (state === 'needs_reentry') return t('The stored tokens can’t be read on this computer. Sign in again.')
  return t('Signed in. Requests now use this sign-in.')
}
