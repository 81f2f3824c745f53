/**
 * References to secrets that are stored elsewhere. Whether a field contains a reference is stored separately from its
 * value, so a string never becomes one because of its form.
 */
const FORMS = {
  op: /^op:\/\/[^/\s-][^/]*(?:\/[^/]+){2,3}$/,
  bw: /^bw:[^-/\s][^/]*(?:\/[^/]+)?$/,
  pass: /^pass:[^-/\s].*$/,
  keychain: /^keychain:[^-/\s][^/]*\/[^-/\s][^/]*$/,
  env: /^env:[A-Za-z_][A-Za-z0-9_]*$/,
  file: /^file:\/.+$/,
} as const

export type ReferenceKind = keyof typeof FORMS
export const REFERENCE_KINDS = Object.keys(FORMS) as readonly ReferenceKind[]

export interface SecretReference {
  readonly kind: ReferenceKind
  /** The whole reference, as entered. */
  readonly text: string
  /** The part after the kind; for `op`, the whole reference. */
  readonly place: string
}

/** Null if the string has none of the forms. */
export function parseReference(text: string): SecretReference | null {
  if (text.length > 1_000 || /[\p{Cc}\p{Cf}\u2028\u2029]/u.test(text)) return null
  const kind = REFERENCE_KINDS.find((one) => FORMS[one].test(text))
  if (kind === undefined || text.split('/').includes('..')) return null
  return { kind, text, place: kind === 'op' ? text : text.slice(kind.length + 1) }
}
