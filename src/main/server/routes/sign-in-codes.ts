import { createSignInCodeRoute, exchangeSignInCodeRoute } from '../../../shared/contract/page-sessions.ts'
import type { Services } from '../../services/index.ts'
import type { App } from '../mount/app.ts'
import { mountRoute } from '../mount/mount-route.ts'

export function mountSignInCodes(app: App, { signInCodes }: Pick<Services, 'signInCodes'>): void {
  mountRoute(app, createSignInCodeRoute, () => signInCodes.create())
  mountRoute(app, exchangeSignInCodeRoute, ({ body }) => signInCodes.exchange(body.code))
}
