import { HelpCircle } from '../../../lib/icons.tsx'
import { childListsOf, isStepType } from '../../../../shared/contract/steps.ts'
import type { Step, StepType } from '../../../../shared/contract/steps.ts'
import { english, t } from '../../../lib/i18n.ts'
import { CALL_FACES } from './calls.ts'
import { CONTROL_FACES } from './control.ts'
import type { StepFace } from './face.ts'
import { FILE_FACES } from './files.ts'
import { TRIGGER_FACES } from './triggers.ts'
import { VALUE_FACES } from './values.ts'

/** Each step type's appearance and initial values; a type added to the contract doesn't compile until it is here. */
export const STEP_FACES: { readonly [T in StepType]: StepFace } = {
  ...TRIGGER_FACES,
  ...CALL_FACES,
  ...CONTROL_FACES,
  ...VALUE_FACES,
  ...FILE_FACES,
}

const UNKNOWN: StepFace = {
  label: english('Unknown step'),
  group: 'control',
  sample: {},
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
  return isStepType(step.type) ? childListsOf(step.type) : []
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
