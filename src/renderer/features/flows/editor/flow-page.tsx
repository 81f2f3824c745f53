import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { ChevronDown, Play, Redo2, Save, Undo2, X } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import type { ReactNode } from 'react'
import { FLOW_STATUSES } from '../../../../shared/contract/flows.ts'
import type { Flow } from '../../../../shared/contract/flows.ts'
import type { Api } from '../../../api/create-api.ts'
import { useApi } from '../../../api/provider.tsx'
import { Button, IconButton } from '../../../components/controls/button.tsx'
import { EmptyState } from '../../../components/screen/empty-state.tsx'
import { ErrorNotice } from '../../../components/screen/error-notice.tsx'
import { Loaded } from '../../../components/screen/loaded.tsx'
import { Menu } from '../../../components/controls/menu.tsx'
import { Page } from '../../../components/screen/page.tsx'
import { printed, useShortcut } from '../../../components/screen/shortcuts.tsx'
import { SplitPane } from '../../../components/screen/split-pane.tsx'
import { stateWord, StatusBadge } from '../../../components/values/status-badge.tsx'
import { Tabs } from '../../../components/controls/tabs.tsx'
import { announce, announceFailure } from '../../../components/screen/toast.tsx'
import { useUnsaved } from '../../../components/screen/unsaved.ts'
import { cx } from '../../../lib/cx.ts'
import { english, t, translateMessage } from '../../../lib/i18n.ts'
import type { English } from '../../../lib/i18n.ts'
import { createAssistStore } from '../state/assist-store.ts'
import { CanvasTab } from '../canvas/canvas-tab.tsx'
import { useCatalogue } from '../state/catalogue-store.ts'
import { DataPanel } from '../data/data-panel.tsx'
import { isSame, toDraft } from '../model/draft.ts'
import type { FlowDraft } from '../model/draft.ts'
import { EditorProvider, useAssist, useEditor } from '../state/editor-context.tsx'
import { createEditorStore } from '../state/editor-store.ts'
import { useFlows } from '../state/flows-store.ts'
import { JsonView } from './json-view.tsx'
import { createProblemsStore } from '../state/problems-store.ts'
import { ReachBadge } from '../webhook/reach-mark.tsx'
import { RunPanel } from '../runs/run-panel.tsx'
import { createRunPanelStore } from '../state/run-panel-store.ts'
import { SettingsView } from './settings-view.tsx'
import { StepForm } from '../step-forms/step-form.tsx'
import { StepList } from '../steps/step-list.tsx'
import { valuesOver } from '../state/step-values.ts'
import { TestDialog } from '../runs/test-dialog.tsx'
import { useChosenStep } from './use-chosen-step.ts'
import { VersionsView } from './versions-view.tsx'

const route = getRouteApi('/flows/$flowId')

export function FlowPage() {
  const { flowId } = route.useParams()
  return <FlowScreen key={flowId} flowId={flowId} />
}

function FlowScreen({ flowId }: { readonly flowId: string }) {
  const api = useApi()
  const { run, test: isTestWanted } = route.useSearch()
  const navigate = useNavigate({ from: '/flows/$flowId' })
  const [stores] = useState(() => createStores(api, flowId))
  const catalogueOpened = useCatalogue((state) => state.opened)
  const flowsOpened = useFlows((state) => state.opened)
  useEffect(() => stores.editor.getState().opened(), [stores])
  useEffect(() => keepOnLeaving(() => stores.editor.getState().left()), [stores])
  useEffect(() => stores.assist.getState().opened(), [stores])
  useEffect(() => stores.problems.getState().opened(), [stores])
  useEffect(() => stores.panel.getState().opened(), [stores])
  useEffect(() => catalogueOpened(), [catalogueOpened])
  useEffect(() => flowsOpened(), [flowsOpened])
  useEffect(() => stores.panel.getState().runChosen(run ?? null), [stores, run])
  useEffect(() => {
    if (isTestWanted !== true) return
    stores.assist.getState().testAsked()
    void navigate({ search: ({ test: _test, ...rest }) => rest, replace: true })
  }, [stores, isTestWanted, navigate])
  return (
    <EditorProvider stores={stores}>
      <Editor />
    </EditorProvider>
  )
}

