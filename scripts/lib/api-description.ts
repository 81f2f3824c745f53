/**
 * Generates the API description during the build, so that neither the program nor the page loads what only the
 * description needs.
 */
import { runnerImport, type Plugin } from 'vite'
import manifest from '../../package.json' with { type: 'json' }

const FILE = 'openapi.json'

/** Writes the description next to the program, which reads it instead of generating it. */
export function apiDescription(path: string): Plugin {
  return {
    name: 'api-description',
    enforce: 'pre',
    load: (id) =>
      id === path
        ? `import { readFileSync } from 'node:fs'
           export const createOpenApiDocument = () =>
             JSON.parse(readFileSync(new URL('${FILE}', import.meta.url), 'utf8'))`
        : null,
    async generateBundle() {
      const { module } = await runnerImport<{ createOpenApiDocument: (version: string) => object }>(path, {
        configFile: false,
        logLevel: 'error',
      })
      const source = JSON.stringify(module.createOpenApiDocument(manifest.version))
      this.emitFile({ type: 'asset', fileName: FILE, source })
    },
  }
}

/**
 * Removes `.describe(…)` and `.meta(…)` from the contract, which saves a quarter of its source, and a copy of each
 * schema at startup.
 */
export function withoutDescriptions(): Plugin {
  return {
    name: 'without-descriptions',
    enforce: 'pre',
    transform(code, id) {
      if (!id.includes('/src/shared/contract/')) return null
      let left = code
      for (const [from, to] of descriptionsIn(this.parse(code, { lang: 'ts' })))
        // Replaced with the same number of spaces, so that lines and columns still match the source map.
        left = left.slice(0, from) + left.slice(from, to).replaceAll(/[^\n]/g, ' ') + left.slice(to)
      return { code: left, map: null }
    },
  }
}

interface Node {
  readonly type: string
  readonly end: number
  readonly callee?: Node
  readonly object?: Node
  readonly property?: { readonly name?: string }
}

/** The source ranges of the calls, without the expressions they are called on. */
function descriptionsIn(node: unknown): readonly (readonly [from: number, to: number])[] {
  if (typeof node !== 'object' || node === null) return []
  const below = Object.values(node).flatMap(descriptionsIn)
  const { type, callee, end } = node as Node
  const isDescription =
    type === 'CallExpression' && ['describe', 'meta'].includes(callee?.property?.name ?? '')
  return isDescription ? [...below, [callee?.object?.end ?? end, end]] : below
}
