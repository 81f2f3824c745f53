import type { ReactNode } from 'react'
import { TabList, TabsRoot } from '../../../components/controls/tabs.tsx'
import { PaneDivider, usePaneSize } from '../../../components/screen/pane-divider.tsx'
import { cx } from '../../../lib/cx.ts'
import { t } from '../../../lib/i18n.ts'
import type { EditorPane } from '../state/assist-store.ts'
import { useAssist } from '../state/editor-context.tsx'
import type { EditorRoom } from './use-editor-room.ts'

interface EditorColumnsProps {
  readonly room: EditorRoom
  readonly steps: ReactNode
  readonly form: ReactNode
  readonly data: ReactNode
}

/** Wide windows have room for the titles of the steps. */
const STEPS = { initial: window.innerWidth < 1_800 ? 264 : 320, min: 200, max: 420 }
const DATA = { initial: 400, min: 240, max: 900 }
const FORM = { initial: 560, min: 320, max: 900 }

/**
 * Steps, form and data side by side, or one at a time if the window is small. The three stay mounted while the window
 * changes, so that none loses its scroll position or the focus.
 */
export function EditorColumns({ room, steps, form, data }: EditorColumnsProps) {
  const pane = useAssist((state) => state.pane)
  const paneShown = useAssist((state) => state.paneShown)
  const [stepsPx, setStepsPx] = usePaneSize('editor-steps', STEPS)
  const [dataPx, setDataPx] = usePaneSize('editor-result', DATA)
  const [formPx, setFormPx] = usePaneSize('editor-form', FORM)
  const isOne = room === 'one'
  const isWide = room === 'wide'
  const names: readonly { value: EditorPane; label: string }[] = [
    { value: 'steps', label: t('Steps') },
    { value: 'form', label: t('Form') },
    { value: 'data', label: t('Data') },
  ]
  const columns = isWide
    ? `min(${stepsPx}px, 25%) 1px min(${formPx}px, 50%) 1px minmax(0, 1fr)`
    : // With little room, such as next to the help, the form keeps its width and the others shrink first.
      `minmax(${STEPS.min}px, min(${stepsPx}px, 28%)) 1px minmax(min(360px, 100% - ${STEPS.min + DATA.min + 2}px), 1fr) 1px minmax(${DATA.min}px, min(${dataPx}px, 42%))`

  const place = (value: EditorPane) =>
    cx(
      'flex min-h-0 min-w-0 flex-col',
      isOne && 'col-start-1 row-start-1',
      // Hidden this way it keeps its size, and therefore its scroll position.
      isOne && pane !== value && 'invisible',
    )
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      {isOne ? (
        <TabsRoot value={pane} onChange={paneShown} className="shrink-0 border-b border-line bg-surface px-3">
          <TabList label={t('Editor sections')} tabs={names} className="-mb-px" />
        </TabsRoot>
      ) : null}
      <div
        className="grid min-h-0 flex-1 grid-rows-[minmax(0,1fr)]"
        style={{ gridTemplateColumns: isOne ? 'minmax(0, 1fr)' : columns }}
      >
        <div className={place('steps')}>{steps}</div>
        <PaneDivider
          {...STEPS}
          label={t('Steps width')}
          direction="row"
          sizesFirst
          size={stepsPx}
          onResize={setStepsPx}
          className={cx(isOne && 'hidden')}
        />
        <div className={place('form')}>{form}</div>
        <PaneDivider
          {...(isWide ? FORM : DATA)}
          label={isWide ? t('Form width') : t('Data width')}
          direction="row"
          sizesFirst={isWide}
          size={isWide ? formPx : dataPx}
          onResize={isWide ? setFormPx : setDataPx}
          className={cx(isOne && 'hidden')}
        />
        <div className={place('data')}>{data}</div>
      </div>
    </div>
  )
}
