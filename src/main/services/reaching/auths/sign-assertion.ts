/** The signed claims of a service account: a JWT (RFC 7519) for RFC 7523. */
import { constants, createPrivateKey, type KeyObject, randomUUID, sign } from 'node:crypto'
import { say } from '../../../../shared/contract/base/message.ts'
import { AppError } from '../../../../shared/contract/base/errors.ts'
import type { Assertion } from './oauth-config.ts'

/**
 * Within the limits of Google (an hour) and GitHub (ten minutes). It starts a minute before now, because clocks differ.
 */
const LIFE_SECONDS = 300
const BEFORE_SECONDS = 60

/** @throws AppError `conflict` if the key can't be read or is of another kind than the algorithm */
export function signAssertion(
  { issuer, subject, audience, keyId, privateKey, algorithm }: Assertion,
  { scope, now }: { readonly scope: string; readonly now: number },
): string {
  const seconds = Math.floor(now / 1000)
  const header = { alg: algorithm, typ: 'JWT', ...(keyId === '' ? {} : { kid: keyId }) }
  const claims = {
    iss: issuer,
    ...(subject === '' ? {} : { sub: subject }),
    aud: audience,
    ...(scope === '' ? {} : { scope }),
    iat: seconds - BEFORE_SECONDS,
    exp: seconds + LIFE_SECONDS,
    jti: randomUUID(),
  }
  const content = [header, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.')
  try {
    const key = createPrivateKey(privateKey)
    return `${content}.${signatureOf(content, algorithm, key).toString('base64url')}`
  } catch (error) {
    throw new AppError(
      'conflict',
      say("The private_key of the connector auth can't sign with {{algorithm}}: {{reason}}", {
        algorithm,
        reason: error instanceof Error ? error.message : String(error),
      }),
      { cause: error },
    )
  }
}

function signatureOf(content: string, algorithm: string, key: KeyObject): Buffer {
  const data = Buffer.from(content)
  if (algorithm === 'EdDSA') return sign(null, data, key)
  const hash = `sha${algorithm.slice(2)}`
  if (algorithm.startsWith('ES')) return sign(hash, data, { key, dsaEncoding: 'ieee-p1363' })
  if (algorithm.startsWith('PS'))
    return sign(hash, data, {
      key,
      padding: constants.RSA_PKCS1_PSS_PADDING,
      saltLength: constants.RSA_PSS_SALTLEN_DIGEST,
    })
  return sign(hash, data, key)
}
