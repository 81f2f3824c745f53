import { englishOf, say } from '../../../../shared/contract/base/message.ts'
import { z } from 'zod'
import { AppError } from '../../../../shared/contract/base/errors.ts'
import { RESERVED_REFS, step, type Step } from '../../../../shared/contract/steps.ts'
import { type CurlReading, type CurlRequest, readCurl, restStepOf } from '@millrace/curl'
import { announce, announceFailure, useAnnounceWithUndo } from '../../../components/screen/toast.tsx'
import { t, tn, translateMessage } from '../../../lib/i18n.ts'
import { formatJson, parseJson } from '../../../lib/json.ts'
import { withFreshNames } from '../model/rename-ref.ts'
import {
  findStep,
  freeRefId,
  indentStep,
  insertStep,
  type ListPath,
  moveStep,
  outdentStep,
  outermost,
  placeStep,
  placeSteps,
  removeStep,
  type StepPath,
  updateStep,
  walkSteps,
  withoutSteps,
} from '../model/step-tree.ts'
import { useEditor } from '../state/editor-context.tsx'
import type { Addition } from '../../../components/services/catalogue.ts'
import { listsOf, newStep, STEP_FACES } from '../step-types/index.ts'

const NO_STEPS: readonly Step[] = []

/** The operations on the steps of the open flow; `onSelect` receives the step to select afterwards. */
export function useStepActions(
  onSelect: (refId: string | undefined) => void,
  onAdded?: (refId: string) => void,
) {
  const steps = useEditor((state) => state.history?.present.steps ?? NO_STEPS)
  const changed = useEditor((state) => state.changed)
  const undone = useEditor((state) => state.undone)
  const announceWithUndo = useAnnounceWithUndo(
    useEditor((state) => state.history?.present),
    undone,
  )
  const put = (next: readonly Step[] | null) => {
    if (next !== null) changed((draft) => ({ ...draft, steps: next }))
  }

  return {
    add(list: ListPath, index: number, { type, config, title = '' }: Addition) {
      const blank = newStep(type, freeRefId(steps, STEP_FACES[type].refId, RESERVED_REFS))
      const added = { ...blank, title, config: { ...blank.config, ...config } }
      put(insertStep(steps, list, index, added))
      onAdded?.(added.ref_id)
      onSelect(added.ref_id)
    },
    move: (path: StepPath, by: 1 | -1) => put(moveStep(steps, path, by, listsOf)),
    place: (path: StepPath, list: ListPath, index: number) => put(placeStep(steps, path, list, index)),
    indent: (path: StepPath) => put(indentStep(steps, path, listsOf)),
    outdent: (path: StepPath) => put(outdentStep(steps, path)),
    toggle: (path: StepPath) => put(updateStep(steps, path, (old) => ({ ...old, disabled: !old.disabled }))),
    duplicate(path: StepPath, original: Step) {
      const copies = withFreshNames(steps, [original], RESERVED_REFS)
      put(insertAll(steps, path.slice(0, -1), (path.at(-1) as number) + 1, copies))
      onSelect(copies[0]?.ref_id)
    },
    remove(path: StepPath, removed: Step) {
      const order = walkSteps(steps).map((placed) => placed.step.ref_id)
      const next = removeStep(steps, path)
      const at = order.indexOf(removed.ref_id)
      const near = [order[at + 1], order[at - 1]].find(
        (refId) => refId !== undefined && findStep(next, refId),
      )
      put(next)
      onSelect(near)
      announceWithUndo(t('Step {{refId}} deleted', { refId: removed.ref_id }))
    },
    copy: (copied: Step) => copyAll([copied]),
    /** Each of these acts on several steps as one undo step; steps inside another step are included. */
    copyAll: (refIds: ReadonlySet<string>) => copyAll(outermost(steps, refIds).map((each) => each.step)),
    removeAll(refIds: ReadonlySet<string>) {
      const gone = outermost(steps, refIds).map((each) => each.step)
      const next = withoutSteps(steps, new Set(gone))
      put(next)
      onSelect(walkSteps(next)[0]?.step.ref_id)
      announceWithUndo(tn(gone.length, '{{count}} step deleted', '{{count}} steps deleted'))
    },
    /** Disables the steps, or enables them if all of them are disabled. */
    toggleAll(refIds: ReadonlySet<string>) {
      const chosen = outermost(steps, refIds)
      const disabled = !chosen.every(({ step: each }) => each.disabled)
      put(
        chosen.reduce<readonly Step[]>(
          (next, { path }) => updateStep(next, path, (old) => ({ ...old, disabled })),
          steps,
        ),
      )
    },
    duplicateAll(refIds: ReadonlySet<string>) {
      const chosen = outermost(steps, refIds)
      const last = chosen.at(-1)
      if (last === undefined) return
      const copies = withFreshNames(
        steps,
        chosen.map((each) => each.step),
        RESERVED_REFS,
      )
      put(insertAll(steps, last.path.slice(0, -1), (last.path.at(-1) as number) + 1, copies))
      onSelect(copies[0]?.ref_id)
    },
    placeAll: (refIds: ReadonlySet<string>, list: ListPath, index: number) =>
      put(placeSteps(steps, outermost(steps, refIds), list, index)),
    /** Pastes steps from JSON, or `curl` commands as the requests that they send. */
    async paste(list: ListPath, index: number) {
      try {
        const { found, leftOut } = readPasted(await navigator.clipboard.readText())
        const pasted = withFreshNames(steps, found, RESERVED_REFS)
        put(insertAll(steps, list, index, pasted))
        onSelect(pasted.at(-1)?.ref_id)
        const [first] = leftOut
        if (first === undefined) return
        announceFailure(t('Not everything could be pasted'), refusalOf(first))
      } catch (error) {
        announceFailure(t('Couldn’t paste: the clipboard contains no step JSON and no curl command'), error)
      }
    },
  }
}

