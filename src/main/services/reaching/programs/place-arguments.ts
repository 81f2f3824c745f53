import { say, type Said } from '../../../../shared/contract/base/message.ts'
import type { Program } from '../../../../shared/contract/settings.ts'

export interface GivenArgument {
  readonly text: string
  /** A literal `--` in the step: all arguments after it are values, whatever they begin with. */
  readonly isSeparator: boolean
}

/**
 * The program's arguments: the fixed ones, with those of the step in place of each `{}` and at the end. A value from
 * the step never becomes an option.
 *
 * @returns a sentence without its subject if an argument can't be placed
 */
export function placeArguments(
  { name, arguments: fixed }: Pick<Program, 'name' | 'arguments'>,
  given: readonly GivenArgument[],
  isWindows = process.platform === 'win32',
): readonly string[] | { readonly at: number; readonly problem: Said } {
  const places = fixed.filter((one) => one.includes(PLACE)).length
  if (given.length < places) {
    return {
      at: given.length,
      problem: say(
        'is missing: "{{name}}" has {{places}} fixed places for arguments, but the step has {{given}}',
        {
          name,
          places,
          given: given.length,
        },
      ),
    }
  }
  const begin = isWindows ? /^[-/]/ : /^-/
  let isAfterSeparator = fixed.includes('--')
  const placed = fixed.flatMap((one, at) => (one.includes(PLACE) ? [at] : []))
  for (const [at, { text, isSeparator }] of given.entries()) {
    if (text.includes('\0')) return { at, problem: say('contains the character NUL') }
    const place = placed[at]
    if (place !== undefined) {
      const isWhole = fixed[place]?.startsWith(PLACE) === true && !fixed.slice(0, place).includes('--')
      if (!isWhole || !begin.test(text)) continue
      return {
        at,
        problem: say(
          'is {{value}}, which "{{name}}" could take for an option; put -- before the place {} among its fixed arguments in Settings, or write the place as --option={}',
          { value: JSON.stringify(text.slice(0, 80)), name },
        ),
      }
    }
    if (isSeparator) isAfterSeparator = true
    else if (!isAfterSeparator && begin.test(text)) {
      return {
        at,
        problem: say(
          'is {{value}}, which "{{name}}" would take for an option; put -- before it, or add a fixed place such as --option={} to the program in Settings',
          { value: JSON.stringify(text.slice(0, 80)), name },
        ),
      }
    }
  }
  const left = given.map(({ text }) => text)
  // The replacement is a function, because a string could contain patterns such as $&.
  const begun = fixed.map((one) => (one.includes(PLACE) ? one.replace(PLACE, () => left.shift() ?? '') : one))
  return [...begun, ...left]
}

const PLACE = '{}'
