/** The documentation site: the pages of `docs`, with a menu made from the lists in `docs/README.md`. */
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, posix, relative, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { defineConfig, type DefaultTheme } from 'vitepress'

const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), '../../..')
const DOCS = join(ROOT, 'docs')
const ICON = `data:image/svg+xml,${encodeURIComponent(readFileSync(join(ROOT, 'src/renderer/public/icon.svg'), 'utf8'))}`
const { homepage } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { homepage: string }

export default defineConfig({
  title: 'Millrace',
  description: 'Webhooks in, APIs out, every byte on record, on your own computer',
  srcDir: relative(join(ROOT, 'tools/site'), DOCS),
  outDir: join(ROOT, 'out/site'),
  cacheDir: join(ROOT, 'out/site-cache'),
  rewrites: { 'README.md': 'index.md' },
  // The path of a project's site, for example /millrace/.
  base: process.env.SITE_BASE ?? '/',
  head: [['link', { rel: 'icon', href: ICON }]],
  markdown: {
    // As in the app, a page is text: <name> isn't an element, and {{ name }} isn't an expression.
    html: false,
    attrs: { disable: true },
    languageAlias: { dictionary: 'json' },
    config(markdown) {
      const { rules } = markdown.renderer
      for (const name of ['text', 'code_inline']) {
        const render = rules[name]!
        rules[name] = (...args) => render(...args).replaceAll('{{', '&#123;&#123;')
      }
      // A page can be read in the repository, too, where its links lead beyond `docs`.
      markdown.core.ruler.push('links_beyond_docs', ({ tokens, env }) => {
        for (const { children } of tokens) {
          for (const token of children ?? []) {
            const href = token.attrGet('href')
            if (token.type === 'link_open' && href !== null) token.attrSet('href', hrefOf(href, env as Env))
          }
        }
      })
    },
  },
  themeConfig: {
    logo: ICON,
    search: { provider: 'local' },
    outline: [2, 3],
    sidebar: menu(readFileSync(join(DOCS, 'README.md'), 'utf8')),
    socialLinks: [],
  },
})

interface Env {
  /** The path of the page, relative to `docs`. */
  readonly relativePath: string
}

function hrefOf(href: string, { relativePath }: Env): string {
  if (/^[a-z]+:|^#|^\//i.test(href)) return href
  const [path = ''] = href.split('#')
  const file = resolve(DOCS, posix.dirname(relativePath === 'index.md' ? 'README.md' : relativePath), path)
  if (file.startsWith(DOCS + sep)) return href
  if (!existsSync(file)) throw new Error(`${relativePath} links to ${href}, which doesn't exist`)
  return `${homepage}/blob/main/${relative(ROOT, file).split(sep).join('/')}`
}

/** Each heading is a group; each link below it leads to a page, which has its own title in the menu. */
function menu(readme: string): DefaultTheme.SidebarItem[] {
  const groups: DefaultTheme.SidebarItem[] = []
  for (const line of readme.split('\n')) {
    const heading = /^(?:## (.+)|\*\*(.+)\*\*)$/.exec(line)
    const name = heading?.[1] ?? heading?.[2]
    if (name !== undefined) groups.push({ text: capital(name), collapsed: groups.length > 0, items: [] })
    for (const [, link = ''] of line.matchAll(/\]\(([^)#]+\.md)\)/g))
      if (!link.startsWith('..')) groups.at(-1)?.items?.push({ text: titleOf(link), link: `/${link}` })
  }
  return groups.filter(({ items = [] }) => items.length > 0)
}

function titleOf(page: string): string {
  const title = /^# (.+)$/m.exec(readFileSync(join(DOCS, page), 'utf8'))?.[1]
  if (title === undefined) throw new Error(`docs/${page} has no title`)
  return title
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
