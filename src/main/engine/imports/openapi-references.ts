import { isRecord, textOf, type Plain } from './plain.ts'

export interface References {
  /** Follows references inside the document; a reference that is broken, external or circular is empty. */
  readonly resolve: (value: unknown) => Plain
  /** The reference that can't be followed; null if there is none. */
  readonly unknown: (value: unknown) => string | null
}

/** Follows each reference once. `onMissing` is called for those that lead outside the document. */
export function createReferences(document: Plain, onMissing: (reference: string) => void): References {
  const targets = new Map<string, Plain | null>()

  function targetOf(reference: string): Plain | null {
    const known = targets.get(reference)
    if (known !== undefined) return known
    targets.set(reference, null) // a circular reference is empty
    const target = follow(at(document, reference))
    targets.set(reference, target)
    if (target === null) onMissing(reference)
    return target
  }

  function follow(value: unknown): Plain | null {
    if (!isRecord(value)) return null
    const reference = value['$ref']
    return typeof reference === 'string' ? targetOf(textOf(reference)) : value
  }

  return {
    resolve: (value) => follow(value) ?? {},
    unknown(value) {
      const reference = isRecord(value) ? value['$ref'] : undefined
      return typeof reference === 'string' && follow(value) === null ? textOf(reference).slice(0, 200) : null
    },
  }
}

function at(document: Plain, reference: string): unknown {
  if (reference === '#') return document
  if (!reference.startsWith('#/')) return undefined
  return reference
    .slice(2)
    .split('/')
    .map((part) => decoded(part).replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>((from, key) => {
      if (Array.isArray(from)) return from[Number(key)]
      return isRecord(from) && Object.hasOwn(from, key) ? from[key] : undefined
    }, document)
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
