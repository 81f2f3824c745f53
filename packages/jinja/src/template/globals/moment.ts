import { GlobalFunction } from '../calls/call.ts'
import { operation } from '../calls/operation.ts'
import { shownAs } from '../filters/date.ts'
import { current, randomUuid } from '../base/limits.ts'

/** A function that is called when its name is read: `{{ now }}`. */
export class AutoCalledFunction extends GlobalFunction {}

/** Globals that depend on time or randomness. */
export const AUTO_CALLED_GLOBALS: readonly AutoCalledFunction[] = [
  new AutoCalledFunction(
    operation<null, ReturnType<typeof shownAs>>(
      'now',
      "format='iso', timezone='UTC', add=none",
      'The current time; the same throughout a render.',
      (_subject, [format, timezone, add]) => shownAs(momentOfRender(), format, add, timezone),
    ),
  ),
  new AutoCalledFunction(operation('uuid', '', 'A new UUID.', () => randomUuid())),
]

function momentOfRender(): number {
  current.moment ??= current.environment.now().getTime()
  return current.moment
}
