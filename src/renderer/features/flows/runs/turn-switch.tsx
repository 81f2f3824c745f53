import { ChevronLeft, ChevronRight } from '../../../lib/icons.tsx'
import { useEffect } from 'react'
import type { Step } from '../../../../shared/contract/steps.ts'
import { IconButton } from '../../../components/controls/button.tsx'
import { TextInput } from '../../../components/controls/field.tsx'
import { t } from '../../../lib/i18n.ts'
import { findStep, walkSteps } from '../model/step-tree.ts'
import type { ShownTurn } from '../state/assist-store.ts'
import { useAssist, useEditor, useRunPanel } from '../state/editor-context.tsx'
import { usePlaceShown } from '../state/use-place-shown.ts'

const NO_LOOPS: readonly ShownTurn[] = []
const NO_STEPS: readonly Step[] = []

/**
 * For a step in loops, chooses the item of each loop that is shown, previewed and run. While a field reads the items of
 * the step's own list, also chooses the item that it is previewed with.
 */
export function TurnSwitch({ refId }: { readonly refId: string }) {
  const loops = useAssist((state) => state.loops[`${refId}|`] ?? NO_LOOPS)
  const field = useAssist(({ focused }) => (focused?.refId === refId ? focused.field : ''))
  const shown = useAssist((state) => state.loops[`${refId}|${field}`] ?? loops)
  const turnShown = useRunPanel((state) => state.turnShown)
  const steps = useEditor((state) => state.history?.present.steps ?? NO_STEPS)
  usePlaceShown(refId, '')
  useEffect(() => turnShown(turnsByStep(steps, loops)), [turnShown, steps, loops])
  return shown.map((loop) => <Turn key={loop.ref_id} loop={loop} inner={namesIn(steps, loop.ref_id)} />)
}

function Turn({ loop, inner }: { readonly loop: ShownTurn; readonly inner: readonly string[] }) {
  const turnChosen = useAssist((state) => state.turnChosen)
  const aloneDismissed = useRunPanel((state) => state.aloneDismissed)
  const { ref_id: loopRef, index, count } = loop

  function choose(next: number) {
    if (!(next >= 0 && next < count)) return
    // Results of its single-step runs belong to another item.
    aloneDismissed(...inner)
    turnChosen(loopRef, next)
  }

  return (
    <div
      role="group"
      aria-label={t('Item of {{loopRef}}', { loopRef })}
      className="flex shrink-0 items-center"
    >
      <IconButton
        small
        icon={ChevronLeft}
        label={t('Previous item')}
        disabled={index === 0}
        onClick={() => choose(index - 1)}
      />
      <TextInput
        inputMode="numeric"
        aria-label={t('Item of {{loopRef}}', { loopRef })}
        value={String(index + 1)}
        onChange={(text) => choose(Number(text.replace(/\D/g, '')) - 1)}
        style={{ width: `calc(${String(count).length}ch + 1rem)` }}
        className="h-6 w-8 min-w-8 px-1 text-center"
      />
      <span
        className="tabular pl-1 text-sm whitespace-nowrap text-muted"
        title={t('Items: {{count}}', { count })}
      >
        / {count}
      </span>
      <IconButton
        small
        icon={ChevronRight}
        label={t('Next item')}
        disabled={index === count - 1}
        onClick={() => choose(index + 1)}
      />
    </div>
  )
}

function namesIn(steps: readonly Step[], loopRef: string): readonly string[] {
  const loop = findStep(steps, loopRef)?.step
  return walkSteps(loop?.steps ?? []).map(({ step }) => step.ref_id)
}

/** The iteration of the step in each loop: `2.0`. */
function turnsByStep(steps: readonly Step[], loops: readonly ShownTurn[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    loops.flatMap((loop, depth) => {
      const turn = loops
        .slice(0, depth + 1)
        .map(({ index }) => index)
        .join('.')
      return namesIn(steps, loop.ref_id).map((refId) => [refId, turn])
    }),
  )
}
