/** Millrace's port, which can be changed while Millrace runs. */
import { say, type Said } from '../../../../shared/contract/base/message.ts'
import { AppError, fieldErrors } from '../../../../shared/contract/base/errors.ts'
import type { Listening } from '../../../../shared/contract/reach/port.ts'

/** The host's URL, and where it saves the chosen port. */
export interface PortHost {
  readonly isGiven: boolean
  readonly saved: () => number | null
  /** @throws the system's error */
  readonly save: (port: number) => void
  /** @throws the system's error, `EADDRINUSE` or `EACCES` */
  readonly move: (port: number) => Promise<void>
}

export interface PortOptions {
  readonly url: () => string
  /** Absent if the host can't change its port. */
  readonly port?: PortHost | undefined
}

export function createPortService({ url, port: host }: PortOptions) {
  const read = (): Listening => ({
    port: Number(new URL(url()).port),
    url: url(),
    saved: host?.saved() ?? null,
    is_given: host?.isGiven ?? true,
  })
  return {
    read,
    /** @throws AppError `validation` if the port isn't available, `conflict` if it can't be saved */
    async change(port: number): Promise<Listening> {
      if (host === undefined) throw new AppError('conflict', say('The port is fixed by --port'))
      try {
        await host.move(port)
      } catch (cause) {
        throw fieldErrors({ port: [whyNot(port, (cause as NodeJS.ErrnoException).code)] })
      }
      try {
        host.save(port)
      } catch (cause) {
        const code = (cause as NodeJS.ErrnoException).code ?? (cause as Error).message
        throw new AppError(
          'conflict',
          say("Listening on {{port}}, but the setting couldn't be saved: {{code}}", { port, code }),
          {
            cause,
          },
        )
      }
      return read()
    },
  }
}

function whyNot(port: number, code: string | undefined): Said {
  if (code === 'EADDRINUSE') return say('{{port}} is in use by another program; choose another one', { port })
  if (code === 'EACCES') {
    return process.platform === 'win32'
      ? say(
          '{{port}} is reserved by Windows, often with a hundred ports next to it; choose one further away',
          { port },
        )
      : say("{{port}} can't be opened by this user; choose one above 1023", { port })
  }
  return say("{{port}} can't be opened ({{code}})", { port, code: code ?? say('no reason given') })
}
