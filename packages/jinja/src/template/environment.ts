import { type Said, SaidError, say } from '../data/said.ts'
import nunjucks from 'nunjucks'
import type { Data } from '../data/value.ts'
import type { Extra, Operation } from './base/operation.ts'
import { BUILT_IN } from './render/built-in.ts'
import { hostFilters, useFilterSource } from './base/host-filters.ts'
import { spendElsewhere } from './base/limits.ts'
import { forgetCompiled, templateOf } from './render/cache.ts'
import { GlobalFunction } from './calls/call.ts'
import { operation } from './calls/operation.ts'
import { Fault, shorten } from './base/faults.ts'
import {
  type CheckOptions,
  checkTemplate,
  type DictionaryResult,
  evaluateCondition,
  evaluateTemplate,
  namesRead,
  renderDictionary,
  renderJsonBody,
  renderTemplate,
  renderXml,
  type TemplateProblem,
} from './index.ts'
import type { Registry } from './base/registry.ts'
import type { TemplateContext, TemplateOptions } from './render/render.ts'
import { fromData } from './values/containers.ts'
import { toData } from './values/to-data.ts'
import { isTrue } from './values/truth.ts'
import type { Value } from './base/value.ts'

export { setTimeLimit, timeLimit } from './base/limits.ts'
export { type Sources, withSources } from './base/sources.ts'

type HostFunction = (...values: unknown[]) => unknown
type Callback = (error: unknown, text: string | null) => void

export {
  completionEntries,
  continuationsOf,
  describeContext,
  hasTags,
  isReadableName,
  NotADictionaryError,
  parseLiteral,
  positionOf,
  TemplateError,
} from './index.ts'

/**
 * Gives Millrace's own engine the interface of nunjucks' Environment. It compiles, renders and registers filters like
 * nunjucks, with Jinja2 semantics. Services and routes use templates through it. Every path to nunjucks' own compiler,
 * which pastes names into source code, is closed.
 */
export class JinjaEnvironment extends nunjucks.Environment {
  private readonly options_: Omit<TemplateOptions, 'registry'>
  private registry: Registry = BUILT_IN

  constructor(options: Omit<TemplateOptions, 'registry'> = {}) {
    super([], { autoescape: false })
    this.options_ = options
    closeCompiler(this)
  }

  /** A nunjucks template whose code is Millrace's evaluator. */
  compile(source: string): JinjaTemplate {
    const options = this.templateOptions()
    templateOf(source, options)
    return new JinjaTemplate((context) => renderTemplate(source, context, options), this)
  }

  override renderString(source: string, context: object): string
  override renderString(source: string, context: object, callback?: Callback): void
  override renderString(source: string, context: object, callback?: Callback): string | undefined {
    return answer(() => renderTemplate(source, context as TemplateContext, this.templateOptions()), callback)
  }

  /** Evaluates a template. A single `{{ expression }}` keeps its type; anything else is a string. */
  evaluate(source: string, context: TemplateContext): Data {
    return evaluateTemplate(source, context, this.templateOptions())
  }

  /** Whether a `when` is true. */
  evaluateCondition(source: string, context: TemplateContext): boolean {
    return evaluateCondition(source, context, this.templateOptions())
  }

  /** Renders a dictionary, as in `query` and `header`. */
  renderDictionary(source: string, context: TemplateContext): DictionaryResult {
    return renderDictionary(source, context, this.templateOptions())
  }

  /** Renders a body that is JSON. */
  renderJsonBody(source: string, context: TemplateContext): string {
    return renderJsonBody(source, context, this.templateOptions())
  }

  /** Renders a body that is XML. */
  renderXml(source: string, context: TemplateContext): string {
    return renderXml(source, context, this.templateOptions()).text
  }

  /** Checks a template before it runs. */
  check(source: string, options: Omit<CheckOptions, 'registry'> = {}): readonly TemplateProblem[] {
    return checkTemplate(source, { ...options, registry: this.registry })
  }

  /** The names that a template reads from its context. */
  namesRead(source: string, options: Pick<CheckOptions, 'expression'> = {}): ReadonlySet<string> {
    return namesRead(source, { ...options, registry: this.registry })
  }

  override render(): never {
    throw closed('Templates are not loaded by name')
  }

  override getTemplate(): never {
    throw closed('Templates are not loaded by name')
  }

  override addExtension(): never {
    throw closed("Extensions run inside nunjucks' parser")
  }

  override express(): never {
    throw closed('There are no views')
  }

  /**
   * Adds a filter, which is a function on data. It is called with the value and the arguments; named arguments come as
   * a last object.
   */
  override addFilter(name: string, run: HostFunction, isAsync?: boolean): this {
    if (isAsync === true)
      throw closed('Templates are evaluated at once, so there are no asynchronous filters')
    // The base class registers its own filters in its constructor.
    if (this.registry === undefined) return this
    const filter = hostOperation(name, (values) => fromData(run(...values)))
    this.registry = { ...this.registry, filters: new Map(this.registry.filters).set(name, filter) }
    return this
  }

  addTest(name: string, run: HostFunction): this {
    if (this.registry === undefined) return this
    const test = hostOperation(name, (values) => isTrue(fromData(run(...values))))
    this.registry = { ...this.registry, tests: new Map(this.registry.tests).set(name, test) }
    return this
  }

