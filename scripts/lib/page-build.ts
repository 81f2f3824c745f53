/** What the build adds to the page beside its modules: a frame to see at once, fonts asked for early, compressed files. */
import { join } from 'node:path'
import { promisify } from 'node:util'
import * as zlib from 'node:zlib'
import { runnerImport, type Plugin } from 'vite'

/** The frame of the page stands in the page itself, so that it is seen before any script has come. */
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

/** The fonts of nearly every word and of data; those of other scripts are fetched where such a letter stands. */
const FONTS = [/inter-latin-wght-normal-[^/]*\.woff2$/, /jetbrains-mono-latin-wght-normal-[^/]*\.woff2$/]

/**
 * What the first paint needs is asked for first: the styles and the fonts. A browser has six connections to a server,
 * and the scripts would hold all of them for a while.
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

const brotli = promisify(zlib.brotliCompress)
const gzip = promisify(zlib.gzip)

/** The best takes twice the time and saves two of a hundred bytes more. */
const BROTLI_QUALITY = { [zlib.constants.BROTLI_PARAM_QUALITY]: 10 }

/** Scripts and styles beside their compressed selves, so that the server never compresses (server/page/encoded-file.ts). */
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
            const [br, gz] = await Promise.all([
              brotli(text, { params: BROTLI_QUALITY }),
              gzip(text, { level: 9 }),
            ])
            this.emitFile({ type: 'asset', fileName: `${file.fileName}.br`, source: br })
            this.emitFile({ type: 'asset', fileName: `${file.fileName}.gz`, source: gz })
          }),
        )
      },
    },
  }
}
