import {
  Ban,
  CircleCheck,
  CircleDashed,
  CirclePause,
  CircleSlash,
  CircleX,
  Clock3,
  KeyRound,
  LoaderCircle,
  MessageCircleQuestionMark,
  PencilLine,
  Radio,
  RotateCw,
  TimerOff,
  TriangleAlert,
} from '../../lib/icons.tsx'
import type { LucideIcon } from '../../lib/icons.tsx'
import { cx } from '../../lib/cx.ts'
import { english, t } from '../../lib/i18n.ts'
import type { English } from '../../lib/i18n.ts'

/** Every state of an object in the page, with its word, icon and color. A state is never shown by color alone. */
const STATES = {
  success: [english('Success'), CircleCheck, 'text-success', 'bg-success-soft'],
  in_doubt: [english('In doubt'), TriangleAlert, 'text-retrying', 'bg-retrying-soft'],
  error: [english('Error'), CircleX, 'text-error', 'bg-error-soft'],
  running: [english('Running'), LoaderCircle, 'text-running', 'bg-running-soft'],
  waiting: [english('Waiting for an answer'), MessageCircleQuestionMark, 'text-retrying', 'bg-retrying-soft'],
  stopped: [english('Stopped at a breakpoint'), CirclePause, 'text-paused', 'bg-paused-soft'],
  retrying: [english('Retrying'), RotateCw, 'text-retrying', 'bg-retrying-soft'],
  queued: [english('Queued'), Clock3, 'text-queued', 'bg-queued-soft'],
  cancelled: [english('Cancelled'), Ban, 'text-queued', 'bg-queued-soft'],
  skipped: [english('Skipped'), CircleSlash, 'text-queued', 'bg-queued-soft'],
  unknown: [english('Not run'), CircleDashed, 'text-queued', 'bg-queued-soft'],
  draft: [english('Draft'), PencilLine, 'text-queued', 'bg-queued-soft'],
  active: [english('Active'), Radio, 'text-success', 'bg-success-soft'],
  paused: [english('Paused'), CirclePause, 'text-paused', 'bg-paused-soft'],
  ok: [english('Ready'), CircleCheck, 'text-success', 'bg-success-soft'],
  works: [english('Works'), CircleCheck, 'text-success', 'bg-success-soft'],
  rejected: [english('Rejected'), CircleX, 'text-error', 'bg-error-soft'],
  test_failed: [english('Test failed'), TriangleAlert, 'text-retrying', 'bg-retrying-soft'],
  untested: [english('Never used'), CircleDashed, 'text-queued', 'bg-queued-soft'],
  expired: [english('Expired'), TimerOff, 'text-error', 'bg-error-soft'],
  ending: [english('Expires soon'), Clock3, 'text-retrying', 'bg-retrying-soft'],
  needs_reentry: [english('Re-enter secret'), KeyRound, 'text-retrying', 'bg-retrying-soft'],
  needs_authorization: [english('Sign-in required'), KeyRound, 'text-retrying', 'bg-retrying-soft'],
} as const satisfies Record<string, readonly [English, LucideIcon, string, string]>

export type State = keyof typeof STATES

export function StatusBadge({ state, label }: { readonly state: State; readonly label?: string }) {
  const [word, , text, ground] = STATES[state]
  return (
    <span
      className={cx(
        'inline-flex h-5 max-w-full items-center gap-1 rounded-full pr-2 pl-1.5 text-sm font-medium whitespace-nowrap',
        text,
        ground,
      )}
    >
      <StatusIcon state={state} silent />
      <span className="truncate">{label ?? t(word)}</span>
    </span>
  )
}

/** Shows only the icon, with an accessible name unless the word is next to it. */
export function StatusIcon({
  state,
  silent,
  size = 13,
}: {
  readonly state: State
  readonly silent?: boolean
  readonly size?: number
}) {
  const [word, Icon, text] = STATES[state]
  const turning = state === 'running' && 'animate-spin [animation-duration:1.6s]'
  return (
    <Icon
      size={size}
      strokeWidth={2.2}
      className={cx('shrink-0', text, turning)}
      {...(silent ? { 'aria-hidden': true } : { role: 'img', 'aria-label': t(word) })}
    />
  )
}

export function stateWord(state: State): string {
  return t(STATES[state][0])
}