/** The window is closed, or goes into the background, from where it may never come back. */
function keepOnLeaving(left: () => boolean): () => void {
  const hidden = () => {
    if (document.visibilityState === 'hidden') left()
  }
  // Asks to stay where there is more than a browser sends from a page that is gone.
  const leaving = (event: Event) => {
    if (!left()) event.preventDefault()
  }
  window.addEventListener('beforeunload', leaving)
  window.addEventListener('pagehide', left)
  document.addEventListener('visibilitychange', hidden)
  return () => {
    window.removeEventListener('beforeunload', leaving)
    window.removeEventListener('pagehide', left)
    document.removeEventListener('visibilitychange', hidden)
  }
}

function createStores(api: Api, flowId: string) {
  const editor = createEditorStore(api, flowId)
  const panel = createRunPanelStore(api, flowId)
  const assist = createAssistStore(
    api,
    flowId,
    (source, _place, template) => {
      const { run, alone, pins } = panel.getState()
      const steps = editor.getState().history?.present.steps ?? []
      return { runId: run?.id ?? null, over: valuesOver(steps, { alone, pins, source }, template) }
    },
    () => editor.getState().kept(),
  )
  panel.subscribe((state, before) => {
    const isSameRun = state.run?.id === before.run?.id && state.run?.finished_at === before.run?.finished_at
    if (!isSameRun || state.pins !== before.pins || state.alone !== before.alone)
      assist.getState().valuesChanged()
  })
  return { editor, panel, assist, problems: createProblemsStore(api, flowId, editor) }
}

function Editor() {
  const flow = useEditor((state) => state.flow)
  const draft = useEditor((state) => state.history?.present ?? null)
  const failure = useEditor((state) => state.failure)
  const reload = useEditor((state) => state.reload)
  const dirty = flow !== null && draft !== null && !isSame(toDraft(flow), draft)
  return (
    <Page
      title={draft?.name ?? t('Flow')}
      crumbs={[{ label: t('Flows'), to: '/flows' }]}
      badge={
        flow === null ? null : (
          <>
            <StatusMenu flow={flow} />
            {flow.webhook ? <ReachBadge flowId={flow.id} /> : null}
          </>
        )
      }
      actions={flow === null || draft === null ? null : <EditorActions draft={draft} dirty={dirty} />}
    >
      <Loaded value={draft} failure={failure} what={t('The flow')} onRetry={() => void reload()}>
        {(value) => (flow === null ? null : <Views flow={flow} draft={value} />)}
      </Loaded>
      <GuardSettings flow={flow} draft={draft} />
    </Page>
  )
}

function Views({ flow, draft }: { readonly flow: Flow; readonly draft: FlowDraft }) {
  const { view = 'steps' } = route.useSearch()
  const navigate = useNavigate({ from: '/flows/$flowId' })
  return (
    <>
      <Notices />
      <Tabs
        label={t('Views of the flow')}
        className="flex-1 bg-surface"
        value={view}
        onChange={(next) => void navigate({ search: (before) => ({ ...before, view: next }), replace: true })}
        tabs={[
          { value: 'steps', label: t('Steps'), content: <StepsView draft={draft} /> },
          { value: 'canvas', label: t('Canvas'), content: <CanvasPane draft={draft} /> },
          { value: 'json', label: 'JSON', content: <JsonView draft={draft} /> },
          { value: 'settings', label: t('Settings'), content: <SettingsView draft={draft} /> },
          { value: 'versions', label: t('Versions'), content: <VersionsView flow={flow} /> },
        ]}
      />
    </>
  )
}

