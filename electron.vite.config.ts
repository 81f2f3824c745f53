import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { resolve } from 'node:path'
import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'electron-vite'
import { apiDescription, withoutDescriptions } from './scripts/lib/api-description.ts'
import { mitLicense } from './scripts/lib/mit-license.ts'
import { compressedFiles, frameInPage, looksFirst, namedIcons } from './scripts/lib/page-build.ts'

const fromRoot = (path: string) => resolve(import.meta.dirname, path)

/**
 * The licenses of the packages bundled into the program and into its page. They require that their text is included.
 */
const license = { fileName: 'THIRD-PARTY-NOTICES.md' }

/** Some packages have no license file, only the name of the license and of their author. */
const completeNotices = {
  name: 'complete-notices',
  writeBundle({ dir = '' }: { dir?: string }) {
    const file = resolve(dir, license.fileName)
    if (!existsSync(file)) return
    const text = readFileSync(file, 'utf8')
    const ofLucide = readFileSync(fromRoot('scripts/lib/lucide-license.txt'), 'utf8')
    const withMit = (_: string, heading: string, name: string) =>
      `${heading}\n${mitLicense(authorOf(name))}\n\n`
    writeFileSync(
      file,
      text
        .replace(/^## @iconify-json\/lucide - .*$/m, (heading) => `${heading}\n\n${ofLucide}`)
        .replaceAll(/^(## (\S+) - \S+ \(MIT\)\n)\n(?=## )/gm, withMit)
        // If there are two licenses to choose from, the build takes whichever file comes first.
        .replaceAll(/^(## (\S+) - \S+ \(\(MIT OR .*\)\)\n)[^]*?(?=^## )/gm, withMit),
    )
  },
}

function authorOf(name: string): string {
  const path = fromRoot(`node_modules/${name}/package.json`)
  const { author } = JSON.parse(readFileSync(path, 'utf8')) as { author?: string | { name: string } }
  if (author === undefined) throw new Error(`${path} names no author, and the package has no licence file`)
  return typeof author === 'string' ? author : author.name
}

/**
 * Warnings about how long plugins took, and about `"use client"` in packages that are also made for React servers.
 * There is nothing to fix.
 */
const HARMLESS = new Set(['PLUGIN_TIMINGS', 'MODULE_LEVEL_DIRECTIVE'])

/** A build that warns must fail, because nobody reads the warnings of a build that worked. */
const failOnWarning = (level: string, { code = '', message }: { code?: string; message: string }): void => {
  if (level === 'warn' && !HARMLESS.has(code)) throw new Error(message)
}

/** zod has its messages in sixty languages; Millrace needs only English. */
const englishAlone = {
  name: 'english-alone',
  enforce: 'pre' as const,
  load: (id: string) =>
    id.endsWith('zod/v4/locales/index.js') ? "export { default as en } from './en.js'" : null,
}

/**
 * Watches templates for the nunjucks loaders that read them from files, which nothing here does. It is half a megabyte.
 */
const withoutWatcher = {
  name: 'without-watcher',
  enforce: 'pre' as const,
  resolveId: (id: string, importer?: string) =>
    id === 'chokidar' && importer?.includes('/nunjucks/') ? '\0nothing' : null,
  load: (id: string) => (id === '\0nothing' ? 'module.exports = {}' : null),
}

/**
 * Importing a Node module reads all of its properties, and some of those load a lot: those of `node:http` load all of
 * fetch and WebSocket, 25 ms and 8 MB that a start doesn't need. What is used is taken from the module by name instead.
 */
const leanBuiltins = {
  name: 'lean-builtins',
  renderChunk: (code: string) => ({
    code: code.replace(
      /^import (\{[^}]*\}) from "(node:[a-z_/]+)";$/gm,
      (_, names: string, builtin: string) =>
        `const ${names.replaceAll(' as ', ': ')} = process.getBuiltinModule("${builtin}");`,
    ),
    map: null,
  }),
}

/** V8 keeps a text with a single non-ASCII character at two bytes per character; escaped, it takes one byte each. */
const oneByteText = {
  name: 'one-byte-text',
  generateBundle(_: unknown, bundle: Record<string, { type: string; code?: string }>) {
    for (const chunk of Object.values(bundle)) {
      chunk.code &&= chunk.code.replaceAll(/[^\0-\x7f]/gv, (char) => {
        const units = Array.from({ length: char.length }, (_, at) => char.charCodeAt(at))
        return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('')
      })
    }
  },
}

/** QuickJS, which runs the code of flows, next to the thread that loads it. */
const quickjsBinary = {
  name: 'quickjs-binary',
  generateBundle(this: { emitFile: (file: object) => void }) {
    const path = createRequire(import.meta.url).resolve('@jitl/quickjs-wasmfile-release-sync/wasm')
    this.emitFile({ type: 'asset', fileName: 'quickjs.wasm', source: readFileSync(path) })
  },
}

/** The packages that editors are made of, which are loaded with the first editor. */
const EDITOR_PACKAGES = /node_modules[\\/](?:@codemirror|@lezer|crelt|style-mod|w3c-keyname|@marijn)[\\/]/

/** The modules that import them. They must not share a file with what screens need before an editor opens. */
const EDITOR_SOURCES =
  /components[\\/]code[\\/](?:code-editors?\.|replace-selection|template-)|pagination-tests[\\/]config[\\/](?:completion-source|config-editor)/

/** Modules that only some screens open. In a file with modules that others need, they would be loaded there, too. */
const RARE_SOURCES =
  /renderer[\\/]components[\\/](?:auths|imports|pagination)[\\/]|components[\\/]services[\\/](?:catalogue|find-entries|group-entries|open-flow|plant-sample|use-catalogue)|minisearch|jsonc-parser|node_modules[\\/]diff[\\/]|values[\\/](?:change-list|line-difference|markdown)|runs[\\/](?:run-stops|step-name|test-fields|test-sheet)\.|contract[\\/]flow-tests\.|[\\/](?:run-debugging|questions)\.ts|help[\\/]docs\.|docs[\\/].*\.md/

/**
 * What the search, which every screen loads soon after its start, has in common with screens. In files with other
 * modules, it would load those as well. The states of runs are in the file of the badge that shows them.
 */
const OF_THE_SEARCH =
  /@base-ui[\\/]react[\\/](?:autocomplete|combobox[\\/](?:empty|group|group-label|input|item|list|root))[\\/]|(?:renderer[\\/](?:lib[\\/]steps-within|components[\\/](?:values[\\/]status-badge|runs[\\/]run-state))|src[\\/]shared[\\/]docs)\./

/** The package that parses pasted commands. */
const CURL = /packages[\\/]curl[\\/]/

/** The definitions of all step types, which lists of flows load after their rows. */
const STEP_DEFINITIONS = /shared[\\/]contract[\\/]step-types[\\/]/

/** The page is served over HTTP and has URLs like /flows/1; electron-vite's "./" is for pages opened as files. */
const servedFromRoot = { name: 'served-from-root', enforce: 'post' as const, config: () => ({ base: '/' }) }

export default defineConfig({
  // Dependencies are bundled, so that one file is read at start instead of hundreds. Native code can't be bundled.
  main: {
    plugins: [
      englishAlone,
      withoutWatcher,
      withoutDescriptions(),
      apiDescription(fromRoot('src/main/server/openapi/document.ts')),
      leanBuiltins,
      oneByteText,
      quickjsBinary,
      completeNotices,
    ],
    build: {
      externalizeDeps: false,
      license,
      sourcemap: true,
      rolldownOptions: {
        onLog: failOnWarning,
        input: {
          index: fromRoot('src/main/electron/index.ts'),
          headless: fromRoot('src/main/headless/index.ts'),
          'history-thread': fromRoot('src/main/store/thread/history-thread.ts'),
          'script-worker': fromRoot('src/main/services/reaching/step-ports/script-worker.ts'),
          'n8n-runtime': fromRoot('src/sandbox/n8n/index.ts'),
          'sqlite-process': fromRoot('src/main/services/reaching/databases/sqlite-process.ts'),
          'document-worker': fromRoot('src/main/services/reaching/documents/document-worker.ts'),
          'jsonpath-worker': fromRoot('src/main/services/reaching/documents/jsonpath-worker.ts'),
          'mail-worker': fromRoot('src/main/services/reaching/mailboxes/mail-worker.ts'),
          'import-worker': fromRoot('src/main/services/running/imports/import-worker.ts'),
        },
        // The last three make pg and ssh2 faster if npm could build them; both work without.
        external: ['better-sqlite3', 'pg-native', 'cpu-features', /sshcrypto\.node$/],
        // Licenses are in the notices. V8 keeps the text it has loaded, so white space is removed; names stay for stack
        // traces.
        output: {
          entryFileNames: '[name].js',
          chunkFileNames: '[name]-[hash].js',
          comments: false,
          minify: { mangle: { keepNames: true }, compress: false, codegen: true },
        },
      },
    },
  },
  // A sandboxed preload script can only be CommonJS.
  preload: {
    build: {
      externalizeDeps: false,
      sourcemap: true,
      rolldownOptions: {
        onLog: failOnWarning,
        input: { index: fromRoot('src/preload/index.ts') },
        output: { format: 'cjs', entryFileNames: '[name].cjs' },
      },
    },
  },
  renderer: {
    root: fromRoot('src/renderer'),
    plugins: [
      englishAlone,
      withoutDescriptions(),
      servedFromRoot,
      frameInPage(fromRoot('src/renderer')),
      looksFirst(),
      namedIcons(
        [
          fromRoot('src/renderer/lib/icons.tsx'),
          ...globSync(fromRoot('src/shared/contract/step-types/*/*.ts')),
        ],
        fromRoot('src/renderer/components/plugins/icon-shelves.ts'),
      ),
      compressedFiles(),
      react(),
      tailwindcss(),
    ],
    build: {
      minify: true,
      license,
      sourcemap: true,
      // A small font would become a data: URL, which the page's policy forbids.
      assetsInlineLimit: 0,
      rolldownOptions: {
        onLog: failOnWarning,
        input: fromRoot('src/renderer/index.html'),
        output: {
          chunkFileNames: ({ name }: { readonly name: string }) =>
            `assets/${name.startsWith('shared~') ? 'shared' : '[name]'}-[hash].js`,
          // There are few files, because each costs a request, and a screen's files are requested only once the start
          // has run.
          codeSplitting: {
            groups: [
              // Several screens open their own editor; what they share has a name that distinguishes it.
              { name: 'code-editor', test: EDITOR_PACKAGES, priority: 3 },
              { name: 'icons', test: /iconify-json[\\/]lucide/, priority: 2 },
              { name: 'start', tags: ['$initial' as const], priority: 1 },
              { name: 'search', test: OF_THE_SEARCH, priority: 0.5 },
              { name: 'curl', test: CURL, priority: 0.4 },
              { name: 'step-definitions', test: STEP_DEFINITIONS, priority: 0.3 },
              {
                name: 'shared',
                test: (id: string) => !EDITOR_SOURCES.test(id) && !RARE_SOURCES.test(id),
                minShareCount: 2,
                entriesAware: true,
                entriesAwareMergeThreshold: 3_000,
              },
            ],
          },
        },
      },
    },
  },
})
