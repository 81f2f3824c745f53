/** Sends with credentials that a plain header can't hold: signatures, Digest authentication and client certificates. */
import { createSecureContext } from 'node:tls'
import { say } from '../../../../shared/contract/base/message.ts'
import { type DigestChallenges, withDigest } from '../../../engine/connector/signing/digest.ts'
import { signerOf } from '../../../engine/connector/signing/index.ts'
import { asPem, inputOf, type SigningContext } from '../../../engine/connector/signing/parts.ts'
import type { OpenAuth } from '../../../engine/connector/open-auth.ts'
import type { ClientCertificate, Identity, SendRequest } from '../../../engine/ports.ts'
import { RequestError } from '../../../engine/request/request-error.ts'

export interface IdentitiesOptions {
  readonly clock: SigningContext['clock']
  readonly connectorOf: (id: string) => ReturnType<SigningContext['connector']>
}

export function createIdentities({ clock, connectorOf }: IdentitiesOptions) {
  const challenges: DigestChallenges = new Map()
  const certificates = new Map<string, { readonly text: string; readonly certificate: ClientCertificate }>()

  /** Returns the same object until the auth changes, because connections are tied to the object. */
  function certificateOf(auth: OpenAuth): ClientCertificate {
    const text = FIELDS.map((key) => inputOf(auth, key)).join('\n')
    const known = certificates.get(auth.id)
    if (known?.text === text) return known.certificate
    const certificate = readCertificate(auth)
    certificates.set(auth.id, { text, certificate })
    return certificate
  }

  return {
    /** @throws RequestError on sending, if the auth lacks something or its certificate can't be read */
    senderFor(auth: OpenAuth, send: SendRequest): SendRequest {
      if (auth.auth_type === 'digest') return withDigest(send, auth, challenges)
      if (auth.auth_type === 'client_certificate')
        return withIdentity(send, () => ({ certificate: certificateOf(auth) }))
      const sign = signerOf({ auth, clock, connector: () => connectorOf(auth.connector_id) })
      return sign === null ? send : withIdentity(send, () => ({ sign }))
    },
  }
}

function withIdentity(send: SendRequest, identity: () => Identity): SendRequest {
  return async (request, options) => send(request, { ...options, identity: identity() })
}

const FIELDS = ['certificate', 'private_key', 'pfx', 'passphrase', 'ca'] as const

/** @throws RequestError naming what is missing or can't be read */
function readCertificate(auth: OpenAuth): ClientCertificate {
  const [cert = '', key = '', pfx = '', passphrase = '', ca = ''] = FIELDS.map((name) =>
    inputOf(auth, name),
  ).map(asPem)
  if (pfx === '' && (cert === '' || key === ''))
    throw refused(
      say(
        'The connector auth {{id}} needs a certificate: "certificate" and "private_key" as PEM, or "pfx", a PKCS #12 file in base64',
        { id: auth.id },
      ),
    )
  const certificate: ClientCertificate = {
    ...(pfx === '' ? { cert, key } : { pfx: Buffer.from(pfx, 'base64') }),
    ...(passphrase === '' ? {} : { passphrase }),
    ...(ca === '' ? {} : { ca }),
  }
  try {
    createSecureContext({ ...certificate, pfx: certificate.pfx && Buffer.from(certificate.pfx) })
  } catch (error) {
    throw refused(
      say("The client certificate of the connector auth {{id}} can't be read: {{reason}}", {
        id: auth.id,
        reason: reasonOf(error),
      }),
      error,
    )
  }
  return certificate
}

const REASONS = [
  [
    /mac verify failure|bad decrypt|bad password|interrupted or cancelled/i,
    say('its passphrase is missing or wrong'),
  ],
  [/key values mismatch/i, say('the private key belongs to another certificate')],
  [/unsupported/i, say('it uses a cipher that is no longer supported; export it again with AES')],
  [
    /no start line|bad end line|not enough data|wrong tag|header too long/i,
    say("it isn't PEM, or base64 of PKCS #12"),
  ],
] as const

function reasonOf(error: unknown) {
  const text = error instanceof Error ? error.message : String(error)
  return REASONS.find(([pattern]) => pattern.test(text))?.[1] ?? text
}

const refused = (sentence: ReturnType<typeof say>, cause?: unknown) =>
  new RequestError('http_error', sentence, { delivered: false, cause })
