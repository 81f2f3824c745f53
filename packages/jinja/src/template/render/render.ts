import { say } from '../../data/said.ts'
import { positionOf, type SourcePosition } from '../base/source-position.ts'
import { BUILT_IN } from './built-in.ts'
import { compileBare, compileTemplate, type Program } from '../compile/compile.ts'
import { Fault, TemplateError } from '../base/faults.ts'
import {
  current,
  evaluate,
  Evaluation,
  limitFault,
  type RenderEnvironment,
  type TemplateLimits,
  usualLimits,
  workedMs,
} from '../base/limits.ts'
import type { Registry } from '../base/registry.ts'
import { sources } from '../base/sources.ts'
import { normalizeSource } from '../syntax/lexer.ts'
import { parseBareExpression, parseTemplate } from '../syntax/parse-template.ts'
import { SyntaxFault } from '../syntax/token.ts'
import { assertPlain } from '../values/containers.ts'
import type { Value } from '../base/value.ts'

/**
 * The names that a template can read. Only data is allowed; anything that could run code is rejected when it
 * is reached.
 */
export type TemplateContext = Readonly<Record<string, unknown>>

export interface TemplateOptions {
  readonly limits?: Partial<TemplateLimits>
  /**
   * Accepted for compatibility: Jinja's names for its extensions. `do`, `break` and `continue` are always
   * available.
   */
  readonly extensions?: readonly string[]
  /**
   * Names below which a path can be missing. If set, any other missing name or path is an error as soon as it is read,
   * like a typo.
   */
  readonly undefinedBelow?: ReadonlySet<string>
  /** Whether the context consists only of `Data`, so that parts that a template returns unchanged aren't copied. */
  readonly sharesData?: boolean
  readonly now?: () => Date
  readonly uuid?: () => string
  /** Filters, tests and globals instead of the built-in ones. */
  readonly registry?: Registry
}

export interface Compiled {
  readonly source: string
  readonly program: Program
  /** Milliseconds that compiling took, which count towards the first run; 0 afterwards. */
  owedMs: number
}

/** Compiles a template; errors carry their position. */
export function compileSource(source: string, options?: TemplateOptions): Compiled {
  return compileWith(source, options, (text) => compileTemplate(text, parseTemplate(text)))
}

export function compileExpressionSource(source: string, options?: TemplateOptions): Compiled {
  return compileWith(source, options, (text) => compileBare(text, parseBareExpression(text)))
}

export function renderCompiled(
  compiled: Compiled,
  context: TemplateContext,
  options?: TemplateOptions,
  prepare?: Prepare,
): string {
  return run(compiled, context, options, prepare, (program) => program.render(context))
}

/** Evaluates a template that is one expression and passes its value to `use`, still within the limits. */
export function evaluateCompiled<T>(
  compiled: Compiled,
  context: TemplateContext,
  options: TemplateOptions | undefined,
  use: (value: Value) => T,
  prepare?: Prepare,
): T {
  return run(compiled, context, options, prepare, (program) => use(program.evaluate?.(context) ?? null))
}

/** Configures an evaluation before it begins. */
export type Prepare = (evaluation: Evaluation) => void

/** Runs work of the engine outside a template (a literal, a conversion) within the same limits. */
export function withinLimits<T>(options: TemplateOptions | undefined, work: () => T): T {
  return evaluate(newEvaluation(options), work)
}

function run<T>(
  compiled: Compiled,
  context: TemplateContext,
  options: TemplateOptions | undefined,
  prepare: Prepare | undefined,
  work: (program: Program) => T,
): T {
  const evaluation = newEvaluation(options)
  const { source, program } = compiled
  evaluation.keepsIdentity = program.keepsIdentity
  if (compiled.owedMs > 0) {
    evaluation.startedAt = workedMs() - compiled.owedMs
    compiled.owedMs = 0
  }
  prepare?.(evaluation)
  try {
    return evaluate(evaluation, () => {
      assertPlain(context)
      return work(program)
    })
  } catch (error) {
    throw positioned(error, () => {
      const span = program.marks[evaluation.at] ?? { start: 0, end: 0 }
      return positionOf(source, span.start, span.end)
    })
  }
}

function compileWith(
  source: string,
  options: TemplateOptions | undefined,
  compile: (text: string) => Program,
): Compiled {
  const text = normalizeSource(source)
  return withPosition(text, options, () => {
    if (Buffer.byteLength(source) > current.limits.sourceBytes) {
      throw limitFault('sourceBytes')
    }
    const start = workedMs()
    const program = compile(text)
    return { source: text, program, owedMs: workedMs() - start }
  })
}

/** Runs work on a source; errors carry their position in it. */
export function withPosition<T>(source: string, options: TemplateOptions | undefined, work: () => T): T {
  try {
    return withinLimits(options, work)
  } catch (error) {
    const { start, end } = error instanceof SyntaxFault ? error : { start: 0, end: 0 }
    throw positioned(error, () => positionOf(source, start, end))
  }
}

function newEvaluation(options: TemplateOptions | undefined): Evaluation {
  if (options === undefined) return new Evaluation(usualLimits, DEFAULT_ENVIRONMENT)
  if (options === OVER_DATA) {
    const evaluation = new Evaluation(usualLimits, DEFAULT_ENVIRONMENT)
    evaluation.sharesData = true
    return evaluation
  }
  const limits = options.limits === undefined ? usualLimits : { ...usualLimits, ...options.limits }
  const { now = systemNow, uuid = systemUuid, undefinedBelow = null, registry = BUILT_IN } = options
  return new Evaluation(limits, { now, uuid, undefinedBelow, registry })
}

/** Options for contexts that consist of `Data`. */
export const OVER_DATA: TemplateOptions = { sharesData: true }

const systemNow = () => sources().now()
const systemUuid = () => sources().uuid()
const DEFAULT_ENVIRONMENT: RenderEnvironment = {
  now: systemNow,
  uuid: systemUuid,
  undefinedBelow: null,
  registry: BUILT_IN,
}

/** The error with its position; errors that aren't faults of the template are returned unchanged. */
function positioned(error: unknown, position: () => SourcePosition): unknown {
  if (error instanceof Fault) return new TemplateError(error.kind, error.said, position(), error.hint)
  if (error instanceof RangeError && error.message.includes('call stack')) {
    return new TemplateError('limit', say`The template is nested too deeply (limit "nesting")`, position())
  }
  return error
}
