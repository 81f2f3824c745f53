import { createHash } from 'node:crypto'
import type { Language } from './words.ts'

/** HTML that is safe to send: everything in it that came from elsewhere is escaped. Only `markup` creates it. */
class Html {
  readonly source: string

  constructor(source: string) {
    this.source = source
  }
}
export type { Html }

type Inserted = string | number | Html | readonly Html[] | null

/** Tags a template literal as HTML. Inserts text escaped, and HTML unchanged. */
export function markup(parts: TemplateStringsArray, ...values: readonly Inserted[]): Html {
  return new Html(parts.map((part, at) => part + insert(values[at])).join(''))
}

function insert(value: Inserted | undefined): string {
  if (value === undefined || value === null) return ''
  if (value instanceof Html) return value.source
  if (typeof value === 'object') return value.map(({ source }) => source).join('')
  return String(value).replaceAll(/[&<>"'`]/g, (character) => `&#${character.charCodeAt(0)};`)
}

export interface Page {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/**
 * A complete page without scripts or links to other files. It loads nothing, and can't be embedded.
 *
 * @param forms where forms can be sent; after a redirect, browsers check the next URL too
 */
export function page(
  { status, title, language, forms = 'self', logo = null }: PageHead,
  content: Html,
  headers: Page['headers'] = {},
): Page {
  const document = markup`<html lang="${language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex"><meta name="color-scheme" content="light dark"><title>${title}</title>${STYLE}</head><body><main>${logo && markup`<img class="logo" src="data:${logo.contentType};base64,${logo.base64}" alt="${logo.alt}">`}${content}</main></body></html>`
  return {
    status,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': policyOf(forms, logo !== null),
      ...headers,
    },
    body: `<!doctype html>${document.source}`,
  }
}

export interface PageHead {
  readonly status: number
  readonly title: string
  readonly language: Language
  readonly forms?: 'self' | 'anywhere'
  readonly logo?: Logo | null
}

/** An image in the page itself, so that the page still loads nothing. */
export interface Logo {
  readonly contentType: string
  readonly base64: string
  readonly alt: string
}

/** The sandbox gives the page no origin, so that it never shares one with the app. */
function policyOf(forms: 'self' | 'anywhere', hasLogo: boolean): string {
  const targets = forms === 'self' ? "'self'" : "'self' https: http:"
  return `sandbox allow-forms; default-src 'none'; style-src '${STYLE_HASH}';${hasLogo ? ' img-src data:;' : ''} form-action ${targets}; base-uri 'none'; frame-ancestors 'none'`
}

/**
 * The colors of the app (`renderer/styles/tokens.css`), and its font where it is installed, because nothing
 * is loaded.
 */
const CSS = `
:root{--page:#f6f8fa;--card:#fff;--text:#101a26;--soft:#455466;--edge:#dfe5eb;--line:#7d8b9c;--hover:#eef2f5;--accent:#0f766e;--press:#0b5f59;--on:#fff;--bad:#b3201f;--bad-soft:#fdeceb}
@media(prefers-color-scheme:dark){:root{--page:#0c121a;--card:#111923;--text:#e4eaf1;--soft:#a6b4c3;--edge:#22303d;--line:#617385;--hover:#192430;--accent:#2dd4bf;--press:#5eead4;--on:#04211e;--bad:#fb8585;--bad-soft:#351a1d}}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--text);font:16px/1.5 Inter,'Inter Variable',system-ui,sans-serif;overflow-wrap:anywhere}
main{max-width:38rem;margin:0 auto;padding:2rem 1.25rem;background:var(--card);border-top:4px solid var(--accent);min-height:100vh}
@media(min-width:44rem){main{margin:3.5rem auto;padding:2.5rem;border:1px solid var(--edge);border-top:4px solid var(--accent);border-radius:.625rem;min-height:0}}
.logo{display:block;max-width:12rem;max-height:4rem;margin:0 0 1.5rem}
h1{font-size:1.5rem;line-height:1.25;letter-spacing:-.01em;margin:0 0 .75rem}
p{margin:0 0 1rem;white-space:pre-line}
h1+p{color:var(--soft);margin-bottom:1.75rem}
.field{margin:0 0 1.25rem}
label,legend{display:block;font-weight:600;padding:0}
.check label{display:flex;gap:.6rem;align-items:flex-start}
.soft{color:var(--soft);font-weight:400;font-size:.9rem}
.bad{color:var(--bad);margin:.25rem 0 0}
.alert a{color:inherit}
h1~.alert{margin:0 0 1.25rem;border-left:4px solid var(--bad);border-radius:.375rem;background:var(--bad-soft);color:var(--bad);padding:.6rem .8rem}
input,select,textarea{width:100%;min-height:2.75rem;margin-top:.35rem;padding:.5rem .7rem;font:inherit;color:inherit;background:var(--card);border:1px solid var(--line);border-radius:.375rem}
:is(input,select,textarea):hover{border-color:var(--accent)}
input[type=checkbox]{width:1.25rem;height:1.25rem;min-height:0;margin:.15rem 0 0;padding:0;flex:none;appearance:none;display:grid;place-content:center}
input[type=checkbox]::before{content:'';width:.8rem;height:.8rem;background:var(--on);clip-path:polygon(13% 45%,0 58%,38% 96%,100% 24%,87% 12%,37% 69%);visibility:hidden}
input[type=checkbox]:checked{background:var(--accent);border-color:var(--accent)}
input[type=checkbox]:checked::before{visibility:visible}
@media(forced-colors:active){input[type=checkbox]{appearance:auto}input[type=checkbox]::before{display:none}}
input[type=file]{padding:.3rem}
::file-selector-button{margin-right:.75rem;padding:.35rem .8rem;font:inherit;font-weight:600;color:var(--text);background:var(--hover);border:1px solid var(--line);border-radius:.25rem;cursor:pointer}
[aria-invalid=true]{border:2px solid var(--bad)}
:focus-visible{outline:3px solid var(--accent);outline-offset:2px}
.buttons{display:flex;flex-wrap:wrap;gap:.75rem;margin:1.75rem 0 0}
button{min-height:2.75rem;padding:.5rem 1.4rem;font:inherit;font-weight:600;color:var(--on);background:var(--accent);border:1px solid var(--accent);border-radius:.375rem;cursor:pointer}
button:hover{background:var(--press)}
button+button{color:var(--text);background:var(--card);border-color:var(--line)}
button+button:hover{background:var(--hover)}
.apart{position:absolute;left:-9999px;width:1px;height:1px;overflow:hidden}
`
const STYLE_HASH = `sha256-${createHash('sha256').update(CSS).digest('base64')}`
/** Must contain exactly the characters that the hash covers. */
const STYLE = new Html(`<style>${CSS}</style>`)
