import { useNavigate } from '@tanstack/react-router'
import { FileUp } from '../../lib/icons.tsx'
import { useDeferredValue, useMemo, useState } from 'react'
import type { ReactNode } from 'react'
import type { AppError } from '../../../shared/contract/base/errors.ts'
import { readImportUrlRoute } from '../../../shared/contract/import-sources.ts'
import { asAppError, fieldsOf } from '../../api/failure.ts'
import { t } from '../../lib/i18n.ts'
import { useApi } from '../../api/provider.tsx'
import { Button } from '../controls/button.tsx'
import { Field, TextArea, TextInput } from '../controls/field.tsx'
import { FileButton } from '../controls/file-button.tsx'
import { Dialog } from '../screen/dialog.tsx'
import { ErrorNotice } from '../screen/error-notice.tsx'
import { useFileDrop } from '../screen/use-file-drop.ts'
import { clearImportText, setImportText, takeImportFile, useImportText } from './import-text.ts'
import { type ImportList, recognize, type Recognized } from './recognize.ts'

export interface ImportDialogProps<Plan> {
  readonly title: string
  readonly list: ImportList
  /** What can be imported here. */
  readonly label: string
  readonly hint: string
  readonly planImport: (source: string) => Promise<Plan>
  readonly onClose: () => void
  /** The preview, once it is known. */
  readonly children: (shown: ShownPlan<Plan>) => ReactNode
}

export interface ShownPlan<Plan> {
  readonly plan: Plan
  readonly busy: boolean
  readonly failure: AppError | null
  readonly onBack: () => void
  /** Runs the import and closes the dialog. */
  readonly onMake: (work: () => Promise<void>) => void
  readonly onClose: () => void
}

/** Previews pasted text, a file or the content of a URL, then imports it. */
export function ImportDialog<Plan>(props: ImportDialogProps<Plan>) {
  const { list, planImport, children } = props
  const api = useApi()
  const { text, problem } = useImportText()
  const [url, setUrl] = useState('')
  const [plan, setPlan] = useState<Plan | null>(null)
  const [state, setState] = useState<{ busy: boolean; failure: unknown }>({ busy: false, failure: null })
  const failure = state.failure === null ? null : asAppError(state.failure)
  const errors = fieldsOf(failure)
  // A large file is inspected only after pending keystrokes have appeared.
  const settled = useDeferredValue(text)
  const recognized = useMemo(() => recognize(settled), [settled])
  const forgetFailure = () => setState((before) => ({ ...before, failure: null }))
  const { over, handlers } = useFileDrop(([file]) => void takeImportFile(file).then(forgetFailure))

  async function attempt(work: () => Promise<void>) {
    setState({ busy: true, failure: null })
    try {
      await work()
      setState({ busy: false, failure: null })
    } catch (error) {
      setState({ busy: false, failure: error })
    }
  }
  const close = () => {
    clearImportText()
    props.onClose()
  }
  const fetchUrl = () =>
    void attempt(async () => setImportText((await api.call(readImportUrlRoute, { body: { url } })).source))

  if (plan !== null)
    return children({
      plan,
      busy: state.busy,
      failure,
      onBack: () => {
        setPlan(null)
        forgetFailure()
      },
      onMake: (work) =>
        void attempt(async () => {
          await work()
          clearImportText()
        }),
      onClose: close,
    })
  return (
    <Dialog
      open
      wide
      title={props.title}
      onClose={close}
      actions={
        <>
          <Button onClick={close}>{t('Cancel')}</Button>
          <Button
            look="primary"
            busy={state.busy}
            disabled={text.trim() === ''}
            onClick={() => void attempt(async () => setPlan(await planImport(text)))}
          >
            {t('Preview')}
          </Button>
        </>
      }
    >
      <div
        {...handlers}
        className={`flex flex-col gap-4 ${over ? 'outline-2 outline-offset-4 outline-accent outline-dashed' : ''}`}
      >
        <Field
          label={props.label}
          hint={props.hint}
          error={errors['source']?.[0]}
          aside={
            <FileButton
              icon={FileUp}
              label={t('File to import')}
              accept=".json,.yaml,.yml,.txt,.sh,application/json,application/yaml,text/plain"
              onFile={(file) => void takeImportFile(file).then(forgetFailure)}
            >
              {t('Open file')}
            </FileButton>
          }
        >
          <TextArea
            mono
            rows={10}
            value={text}
            placeholder={t('Paste text, or drop a file')}
            onChange={(value) => {
              setImportText(value)
              forgetFailure()
            }}
            spellCheck={false}
          />
        </Field>
        <div role="status" className="flex flex-col gap-2 empty:hidden">
          {problem === null ? null : <p className="text-error">{problem}</p>}
          {recognized === null ? null : <Kind recognized={recognized} list={list} />}
        </div>
        {api.remote === null ? (
          <div className="flex items-start gap-2">
            <Field
              label={t('From a URL on this computer')}
              optional
              hint={t(
                'The URL can also be on this computer’s network. Download other files first and drop them here.',
              )}
              className="flex-1"
              error={errors['url']?.[0]}
            >
              <TextInput
                mono
                value={url}
                placeholder="http://localhost:8080/openapi.json"
                onChange={setUrl}
                onKeyDown={(event) => {
                  if (event.key !== 'Enter') return
                  event.preventDefault()
                  if (url.trim() !== '') fetchUrl()
                }}
              />
            </Field>
            <Button className="mt-6" disabled={url.trim() === '' || state.busy} onClick={fetchUrl}>
              {t('Read')}
            </Button>
          </div>
        ) : null}
        {failure === null || errors['source'] !== undefined || errors['url'] !== undefined ? null : (
          <ErrorNotice error={failure} title={t('Couldn’t read this')} />
        )}
      </div>
    </Dialog>
  )
}

/** The recognized format of the text, with a link to the other list if it belongs there. */
function Kind({ recognized, list }: { readonly recognized: Recognized; readonly list: ImportList }) {
  const navigate = useNavigate()
  const there = recognized.list
  if (there === list) return <p className="font-medium">{recognized.label}</p>
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
      <p>
        <span className="font-medium">{recognized.label}</span>
        {' · '}
        {there === 'flows'
          ? t('This is a flow. Import it on the Flows page.')
          : t('This describes an API. Import it on the Connectors page.')}
      </p>
      <Button onClick={() => void navigate({ to: `/${there}`, search: { import: true } })}>
        {there === 'flows' ? t('Go to flows') : t('Go to connectors')}
      </Button>
    </div>
  )
}
