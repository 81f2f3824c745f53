import { RotateCcw } from '../../../lib/icons.tsx'
import { useMemo, useState } from 'react'
import {
  type Flow,
  type FlowVersion,
  restoreFlowVersionRoute,
  updateFlowVersionRoute,
} from '../../../../shared/contract/flows.ts'
import { asAppError } from '../../../api/failure.ts'
import { versionsOf } from '../../../api/lists.ts'
import { useApi } from '../../../api/provider.tsx'
import { useResource } from '../../../api/resource.ts'
import { Button } from '../../../components/controls/button.tsx'
import { TextInput } from '../../../components/controls/field.tsx'
import { ConfirmDialog } from '../../../components/screen/confirm-dialog.tsx'
import { Loaded } from '../../../components/screen/loaded.tsx'
import { SplitPane } from '../../../components/screen/split-pane.tsx'
import { LineDifference } from '../../../components/values/line-difference.tsx'
import { announce } from '../../../components/screen/toast.tsx'
import { Time } from '../../../components/values/time.tsx'
import { cx } from '../../../lib/cx.ts'
import { plural, userName } from '../../../lib/format.ts'
import { t } from '../../../lib/i18n.ts'
import { formatJson } from '../../../lib/json.ts'
import { diffLines } from '../../../lib/line-diff.ts'
import { walkSteps } from '../model/step-tree.ts'
import { useEditor } from '../state/editor-context.tsx'
import { Form } from '../../../components/controls/form.tsx'
import { ChangeList } from './change-list.tsx'

/** Every saved version, its differences from the newest one, and a way to restore it. */
export function VersionsView({ flow }: { readonly flow: Flow }) {
  const api = useApi()
  const { id } = flow
  const { data, failure, reload, after } = useResource(versionsOf(id))
  const replaced = useEditor((state) => state.replaced)
  const [chosen, setChosen] = useState<number | null>(null)
  const [asking, setAsking] = useState(false)

  return (
    <Loaded value={data} failure={failure} what={t('the versions')} onRetry={() => void reload()}>
      {(versions) => {
        const shown = versions.find(({ version }) => version === chosen) ?? versions[1] ?? versions[0]
        if (shown === undefined) return <p className="p-6 text-muted">{t('No versions saved yet.')}</p>
        return (
          <SplitPane
            name="versions"
            label={t('Versions width')}
            direction="row"
            initial={300}
            min={200}
            max={520}
          >
            <nav aria-label={t('Versions')} className="min-h-0 flex-1 overflow-auto bg-surface">
              {versions.map((version) => (
                <button
                  key={version.version}
                  type="button"
                  aria-current={version === shown}
                  onClick={() => setChosen(version.version)}
                  className={cx(
                    'flex w-full items-center gap-3 border-b border-line px-4 py-1.5 text-left focus-visible:-outline-offset-2',
                    version === shown ? 'bg-selected' : 'hover:bg-hover',
                  )}
                >
                  <span className="flex min-w-0 flex-1 flex-col">
                    <span className="truncate font-medium">
                      {t('Version {{version}}', { version: version.version })}
                      {version.name === '' ? null : ` · ${version.name}`}
                    </span>{' '}
                    <span className="truncate text-sm text-muted">
                      <Time at={version.created_at} /> ·{' '}
                      {version.author === null ? t('a deleted user') : userName(version.author)} ·{' '}
                      {plural(walkSteps(version.steps).length, 'step')}
                    </span>
                  </span>{' '}
                  {version.version === flow.version ? (
                    <span className="shrink-0 text-sm text-muted">{t('current')}</span>
                  ) : null}
                </button>
              ))}
            </nav>
            <div className="flex min-h-0 flex-1 flex-col bg-surface">
              <div className="flex min-h-10 shrink-0 flex-wrap items-center gap-x-3 gap-y-1 border-b border-line px-4 py-1.5">
                <h2 className="min-w-40 flex-1 font-semibold">
                  {shown.version === flow.version
                    ? t('Version {{version}}, current', { version: shown.version })
                    : t('From version {{before}} to version {{after}}, current', {
                        before: shown.version,
                        after: flow.version,
                      })}
                </h2>
                <VersionName
                  key={shown.version}
                  version={shown}
                  onNamed={async (name) => {
                    const params = { id, version: shown.version }
                    await after(api.call(updateFlowVersionRoute, { params, body: { name } }))
                  }}
                />
                {shown.version === flow.version ? null : (
                  <Button icon={RotateCcw} needs={restoreFlowVersionRoute} onClick={() => setAsking(true)}>
                    {t('Restore version {{version}}', { version: shown.version })}
                  </Button>
                )}
              </div>
              <Difference before={shown} after={flow} />
              <ConfirmDialog
                open={asking}
                title={t('Restore version {{version}}?', { version: shown.version })}
                action={t('Restore version')}
                onClose={() => setAsking(false)}
                onConfirm={async () => {
                  const params = { id, version: shown.version }
                  const restored = await after(api.call(restoreFlowVersionRoute, { params }))
                  replaced(restored)
                  setChosen(null)
                  announce(
                    t('Steps of version {{before}} restored as version {{after}}', {
                      before: shown.version,
                      after: restored.version,
                    }),
                  )
                }}
              >
                {t('Creates a new version from these steps. Unsaved changes are lost.')}
              </ConfirmDialog>
            </div>
          </SplitPane>
        )
      }}
    </Loaded>
  )
}

function Difference({ before, after }: { readonly before: FlowVersion; readonly after: Flow }) {
  const lines = useMemo(() => diffLines(formatJson(before.steps), formatJson(after.steps)), [before, after])
  const isSame = lines.every((line) => line.kind === 'same')
  return (
    <div
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must be reachable by keyboard
      tabIndex={0}
      role="region"
      aria-label={t('Difference')}
      className="min-h-0 flex-1 overflow-auto py-2 font-mono text-code focus-visible:-outline-offset-2"
    >
      {isSame && before.version !== after.version ? (
        <p className="px-4 pb-2 font-sans text-muted">{t('Same steps.')}</p>
      ) : null}
      <ChangeList
        before={before.steps}
        after={after.steps}
        className="border-b border-line px-4 pb-2 font-sans"
      />
      <LineDifference key={before.version} lines={lines} folded />
    </div>
  )
}

/** Saved when the field loses focus or with Enter; the list next to it then shows it. */
function VersionName({
  version: { version, name },
  onNamed,
}: {
  readonly version: FlowVersion
  readonly onNamed: (name: string) => Promise<void>
}) {
  const [text, setText] = useState(name)
  const [failure, setFailure] = useState<string | null>(null)
  async function save(): Promise<void> {
    if (text.trim() === name) return
    try {
      await onNamed(text.trim())
      setFailure(null)
    } catch (error) {
      setFailure(asAppError(error).message)
    }
  }
  return (
    <Form className="w-56 min-w-0" onSubmit={save}>
      <TextInput
        id={undefined}
        value={text}
        aria-label={t('Name of version {{version}}', { version })}
        placeholder={t('Name this version')}
        onChange={setText}
        onBlur={() => void save()}
      />
      {failure === null ? null : <p className="text-error">{failure}</p>}
    </Form>
  )
}
