import { Tooltip } from '@base-ui/react/tooltip'
import { createLink } from '@tanstack/react-router'
import type { AnchorHTMLAttributes, ButtonHTMLAttributes, MouseEvent, ReactNode, Ref } from 'react'
import type { LucideIcon } from '../../lib/icons.tsx'
import { cx } from '../../lib/cx.ts'
import { type Needs, useRefusal } from './needs.ts'

type Look = 'primary' | 'secondary' | 'quiet' | 'danger'

interface LookProps {
  readonly look?: Look
  readonly icon?: LucideIcon
}

interface NeedsProps {
  /** The route it calls. A session that isn't allowed to call it sees the reason instead. */
  readonly needs?: Needs
}

type ButtonProps = ButtonHTMLAttributes<HTMLButtonElement> &
  NeedsProps &
  LookProps & {
    readonly ref?: Ref<HTMLButtonElement>
    /** While the work it started is in progress, the button stays in place, keeps focus and ignores clicks. */
    readonly busy?: boolean
  }

export function Button({ needs, ...props }: ButtonProps) {
  const refusal = useRefusal(needs)
  if (refusal === null) return <PlainButton {...props} />
  return (
    <Tip text={refusal}>
      <PlainButton {...withoutUse(props, refusal)} />
    </Tip>
  )
}

/** Disables a button, but keeps it focusable, so that the reason can be read. */
function withoutUse<P extends ButtonHTMLAttributes<HTMLButtonElement>>(props: P, refusal: string) {
  return {
    ...props,
    disabled: false,
    onClick: keepStill,
    'aria-disabled': true,
    'aria-description': refusal,
    className: cx(props.className, 'opacity-50'),
  }
}

/** Without this, a submit button would still send its form. */
function keepStill(event: MouseEvent<HTMLButtonElement>): void {
  event.preventDefault()
}

function PlainButton({
  look = 'secondary',
  icon,
  busy,
  className,
  children,
  onClick,
  ...rest
}: Omit<ButtonProps, 'needs'>) {
  return (
    <button
      type="button"
      {...rest}
      aria-busy={busy || undefined}
      aria-disabled={busy || rest['aria-disabled']}
      data-look={look}
      onClick={busy ? keepStill : onClick}
      className={cx(buttonClass(look), className)}
    >
      <Content icon={icon}>{children}</Content>
    </button>
  )
}

interface AnchorProps extends AnchorHTMLAttributes<HTMLAnchorElement>, LookProps, NeedsProps {
  readonly ref?: Ref<HTMLAnchorElement>
}

/** A link that looks like a button. */
export const ButtonLink = createLink(function AnchorButton({
  look = 'secondary',
  icon,
  needs,
  className,
  children,
  ...rest
}: AnchorProps) {
  const refusal = useRefusal(needs)
  if (refusal !== null)
    return (
      <Tip text={refusal}>
        <PlainButton
          look={look}
          {...(icon ? { icon } : {})}
          {...withoutUse({ className, children }, refusal)}
        />
      </Tip>
    )
  return (
    <a {...rest} className={cx(buttonClass(look), className)}>
      <Content icon={icon}>{children}</Content>
    </a>
  )
})

type IconButtonProps = Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'children'> &
  NeedsProps & {
    readonly label: string
    readonly icon: LucideIcon
    readonly ref?: Ref<HTMLButtonElement>
    /** Shown after the label: `⌘S`. */
    readonly keys?: string
    readonly small?: boolean
  }

/** An icon without text; its label is the tooltip and accessible name. */
export function IconButton({ label, icon: Icon, keys, small, needs, className, ...rest }: IconButtonProps) {
  const refusal = useRefusal(needs)
  return (
    <Tip text={refusal ?? label} {...(keys === undefined ? {} : { keys })}>
      <button
        type="button"
        {...(refusal === null ? rest : withoutUse(rest, refusal))}
        aria-label={label}
        className={cx(
          'inline-grid shrink-0 place-items-center rounded text-muted hover:bg-hover hover:text-text',
          'disabled:text-faint disabled:opacity-50 disabled:hover:bg-transparent aria-pressed:bg-selected',
          'aria-pressed:text-second data-popup-open:bg-hover',
          small ? 'size-6' : 'size-7',
          refusal === null ? undefined : 'opacity-50',
          className,
        )}
      >
        <Icon size={small ? 14 : 15} aria-hidden />
      </button>
    </Tip>
  )
}

/** Shows a short text next to the child while it is hovered or focused. */
export function Tip({
  text,
  keys,
  children,
}: {
  readonly text: string
  readonly keys?: string
  readonly children: React.ReactElement<Record<string, unknown>>
}) {
  return (
    <Tooltip.Root>
      <Tooltip.Trigger render={children} delay={400} />
      <Tooltip.Portal>
        <Tooltip.Positioner sideOffset={6} className="z-50">
          <Tooltip.Popup className="floating rounded-sm bg-text px-2 py-1 text-sm text-canvas">
            {text}
            {keys === undefined ? null : <kbd className="ml-2 font-sans opacity-70">{keys}</kbd>}
          </Tooltip.Popup>
        </Tooltip.Positioner>
      </Tooltip.Portal>
    </Tooltip.Root>
  )
}

function Content({
  icon: Icon,
  children,
}: {
  readonly icon: LucideIcon | undefined
  readonly children: ReactNode
}) {
  return (
    <>
      {Icon === undefined ? null : <Icon size={14} aria-hidden className="shrink-0" />}
      {children}
    </>
  )
}

const LOOKS: { readonly [L in Look]: string } = {
  primary: 'bg-accent text-on-accent hover:bg-accent-hover',
  secondary: 'border border-line-control/60 bg-surface text-text hover:bg-hover',
  quiet: 'text-muted hover:bg-hover hover:text-text',
  danger: 'bg-error-solid text-on-error hover:opacity-90',
}

function buttonClass(look: Look): string {
  return cx(
    'inline-flex h-7 shrink-0 items-center justify-center gap-1.5 rounded px-2.5 font-medium whitespace-nowrap',
    // The label may wrap to a second line in a window as narrow as at 400 % zoom.
    'max-sm:h-auto max-sm:min-h-7 max-sm:shrink max-sm:whitespace-normal',
    'transition-colors duration-100 select-none disabled:opacity-50 aria-busy:opacity-60',
    LOOKS[look],
  )
}