  override addGlobal(name: string, value: unknown): this {
    const global = typeof value === 'function' ? hostGlobal(name, value as HostFunction) : value
    this.registry = { ...this.registry, globals: new Map(this.registry.globals).set(name, global) }
    return this
  }

  private templateOptions(): TemplateOptions {
    return { ...this.options_, registry: this.registry }
  }
}

/** Whether every template has a filter with this name. */
export const isOwnFilter = (name: string): boolean => BUILT_IN.filters.has(name)

/** A filter that the host provides. */
export interface HostFilter {
  readonly name: string
  /** One line of documentation. */
  readonly help: string
  /** Names of the arguments besides the value. Each is null if it is left out. */
  readonly arguments: readonly string[]
  /**
   * Runs on another thread; returns null if the time isn't enough.
   *
   * @param values the value and the arguments
   * @param leftMs the time that the render has left
   */
  run(values: readonly Data[], leftMs: number): { readonly value: Data; readonly tookMs: number } | null
}

export interface HostFilters {
  find(name: string): HostFilter | null
  /** Advice for a filter that doesn't exist; null if there is none. */
  hintOf(name: string): Said | null
  all(): readonly HostFilter[]
}

/**
 * Adds filters to all templates, or replaces those that were added. Built-in filters take precedence. Has to be
 * called again when the filters change.
 *
 * @returns a function that removes them again, unless others have replaced them
 */
export function setHostFilters(host: HostFilters): () => void {
  const source = {
    find(name: string) {
      const found = host.find(name)
      return found === null ? undefined : elsewhere(found)
    },
    hintOf: (name: string) => host.hintOf(name),
    all: () => host.all().map(elsewhere),
  }
  useFilterSource(source)
  forgetCompiled()
  return () => {
    if (hostFilters !== source) return
    useFilterSource(null)
    forgetCompiled()
  }
}

function elsewhere(filter: HostFilter): Operation {
  const { name, help, arguments: names } = filter
  const signature = names.map((one) => `${one}=none`).join(', ')
  return operation(name, signature, help, (value: Value, args) => {
    const values = [value, ...args.slice(0, names.length)].map((item) => toData(item))
    return fromData(spendElsewhere((leftMs) => withFault(name, () => filter.run(values, leftMs))))
  })
}

/** Templates with the built-in filters and the default limits. */
export const jinja = new JinjaEnvironment()

/** A nunjucks template that never had source code; rendering throws the engine's own error. */
export class JinjaTemplate extends nunjucks.Template {
  private readonly run: (context: TemplateContext) => string

  constructor(run: (context: TemplateContext) => string, environment: JinjaEnvironment) {
    super(codeOf(run), environment, 'template', true)
    this.run = run
  }

  override render(context?: object): string
  override render(context?: object, callback?: Callback): void
  override render(context: object = {}, callback?: Callback): string | undefined {
    return answer(() => this.run(context as TemplateContext), callback)
  }
}

/** nunjucks accepts precompiled code as an object, although its types say string. */
function codeOf(run: (context: TemplateContext) => string): string {
  const root = (
    _environment: unknown,
    context: { getVariables(): TemplateContext },
    _frame: unknown,
    _runtime: unknown,
    done: Callback,
  ) => answer(() => run(context.getVariables()), done)
  return { type: 'code', obj: { root } } as unknown as string
}

function answer(render: () => string, callback: Callback | undefined): string | undefined {
  if (callback === undefined) return render()
  let text
  try {
    text = render()
  } catch (error) {
    callback(error, null)
    return undefined
  }
  callback(null, text)
  return undefined
}

/** Overrides the properties that nunjucks' compiler reads before it compiles a source, so that it stops there. */
function closeCompiler(environment: JinjaEnvironment): void {
  for (const door of ['asyncFilters', 'extensionsList']) {
    Object.defineProperty(environment, door, {
      configurable: false,
      get() {
        throw closed("nunjucks' compiler is not used")
      },
    })
  }
  for (const list of ['loaders', 'extensions']) {
    Object.defineProperty(environment, list, {
      configurable: false,
      writable: false,
      value: Object.freeze([]),
    })
  }
}

const closed = (why: string) => new Error(`${why}; compile a template with JinjaEnvironment.compile`)

function hostGlobal(name: string, run: HostFunction): GlobalFunction {
  const call = hostOperation(name, (values) => fromData(run(...values.slice(1))))
  return new GlobalFunction({ ...call, run: (_subject, args, extra) => call.run(null, args, extra) })
}

function hostOperation<Result extends Value>(
  name: string,
  run: (values: unknown[]) => Result,
): Operation<Value, Result> {
  return operation(name, '*args, **kwargs', 'Added by the program.', (value: Value, _args, extra: Extra) => {
    const values: unknown[] = [value, ...extra.rest].map((item) => toData(item))
    if (extra.names.size > 0)
      values.push(Object.fromEntries([...extra.names].map(([key, item]) => [key, toData(item)])))
    return withFault(name, () => run(values))
  })
}

function withFault<T>(name: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (error instanceof Fault) throw error
    const why = error instanceof Error ? error.message : String(error)
    throw new Fault(
      'runtime',
      say`"${name}" failed: ${error instanceof SaidError ? error.said : shorten(why, 200)}`,
    )
  }
}