function StepsView({ draft }: { readonly draft: FlowDraft }) {
  const { step, tab = 'output' } = route.useSearch()
  const navigate = useNavigate({ from: '/flows/$flowId' })
  const form = useRef<HTMLDivElement>(null)
  const testAsked = useAssist((state) => state.testAsked)
  const dataOpened = useAssist((state) => state.dataOpened)
  const { placed, identity, renamed } = useChosenStep(draft.steps, step)
  const select = (refId: string | undefined) =>
    void navigate({
      search: ({ step: _step, ...rest }) => (refId === undefined ? rest : { ...rest, step: refId }),
      replace: true,
    })

  return (
    <SplitPane
      name="editor"
      label={t('Width of the steps')}
      direction="row"
      initial={330}
      min={240}
      max={760}
      stacked={['14rem', '60rem']}
    >
      <StepList
        selected={placed?.step.ref_id}
        onSelect={select}
        onOpen={() => form.current?.querySelector<HTMLElement>('input, textarea, .cm-content')?.focus()}
      />
      {placed === undefined ? (
        <EmptyState icon={Play} title={t('This flow has no steps yet')}>
          {t(
            'Add a webhook step to start it by a request, or any other step to start it by hand. What each step gives can be read by those below it.',
          )}
        </EmptyState>
      ) : (
        <Workbench>
          <SplitPane
            name="editor-run"
            label={t('Height of the run')}
            direction="column"
            initial={280}
            min={120}
            max={900}
          >
            <StepForm
              placed={placed}
              identity={identity}
              formRef={form}
              onRenamed={(from, to) => {
                renamed(from, to)
                select(to)
              }}
            />
            <RunPanel
              refId={placed.step.ref_id}
              tab={tab}
              onTab={(next) =>
                void navigate({ search: (before) => ({ ...before, tab: next }), replace: true })
              }
            />
          </SplitPane>
          <DataPanel step={placed.step} onClose={() => dataOpened(false)} onTest={testAsked} />
        </Workbench>
      )}
    </SplitPane>
  )
}

/** The drawing, and beside it the form of the step that was opened in it. */
function CanvasPane({ draft }: { readonly draft: FlowDraft }) {
  const { step } = route.useSearch()
  const navigate = useNavigate({ from: '/flows/$flowId' })
  const form = useRef<HTMLDivElement>(null)
  const [isOpen, setIsOpen] = useState(false)
  const { placed, identity, renamed } = useChosenStep(draft.steps, step)
  const select = (refId: string | undefined) =>
    void navigate({
      search: ({ step: _step, ...rest }) => (refId === undefined ? rest : { ...rest, step: refId }),
      replace: true,
    })
  const canvas = (
    <CanvasTab
      selected={step}
      onSelect={select}
      onOpen={() => {
        setIsOpen(true)
        requestAnimationFrame(() =>
          form.current?.querySelector<HTMLElement>('input, textarea, .cm-content')?.focus(),
        )
      }}
    />
  )
  if (!isOpen || placed === undefined) return canvas
  return (
    <SplitPane
      name="canvas-form"
      label={t('Width of the form')}
      direction="row"
      sized="second"
      initial={480}
      min={320}
      max={900}
    >
      {canvas}
      <div className="flex min-h-0 flex-1 flex-col">
        <div className="flex shrink-0 justify-end border-b border-line bg-surface p-1">
          <Button look="quiet" icon={X} onClick={() => setIsOpen(false)}>
            {t('Close the form')}
          </Button>
        </div>
        <StepForm
          placed={placed}
          identity={identity}
          formRef={form}
          onRenamed={(from, to) => {
            renamed(from, to)
            select(to)
          }}
        />
      </div>
    </SplitPane>
  )
}

