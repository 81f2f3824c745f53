import { decodeHTMLStrict } from 'entities'
import { Marked, type Tokens } from 'marked'
import { isSafeUrl } from './safe-url.ts'

/** Renders Markdown as GitHub does, except that HTML in it is shown as text and links can't run code. */
export function markdownToHtml(text: string): string {
  return marked.parse(text, { async: false })
}

const marked = new Marked({
  gfm: true,
  renderer: {
    html: (token) => {
      const text = escapeHtml(token.text.trimEnd())
      return token.block ? `<p>${text}</p>\n` : text
    },
    link({ href: source, title, tokens }: Tokens.Link) {
      const href = decodeHTMLStrict(source)
      const label = this.parser.parseInline(tokens)
      return isSafeUrl(href) ? `<a href="${escapeHtml(href)}"${titleOf(title)}>${label}</a>` : label
    },
    image({ href: source, title, text }: Tokens.Image) {
      const href = decodeHTMLStrict(source)
      const isShown = isSafeUrl(href) && !/^\s*mailto:/i.test(href)
      return isShown
        ? `<img src="${escapeHtml(href)}" alt="${escapeHtml(text)}"${titleOf(title)}>`
        : escapeHtml(text)
    },
  },
})

const titleOf = (title: string | null | undefined) =>
  title ? ` title="${escapeHtml(decodeHTMLStrict(title))}"` : ''

const escapeHtml = (text: string) => text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? '')
const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}
