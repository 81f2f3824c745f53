/** Marks a step before which runs stop. */
export function BreakpointDot() {
  return <span aria-hidden data-breakpoint className="size-2.5 shrink-0 rounded-full bg-error" />
}
