import { say } from '../../data/said.ts'
import { expressionOf, templateOf } from '../render/cache.ts'
import type { MemberRead } from '../compile/builder.ts'
import type { Program } from '../compile/compile.ts'
import { TemplateError } from '../base/faults.ts'
import type { Registry } from '../base/registry.ts'
import { GLOBALS } from '../globals/globals.ts'
import { positionOf } from '../base/source-position.ts'
import type { Compiled } from '../render/render.ts'
import { closest } from '../text/closest.ts'

export interface CheckOptions {
  /** Whether the source is a bare expression, as in a `when` without tags. */
  readonly expression?: boolean
  /** Names that will be in the context; if absent, names aren't checked. */
  readonly names?: Iterable<string>
  /** Filters, tests and globals instead of the built-in ones. */
  readonly registry?: Registry
}

/** A problem with a template, found before it runs. */
export type TemplateProblem = Pick<
  TemplateError,
  'kind' | 'message' | 'said' | 'line' | 'column' | 'token' | 'hint' | 'advice'
>

/**
 * The names that a template reads from its context.
 *
 * @throws TemplateError if it can't be compiled
 */
export function namesRead(source: string, options: Omit<CheckOptions, 'names'> = {}): ReadonlySet<string> {
  const { program } = compiledFor(source, options)
  return new Set(freeReads(program, options.registry).map(({ name }) => name))
}

/** A key that a template relies on. */
export interface MemberPlace {
  /** The variable that it is a key of. */
  readonly owner: string
  readonly key: string
  readonly line: number
  readonly column: number
}

/**
 * Keys of context variables that a template reads as if they existed: `a.id`, `a['id']`. Keys that it also checks
 * (`default`, `is defined`, `if`, `or`) are left out.
 *
 * @throws TemplateError if it can't be compiled
 */
export function membersRead(
  source: string,
  options: Pick<CheckOptions, 'expression'> = {},
): readonly MemberPlace[] {
  const { members } = compiledFor(source, options).program
  const asked = new Set(members.filter(({ isAsked }) => isAsked).map(nameOfMember))
  const relied = new Map(members.map((member) => [nameOfMember(member), member]))
  return [...relied]
    .filter(([name]) => !asked.has(name))
    .map(([, { owner, key, start, end }]) => {
      const { line, column } = positionOf(source, start, end)
      return { owner, key, line, column }
    })
}

const nameOfMember = ({ owner, key }: MemberRead) => `${owner}.${key}`

/** Whether a template would read the name from its context. False for globals and keywords. */
export function isReadableName(name: string): boolean {
  try {
    return namesRead(`{{ ${name} }}`).has(name)
  } catch (error) {
    if (error instanceof TemplateError) return false
    throw error
  }
}

/** The placeholders in a template, each of which marks something that an import couldn't translate. */
export function placeholdersIn(source: string): readonly string[] {
  return [...source.matchAll(PLACEHOLDER)].map(([, what = '']) => what.replaceAll(/\\([\\'])/g, '$1'))
}

const PLACEHOLDER = /\bnot_imported\(\s*'((?:[^'\\]|\\[\s\S])*)'\s*\)/g

/** Checks a template: syntax, unknown filters and tests, unknown names. Never throws. */
export function checkTemplate(source: string, options: CheckOptions = {}): TemplateProblem[] {
  try {
    const compiled = compiledFor(source, options)
    return [...warnings(compiled), ...unknownNames(compiled, options)]
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error
    return [error]
  }
}

function compiledFor(source: string, options: CheckOptions): Compiled {
  return options.expression === true ? expressionOf(source, options) : templateOf(source, options)
}

function warnings({ source, program }: Compiled): TemplateProblem[] {
  return program.warnings.map(
    ({ kind, said, start, end, hint }) => new TemplateError(kind, said, positionOf(source, start, end), hint),
  )
}

function unknownNames(
  { source, program }: Compiled,
  { names, registry }: Pick<CheckOptions, 'names' | 'registry'>,
): TemplateProblem[] {
  if (names === undefined) return []
  const known = new Set(names)
  const seen = new Set<string>()
  return freeReads(program, registry)
    .filter(({ name, mayBeMissing }) => {
      const isNew = !mayBeMissing && !known.has(name) && !seen.has(name)
      seen.add(name)
      return isNew
    })
    .map(({ name, start, end }) => {
      const near = closest(name, [...known, ...(registry?.globals ?? GLOBALS).keys()])
      const hint =
        near === undefined
          ? say`Known here: ${[...known].slice(0, 12).join(', ')}`
          : say`Did you mean "${near}"?`
      const said = say`'${name}' is undefined`
      return new TemplateError('undefined', said, positionOf(source, start, end), hint)
    })
}

const freeReads = ({ reads }: Program, registry?: Registry) =>
  reads.filter(({ name }) => !(registry?.globals ?? GLOBALS).has(name) && name !== 'self')
