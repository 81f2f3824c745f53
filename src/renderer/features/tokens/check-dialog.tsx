import { Link } from '@tanstack/react-router'
import { CircleCheck, CircleX, Trash2 } from '../../lib/icons.tsx'
import { useId, useState } from 'react'
import type { Token, TokenCheck } from '../../../shared/contract/tokens.ts'
import { asAppError } from '../../api/failure.ts'
import { TOKENS } from '../../api/lists.ts'
import { useResource } from '../../api/resource.ts'
import { Button } from '../../components/controls/button.tsx'
import { Dialog } from '../../components/screen/dialog.tsx'
import { ErrorNotice } from '../../components/screen/error-notice.tsx'
import { Field, TextInput } from '../../components/controls/field.tsx'
import { Time } from '../../components/values/time.tsx'
import { english, t } from '../../lib/i18n.ts'
import { userName } from '../../lib/format.ts'
import type { English } from '../../lib/i18n.ts'
import { describeScopes } from './describe-scopes.ts'
import { useTokens } from './tokens-store.ts'
import { Form } from '../../components/controls/form.tsx'

interface CheckDialogProps {
  /** Offered for a valid token of the user's own. */
  readonly onRevoke: (token: Token) => void
  readonly onClose: () => void
}

/** Identifies the token of a value found somewhere, such as in a log, a script or a repository. */
export function CheckDialog({ onRevoke, onClose }: CheckDialogProps) {
  const check = useTokens((state) => state.check)
  const { data: tokens } = useResource(TOKENS)
  const [value, setValue] = useState('')
  const form = useId()
  const [state, setState] = useState<{ busy: boolean; found: TokenCheck | null; failure: unknown }>(IDLE)
  const own = tokens?.find(({ id }) => id === state.found?.token?.id)

  async function ask() {
    if (value.trim() === '') return
    setState({ ...IDLE, busy: true })
    try {
      setState({ ...IDLE, found: await check(value) })
    } catch (failure) {
      setState({ ...IDLE, failure })
    }
  }

  return (
    <Dialog
      open
      title={t('Check token')}
      onClose={onClose}
      actions={
        <>
          {own === undefined || state.found?.state !== 'valid' ? null : (
            <Button icon={Trash2} onClick={() => onRevoke(own)}>
              {t('Revoke')}
            </Button>
          )}
          <Button onClick={onClose}>{t('Close')}</Button>
          <Button look="primary" type="submit" form={form} busy={state.busy} disabled={value.trim() === ''}>
            {t('Check token')}
          </Button>
        </>
      }
    >
      <Form id={form} className="flex flex-col gap-4" onSubmit={ask}>
        <Field
          label={t('Value')}
          hint={t(
            'An access token or a webhook token. It isn’t stored or logged, and checking it doesn’t count as use.',
          )}
        >
          <TextInput
            mono
            type="password"
            autoComplete="off"
            value={value}
            placeholder="mr_pat_…"
            onChange={(next) => {
              setValue(next)
              setState(IDLE)
            }}
          />
        </Field>
        {state.failure === null ? null : (
          <ErrorNotice error={asAppError(state.failure)} title={t('Couldn’t check token')} />
        )}
        <div aria-live="polite">{state.found === null ? null : <Found found={state.found} />}</div>
      </Form>
    </Dialog>
  )
}

const IDLE = { busy: false, found: null, failure: null }

const SENTENCES: { readonly [S in TokenCheck['state']]: English } = {
  valid: english('This token is valid.'),
  expired: english('This token has expired.'),
  revoked: english('This token was revoked.'),
  regenerated: english('This value was replaced when the token was regenerated.'),
  unknown: english('Unknown token: it isn’t from this installation of Millrace.'),
  malformed: english('Not a Millrace token, or incomplete.'),
}

function Found({ found }: { readonly found: TokenCheck }) {
  const { kind, state, token, user, flow, ended_at: endedAt } = found
  const Icon = state === 'valid' ? CircleCheck : CircleX
  return (
    <section className="flex flex-col gap-3 rounded border border-line p-3" aria-label={t('Kind')}>
      <p className="flex items-start gap-2">
        <Icon
          size={16}
          aria-hidden
          className={`mt-0.5 shrink-0 ${state === 'valid' ? 'text-success' : 'text-error'}`}
        />
        <strong className="min-w-0 break-words">
          {kind === 'webhook_token' && state === 'valid'
            ? t('This is a flow’s webhook token.')
            : t(SENTENCES[state])}
        </strong>
      </p>
      {token === null && flow === null ? null : (
        <dl className="grid grid-cols-[6rem_minmax(0,1fr)] gap-x-4 gap-y-1">
          {token === null ? null : (
            <>
              <dt className="text-muted">{t('Note')}</dt>
              <dd>{token.note === '' ? t('No note') : token.note}</dd>
              <dt className="text-muted">{t('Ends with')}</dt>
              <dd>
                <code className="text-code">…{token.last_four}</code>
              </dd>
              <dt className="text-muted">{t('Scopes')}</dt>
              <dd>
                <code className="text-code">{token.scopes.join(', ')}</code>
                {describeScopes(token.scopes).map((sentence) => (
                  <p key={sentence} className="text-muted">
                    {sentence}
                  </p>
                ))}
              </dd>
              <dt className="text-muted">{t('Expires')}</dt>
              <dd>{token.expiration === null ? t('never') : <Time at={token.expiration} />}</dd>
              <dt className="text-muted">{t('Last used')}</dt>
              <dd>{token.last_used === null ? t('never') : <Time at={token.last_used} />}</dd>
            </>
          )}
          {user === null ? null : (
            <>
              <dt className="text-muted">{t('Owner')}</dt>
              <dd>{userName(user)}</dd>
            </>
          )}
          {flow === null ? null : (
            <>
              <dt className="text-muted">{t('Starts')}</dt>
              <dd>
                <Link
                  to="/flows/$flowId"
                  params={{ flowId: flow.id }}
                  className="rounded-sm text-accent-text hover:underline"
                >
                  {flow.name}
                </Link>
              </dd>
            </>
          )}
          {endedAt === null ? null : (
            <>
              <dt className="text-muted">{t('Expired')}</dt>
              <dd>
                <Time at={endedAt} />
              </dd>
            </>
          )}
        </dl>
      )}
    </section>
  )
}
