import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { ChartColumn, FlaskConical, type LucideIcon, Settings2 } from '../../../lib/icons.tsx'
import { useEffect, useState } from 'react'
import type { Flow } from '../../../../shared/contract/flows.ts'
import type { Api } from '../../../api/create-api.ts'
import { PLUGINS } from '../../../api/lists.ts'
import { useApi } from '../../../api/provider.tsx'
import { useResource } from '../../../api/resource.ts'
import { TabList, TabPanels, TabsRoot } from '../../../components/controls/tabs.tsx'
import { useTesterTrip } from '../../../components/pagination/state/tester-trip.ts'
import { Loaded } from '../../../components/screen/loaded.tsx'
import { Page } from '../../../components/screen/page.tsx'
import { useUnsaved } from '../../../components/screen/unsaved.tsx'
import { t } from '../../../lib/i18n.ts'
import { isSame, toDraft } from '../model/draft.ts'
import type { FlowDraft } from '../model/draft.ts'
import type { Plugins } from '../../../components/plugins/plugin-parts.ts'
import { createAssistStore } from '../state/assist-store.ts'
import { EditorProvider, type Stores, useAssist, useEditor } from '../state/editor-context.tsx'
import { createEditorStore } from '../state/editor-store.ts'
import { createProblemsStore } from '../state/problems-store.ts'
import { createRunPanelStore } from '../state/run-panel-store.ts'
import { valuesOver } from '../state/step-values.ts'
import { ReachBadge } from '../webhook/reach-mark.tsx'
import { ActivityView } from '../runs/activity-view.tsx'
import { CanvasPane } from './canvas-pane.tsx'
import { EditorActions, SavedState, StatusMenu } from './editor-bar.tsx'
import { JsonView } from './json-view.tsx'
import { Notices } from './notices.tsx'
import { SettingsView } from './settings-view.tsx'
import { StepsView } from './steps-view.tsx'
import { TestsView } from './tests-view.tsx'
import { VersionsView } from './versions-view.tsx'
import { unsentDraftOf } from '../state/unsent-draft.ts'

const route = getRouteApi('/flows/$flowId')

export function FlowPage() {
  const { flowId } = route.useParams()
  return <FlowScreen key={flowId} flowId={flowId} />
}

const NO_PLUGINS: Plugins = []

function FlowScreen({ flowId }: { readonly flowId: string }) {
  const api = useApi()
  const { data, failure } = useResource(PLUGINS)
  const plugins = data ?? (failure === null ? null : NO_PLUGINS)
  const { run, test: isTestWanted } = route.useSearch()
  const navigate = useNavigate({ from: '/flows/$flowId' })
  const trip = useTesterTrip((state) => state.trip)
  const tripEnded = useTesterTrip((state) => state.ended)
  // On the way back from the tester, the editor is restored with its undo history.
  const [stores] = useState(() => (trip?.from === flowId ? (trip.kept as Stores) : createStores(api, flowId)))
  useEffect(() => tripEnded(), [tripEnded])
  useEffect(() => stores.editor.getState().opened(), [stores])
  useEffect(() => keepOnLeaving(() => stores.editor.getState().left()), [stores])
  useEffect(() => stores.assist.getState().opened(), [stores])
  useEffect(() => stores.problems.getState().opened(), [stores])
  useEffect(() => stores.panel.getState().opened(), [stores])
  useEffect(
    () =>
      stores.panel.subscribe(({ run: newest, alone }, before) => {
        if (newest?.id !== before.run?.id || alone !== before.alone) stores.problems.getState().settled()
      }),
    [stores],
  )
  useEffect(() => stores.panel.getState().runChosen(run ?? null), [stores, run])
  useEffect(() => {
    if (isTestWanted !== true) return
    stores.assist.getState().testAsked()
    void navigate({ search: ({ test: _test, ...rest }) => rest, replace: true })
  }, [stores, isTestWanted, navigate])
  return (
    <EditorProvider stores={stores} plugins={plugins}>
      <Editor />
    </EditorProvider>
  )
}

