/** Methods of values, as filters and the like that do exactly the same. */
import { NotReadable } from './javascript.ts'
import { flag, held, NOT, SUM, text, WHOLE, type Written, written } from './written.ts'

/** @param of what it is called on, ready for a filter or a dot behind it */
type Method = (of: string, args: readonly Written[]) => Written

export const METHODS: Readonly<Record<string, Method>> = {
  toUpperCase: (of, args) => text(`${of}${filter('upper', exactly(0, args))}`),
  toLowerCase: (of, args) => text(`${of}${filter('lower', exactly(0, args))}`),
  trim: (of, args) => text(`${of}${filter('trim', exactly(0, args))}`),
  toString: (of: string, args: readonly Written[]) => text(`${of}${filter('string', exactly(0, args))}`),
  replaceAll: (of, args) => text(`${of}${filter('replace', onlyText(exactly(2, args)))}`),
  replace: (of, args) =>
    text(
      `${of} | replace(${onlyText(exactly(2, args))
        .map((one) => one.text)
        .join(', ')}, 1)`,
    ),
  toFixed: (of, args) => {
    const digits = args[0]?.text ?? '0'
    if (!/^\d{1,2}$/.test(digits)) throw new NotReadable('a number of digits is calculated')
    return text(`'%.${digits}f' | format(${of})`)
  },
  join: (of, args) => text(`${of} | join(${args[0]?.text ?? "','"})`),
  split: (of, args) => {
    const [separator] = exactly(1, args)
    if (separator === undefined || separator.text === "''")
      throw new NotReadable('it splits a text into characters')
    return written(`${of}.split(${separator.text})`, WHOLE)
  },
  includes: (of, args) => flag(`${held(exactly(1, args)[0] as Written, SUM)} in ${of}`),
  startsWith: (of, args) => written(`${of}.startswith(${exactly(1, args)[0]?.text})`, WHOLE, 'boolean'),
  endsWith: (of, args) => written(`${of}.endswith(${exactly(1, args)[0]?.text})`, WHOLE, 'boolean'),
  slice: (of, args) => {
    if (args.length === 0 || args.length > 2) throw new NotReadable('".slice()" is used in an unusual way')
    return written(`${of}[${args.map((one) => one.text).join(':')}${args.length === 1 ? ':' : ''}]`, WHOLE)
  },
  isEmpty: (of, args) => nothing('not ', of, args),
  isNotEmpty: (of, args) => nothing('not not ', of, args),
  first: (of, args) => written(`${of}${filter('first', exactly(0, args))}`, WHOLE),
  last: (of, args) => written(`${of}${filter('last', exactly(0, args))}`, WHOLE),
  unique: (of, args) => written(`${of}${filter('unique', exactly(0, args))} | list`, WHOLE),
  toJsonString: (of, args) => text(`${of}${filter('jsonify', exactly(0, args))}`),
}

/** n8n asks texts, lists and objects whether they are empty, and what is missing counts as that. */
function nothing(not: string, of: string, args: readonly Written[]): Written {
  exactly(0, args)
  return written(`${not}${of}`, NOT, 'boolean')
}

function exactly(count: number, args: readonly Written[]): readonly Written[] {
  if (args.length !== count) throw new NotReadable('a function in it is called in an unusual way')
  return args
}

function onlyText(args: readonly Written[]): readonly Written[] {
  if (args.some(({ type }) => type !== 'text'))
    throw new NotReadable('it replaces something else than a text')
  return args
}

function filter(name: string, args: readonly Written[]): string {
  return args.length === 0 ? ` | ${name}` : ` | ${name}(${args.map((one) => one.text).join(', ')})`
}
