/**
 * Rejects regular expressions that can take more than linear time, because text from outside could block the program.
 * An expression that the checker rejects or can't read needs a proof in a comment on its line or above: `// linear:
 * why`.
 */
import { globSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { parseSync, Visitor } from 'vite'
import { importTool } from './lib/tools.ts'

const ROOT = join(import.meta.dirname, '..')
const PROOF = /(?:\/\/|\*) linear: \S|; linear: \S/

interface Expression {
  /** Null if it is assembled at run time. */
  readonly source: string | null
  readonly flags: string
  readonly line: number
}

type Verdict =
  | { readonly status: 'safe' }
  | { readonly status: 'vulnerable'; readonly complexity: { readonly summary: string } }
  | { readonly status: 'unknown'; readonly error: { readonly kind: string } }

const { checkSync } = (await importTool('tools/checks', 'recheck')) as {
  readonly checkSync: (
    source: string,
    flags: string,
    options: { readonly timeout: number; readonly checker: 'automaton' },
  ) => Verdict
}

/** The regular expressions of the file, in order. */
function expressionsOf(path: string, text: string): readonly Expression[] {
  const found: Expression[] = []
  const lineAt = (offset: number) => text.slice(0, offset).split('\n').length
  new Visitor({
    Literal(node) {
      if ('regex' in node && node.regex !== null)
        found.push({ source: node.regex.pattern, flags: node.regex.flags, line: lineAt(node.start) })
    },
    NewExpression(node) {
      const isBuilt = node.callee.type === 'Identifier' && node.callee.name === 'RegExp'
      if (isBuilt) found.push({ source: null, flags: '', line: lineAt(node.start) })
    },
  }).visit(parseSync(path, text).program)
  return found
}

/** Null if it is linear. */
function faultOf({ source, flags }: Expression): string | null {
  if (source === null) return 'built while the program runs'
  const result = checkSync(source, flags, { timeout: 60_000, checker: 'automaton' })
  if (result.status === 'safe') return null
  return result.status === 'vulnerable' ? result.complexity.summary : `can't be checked: ${result.error.kind}`
}

const known = new Map<string, string | null>()
let faults = 0
let count = 0
for (const path of globSync('{src,packages/*/src}/**/*.{ts,tsx}', { cwd: ROOT }).toSorted()) {
  const text = readFileSync(join(ROOT, path), 'utf8')
  const lines = text.split('\n')
  for (const expression of expressionsOf(path, text)) {
    count++
    const { source, flags, line } = expression
    const hasProof = lines.slice(Math.max(0, line - 4), line).some((one) => PROOF.test(one))
    if (hasProof) continue
    const key = source === null ? 'new RegExp' : `/${source}/${flags}`
    if (!known.has(key)) known.set(key, faultOf(expression))
    const fault = known.get(key)
    if (fault === null) continue
    faults++
    console.log(`${relative('.', path)}:${line}: ${key.slice(0, 160)} is not linear (${fault})`)
  }
}
console.log(`${count} regular expressions, ${faults} to mend or to prove`)
process.exitCode = faults > 0 ? 1 : 0
