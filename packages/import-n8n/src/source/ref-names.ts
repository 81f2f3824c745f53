import { isReadableName } from '@millrace/jinja'

/** Returns a function that creates a unique step name, readable by templates, from any name. */
export function createRefNames(reserved: readonly string[]): (name: string) => string {
  const taken = new Set(reserved)
  return (name) => {
    const base = plainName(name)
    for (let number = 1; ; number++) {
      const ref = number === 1 ? base : `${base}_${number}`
      if (taken.has(ref) || !isReadableName(ref)) continue
      taken.add(ref)
      return ref
    }
  }
}

function plainName(name: string): string {
  const plain = name
    .normalize('NFKD')
    .replaceAll(/\p{Mark}/gu, '')
    .replaceAll(/[^A-Za-z0-9]+/g, '_')
    .replaceAll(/^_|_$/g, '')
    .toLowerCase()
    .slice(0, 60)
  return /^[a-z]/.test(plain) ? plain : `step_${plain}`.replace(/_$/, '')
}
