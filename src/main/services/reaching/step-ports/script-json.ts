/**
 * JSON inside the sandbox. An integer beyond 2^53 becomes a BigInt there, so that an id keeps its digits, and
 * `JSON.stringify` writes a BigInt as its digits instead of rejecting it. Between JSON and value, such an integer is a
 * string that starts with a marker; the marker is random, so no string of an API can be mistaken for one.
 */

/** Replaces the integers in JSON that a number can't hold with strings that contain the marker and the digits. */
export function markLongIntegers(text: string, mark: string): string {
  if (!/\d{16}/.test(text)) return text
  const pieces: string[] = []
  let copied = 0
  const token = /"|(?<![\d.eE+-])-?\d{16,4300}(?![\d.eE])/g
  for (let found = token.exec(text); found !== null; found = token.exec(text)) {
    const [digits] = found
    if (digits === '"') {
      token.lastIndex = endOfString(text, found.index)
    } else if (!Number.isSafeInteger(Number(digits))) {
      pieces.push(text.slice(copied, found.index), `"${mark}${digits}"`)
      copied = token.lastIndex
    }
  }
  return pieces.join('') + text.slice(copied)
}

/** The end of the string that starts with the quote at this position; the end of the input if it isn't closed. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const character = text[at]
    if (character === '"') return at + 1
    if (character === '\\') at++
  }
  return text.length
}

/**
 * The source of a function that takes the marker, `markLongIntegers` and the 16 bytes of a seed. It installs these
 * functions in the global `JSON`, gives `Math.random` its own numbers, and returns `{ read, toJson, shown }` for the
 * program's use, which scripts can't replace. `read` takes JSON that is already marked.
 */
export const SCRIPT_START = `(function (mark, markLongIntegers, seed) {
  const { parse: nativeParse, stringify: nativeStringify } = JSON
  const { apply, defineProperty, deleteProperty } = Reflect
  const { keys, getOwnPropertyDescriptor } = Object
  const call = Function.prototype.call
  const startsWith = call.bind(String.prototype.startsWith)
  const includes = call.bind(String.prototype.includes)
  const slice = call.bind(String.prototype.slice)
  const replace = call.bind(String.prototype.replace)
  const toInteger = BigInt
  const prototype = BigInt.prototype
  const marked = new RegExp('"' + mark + '(-?[0-9]+)"', 'g')

  const unmark = (text) => typeof text === 'string' && includes(text, mark) ? replace(text, marked, '$1') : text
  const revive = (key, value) =>
    typeof value === 'string' && startsWith(value, mark) ? toInteger(slice(value, mark.length)) : value
  const set = (holder, key, value) => defineProperty(holder, key, { value, writable: true, enumerable: true, configurable: true })

  function reviveWith(reviver, holder, key) {
    const value = holder[key]
    if (typeof value === 'object' && value !== null) {
      for (const name of keys(value)) {
        const revived = reviveWith(reviver, value, name)
        if (revived === undefined) deleteProperty(value, name)
        else set(value, name, revived)
      }
    }
    return apply(reviver, holder, [key, value])
  }

  function parse(text, reviver) {
    const source = String(text)
    const withMarks = markLongIntegers(source)
    if (withMarks === source) return nativeParse(source, reviver)
    const value = nativeParse(withMarks, revive)
    return typeof reviver === 'function' ? reviveWith(reviver, { '': value }, '') : value
  }

  function stringify(value, replacer, space) {
    if (typeof replacer === 'function') {
      const replace = function (key, part) {
        const replaced = apply(replacer, this, [key, part])
        return typeof replaced === 'bigint' ? mark + String(replaced) : replaced
      }
      return unmark(nativeStringify(value, replace, space))
    }
    try {
      return nativeStringify(value, replacer, space)
    } catch (error) {
      if (!(error instanceof TypeError) || getOwnPropertyDescriptor(prototype, 'toJSON') !== undefined) throw error
      const toJSON = function () { return mark + String(this) }
      defineProperty(prototype, 'toJSON', { value: toJSON, configurable: true })
      try {
        return unmark(nativeStringify(value, replacer, space))
      } finally {
        deleteProperty(prototype, 'toJSON')
      }
    }
  }

  set(JSON, 'parse', parse)
  set(JSON, 'stringify', stringify)
  defineProperty(JSON, 'parse', { enumerable: false })
  defineProperty(JSON, 'stringify', { enumerable: false })

  // sfc32; all scripts start with the same memory, and with it QuickJS's own random numbers would be the same
  let [a, b, c, count] = new Int32Array(new Uint8Array(nativeParse(seed)).buffer)
  const next = () => {
    const sum = a + b + count++ | 0
    a = b ^ b >>> 9
    b = c + (c << 3) | 0
    c = (c << 21 | c >>> 11) + sum | 0
    return sum >>> 0
  }
  const random = () => ((next() >>> 5) * 67108864 + (next() >>> 6)) / 9007199254740992
  defineProperty(Math, 'random', { value: random, writable: true, configurable: true })

  return {
    read: (text) => nativeParse(text, includes(text, mark) ? revive : undefined),
    toJson: (value) => stringify(value) ?? 'null',
    shown(value) {
      if (typeof value !== 'object' || value === null || value instanceof Error) return value
      try {
        return stringify(value)
      } catch {
        return value
      }
    },
  }
})`
