import { say } from '../../../shared/contract/base/message.ts'
import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { OAUTH_CALLBACK_PATH } from '../../../shared/contract/connector-auths.ts'
import { AppError } from '../../../shared/contract/base/errors.ts'
import type { OAuthService, SignInOutcome } from '../../services/reaching/auths/oauth.ts'
import { type PreparedAnswer, sendAnswer } from '../answer/send.ts'
import type { App } from '../mount/app.ts'
import { mountAt } from '../mount/mount-route.ts'

/**
 * Mounts the callback to which authorization servers redirect the browser. It needs no authentication, because the
 * one-time `state` identifies the sign-in.
 */
export function mountOAuthCallback(app: App, { oauth }: { readonly oauth: OAuthService }): void {
  mountAt(app, { method: 'GET', path: `${OAUTH_CALLBACK_PATH}/:connector` }, async (request, response) => {
    if (request.method === 'HEAD' || isPrefetch(request)) {
      throw new AppError(
        'forbidden',
        say('A sign-in is completed by the browser opening this URL, not by HEAD'),
      )
    }
    const { searchParams } = new URL(request.url, 'http://callback')
    const { connector = '' } = request.params as { connector?: string }
    sendAnswer(request, response, toPage(await oauth.finish(connector, searchParams)))
  })
}

/** A prefetching browser would use up the state. */
function isPrefetch({ headers }: IncomingMessage): boolean {
  return [headers['sec-purpose'], headers['purpose']].flat().some((purpose) => purpose?.includes('prefetch'))
}

function toPage({ ok, title, message }: SignInOutcome): PreparedAnswer {
  const body = PAGE.replaceAll('TITLE', () => escapeHtml(title)).replace('MESSAGE', () => escapeHtml(message))
  const headers = {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'`,
  }
  return { status: ok ? 200 : 400, headers, body }
}

function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}

const STYLE =
  ':root{color-scheme:light dark;font:16px/1.5 system-ui,sans-serif}body{max-width:36rem;margin:15vh auto;padding:0 1.5rem}'
const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64')

const PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>TITLE – Millrace</title>
    <style>${STYLE}</style>
  </head>
  <body>
    <main>
      <h1>TITLE</h1>
      <p>MESSAGE</p>
      <p>You can close this window and go back to Millrace.</p>
    </main>
  </body>
</html>
`
