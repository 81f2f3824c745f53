import { useState } from 'react'
import { updateFlowRoute } from '../../../../shared/contract/flows.ts'
import { parseInput } from '../../../../shared/contract/base/validate.ts'
import { asAppError } from '../../../api/failure.ts'
import { formatJson, parseJson } from '../../../lib/json.ts'
import { CodeField } from '../../../components/code/code-field.tsx'
import { CopyButton } from '../../../components/values/copy-button.tsx'
import { ErrorNotice } from '../../../components/screen/error-notice.tsx'
import { Trans } from '../../../lib/trans.tsx'
import { t } from '../../../lib/i18n.ts'
import type { FlowDraft } from '../model/draft.ts'
import { useEditor } from '../state/editor-context.tsx'

/** The whole flow as JSON, in both directions. What is typed here appears in the forms as soon as it can be parsed. */
export function JsonView({ draft }: { readonly draft: FlowDraft }) {
  const changed = useEditor((state) => state.changed)
  const [text, setText] = useState(() => formatJson(draft))
  const [given, setGiven] = useState(draft)
  const [problem, setProblem] = useState<unknown>(null)

  if (given !== draft) {
    setGiven(draft)
    setText(formatJson(draft))
    setProblem(null)
  }

  function change(next: string) {
    setText(next)
    try {
      const patch = parseInput(updateFlowRoute.body, parseJson(next), 'flow')
      const { status: _status, ...rest } = patch
      const changedDraft = {
        ...draft,
        ...rest,
        settings: { ...draft.settings, ...rest.settings },
      } as FlowDraft
      setProblem(null)
      setGiven(changedDraft)
      changed(() => changedDraft, 'json')
    } catch (error) {
      setProblem(error)
    }
  }

  return (
    <div className="flex min-h-0 flex-1 flex-col gap-3 p-4">
      <div className="flex items-center gap-3">
        <p className="min-w-0 flex-1 text-muted">
          <Trans
            text="The flow in the format of <code/>. Changes apply as soon as the JSON is valid. Save creates the next version."
            parts={{ code: <code>PUT /v1/flows/…</code> }}
          />
        </p>
        <CopyButton label={t('Copy')} text={text} />
      </div>
      <CodeField fill label={t('Flow as JSON')} language="json" value={text} onChange={change} />
      {problem === null ? null : <ErrorNotice error={asAppError(problem)} title={t('Not applied yet')} />}
    </div>
  )
}
