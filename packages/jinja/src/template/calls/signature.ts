import { type Said, say } from '../../data/said.ts'
import { type Args, asArgs, type Extra, type Parameter, type Signature } from '../base/operation.ts'
import { argumentFault } from '../base/faults.ts'
import { makeFloat } from '../values/numbers.ts'
import type { Keywords, Value } from '../base/value.ts'

export interface Bound {
  readonly args: Args
  readonly extra: Extra
}

/**
 * Parses signatures such as `length=255, killwords=false, *args, **kwargs`. `/` ends the parameters that
 * can't be named.
 */
export function parseSignature(text: string): Signature {
  const parameters: Parameter[] = []
  let positionalOnly = 0
  let takesRest = false
  let takesNames = false
  for (const part of splitParameters(text)) {
    if (part === '/') positionalOnly = parameters.length
    else if (part.startsWith('**')) takesNames = true
    else if (part.startsWith('*')) takesRest = true
    else parameters.push(parseParameter(part))
  }
  return { text, parameters, positionalOnly, takesRest, takesNames }
}

/** Puts the arguments of a call in the order of the parameters. */
export function bind(
  owner: string,
  signature: Signature,
  positional: readonly Value[],
  keywords: Keywords,
): Bound {
  const { parameters } = signature
  if (positional.length > parameters.length && !signature.takesRest) {
    throw wrongArguments(owner, signature, takesAtMost(owner, signature, positional.length))
  }
  const named = keywords === null || keywords.size === 0 ? NO_NAMES : new Map(keywords)
  const args: Value[] = parameters.map((parameter, index) => {
    const given = positional[index]
    if (index < signature.positionalOnly || !named.has(parameter.name)) {
      if (given !== undefined) return given
      if (parameter.required) throw wrongArguments(owner, signature, isMissing(owner, parameter.name))
      return parameter.fallback
    }
    if (given !== undefined) {
      throw wrongArguments(
        owner,
        signature,
        say`${owner}() got multiple values for argument '${parameter.name}'`,
      )
    }
    const value = named.get(parameter.name) ?? null
    named.delete(parameter.name)
    return value
  })
  const [unknown] = named.keys()
  if (unknown !== undefined && !signature.takesNames) {
    throw wrongArguments(owner, signature, say`${owner}() got an unexpected keyword argument '${unknown}'`)
  }
  return { args: asArgs(args), extra: { rest: positional.slice(parameters.length), names: named } }
}

const NO_NAMES = new Map<string, Value>()

/** Splits at commas outside quotes. */
function splitParameters(text: string): string[] {
  return (text.match(/(?:'[^']*'|[^,'])+/g) ?? []).map((part) => part.trim())
}

function parseParameter(part: string): Parameter {
  const [name = '', fallback] = part.split(/=(.*)/s)
  return { name, required: fallback === undefined, fallback: parseDefault(fallback ?? 'none') }
}

const CONSTANTS: ReadonlyMap<string, Value> = new Map<string, Value>([
  ['none', null],
  ['true', true],
  ['false', false],
])

function parseDefault(text: string): Value {
  const constant = CONSTANTS.get(text)
  if (constant !== undefined) return constant
  if (/^\d+\.\d+$/.test(text)) return makeFloat(Number(text))
  return text.startsWith("'") ? text.slice(1, -1).replaceAll('\\n', '\n') : Number(text)
}

function takesAtMost(owner: string, { parameters }: Signature, given: number): Said {
  const count = parameters.length
  if (count === 0) return say`${owner}() takes no arguments (${given} given)`
  if (count === 1) return say`${owner}() takes at most 1 argument (${given} given)`
  return say`${owner}() takes at most ${count} arguments (${given} given)`
}

const isMissing = (owner: string, name: string) => say`${owner}() missing 1 required argument: '${name}'`

function wrongArguments(owner: string, signature: Signature, said: Said) {
  return argumentFault(said, say`Write ${owner}(${signature.text})`)
}
