/**
 * Electron's interface, read from its own type definitions: the stand-in can't have anything that the real one
 * doesn't.
 */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

const TEXT = readFileSync(createRequire(import.meta.url).resolve('electron/electron.d.ts'), 'utf8')

interface Body {
  readonly text: string
  readonly parent: string | null
}

function bodyOf(name: string): Body {
  const head = new RegExp(
    `^  (?:class|interface) ${name}(?: extends (?:NodeJS\\.)?(\\w+))?[^{\\n]*\\{$`,
    'm',
  ).exec(TEXT)
  if (head === null) throw new Error(`electron.d.ts has no "${name}"`)
  const start = head.index + head[0].length
  return { text: TEXT.slice(start, TEXT.indexOf('\n  }\n', start)), parent: head[1] ?? null }
}

function collect(name: string, pattern: RegExp): ReadonlySet<string> {
  const { text, parent } = bodyOf(name)
  const own = [...text.matchAll(pattern)].map(([, found]) => found!)
  const isOurs = parent !== null && !/^(?:Node)?EventEmitter$/.test(parent)
  return new Set(isOurs ? [...own, ...collect(parent, pattern)] : own)
}

/** Methods and properties of a class, module or options object. */
export const membersOf = (name: string): ReadonlySet<string> =>
  collect(name, /^ {4}(?:static |readonly |get |set )*(\w+)\??[(:<]/gm)

export const eventsOf = (name: string): ReadonlySet<string> => collect(name, /^ {4}on\(event: '([^']+)'/gm)
