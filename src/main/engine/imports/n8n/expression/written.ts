/** Parts of a template expression while it is put together. */

export interface Written {
  readonly text: string
  /** How strongly its parts hold together. */
  readonly strength: number
  readonly type: 'text' | 'number' | 'boolean' | 'any'
}

export const CHOICE = 0
export const OR = 1
export const AND = 2
export const NOT = 3
export const COMPARISON = 4
export const SUM = 5
export const JOIN = 6
export const PRODUCT = 7
export const SIGN = 8
export const WHOLE = 9

export const written = (text: string, strength: number, type: Written['type'] = 'any'): Written => ({
  text,
  strength,
  type,
})

/** In parentheses where it would fall apart otherwise. */
export const held = ({ text, strength }: Written, above: number): string =>
  strength >= above ? text : `(${text})`

export const text = (source: string) => written(source, WHOLE, 'text')
export const flag = (source: string) => written(source, COMPARISON, 'boolean')
