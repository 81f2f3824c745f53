import { HelpCircle } from '../../../lib/icons.tsx'
import {
  childListsOf,
  isStepType,
  STEP_DEFINITIONS,
  STEP_TYPES,
  type StepType,
} from '../../../../shared/contract/step-types/index.ts'
import type { Step } from '../../../../shared/contract/steps.ts'
import { anyIcon } from '../../../components/plugins/any-icon.tsx'
import { english, t } from '../../../lib/i18n.ts'
import {
  isPluginStep,
  type NamedPart,
  partOf,
  PLUGIN_PARTS,
  type Plugins,
  type PluginStepType,
  type TypedConfig,
} from '../../../components/plugins/plugin-parts.ts'
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

/** The face of the step's type, or of the part of a plug-in that it names. */
export function faceOf(step: TypedConfig, plugins: Plugins): StepFace {
  const { type } = step
  if (!isStepType(type)) return { ...UNKNOWN, label: english(type) }
  const named = isPluginStep(type) ? partOf(step, plugins) : undefined
  return named === undefined ? STEP_FACES[type] : faceOfPart(type as PluginStepType, named)
}

export function faceOfPart(type: PluginStepType, { title, part }: NamedPart): StepFace {
  const generic = STEP_FACES[type]
  const named = { plugin: title, [PLUGIN_PARTS[type].noun]: part.label }
  return {
    ...generic,
    label: english(part.label),
    purpose: english(part.description),
    words: english(part.words),
    icon: anyIcon(part.icon),
    summary: (config) => generic.summary({ ...config, ...named }),
  }
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