/** The form with its run, and beside them the data, where one wants to see it. */
function Workbench({ children: [main, data] }: { readonly children: readonly [ReactNode, ReactNode] }) {
  const dataOpen = useAssist((state) => state.dataOpen)
  if (!dataOpen) return main
  return (
    <SplitPane
      name="editor-data"
      label={t('Width of the data')}
      direction="row"
      sized="second"
      initial={310}
      min={220}
      max={640}
      // The form, its run below it, and then the data.
      stacked={['36rem', '22rem']}
    >
      {main}
      {data}
    </SplitPane>
  )
}

/** Why the last save was refused, and that somebody else saved meanwhile. */
function Notices() {
  const refusal = useEditor((state) => state.refusal)
  const errors = useEditor((state) => state.errors)
  const overtaken = useEditor((state) => state.overtaken)
  const discarded = useEditor((state) => state.discarded)
  const navigate = useNavigate({ from: '/flows/$flowId' })
  const refused = Object.keys(errors.bySteps)
  const gone = useEditor((state) => state.gone)
  if (refusal === null && !overtaken && !gone) return null
  return (
    <div className="flex shrink-0 flex-col gap-2 border-b border-line p-3">
      {refusal === null ? null : (
        <ErrorNotice
          error={refusal}
          title={t('The flow was not saved')}
          actions={refused.map((refId) => (
            <Button
              key={refId}
              onClick={() =>
                void navigate({
                  search: (before) => ({ ...before, view: 'steps', step: refId }),
                  replace: true,
                })
              }
            >
              {t('Go to step {{refId}}', { refId })}
            </Button>
          ))}
        />
      )}
      {gone ? <Gone /> : null}
      {overtaken && !gone ? (
        <div
          role="status"
          className="flex flex-wrap items-center gap-3 rounded border border-line bg-retrying-soft px-3 py-2"
        >
          <p className="min-w-0 flex-1">
            {t(
              'The flow was saved elsewhere while you changed it here. Saving makes yours the next version; the other one stays among the versions.',
            )}
          </p>
          <Button
            onClick={() =>
              void discarded().catch((error: unknown) => announceFailure(t('Nothing was dropped'), error))
            }
          >
            {t('Drop my changes')}
          </Button>
        </div>
      ) : null}
    </div>
  )
}

function Gone() {
  const rescued = useEditor((state) => state.rescued)
  const navigate = useNavigate()
  async function rescue() {
    try {
      const flow = await rescued()
      announce(t('Made a new flow “{{name}}” of it', { name: flow.name }))
      await navigate({ to: '/flows/$flowId', params: { flowId: flow.id } })
    } catch (error) {
      announceFailure(t('No new flow was made of it'), error)
    }
  }
  return (
    <div
      role="alert"
      className="flex flex-wrap items-center gap-3 rounded border border-error/40 bg-error-soft px-3 py-2"
    >
      <p className="min-w-0 flex-1">
        {t('This flow was deleted elsewhere. What you see here is only in this window.')}
      </p>
      <Button onClick={() => void rescue()}>{t('Make a new flow of it')}</Button>
    </div>
  )
}

const STATUS_HINTS: { readonly [S in Flow['status']]: English } = {
  draft: english('Being built. Its webhook answers and runs; schedules do not'),
  active: english('In use: webhooks, schedules and other flows start it'),
  paused: english('Nothing starts it. Callers get a 200 that says so, and nothing is stored'),
}

function StatusMenu({ flow }: { readonly flow: Flow }) {
  const statusChosen = useEditor((state) => state.statusChosen)
  return (
    <Menu
      align="start"
      trigger={
        <button
          type="button"
          aria-label={t('Status: {{status}}', { status: stateWord(flow.status) })}
          className="flex shrink-0 items-center gap-0.5 rounded-full pr-1 hover:bg-hover"
        >
          <StatusBadge state={flow.status} />
          <ChevronDown size={13} aria-hidden className="text-muted" />
        </button>
      }
      groups={[
        FLOW_STATUSES.map((status) => ({
          label: stateWord(status),
          hint: t(STATUS_HINTS[status]),
          onSelect: () =>
            void statusChosen(status).then(
              () =>
                announce(t('“{{name}}” is {{status}} now', { name: flow.name, status: stateWord(status) })),
              (error: unknown) => announceFailure(t('The status was not changed'), error),
            ),
        })),
      ]}
    />
  )
}

