import type { Config, StepDefinition } from '../../../../shared/contract/step-types/parts/step-type.ts'
import { formatWeekday, plural } from '../../../lib/format.ts'
import { icon, type LucideIcon } from '../../../lib/icons.tsx'
import { english, t } from '../../../lib/i18n.ts'

export const STEP_GROUPS = {
  triggers: english('Start'),
  calls: english('Call'),
  control: english('Decide and repeat'),
  values: english('Values and lists'),
  files: english('Text and files'),
} as const satisfies Readonly<Record<StepDefinition['family'], unknown>>

/** The appearance of a step type on the page, from its definition. */
export interface StepFace extends Pick<StepDefinition, 'label' | 'purpose' | 'words' | 'refId' | 'sample'> {
  readonly icon: LucideIcon
  readonly group: StepDefinition['family']
  /** The configuration of a new step. */
  readonly config: Config
  /** A summary of its configuration, for its row in the list. */
  readonly summary: (config: Config) => string
}

export function toFace({
  icon: name,
  family: group,
  first = {},
  summary,
  ...rest
}: StepDefinition): StepFace {
  return { ...rest, icon: icon(name), group, config: first, summary: (config) => summary(config, PAGE) }
}

const PAGE = { t, plural, weekday: (day: string) => formatWeekday(day as Weekday, 'short') }
type Weekday = Parameters<typeof formatWeekday>[0]
