/** Credentials that are made for each request, because they depend on its URL, its body or the time. */
import type { Sign } from '../../ports.ts'
import { signForAws } from './aws.ts'
import { signByTemplate } from './hmac.ts'
import { signWithOAuth1 } from './oauth1.ts'
import type { SigningContext } from './parts.ts'

/**
 * The function that signs requests with this auth; null if its type has no signature, or one that needs a challenge
 * first.
 */
export function signerOf(context: SigningContext): Sign | null {
  switch (context.auth.auth_type) {
    case 'aws_sigv4':
      return (request) => signForAws(request, context)
    case 'oauth1':
      return (request) => signWithOAuth1(request, context)
    case 'hmac':
      return (request) => signByTemplate(request, context)
    default:
      return null
  }
}
