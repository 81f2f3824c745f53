import { useId, useState } from 'react'
import { LIMITS } from '../../../shared/contract/base/limits.ts'
import { asAppError, fieldsOf } from '../../api/failure.ts'
import { Button } from '../../components/controls/button.tsx'
import { Dialog } from '../../components/screen/dialog.tsx'
import { ErrorNotice } from '../../components/screen/error-notice.tsx'
import { Field, TextInput } from '../../components/controls/field.tsx'
import { plural } from '../../lib/format.ts'
import { t } from '../../lib/i18n.ts'
import { ExpirationField, FIRST_EXPIRATION, readExpiration } from './expiration-field.tsx'
import { ChosenAuths, ChosenFlows } from './chosen-records.tsx'
import { ScopeMatrix } from './scope-matrix.tsx'
import type { TokenDraft } from './tokens-store.ts'
import { Form } from '../../components/controls/form.tsx'

interface CreateDialogProps {
  readonly onCreate: (draft: TokenDraft) => Promise<void>
  readonly onClose: () => void
}

export function CreateDialog({ onCreate, onClose }: CreateDialogProps) {
  const [note, setNote] = useState('')
  const [scopes, setScopes] = useState<string[]>([])
  const [flows, setFlows] = useState<string[] | null>(null)
  const [auths, setAuths] = useState<string[] | null>(null)
  const [expiration, setExpiration] = useState(FIRST_EXPIRATION)
  const form = useId()
  const [state, setState] = useState<{ sent: boolean; busy: boolean; failure: unknown }>(IDLE)

  const ends = readExpiration(expiration)
  const length = [...note].length
  const tooLong = length > LIMITS.noteLength
  const failure = state.failure === null ? null : asAppError(state.failure)
  const fields = fieldsOf(failure)

  async function create() {
    setState({ ...IDLE, sent: true })
    if ('problem' in ends || tooLong || scopes.length === 0 || flows?.length === 0) return
    setState({ sent: true, busy: true, failure: null })
    try {
      await onCreate({ note, scopes, expiration: ends.days, flow_ids: flows, auth_ids: auths })
      onClose()
    } catch (error) {
      setState({ sent: true, busy: false, failure: error })
    }
  }

  return (
    <Dialog
      open
      wide
      title={t('Create access token')}
      unsaved={note !== '' || scopes.length > 0 || flows !== null || auths !== null}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{t('Cancel')}</Button>
          <Button look="primary" type="submit" form={form} busy={state.busy}>
            {t('Create token')}
          </Button>
        </>
      }
    >
      <Form id={form} className="flex flex-col gap-5" onSubmit={create}>
        <Field
          label={t('Note')}
          hint={t('What uses this token, so you know what breaks if you revoke it.')}
          error={
            tooLong
              ? t('Too long by {{characters}}.', {
                  characters: plural(length - LIMITS.noteLength, 'character'),
                })
              : fields.note?.[0]
          }
          aside={
            <span className={`tabular text-sm ${tooLong ? 'text-error' : 'text-faint'}`}>
              {length} / {LIMITS.noteLength}
            </span>
          }
        >
          <TextInput value={note} onChange={setNote} placeholder={t('Shop checkout')} />
        </Field>
        <ExpirationField
          value={expiration}
          onChange={setExpiration}
          error={state.sent && 'problem' in ends ? ends.problem : fields.expiration?.[0]}
        />
        <ScopeMatrix
          value={scopes}
          onChange={setScopes}
          error={state.sent && scopes.length === 0 ? t('Select at least one scope.') : fields.scopes?.[0]}
        />
        <ChosenFlows
          value={flows}
          onChange={setFlows}
          error={state.sent && flows?.length === 0 ? t('Choose at least one flow.') : fields.flow_ids?.[0]}
        />
        <ChosenAuths value={auths} onChange={setAuths} error={fields.auth_ids?.[0]} />
        {flows === null ? null : (
          <p className="text-sm text-muted">
            {t(
              'If you choose flows, the token can’t create flows or reach variables, tables, files, users or settings.',
            )}
          </p>
        )}
        {failure === null ? null : <ErrorNotice error={failure} title={t('Couldn’t create token')} />}
      </Form>
    </Dialog>
  )
}

const IDLE = { sent: false, busy: false, failure: null }
