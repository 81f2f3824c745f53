import { englishOf, say, type Said } from '../../../../shared/contract/base/message.ts'
import { AppError } from '../../../../shared/contract/base/errors.ts'

interface UnusableServer {
  /** The server in words, such as `the mail server mail.example.com`. */
  readonly server: Said
  readonly port: number
  /** The error message of the server or the library, for reasons that have no message here. */
  readonly said: Said
  /** Advice about a certificate that isn't trusted. */
  readonly aboutCertificates: Said
}

/** The reason why a server that isn't reached by HTTP can't be used, with advice. */
export function serverUnusable(
  error: Error,
  { server, port, said, aboutCertificates }: UnusableServer,
): AppError {
  const message = isAboutCertificate(error)
    ? say("The certificate of {{server}} isn't trusted: {{reason}}; {{advice}}", {
        server,
        reason: englishOf(said).split(';', 1)[0] ?? '',
        advice: aboutCertificates,
      })
    : say("Can't use {{server}}:{{port}}: {{rest}}", {
        server,
        port,
        rest: REASONS[codeOf(error)] ?? said,
      })
  return new AppError('unavailable', message, { cause: error })
}

const UNREACHABLE = say("the host can't be reached from this network; check its name and your network")

const REASONS: Readonly<Record<string, Said>> = {
  ECONNREFUSED: say(
    'the connection was refused; check the port, and that the server is running and accepts connections from this computer',
  ),
  ECONNRESET: say('the server closed the connection; check the port and the scheme of the URL'),
  EHOSTUNREACH: UNREACHABLE,
  ENETUNREACH: UNREACHABLE,
  ETIMEDOUT: say(
    "it didn't respond in time; check the host and the port, and whether a firewall is in between",
  ),
  ERR_SSL_WRONG_VERSION_NUMBER: say(
    "it doesn't speak TLS on this port; check the port and the scheme of the URL",
  ),
}

/** Checks the codes of OpenSSL and Node.js, and the message too, because some libraries replace the code. */
function isAboutCertificate(error: Error): boolean {
  return (
    /CERT|UNABLE_TO_VERIFY/.test(codeOf(error)) ||
    /self-signed certificate|unable to (?:verify|get)|certificate has expired|certificate's altnames/.test(
      error.message,
    )
  )
}

const codeOf = ({ code, message }: NodeJS.ErrnoException) =>
  /wrong version number/.test(message) ? 'ERR_SSL_WRONG_VERSION_NUMBER' : (code ?? '')
