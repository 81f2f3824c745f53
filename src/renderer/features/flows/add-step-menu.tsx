import { STEP_TYPES, TRIGGER_TYPES } from '../../../shared/contract/steps.ts'
import type { StepType } from '../../../shared/contract/steps.ts'
import { Menu } from '../../components/menu.tsx'
import { STEP_FACES } from './step-types.ts'

interface AddStepMenuProps {
  readonly trigger: React.ReactElement<Record<string, unknown>>
  /** A trigger stands at the very beginning alone. */
  readonly isFirst: boolean
  readonly onAdd: (type: StepType) => void
}

export function AddStepMenu({ trigger, isFirst, onAdd }: AddStepMenuProps) {
  const isTrigger = (type: StepType) => TRIGGER_TYPES.includes(type)
  const item = (type: StepType) => ({
    label: STEP_FACES[type].label,
    icon: STEP_FACES[type].icon,
    hint: STEP_FACES[type].purpose,
    onSelect: () => onAdd(type),
  })
  return (
    <Menu
      align="start"
      trigger={trigger}
      groups={[
        ...(isFirst ? [STEP_TYPES.filter(isTrigger).map(item)] : []),
        STEP_TYPES.filter((type) => !isTrigger(type)).map(item),
      ]}
    />
  )
}
