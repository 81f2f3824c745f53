import { useState } from 'react'
import { changePortRoute, type Listening, readPortRoute } from '../../../shared/contract/reach/port.ts'
import { asAppError, fieldsOf } from '../../api/failure.ts'
import { META } from '../../api/lists.ts'
import { useApi } from '../../api/provider.tsx'
import { cached, resource, useResource } from '../../api/resource.ts'
import { Button } from '../../components/controls/button.tsx'
import { ErrorNotice } from '../../components/screen/error-notice.tsx'
import { Field, TextInput } from '../../components/controls/field.tsx'
import { t } from '../../lib/i18n.ts'
import { Form } from '../../components/controls/form.tsx'

export const PORT = resource(readPortRoute, { nouns: ['settings'] })

/** The port. It is changed at once, not with the other settings, and the page follows. */
export function PortField({ listening }: { readonly listening: Listening }) {
  const api = useApi()
  const { data: meta } = useResource(META)
  const [text, setText] = useState(String(listening.port))
  const [state, setState] = useState<{ busy: boolean; failure: unknown }>({ busy: false, failure: null })
  const failure = state.failure === null ? null : asAppError(state.failure)
  const problem = fieldsOf(failure)['port']?.[0]
  const port = Number(text)
  const isOther = text !== '' && port !== listening.port

  async function change() {
    if (!isOther) return
    setState({ busy: true, failure: null })
    try {
      const { url } = await api.call(changePortRoute, { body: { port } })
      void cached(api, PORT).getState().reload()
      if (url !== meta?.url) api.moveTo(url)
      setState({ busy: false, failure: null })
    } catch (error) {
      setState({ busy: false, failure: error })
    }
  }

  return (
    <Form className="flex flex-col gap-2" onSubmit={change}>
      {failure === null || problem !== undefined ? null : (
        <ErrorNotice error={failure} title={t('Couldn’t change port')} />
      )}
      <Field
        label={t('Port')}
        hint={
          listening.is_given
            ? t(
                'The port is set by --port or MILLRACE_PORT, which take precedence over this setting. If you change it, update the URL in every webhook sender.',
              )
            : t(
                'Millrace switches to the new port at once, along with this page. Update the URL in every webhook sender.',
              )
        }
        error={problem}
      >
        <TextInput
          inputMode="numeric"
          className="w-40"
          value={text}
          onChange={(next) => setText(next.replace(/\D/g, '').slice(0, 5))}
        />
      </Field>
      {isOther ? (
        <Button type="submit" busy={state.busy} className="self-start">
          {t('Switch to port {{port}}', { port })}
        </Button>
      ) : null}
    </Form>
  )
}
