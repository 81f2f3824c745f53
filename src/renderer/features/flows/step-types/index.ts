import { HelpCircle } from '../../../lib/icons.tsx'
import {
  childListsOf,
  isStepType,
  STEP_DEFINITIONS,
  STEP_TYPES,
  type StepType,
} from '../../../../shared/contract/step-types/index.ts'
import type { Step } from '../../../../shared/contract/steps.ts'
import { english, t } from '../../../lib/i18n.ts'
import { type StepFace, toFace } from './face.ts'

export const STEP_FACES = Object.fromEntries(
  STEP_TYPES.map((type) => [type, toFace(STEP_DEFINITIONS[type])]),
) as unknown as { readonly [T in StepType]: StepFace }

const UNKNOWN: StepFace = {
  label: english('Unknown step'),
  group: 'control',
  sample: { config: {} },
  icon: HelpCircle,
  words: english('Unknown step'),
  purpose: english('This version doesn’t support this step type. Runs fail here'),
  refId: 'step',
  config: {},
  summary: () => t('not supported by this version'),
}

export function faceOf(type: string): StepFace {
  return isStepType(type) ? STEP_FACES[type] : { ...UNKNOWN, label: english(type) }
}

/** The child lists that a step of this type has, empty ones included. */
export function listsOf(step: Pick<Step, 'type'>): readonly string[] {
  return childListsOf(step.type)
}

export function newStep(type: StepType, refId: string): Step {
  return {
    ref_id: refId,
    type,
    title: '',
    description: '',
    disabled: false,
    on_error: 'stop',
    retry: null,
    config: { ...STEP_FACES[type].config },
    ...Object.fromEntries(childListsOf(type).map((list) => [list, []])),
  }
}
