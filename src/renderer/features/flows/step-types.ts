import {
  Cable,
  CalendarClock,
  CircleStop,
  Equal,
  GitBranch,
  Globe,
  HelpCircle,
  Repeat,
  Reply,
  Timer,
  Webhook,
} from 'lucide-react'
import type { LucideIcon } from 'lucide-react'
import { CHILD_LISTS, isStepType } from '../../../shared/contract/steps.ts'
import type { Step, StepType } from '../../../shared/contract/steps.ts'
import { describeSchedule } from './describe-schedule.ts'

interface StepTypeFace {
  readonly label: string
  readonly icon: LucideIcon
  /** What it is for, in one line. */
  readonly purpose: string
  /** The `ref_id` that a new one gets. */
  readonly refId: string
  /** What a new one is configured with; what is required is left out, so that saving says what is missing. */
  readonly config: Readonly<Record<string, unknown>>
  /** What it does as configured, for its row in the list. */
  readonly summary: (config: Readonly<Record<string, unknown>>) => string
}

/** How each step type looks and begins; a type added to the contract does not compile until it is here. */
export const STEP_FACES: { readonly [T in StepType]: StepTypeFace } = {
  webhook: {
    label: 'Webhook',
    icon: Webhook,
    purpose: 'Starts the flow by an HTTP request and answers it',
    refId: 'web1',
    config: {},
    summary: (config) =>
      config.async === true
        ? 'answers at once, runs after'
        : `answers ${text(config.response_status_code, '200')}`,
  },
  schedule: {
    label: 'Schedule',
    icon: CalendarClock,
    purpose: 'Starts the flow at its times',
    refId: 'schedule',
    config: { interval: 'daily', at: '09:00' },
    summary: describeSchedule,
  },
  connector_action: {
    label: 'Connector action',
    icon: Cable,
    purpose: 'Calls an API that a connector describes; reads all pages where it can',
    refId: 'action',
    config: {},
    summary: (config) => text(config.action, 'choose an action'),
  },
  rest: {
    label: 'HTTP request',
    icon: Globe,
    purpose: 'Sends a request to any address',
    refId: 'rest',
    config: { method: 'GET' },
    summary: (config) => `${text(config.method, 'GET')} ${text(config.url, 'no address yet')}`,
  },
  condition: {
    label: 'Condition',
    icon: GitBranch,
    purpose: 'Runs one list of steps or the other',
    refId: 'check',
    config: {},
    summary: (config) =>
      config.comparison === undefined
        ? text(config.when, 'no condition yet')
        : `${text(config.a, '…')} ${text(config.comparison, '').replaceAll('_', ' ')} ${text(config.b, '…')}`,
  },
  loop: {
    label: 'Loop',
    icon: Repeat,
    purpose: 'Runs its steps for each entry of a list',
    refId: 'loop1',
    config: {},
    summary: (config) => `over ${text(config.over, '…')}`,
  },
  set: {
    label: 'Set values',
    icon: Equal,
    purpose: 'Puts values together under names',
    refId: 'values',
    config: { values: {} },
    summary: (config) =>
      typeof config.values === 'string'
        ? config.values
        : Object.keys(config.values ?? {}).join(', ') || 'no values yet',
  },
  delay: {
    label: 'Delay',
    icon: Timer,
    purpose: 'Waits for some seconds or until a time',
    refId: 'wait',
    config: { seconds: 1 },
    summary: (config) =>
      config.until === undefined ? `${text(config.seconds, '…')} s` : `until ${text(config.until, '…')}`,
  },
  respond: {
    label: 'Respond',
    icon: Reply,
    purpose: 'Answers the waiting caller now; the flow goes on',
    refId: 'respond',
    config: {},
    summary: (config) => `answers ${text(config.status_code, '200')}`,
  },
  stop: {
    label: 'Stop',
    icon: CircleStop,
    purpose: 'Ends the run here, well or with an error',
    refId: 'stop',
    config: { status: 'success' },
    summary: (config) =>
      config.status === 'error' ? `error: ${text(config.message, '')}` : text(config.message, 'success'),
  },
}

const UNKNOWN: StepTypeFace = {
  label: 'Unknown step',
  icon: HelpCircle,
  purpose: 'This version does not know this type; a run fails here',
  refId: 'step',
  config: {},
  summary: () => 'this version does not know it',
}

export function faceOf(type: string): StepTypeFace {
  return isStepType(type) ? STEP_FACES[type] : { ...UNKNOWN, label: type }
}

/** The child lists that a step of this type has, whether or not it has steps in them yet. */
export function listsOf(step: Pick<Step, 'type'>): readonly string[] {
  return isStepType(step.type) ? CHILD_LISTS[step.type] : []
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
    ...Object.fromEntries(CHILD_LISTS[type].map((list) => [list, []])),
  }
}

function text(value: unknown, fallback: string): string {
  if (value === undefined || value === null || value === '') return fallback
  return typeof value === 'string' ? value : JSON.stringify(value)
}
