import { readFileSync, statSync } from 'node:fs'
import { extname, join } from 'node:path'
import express, { type RequestHandler, type Response } from 'express'
import { AppError } from '../../../shared/contract/base/errors.ts'
import { say } from '../../../shared/contract/base/message.ts'
import type { SecureRandom } from '../../services/kit/ports.ts'
import { type PreparedAnswer, sendAnswer } from '../answer/send.ts'
import { isApiPath, pathOf } from '../gates/paths.ts'

export interface PageOptions {
  /** The build's output: `index.html`, `assets/` with hashed names, and a few plain files. */
  readonly rendererDir: string
  readonly random: SecureRandom
}

/** Placeholder in the built page for the nonce of each load. */
const NONCE_PLACEHOLDER = '__CSP_NONCE__'

/** Serves the page and its files. Any URL that a browser opens belongs to the page, which has its own routes. */
export function servePage({ rendererDir, random }: PageOptions): RequestHandler {
  const files = express.static(rendererDir, {
    index: false,
    redirect: false,
    dotfiles: 'ignore',
    cacheControl: false,
    setHeaders: setCaching,
  })
  const readPage = createPageReader(join(rendererDir, 'index.html'))
  return (request, response, next) => {
    const path = pathOf(request.url)
    if (isApiPath(path)) return next()
    const readable = request.method === 'GET' || request.method === 'HEAD'
    if (isPageAddress(path, request.headers.accept)) {
      if (!readable) throw onlyReadable(request.method)
      return sendAnswer(request, response, toAnswer(readPage(), random))
    }
    if (!readable) return next()
    const compressed = compressedFile(rendererDir, path, request.headers['accept-encoding'])
    if (isCompressed(path)) response.setHeader('Vary', 'Accept-Encoding')
    if (compressed !== null) {
      response.type(extname(path)).setHeader('Content-Encoding', 'gzip')
      request.url = compressed
    }
    files(request, response, next)
  }
}

function isPageAddress(path: string, accept: string | undefined): boolean {
  if (path === '/' || path === '/index.html') return true
  const isFile = /\.[a-z0-9]+$/i.test(path)
  return !isFile && accept !== undefined && accept.includes('text/html')
}

function onlyReadable(method: string): AppError {
  return new AppError(
    'method_not_allowed',
    say("{{method}} isn't supported at this URL; use GET or HEAD", { method }),
    {
      headers: { Allow: 'GET, HEAD' },
    },
  )
}

/** Reads the page again after a new build, whose scripts have different names. */
function createPageReader(file: string): () => string {
  let read: { readonly changedAt: number; readonly html: string } | null = null
  return () => {
    const changedAt = statSync(file, { throwIfNoEntry: false })?.mtimeMs
    if (changedAt === undefined) return NOT_BUILT_PAGE
    if (read?.changedAt !== changedAt) read = { changedAt, html: readFileSync(file, 'utf8') }
    return read.html
  }
}

function toAnswer(html: string, random: SecureRandom): PreparedAnswer {
  const nonce = Buffer.from(random.bytes(16)).toString('base64')
  const headers = {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': pagePolicy(nonce),
    'cross-origin-opener-policy': 'same-origin',
    'cache-control': 'no-store',
  }
  return { status: 200, headers, body: html.replaceAll(NONCE_PLACEHOLDER, nonce) }
}

/** Allows scripts, images and requests only from and to this server; the nonce lets the editor insert its styles. */
function pagePolicy(nonce: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ')
}

/** A file with a hash in its name never changes; the few others are revalidated. */
function setCaching(response: Response, path: string): void {
  const hashed = /[/\\]assets[/\\]/.test(path)
  response.setHeader('Cache-Control', hashed ? 'public, max-age=31536000, immutable' : 'no-cache')
}

/** Shown if the built page is missing. The API works anyway. */
const NOT_BUILT_PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>Millrace</title>
    <style nonce="__CSP_NONCE__">
      :root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
      body { max-width: 36rem; margin: 15vh auto; padding: 0 1.5rem; }
    </style>
  </head>
  <body>
    <h1>Millrace is running, but the app isn’t built</h1>
    <p>Run <code>npm run build</code> in the project's folder and load this page again.</p>
    <p>The API answers meanwhile: <a href="/v1/meta">/v1/meta</a> says which version it is.</p>
  </body>
</html>
`

/** Files compressed by the build; no other path may reach the disk from here. */
const COMPRESSED = /^\/assets\/[\w~-][\w.~-]*\.(?:js|css)$/

function isCompressed(path: string): boolean {
  return COMPRESSED.test(path)
}

/** The URL path of a file's gzip version, if there is one and the client accepts it; null for the file itself. */
function compressedFile(folder: string, path: string, acceptEncoding: string | undefined): string | null {
  if (acceptEncoding === undefined || !isCompressed(path) || !accepts(acceptEncoding, 'gzip')) return null
  return statSync(join(folder, `${path}.gz`), { throwIfNoEntry: false }) ? `${path}.gz` : null
}

/** `gzip;q=0, br` accepts only br. */
function accepts(header: string, encoding: string): boolean {
  return header.split(',').some((part) => {
    const [name = '', weight] = part.toLowerCase().split(/;\s*q=/)
    return name.trim() === encoding && Number(weight ?? 1) > 0
  })
}
