/**
 * A sentence in a constant, in English; the page's `t` returns what is shown. Not a string, so that nobody shows it
 * directly.
 */
export interface English {
  readonly english: never
}
