import { useEffect, useId, useState } from 'react'
import {
  createStoredTestRoute,
  type FlowTest,
  recordFlowTestRoute,
} from '../../../shared/contract/flow-tests.ts'
import { type FlowRun, replayFlowRunRoute } from '../../../shared/contract/flow-runs.ts'
import { asAppError, fieldsOf } from '../../api/failure.ts'
import { useApi } from '../../api/provider.tsx'
import { t } from '../../lib/i18n.ts'
import { Button } from '../controls/button.tsx'
import { Field, TextInput } from '../controls/field.tsx'
import { Form } from '../controls/form.tsx'
import { Dialog } from '../screen/dialog.tsx'
import { ErrorNotice } from '../screen/error-notice.tsx'
import { SkeletonRows } from '../screen/skeleton.tsx'
import { announce, attempt } from '../screen/toast.tsx'
import { ComparedFields, FaultFields, IgnoredField } from './test-fields.tsx'

interface TestSheetProps {
  readonly title: string
  readonly initial: FlowTest
  readonly action: string
  readonly onSave: (test: FlowTest) => Promise<void>
  readonly onClose: () => void
}

/** A test of a flow: its name, comparisons, allowed differences and simulated faults. */
export function TestSheet({ title, initial, action, onSave, onClose }: TestSheetProps) {
  const form = useId()
  const [test, setTest] = useState(initial)
  const [busy, setBusy] = useState(false)
  const [failure, setFailure] = useState<unknown>(null)
  const failed = failure === null ? null : asAppError(failure)
  const errors = fieldsOf(failed)

  async function save() {
    setBusy(true)
    setFailure(null)
    try {
      await onSave(test)
      onClose()
    } catch (error) {
      setFailure(error)
      setBusy(false)
    }
  }

  return (
    <Dialog
      open
      side
      wide
      title={title}
      unsaved={test !== initial}
      onClose={onClose}
      onSubmit={save}
      actions={
        <>
          <Button onClick={onClose}>{t('Cancel')}</Button>
          <Button look="primary" type="submit" form={form} busy={busy} needs={createStoredTestRoute}>
            {action}
          </Button>
        </>
      }
    >
      <Form id={form} className="flex flex-col gap-5" onSubmit={save}>
        {failed === null ? null : <ErrorNotice error={failed} title={t('Couldn’t save test')} />}
        <Field label={t('Name')} error={errors['test.name']?.[0]}>
          <TextInput value={test.name} onChange={(name) => setTest({ ...test, name })} />
        </Field>
        <ComparedFields test={test} given={initial} onChange={setTest} />
        <IgnoredField test={test} onChange={setTest} />
        <FaultFields test={test} onChange={setTest} />
      </Form>
    </Dialog>
  )
}

function announceSaved(name: string, onOpen: () => void): void {
  announce(t('Test “{{name}}” saved', { name }), <Button onClick={onOpen}>{t('Show tests')}</Button>)
}

interface MakeTestSheetProps {
  readonly run: Pick<FlowRun, 'id' | 'flow_id' | 'title'>
  readonly onClose: () => void
  /** Shows the tests of the flow. */
  readonly onOpen: () => void
  /** Shows the new run. */
  readonly onReplayed: (runId: string) => void
}

/** Makes a test from a run. If its calls weren't kept, the run can be repeated with a recording. */
export function MakeTestSheet({ run, onClose, onOpen, onReplayed }: MakeTestSheetProps) {
  const api = useApi()
  const [draft, setDraft] = useState<{ test: FlowTest } | { failure: unknown } | null>(null)
  const { id, flow_id: flowId, title } = run
  useEffect(() => {
    const name = title.trim() === '' ? t('Run {{id}}', { id: id.slice(0, 8) }) : title
    api.call(recordFlowTestRoute, { params: { id }, body: { name: name.slice(0, 200) } }).then(
      ({ test }) => setDraft({ test }),
      (failure: unknown) => setDraft({ failure }),
    )
  }, [api, id, title])

  if (draft !== null && 'test' in draft)
    return (
      <TestSheet
        title={t('Make a test from this run')}
        initial={draft.test}
        action={t('Save test')}
        onClose={onClose}
        onSave={async (test) => {
          await api.call(createStoredTestRoute, { params: { id: flowId }, body: { test } })
          announceSaved(test.name, onOpen)
        }}
      />
    )

  const replay = () =>
    attempt(t('Couldn’t replay run'), async () => {
      const body = { record: true }
      const { flow_run_id: runId } = await api.call(replayFlowRunRoute, { params: { id }, body })
      onClose()
      onReplayed(runId)
    })
  return (
    <Dialog
      open
      side
      wide
      title={t('Make a test from this run')}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{t('Cancel')}</Button>
          {draft === null ? null : (
            <Button look="primary" needs={replayFlowRunRoute} onClick={() => void replay()}>
              {t('Replay and record')}
            </Button>
          )}
        </>
      }
    >
      {draft === null ? (
        <SkeletonRows />
      ) : (
        <div className="flex flex-col gap-3">
          <ErrorNotice error={asAppError(draft.failure)} title={t('Couldn’t make a test from this run')} />
          <p className="text-muted">
            {t(
              'Replaying runs the flow again with the same input, so external actions are repeated. Its calls are recorded in full, up to 3 MB.',
            )}
          </p>
        </div>
      )}
    </Dialog>
  )
}
