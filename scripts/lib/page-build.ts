/**
 * Additions to the page during the build, besides its modules: a frame that is visible at once, preloaded fonts,
 * compressed files.
 */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { promisify } from 'node:util'
import * as zlib from 'node:zlib'
import { runnerImport, type Plugin } from 'vite'

/** The page's frame is part of the HTML, so that it is visible before any script has loaded. */
export function frameInPage(root: string): Plugin {
  return {
    name: 'frame-in-page',
    transformIndexHtml: {
      order: 'pre',
      async handler(html) {
        const { module } = await runnerImport<{ readonly writeFrame: () => string }>(
          join(root, 'features/shell/frame.tsx'),
          { configFile: false, logLevel: 'error' },
        )
        return html.replace('<div id="root"></div>', () => `<div id="root">${module.writeFrame()}</div>`)
      },
    },
  }
}

/** The fonts of most text and of data; those of other scripts are loaded when such a character appears. */
const FONTS = [/inter-latin-wght-normal-[^/]*\.woff2$/, /jetbrains-mono-latin-wght-normal-[^/]*\.woff2$/]

/**
 * Loads what the first paint needs first: styles and fonts. A browser opens six connections to a server, and the
 * scripts would otherwise occupy all of them for a while.
 */
export function looksFirst(): Plugin {
  return {
    name: 'looks-first',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler(html, { bundle = {} }) {
        const fonts = FONTS.map((font) => Object.keys(bundle).find((name) => font.test(name)))
        const styles = /^\s*<link rel="stylesheet"[^>]*>\n/m.exec(html)?.[0]
        if (fonts.includes(undefined) || styles === undefined)
          throw new Error('The page has lost a font or its styles: scripts/lib/page-build.ts looks for them')
        const preloads = fonts.map(
          (font) => `    <link rel="preload" as="font" type="font/woff2" crossorigin href="/${font}" />\n`,
        )
        return html
          .replace(styles, '')
          .replace(/^\s*<script type="module"/m, (script) => styles + preloads.join('') + script)
      },
    },
  }
}

const gzip = promisify(zlib.gzip)

/** Compressed copies next to scripts and styles, so that the server never compresses (server/page/serve-page.ts). */
export function compressedFiles(): Plugin {
  return {
    name: 'compressed-files',
    apply: 'build',
    generateBundle: {
      order: 'post',
      async handler(_, bundle) {
        const files = Object.values(bundle).filter(({ fileName }) => /\.(?:js|css)$/.test(fileName))
        await Promise.all(
          files.map(async (file) => {
            const text = Buffer.from(file.type === 'chunk' ? file.code : file.source)
            const source = await gzip(text, { level: 9 })
            this.emitFile({ type: 'asset', fileName: `${file.fileName}.gz`, source })
          }),
        )
      },
    },
  }
}

/**
 * Includes those of Lucide's 1,900 icons that the app names in these files. For names that only plug-ins use, all icons
 * are also in files by first letter, which the module `shelves` lists.
 */
export function namedIcons(lists: readonly string[], shelves: string): Plugin {
  const { icons } = JSON.parse(readFileSync(ICONS, 'utf8')) as { readonly icons: Record<string, unknown> }
  return {
    name: 'named-icons',
    enforce: 'pre',
    resolveId: (id) => (id.startsWith(SHELF) ? `\0${id}` : null),
    load(id) {
      if (id === shelves) {
        const letters = [...new Set(Object.keys(icons).map((name) => name.charAt(0)))]
        const table = letters.map((letter) => `${letter}: () => import('${SHELF}${letter}')`)
        return `export const ICON_SHELVES = { ${table.join()} }`
      }
      if (id.startsWith(`\0${SHELF}`)) {
        const own = Object.entries(icons).filter(([name]) => name.startsWith(id.slice(SHELF.length + 1)))
        return `export const icons = ${JSON.stringify(Object.fromEntries(own))}`
      }
      if (!id.endsWith('/@iconify-json/lucide/icons.json')) return null
      const names = lists.flatMap((list) =>
        [...readFileSync(list, 'utf8').matchAll(/\bicon(?:\(|: )'([^']+)'/g)].map(([, name = '']) => name),
      )
      const unknown = names.filter((name) => icons[name] === undefined)
      if (unknown.length > 0) throw new Error(`Lucide has no icon ${unknown.join(', ')}, which the app names`)
      return JSON.stringify({
        prefix: 'lucide',
        icons: Object.fromEntries(names.map((name) => [name, icons[name]])),
      })
    },
  }
}

const SHELF = 'icons-with-'
const ICONS = createRequire(import.meta.url).resolve('@iconify-json/lucide/icons.json')
