import { useNavigate } from '@tanstack/react-router'
import { useId, useState } from 'react'
import { createConnectorRoute } from '../../../shared/contract/connectors.ts'
import { asAppError, fieldsOf } from '../../api/failure.ts'
import { CONNECTORS } from '../../api/lists.ts'
import { useApi } from '../../api/provider.tsx'
import { useResource } from '../../api/resource.ts'
import { Button, ButtonLink } from '../../components/controls/button.tsx'
import { Dialog } from '../../components/screen/dialog.tsx'
import { ErrorNotice } from '../../components/screen/error-notice.tsx'
import { Field, TextInput } from '../../components/controls/field.tsx'
import { t } from '../../lib/i18n.ts'
import { Form } from '../../components/controls/form.tsx'

export function NewConnectorDialog({ onClose }: { readonly onClose: () => void }) {
  const navigate = useNavigate()
  const api = useApi()
  const { data: connectors, after } = useResource(CONNECTORS)
  const [name, setName] = useState('')
  const [base, setBase] = useState('https://')
  const form = useId()
  const [state, setState] = useState<{ busy: boolean; failure: unknown }>({ busy: false, failure: null })
  const ready = connectors?.filter(
    ({ built_in, auth_config: config }) => built_in && config['provider'] !== undefined,
  )
  const failure = state.failure === null ? null : asAppError(state.failure)

  async function submit() {
    setState({ busy: true, failure: null })
    try {
      const connector = await after(
        api.call(createConnectorRoute, { body: { name, base_domain: base, status: 'active' } }),
      )
      await navigate({ to: '/connectors/$connectorId', params: { connectorId: connector.id } })
    } catch (error) {
      setState({ busy: false, failure: error })
    }
  }

  return (
    <Dialog
      open
      title={t('New connector')}
      unsaved={!state.busy && name !== ''}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{t('Cancel')}</Button>
          <Button look="primary" type="submit" form={form} busy={state.busy}>
            {t('Create connector')}
          </Button>
        </>
      }
    >
      <Form id={form} className="flex flex-col gap-4" onSubmit={submit}>
        <Field label={t('Name')} error={fieldsOf(failure).name?.[0]}>
          <TextInput value={name} onChange={setName} placeholder={t('Shop API')} />
        </Field>
        <Field
          label={t('URL')}
          hint={t('Start of every request URL. A template that can use auth.')}
          error={fieldsOf(failure).base_domain?.[0]}
        >
          <TextInput mono value={base} onChange={setBase} />
        </Field>
        {failure === null ? null : <ErrorNotice error={failure} title={t('Couldn’t create connector')} />}
        {ready === undefined || ready.length === 0 ? null : (
          <section className="flex flex-col gap-2 border-t border-line pt-3">
            <h3 className="font-medium">{t('Ready to sign in')}</h3>
            <p className="text-muted">
              {t(
                'The Google and Microsoft connectors are built in. Six steps guide you through the sign-in.',
              )}
            </p>
            <div className="flex flex-wrap gap-2">
              {ready.map(({ id, name: known }) => (
                <ButtonLink key={id} to="/auths" search={{ create: true, connector: id }}>
                  {known}
                </ButtonLink>
              ))}
            </div>
          </section>
        )}
      </Form>
    </Dialog>
  )
}
