/** The interface of services that make a public URL lead to a port of this computer. */
import { SpokenError } from '../../../../shared/contract/base/errors.ts'
import { type Said, withHint } from '../../../../shared/contract/base/message.ts'

export interface TunnelProvider {
  /** The header, in lower case, in which it names the caller's IP address; null if it names none. */
  readonly clientHeader: string | null
  /**
   * Keeps the tunnel up until the signal aborts.
   *
   * @throws TunnelProblem if it could not be opened, or was lost
   */
  run(options: TunnelRun): Promise<void>
}

export interface TunnelRun {
  /** The port on 127.0.0.1 that the tunnel leads to. */
  readonly localPort: number
  readonly signal: AbortSignal
  /** Called once requests can arrive. */
  readonly onUrl: (publicUrl: string) => void
}

/** A problem with a tunnel, and advice about it. */
export class TunnelProblem extends SpokenError {
  /** True if retrying is useless until somebody changes something. */
  readonly needsUser: boolean

  constructor(
    said: Said,
    hint: Said,
    { needsUser = false, cause }: { readonly needsUser?: boolean; readonly cause?: unknown } = {},
  ) {
    super(withHint(said, hint), cause)
    this.needsUser = needsUser
  }
}

/** A promise that settles when the signal aborts, or through its own functions. */
export function untilAborted(signal: AbortSignal): PromiseWithResolvers<void> {
  const ended = Promise.withResolvers<void>()
  ended.promise.catch(() => {})
  if (signal.aborted) ended.resolve()
  else signal.addEventListener('abort', () => ended.resolve(), { once: true })
  return ended
}
