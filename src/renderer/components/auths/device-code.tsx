import { useEffect, useRef, useState } from 'react'
import { signInByCodeRoute } from '../../../shared/contract/connector-auths.ts'
import type { StreamEvent } from '../../../shared/contract/base/route.ts'
import { isAbort } from '../../api/failure.ts'
import { useApi } from '../../api/provider.tsx'
import { t } from '../../lib/i18n.ts'
import { CopyIcon } from '../values/copy-button.tsx'
import { Field, TextInput } from '../controls/field.tsx'
import { SignInWaiting } from './sign-in-waiting.tsx'

type Code = Extract<StreamEvent<typeof signInByCodeRoute>, { type: 'code' }>

/** A sign-in with a code. It lasts until it ends, is cancelled, or the user leaves the screen. */
export function useDeviceSignIn(authId: string) {
  const api = useApi()
  const [code, setCode] = useState<Code | null>(null)
  const running = useRef<AbortController>(null)
  useEffect(() => () => running.current?.abort(), [])
  return {
    code,
    cancel: () => running.current?.abort(),
    /** Resolves once there is a code; the live stream reports how the sign-in ends. */
    start: async (): Promise<void> => {
      running.current?.abort()
      const abort = new AbortController()
      running.current = abort
      const events = api.stream(signInByCodeRoute, { params: { id: authId } }, abort.signal)
      const { value } = await events.next()
      if (value?.type !== 'code') return
      setCode(value)
      void untilEnd(events).finally(() => setCode((now) => (now === value ? null : now)))
    },
  }
}

async function untilEnd(events: AsyncGenerator): Promise<void> {
  try {
    while ((await events.next()).done !== true);
  } catch (error) {
    if (!isAbort(error)) throw error
  }
}

/** The code, and where to enter it. */
export function DeviceCode({
  code: { user_code: code, url, complete_url: complete },
}: {
  readonly code: Code
}) {
  return (
    <>
      <Field
        label={t('Code')}
        hint={t('Enter it at {{url}}, in any browser.', { url })}
        aside={<CopyIcon label={t('Copy code')} text={code} />}
      >
        <TextInput mono readOnly value={code} />
      </Field>
      <SignInWaiting url={complete ?? url} />
    </>
  )
}
