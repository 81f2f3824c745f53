import { CircleStop, GitBranch, Repeat, RefreshCw, Reply, Split, Timer } from 'lucide-react'
import { shown } from './face.ts'
import type { StepFace } from './face.ts'

/** Faces of the steps that decide what runs, how often and when. */
export const DECIDE_FACES = {
  condition: {
    label: 'Condition',
    icon: GitBranch,
    group: 'decide',
    purpose: 'Runs one list of steps or the other',
    words: 'if else',
    refId: 'check',
    config: {},
    sample: { config: { a: '{{ web1.total }}', comparison: 'greater', b: 100 } },
    summary: (config) =>
      config.comparison === undefined
        ? shown(config.when, 'no condition yet')
        : `${shown(config.a, '…')} ${shown(config.comparison, '').replaceAll('_', ' ')} ${shown(config.b, '…')}`,
  },
  loop: {
    label: 'Loop',
    icon: Repeat,
    group: 'decide',
    purpose: 'Runs its steps for each entry of a list',
    words: 'for each',
    refId: 'loop1',
    config: {},
    sample: { config: { over: '{{ web1.lines }}', collect: '{{ item.price }}' } },
    summary: (config) => `over ${shown(config.over, '…')}`,
  },
  delay: {
    label: 'Delay',
    icon: Timer,
    group: 'decide',
    purpose: 'Waits for some seconds or until a time',
    words: 'wait sleep',
    refId: 'wait',
    config: { seconds: 1 },
    sample: { config: { seconds: 30 } },
    summary: (config) =>
      config.until === undefined ? `${shown(config.seconds, '…')} s` : `until ${shown(config.until, '…')}`,
  },
  respond: {
    label: 'Respond',
    icon: Reply,
    group: 'decide',
    purpose: 'Answers the waiting caller now; the flow goes on',
    words: 'response answer',
    refId: 'respond',
    config: {},
    sample: { config: { status_code: 202, body: '{"accepted": true}' } },
    summary: (config) => `answers ${shown(config.status_code, '200')}`,
  },
  stop: {
    label: 'Stop',
    icon: CircleStop,
    group: 'decide',
    purpose: 'Ends the run here, well or with an error',
    words: 'end exit fail',
    refId: 'stop',
    config: { status: 'success' },
    sample: { config: { status: 'error', message: 'There is nothing to do' } },
    summary: (config) =>
      config.status === 'error' ? `error: ${shown(config.message, '')}` : shown(config.message, 'success'),
  },
  switch: {
    label: 'Switch',
    icon: Split,
    group: 'decide',
    purpose: 'Runs the steps of the case that a value equals',
    words: 'case route if',
    refId: 'switch',
    config: {},
    sample: {
      config: { value: '{{ web1.status }}' },
      cases: [
        { label: 'paid', steps: [] },
        { label: 'cancelled', steps: [] },
      ],
    },
    summary: (config) => `by ${shown(config.value, '…')}`,
  },
  loop_while: {
    label: 'Loop while',
    icon: RefreshCw,
    group: 'decide',
    purpose: 'Runs its steps, and again as long as a condition holds',
    words: 'until repeat poll do',
    refId: 'repeat',
    config: {},
    sample: { config: { when: 'index < 4', max_iterations: 10 } },
    summary: (config) => `while ${shown(config.when, '…')}`,
  },
} as const satisfies Readonly<Record<string, StepFace>>