/** Calls `left` when the window is closed, or goes into the background, from where it may never return. */
function keepOnLeaving(left: () => boolean): () => void {
  const hidden = () => {
    if (document.visibilityState === 'hidden') left()
  }
  // Asks the user to stay if there is more to send than a browser allows from a page that is being closed.
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

function createStores(api: Api, flowId: string): Stores {
  const editor = createEditorStore(api, flowId, undefined, unsentDraftOf(flowId, sessionStorage))
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
  const { view = 'steps' } = route.useSearch()
  const navigate = useNavigate({ from: '/flows/$flowId' })
  const flow = useEditor((state) => state.flow)
  const draft = useEditor((state) => state.history?.present ?? null)
  const failure = useEditor((state) => state.failure)
  const reload = useEditor((state) => state.reload)
  const paneShown = useAssist((state) => state.paneShown)
  const dirty = flow !== null && draft !== null && !isSame(toDraft(flow), draft)
  const isLoaded = flow !== null && draft !== null
  return (
    <TabsRoot
      value={view}
      onChange={(next) => void navigate({ search: (before) => ({ ...before, view: next }), replace: true })}
      className="min-w-0 flex-1"
    >
      <Page
        title={draft?.name ?? t('Flow')}
        crumbs={[{ label: t('Flows'), to: '/flows' }]}
        badge={
          flow === null ? null : (
            <>
              <StatusMenu flow={flow} />
              {flow.webhook ? <ReachBadge flowId={flow.id} /> : null}
              <SavedState dirty={dirty} />
            </>
          )
        }
        actions={
          isLoaded ? (
            <EditorActions
              flow={flow}
              draft={draft}
              dirty={dirty}
              views={<TabList label={t('Flow views')} tabs={viewsOf()} look="segments" />}
              onTested={() => paneShown('data')}
            />
          ) : null
        }
      >
        <Loaded value={draft} failure={failure} what={t('the flow')} onRetry={() => void reload()}>
          {(value) => (flow === null ? null : <Views flow={flow} draft={value} />)}
        </Loaded>
        <GuardSettings flow={flow} draft={draft} />
      </Page>
    </TabsRoot>
  )
}

function viewsOf() {
  return [
    { value: 'steps', label: t('Steps') },
    { value: 'canvas', label: t('Canvas') },
    { value: 'json', label: 'JSON' },
    { value: 'versions', label: t('Versions') },
    { value: 'tests', label: <IconLabel icon={FlaskConical} text={t('Tests')} /> },
    { value: 'activity', label: <IconLabel icon={ChartColumn} text={t('Activity')} /> },
    { value: 'settings', label: <IconLabel icon={Settings2} text={t('Settings')} /> },
  ] as const
}

function IconLabel({ icon: Icon, text }: { readonly icon: LucideIcon; readonly text: string }) {
  return (
    <span title={text}>
      <Icon size={14} aria-hidden />
      <span className="sr-only">{text}</span>
    </span>
  )
}

function Views({ flow, draft }: { readonly flow: Flow; readonly draft: FlowDraft }) {
  const contents = {
    steps: <StepsView draft={draft} />,
    canvas: <CanvasPane draft={draft} />,
    json: <JsonView draft={draft} />,
    versions: <VersionsView flow={flow} />,
    tests: <TestsView flow={flow} />,
    activity: <ActivityView flow={flow} />,
    settings: <SettingsView draft={draft} />,
  }
  return (
    <>
      <Notices />
      <TabPanels tabs={viewsOf().map((view) => ({ ...view, content: contents[view.value] }))} />
    </>
  )
}

/** Steps are kept in the draft; a name or a setting isn't, so leaving with an unsaved one asks first. */
function GuardSettings({ flow, draft }: { readonly flow: Flow | null; readonly draft: FlowDraft | null }) {
  const atRisk =
    flow !== null && draft !== null && !isSame({ ...toDraft(flow), steps: [] }, { ...draft, steps: [] })
  return useUnsaved(atRisk, t('Leave without saving name, tags or settings?')).asking
}
