import { MORE_FLAGS, plainName } from './paging-names.ts'
import { expressionOf, type ResponseValue } from './response-values.ts'

export function isMoreFlag({ keys, value }: ResponseValue): boolean {
  return typeof value === 'boolean' && MORE_FLAGS.has(plainName(keys.at(-1) ?? ''))
}

/** Whether the value true means that there is another page, rather than that this is the last one. */
export function meansMore({ keys }: ResponseValue): boolean {
  return MORE_FLAGS.get(plainName(keys.at(-1) ?? '')) === true
}

export function saysMore(flag: ResponseValue): boolean {
  return flag.value === meansMore(flag)
}

/** Makes an expression depend on the flag next to it, because a cursor often doesn't change on the last page. */
export function ifMore(expression: string, flag: ResponseValue | null, otherwise = "''"): string {
  if (flag === null) return expression
  const says = expressionOf(flag.keys)
  return meansMore(flag)
    ? `${expression} if ${says} else ${otherwise}`
    : `${otherwise} if ${says} else ${expression}`
}

/** The flag in the same object as a cursor, or else the one nearest to the root. */
export function flagBeside(
  { holder, keys }: ResponseValue,
  values: readonly ResponseValue[],
): ResponseValue | null {
  const near = values.filter((found) => isMoreFlag(found))
  return (
    near.find((found) => found.holder === holder) ??
    near.find((found) => found.keys.length === 1) ??
    near.find((found) => found.keys.length < keys.length) ??
    null
  )
}