async function copyAll(copied: readonly Step[]): Promise<void> {
  try {
    await navigator.clipboard.writeText(formatJson(copied.length === 1 ? copied[0] : copied))
    announce(
      copied.length === 1
        ? t('Step {{refId}} copied as JSON', { refId: copied[0]?.ref_id ?? '' })
        : tn(copied.length, '{{count}} step copied as JSON', '{{count}} steps copied as JSON'),
    )
  } catch (error) {
    announceFailure(t('Couldn’t copy step'), error)
  }
}

export type StepActions = ReturnType<typeof useStepActions>

function insertAll(steps: readonly Step[], list: ListPath, index: number, added: readonly Step[]) {
  return added.reduce((next, one, at) => insertStep(next, list, index + at, one), steps)
}

interface Pasted {
  readonly found: readonly Step[]
  readonly leftOut: CurlReading['leftOut']
}

function readPasted(text: string): Pasted {
  const commands = /^\s*[[{]/.test(text) ? null : readCurl(text)
  if (commands === null) return { found: readSteps(text), leftOut: [] }
  const [refused] = commands.leftOut
  if (commands.requests.length === 0 && refused !== undefined) throw refusalOf(refused)
  return { found: commands.requests.map(stepOfCurl), leftOut: commands.leftOut }
}

const refusalOf = ({ item, reason }: CurlReading['leftOut'][number]) =>
  new AppError('validation', say('{{field}}: {{rest}}', { field: item, rest: reason }))

/**
 * Turns a request into a step; its credentials stay where the command had them. Differences from the command are noted
 * in its description.
 */
export function stepOfCurl(request: CurlRequest): Step {
  const { config, retry, notes } = restStepOf(request)
  const step = newStep('rest', STEP_FACES.rest.refId)
  return {
    ...step,
    config,
    retry,
    description: notes
      .map((note) => `${translateMessage(englishOf(note), { said: note })}.`)
      .join('\n')
      .slice(0, 4_000),
  }
}

/** One step or a list of steps, copied here or written elsewhere; optional keys are filled in. */
function readSteps(text: string): readonly Step[] {
  const value = parseJson(text)
  return z.array(step).parse(Array.isArray(value) ? value : [value])
}
