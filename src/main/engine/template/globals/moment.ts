import { GlobalFunction } from '../calls/call.ts'
import { operation } from '../calls/operation.ts'
import { shownAs } from '../filters/date.ts'
import { current, randomUuid } from '../base/limits.ts'

/** A function that stands for its result where it is named without being called: `{{ now }}`. */
export class AutoCalledFunction extends GlobalFunction {}

/** What a render takes from the world around it. */
export const AUTO_CALLED_GLOBALS: readonly AutoCalledFunction[] = [
  new AutoCalledFunction(
    operation<null, ReturnType<typeof shownAs>>(
      'now',
      "format='iso', timezone='UTC', add=none",
      'This moment; the same throughout a render.',
      (_subject, [format, timezone, add]) => shownAs(momentOfRender(), format, add, timezone),
    ),
  ),
  new AutoCalledFunction(operation('uuid', '', 'A new UUID.', () => randomUuid())),
]

function momentOfRender(): number {
  current.moment ??= current.environment.now().getTime()
  return current.moment
}
