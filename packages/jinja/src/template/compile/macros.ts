import { say } from '../../data/said.ts'
import { argumentFault } from '../base/faults.ts'
import { current, enterRecursion, leaveRecursion, spend } from '../base/limits.ts'
import type { MacroParameter, Span, Statement } from '../base/tree.ts'
import { Dict } from '../values/containers.ts'
import { quoteText } from '../values/repr.ts'
import { undefinedBecause } from '../base/undefined.ts'
import { Callable, type Keywords, Markup, Tuple, type Value } from '../base/value.ts'
import type { CompileContext } from './builder.ts'
import { type Evaluate, type Execute, Frame } from './frame.ts'
import type { Compilers } from './loops.ts'
import { FunctionShape, scanExpression, scanStatements, Scope, type Variable } from './scope.ts'
import { specialNamesIn } from './special-names.ts'
import { compileEntry } from './variables.ts'

/** A macro or the body of a `call` block, compiled. */
export interface MacroShape {
  readonly name: string | null
  readonly parameters: readonly {
    readonly name: string
    readonly slot: number
    readonly fallback: Evaluate
  }[]
  /** Whether the macro has its own parameter named `caller`. */
  readonly namesCaller: boolean
  readonly callerSlot: number | null
  readonly readsCaller: boolean
  readonly kwargsSlot: number | null
  readonly varargsSlot: number | null
  readonly shape: FunctionShape
  readonly enter: ((frame: Frame) => void) | null
  readonly body: Execute
  readonly cost: number
}

export interface MacroSource extends Span {
  readonly name: string | null
  readonly parameters: readonly MacroParameter[]
  readonly body: readonly Statement[]
}

export function compileFunction(
  context: CompileContext,
  source: MacroSource,
  compilers: Compilers,
): MacroShape {
  const { name, parameters, body } = source
  const weightBefore = context.builder.weight
  const shape = new FunctionShape(context.shape)
  const scope = new Scope(context.scope, shape)
  const variables = parameters.map((parameter) => scope.declareParameter(parameter.name))
  for (const { fallback } of parameters) scanExpression(scope, fallback)
  const special = specialNamesIn(body, ['caller', 'kwargs', 'varargs'])
  const own = parameters.find((parameter) => parameter.name === 'caller')
  if (special.has('caller') && own?.fallback === null) {
    throw context.builder.fail(
      say`When defining macros or call blocks the special "caller" argument must be omitted or be given a default.`,
      source,
    )
  }
  const declare = (special_: string, wanted: boolean): Variable | null =>
    wanted ? scope.declareParameter(special_) : null
  const isFree = (special_: string) =>
    special.has(special_) && !parameters.some((parameter) => parameter.name === special_)
  const caller = declare('caller', isFree('caller'))
  const kwargs = declare('kwargs', isFree('kwargs'))
  const varargs = declare('varargs', isFree('varargs'))
  scanStatements(scope, body)
  scope.settle()
  const inner: CompileContext = { ...context, scope, shape, soft: false, top: false, inLoop: false }
  const compiled = parameters.map((parameter, index) => ({
    name: parameter.name,
    slot: variables[index]?.slot ?? 0,
    fallback: compileFallback(inner, parameter, compilers),
  }))
  const enter = compileEntry(inner, scope)
  const run = compilers.compileBody(inner, body)
  return {
    name,
    parameters: compiled,
    namesCaller: own !== undefined,
    callerSlot: caller?.slot ?? null,
    readsCaller: special.has('caller'),
    kwargsSlot: kwargs?.slot ?? null,
    varargsSlot: varargs?.slot ?? null,
    shape,
    enter,
    body: run,
    cost: (context.builder.weight - weightBefore) >> 2,
  }
}

function compileFallback(
  context: CompileContext,
  { name, fallback }: MacroParameter,
  compilers: Compilers,
): Evaluate {
  if (fallback !== null) return compilers.compileExpression(context, fallback)
  return () => undefinedBecause(say`parameter '${name}' was not provided`)
}

/** A macro as a value: its code and the surrounding variables. */
export class MacroValue extends Callable {
  readonly typeName = 'Macro'
  private readonly macro: MacroShape
  private readonly around: Frame

  constructor(macro: MacroShape, around: Frame) {
    super()
    this.macro = macro
    this.around = around
  }

  call(positional: readonly Value[], keywords: Keywords): Value {
    const { macro } = this
    enterRecursion()
    spend(macro.cost)
    const escaping = current.escaping
    try {
      const frame = new Frame(macro.shape.slots, this.around, this.around.root)
      macro.enter?.(frame)
      this.bind(frame, positional, keywords)
      macro.body(frame)
      return escaping ? new Markup(frame.out) : frame.out
    } finally {
      leaveRecursion()
    }
  }

  override attribute(name: string): Value | undefined {
    const { macro } = this
    switch (name) {
      case 'name':
        return macro.name
      case 'arguments':
        return new Tuple(macro.parameters.map((parameter) => parameter.name))
      case 'catch_kwargs':
        return macro.kwargsSlot !== null
      case 'catch_varargs':
        return macro.varargsSlot !== null
      case 'caller':
        return macro.readsCaller
      default:
        return undefined
    }
  }

  override repr(): string {
    return `<Macro ${this.macro.name === null ? 'anonymous' : quoteText(this.macro.name)}>`
  }

  private bind(frame: Frame, positional: readonly Value[], keywords: Keywords): void {
    const { macro } = this
    const names = new Map(keywords)
    macro.parameters.forEach(({ name, slot }, index) => {
      const given = index < positional.length ? positional[index] : take(names, name)
      if (given !== undefined) frame.slots[slot] = given
    })
    const tooFew = positional.length < macro.parameters.length
    if (macro.callerSlot !== null && !(macro.namesCaller && tooFew)) {
      const caller = take(names, 'caller') ?? null
      frame.slots[macro.callerSlot] = caller === null ? undefinedBecause(say`No caller defined`) : caller
    }
    this.bindRest(frame, positional.slice(macro.parameters.length), names)
    for (const { slot, fallback } of macro.parameters) {
      if (frame.slots[slot] === undefined) frame.slots[slot] = fallback(frame)
    }
  }

  private bindRest(frame: Frame, rest: readonly Value[], names: ReadonlyMap<string, Value>): void {
    const { macro } = this
    const shown = macro.name === null ? 'None' : quoteText(macro.name)
    const wanted = say`It takes (${macro.parameters.map((parameter) => parameter.name).join(', ')})`
    if (macro.kwargsSlot !== null) frame.slots[macro.kwargsSlot] = Dict.from(names)
    else if (names.size > 0) {
      const [name = ''] = names.keys()
      throw argumentFault(say`macro ${shown} takes no keyword argument ${quoteText(name)}`, wanted)
    }
    if (macro.varargsSlot !== null) frame.slots[macro.varargsSlot] = new Tuple(rest)
    else if (rest.length > 0) {
      throw argumentFault(
        say`macro ${shown} takes not more than ${macro.parameters.length} argument(s)`,
        wanted,
      )
    }
  }
}

function take(names: Map<string, Value>, name: string): Value | undefined {
  const value = names.get(name)
  names.delete(name)
  return value
}
