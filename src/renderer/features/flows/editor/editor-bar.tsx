import { ChevronDown, GitCompareArrows, Play, Redo2, RotateCcw, Save, Undo2 } from '../../../lib/icons.tsx'
import { type ReactNode, useState } from 'react'
import { FLOW_STATUSES, updateFlowRoute, runFlowRoute } from '../../../../shared/contract/flows.ts'
import type { Flow } from '../../../../shared/contract/flows.ts'
import { triggersOf } from '../../../../shared/contract/step-types/index.ts'
import type { Step } from '../../../../shared/contract/steps.ts'
import { Button, IconButton } from '../../../components/controls/button.tsx'
import { Menu } from '../../../components/controls/menu.tsx'
import { printed, useShortcut } from '../../../components/screen/shortcuts.tsx'
import { announce, attempt, useAnnounceWithUndo } from '../../../components/screen/toast.tsx'
import { stateWord, StatusBadge } from '../../../components/values/status-badge.tsx'
import { cx } from '../../../lib/cx.ts'
import { english, t, translateMessage } from '../../../lib/i18n.ts'
import type { English } from '../../../lib/i18n.ts'
import type { FlowDraft } from '../model/draft.ts'
import { TestDialog } from '../runs/test-dialog.tsx'
import { useAssist, useEditor } from '../state/editor-context.tsx'
import { wordsOf } from '../../../api/failure.ts'
import { PublishSheet } from './publish-sheet.tsx'

const STATUS_HINTS: { readonly [S in Flow['status']]: English } = {
  draft: english('The webhook works, but schedules are off'),
  active: english('Webhooks, schedules and other flows can start it'),
  paused: english('Doesn’t run. Webhook calls get 200 and aren’t stored'),
}

export function StatusMenu({ flow }: { readonly flow: Flow }) {
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
          needs: updateFlowRoute,
          onSelect: () =>
            void attempt(t('Couldn’t change status'), async () => {
              await statusChosen(status)
              announce(t('“{{name}}” is now {{status}}', { name: flow.name, status: stateWord(status) }))
            }),
        })),
      ]}
    />
  )
}

interface EditorActionsProps {
  readonly flow: Flow
  readonly draft: FlowDraft
  readonly dirty: boolean
  /** The views of the flow, between undo and save. */
  readonly views: ReactNode
  /** Called when a test run has started. */
  readonly onTested: () => void
}

export function EditorActions({ flow, draft, dirty, views, onTested }: EditorActionsProps) {
  const history = useEditor((state) => state.history)
  const saving = useEditor((state) => state.saving)
  const saved = useEditor((state) => state.saved)
  const undone = useEditor((state) => state.undone)
  const announceWithUndo = useAnnounceWithUndo(history?.present, undone)
  const redone = useEditor((state) => state.redone)
  const discarded = useEditor((state) => state.discarded)
  const gone = useEditor((state) => state.gone)
  const testing = useAssist((state) => state.testing)
  const testAsked = useAssist((state) => state.testAsked)
  const testClosed = useAssist((state) => state.testClosed)
  const writtenWith = useEditor((state) => state.writtenWith)
  const [reviewing, setReviewing] = useState(false)

  const publish = async () => {
    const done = await saved()
    setReviewing(false)
    if (done) announce(t('“{{name}}” saved', { name: draft.name }))
  }
  /** Changes made by another program are reviewed before they are saved. */
  const save = () => (writtenWith === null ? void publish() : setReviewing(true))
  useShortcut({ keys: 'mod+s', label: t('Save flow'), group: t('Flow editor'), needs: updateFlowRoute }, save)
  useShortcut({ keys: 'mod+shift+s', label: t('Review changes'), group: t('Flow editor') }, () =>
    setReviewing(dirty),
  )
  useShortcut({ keys: 'mod+z', label: t('Undo'), group: t('Flow editor') }, undone)
  useShortcut({ keys: 'mod+shift+z', label: t('Redo'), group: t('Flow editor') }, redone)
  useShortcut({ keys: 'mod+enter', label: t('Test run'), group: t('Flow editor'), needs: runFlowRoute }, () =>
    testAsked(),
  )

  return (
    <>
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
        <IconButton
          label={t('Discard')}
          icon={RotateCcw}
          onClick={() =>
            void attempt(t('Couldn’t discard changes'), async () => {
              await discarded()
              announceWithUndo(t('Back to the saved version'))
            })
          }
        />
      ) : null}
      {views}
      {dirty ? (
        <IconButton
          label={t('Review changes')}
          keys={printed('mod+shift+s')}
          icon={GitCompareArrows}
          onClick={() => setReviewing(true)}
        />
      ) : null}
      <Button icon={Play} needs={runFlowRoute} disabled={gone} onClick={() => testAsked()}>
        {t('Test')}
      </Button>
      <Button
        look="primary"
        icon={Save}
        needs={updateFlowRoute}
        busy={saving}
        disabled={!dirty || gone}
        onClick={save}
      >
        {t('Save')}
      </Button>
      {reviewing ? (
        <PublishSheet
          flow={flow}
          draft={draft}
          onPublish={() => void publish()}
          onClose={() => setReviewing(false)}
        />
      ) : null}
      {testing === null ? null : (
        <TestDialog
          before={testing.before}
          triggers={startsOf(draft.steps)}
          onClose={testClosed}
          onStarted={() => {
            testClosed()
            onTested()
          }}
        />
      )}
    </>
  )
}

/** The triggers that a test run can begin with; of a flow without one, its first step. */
function startsOf(steps: readonly Step[]): readonly Step[] {
  const enabled = triggersOf(steps).filter(({ disabled }) => !disabled)
  return enabled.length > 0 ? enabled : steps.slice(0, 1)
}

/** Whether the changes on screen are saved, and where they are kept until then. */
export function SavedState({ dirty }: { readonly dirty: boolean }) {
  const saving = useEditor((state) => state.saving)
  const unkept = useEditor((state) => state.unkept)
  const gone = useEditor((state) => state.gone)
  return (
    <span
      role="status"
      title={unkept === null ? undefined : translateMessage(wordsOf(unkept))}
      className={cx(
        // Takes only the space that is left, because a title that shrinks, even by a fraction of a pixel, loses three
        // letters.
        'min-w-0 grow basis-0 truncate text-sm',
        unkept === null ? 'text-muted' : 'text-retrying',
      )}
    >
      {gone
        ? t('Deleted in another window')
        : saving
          ? t('Saving…')
          : !dirty
            ? t('Saved')
            : unkept
              ? t('Draft not saved')
              : t('Unpublished changes (draft saved)')}
    </span>
  )
}
