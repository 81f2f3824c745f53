import {
  CircleStop,
  GitBranch,
  MessageCircleQuestionMark,
  RefreshCw,
  Repeat,
  Reply,
  Split,
  Timer,
} from '../../../lib/icons.tsx'
import { english, t } from '../../../lib/i18n.ts'
import { shown } from './face.ts'
import type { StepFace } from './face.ts'

/** Steps that decide what runs, how often and when. */
export const CONTROL_FACES = {
  condition: {
    label: english('Condition'),
    icon: GitBranch,
    group: 'control',
    purpose: english('Runs different steps depending on a condition'),
    words: english('if else when branch decide'),
    refId: 'check',
    config: {},
    sample: { config: { a: '{{ web1.total }}', comparison: 'greater', b: 100 } },
    summary: (config) =>
      config.comparison === undefined
        ? shown(config.when, t('no condition yet'))
        : `${shown(config.a, '…')} ${shown(config.comparison, '').replaceAll('_', ' ')} ${shown(config.b, '…')}`,
  },
  loop: {
    label: english('Loop'),
    icon: Repeat,
    group: 'control',
    purpose: english('Repeats steps for each item in a list'),
    words: english('for each every item iterate repeat'),
    refId: 'loop1',
    config: {},
    sample: { config: { over: '{{ web1.lines }}', collect: '{{ item.price }}' } },
    summary: (config) => t('list: {{list}}', { list: shown(config.over, '…') }),
  },
  delay: {
    label: english('Delay'),
    icon: Timer,
    group: 'control',
    purpose: english('Waits for a number of seconds or until a point in time'),
    words: english('wait sleep pause until later'),
    refId: 'wait',
    config: { seconds: 1 },
    sample: { config: { seconds: 30 } },
    summary: (config) =>
      config.until === undefined
        ? `${shown(config.seconds, '…')} s`
        : t('until {{moment}}', { moment: shown(config.until, '…') }),
  },
  respond: {
    label: english('Respond'),
    icon: Reply,
    group: 'control',
    purpose: english('Responds to the waiting caller now. The flow continues'),
    words: english('response answer reply return'),
    refId: 'respond',
    config: {},
    sample: { config: { status_code: 202, body: '{"accepted": true}' } },
    summary: (config) => t('responds with {{status}}', { status: shown(config.status_code, '200') }),
  },
  stop: {
    label: english('Stop'),
    icon: CircleStop,
    group: 'control',
    purpose: english('Ends the run with success or an error'),
    words: english('end exit fail abort'),
    refId: 'stop',
    config: { status: 'success' },
    sample: { config: { status: 'error', message: 'There is nothing to do' } },
    summary: (config) =>
      config.status === 'error'
        ? t('error: {{message}}', { message: shown(config.message, '') })
        : shown(config.message, t('success')),
  },
  switch: {
    label: english('Switch'),
    icon: Split,
    group: 'control',
    purpose: english('Runs the steps of the matching case'),
    words: english('case route if branch'),
    refId: 'switch',
    config: {},
    sample: {
      config: { value: '{{ web1.status }}' },
      cases: [
        { label: 'paid', steps: [] },
        { label: 'cancelled', steps: [] },
      ],
    },
    summary: (config) => t('by {{value}}', { value: shown(config.value, '…') }),
  },
  ask_person: {
    label: english('Ask a person'),
    icon: MessageCircleQuestionMark,
    group: 'control',
    purpose: english('Waits until somebody answers a question on a page'),
    words: english(
      'approve approval confirm wait human decision question reply link email button review sign off',
    ),
    refId: 'approval',
    config: {},
    sample: {
      config: { question: '{{ web1.subject }}', timeout_hours: 48 },
      cases: [
        { label: 'yes', steps: [] },
        { label: 'no', steps: [] },
      ],
    },
    summary: (config) => shown(config.question, t('no question yet')),
  },
  loop_while: {
    label: english('Loop while'),
    icon: RefreshCw,
    group: 'control',
    purpose: english('Repeats steps while a condition is true'),
    words: english('until repeat poll do'),
    refId: 'repeat',
    config: {},
    sample: { config: { when: 'index < 4', max_iterations: 10 } },
    summary: (config) => t('while {{condition}}', { condition: shown(config.when, '…') }),
  },
} as const satisfies Readonly<Record<string, StepFace>>
