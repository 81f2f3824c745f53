import { hash } from 'node:crypto'

/** A strong entity tag: the same for the same JSON of a record, as its caller sees it. */
export function entityTag(text: string): string {
  return `"${hash('sha256', text, 'base64url').slice(0, 27)}"`
}

/**
 * Whether `If-Match` or `If-None-Match` names this tag. RFC 9110 13.1: a list of tags, or `*` for any.
 *
 * @param weak whether `W/"…"` matches its strong counterpart, as `If-None-Match` requires
 */
export function namesTag(header: string, tag: string, { weak }: { readonly weak: boolean }): boolean {
  return header.split(',').some((part) => {
    const named = part.trim()
    return named === '*' || named === tag || (weak && named === `W/${tag}`)
  })
}