function EditorActions({ draft, dirty }: { readonly draft: FlowDraft; readonly dirty: boolean }) {
  const history = useEditor((state) => state.history)
  const saving = useEditor((state) => state.saving)
  const unkept = useEditor((state) => state.unkept)
  const saved = useEditor((state) => state.saved)
  const undone = useEditor((state) => state.undone)
  const redone = useEditor((state) => state.redone)
  const discarded = useEditor((state) => state.discarded)
  const gone = useEditor((state) => state.gone)
  const testing = useAssist((state) => state.testing)
  const testAsked = useAssist((state) => state.testAsked)
  const testClosed = useAssist((state) => state.testClosed)
  const [trigger] = draft.steps

  const save = () => {
    void saved().then((done) => done && announce(t('Saved “{{name}}”', { name: draft.name })))
  }
  useShortcut({ keys: 'mod+s', label: t('Save the flow'), group: t('Flow editor') }, save)
  useShortcut({ keys: 'mod+z', label: t('Undo'), group: t('Flow editor') }, undone)
  useShortcut({ keys: 'mod+shift+z', label: t('Redo'), group: t('Flow editor') }, redone)
  useShortcut({ keys: 'mod+enter', label: t('Test run'), group: t('Flow editor') }, testAsked)

  return (
    <>
      <span
        role="status"
        title={unkept === null ? undefined : translateMessage(unkept.message)}
        className={cx('pr-1 text-sm', unkept === null ? 'text-muted' : 'text-retrying')}
      >
        {gone
          ? t('Deleted elsewhere')
          : saving
            ? t('Saving…')
            : !dirty
              ? t('Saved')
              : unkept
                ? t('Not kept yet')
                : t('Unsaved changes, kept')}
      </span>
      <IconButton
        label={t('Undo')}
        keys={printed('mod+z')}
        icon={Undo2}
        disabled={history === null || history.past.length === 0}
        onClick={undone}
      />
      <IconButton
        label={t('Redo')}
        keys={printed('mod+shift+z')}
        icon={Redo2}
        disabled={history === null || history.future.length === 0}
        onClick={redone}
      />
      {dirty ? (
        <Button
          look="quiet"
          onClick={() =>
            void discarded().then(
              () => announce(t('Back to the saved version; undo brings your changes back')),
              (error: unknown) => announceFailure(t('Nothing was dropped'), error),
            )
          }
        >
          {t('Discard')}
        </Button>
      ) : null}
      <Button icon={Play} disabled={gone} onClick={testAsked}>
        {t('Test')}
      </Button>
      <Button look="primary" icon={Save} busy={saving} disabled={!dirty || gone} onClick={save}>
        {t('Save')}
      </Button>
      {testing ? (
        <TestDialog
          triggerRef={trigger?.type === 'webhook' ? trigger.ref_id : null}
          onClose={testClosed}
          onStarted={() => {
            testClosed()
            announce(t('The run has started; its results appear below the form'))
          }}
        />
      ) : null}
    </>
  )
}

/** Steps are kept in the working copy; a name or a setting is not, so leaving with one unsaved is asked about. */
function GuardSettings({ flow, draft }: { readonly flow: Flow | null; readonly draft: FlowDraft | null }) {
  const atRisk =
    flow !== null && draft !== null && !isSame({ ...toDraft(flow), steps: [] }, { ...draft, steps: [] })
  useUnsaved(atRisk, t('The name, tags or settings are not saved yet. Leave without them?'))
  return null
}
