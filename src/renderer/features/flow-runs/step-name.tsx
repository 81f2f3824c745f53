import type { FlowRunStep } from '../../../shared/contract/flow-runs.ts'
import { isStepType, STEP_DEFINITIONS } from '../../../shared/contract/step-types/index.ts'
import { t } from '../../lib/i18n.ts'

interface StepNameProps {
  readonly step: Pick<FlowRunStep, 'ref_id' | 'type' | 'iteration'>
  /** The user's own title; if it is empty or absent, the type is shown. */
  readonly title: string | undefined
  /** Without its type, for narrow rows. */
  readonly isShort?: boolean
}

/** The title of the step, followed by the name that templates read it by, and its type. */
export function StepName({ step, title = '', isShort = false }: StepNameProps) {
  const type = isStepType(step.type) ? t(STEP_DEFINITIONS[step.type].label) : step.type
  return (
    <>
      <span className="min-w-0 shrink truncate font-medium">{title === '' ? type : title}</span>
      <code className="ref-tag shrink-[2]">{step.ref_id}</code>
      {step.iteration.length === 0 ? null : (
        <span className="tabular shrink-0 text-sm text-faint">#{step.iteration.join('.')}</span>
      )}
      {title === '' || isShort ? null : (
        <span className="min-w-0 shrink-[4] truncate text-sm text-muted max-lg:hidden">{type}</span>
      )}
    </>
  )
}
