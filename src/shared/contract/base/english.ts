/**
 * An English sentence in a constant; the page's `t` returns what is shown. It isn't a string, so that nobody shows
 * it directly.
 */
export interface English {
  readonly english: never
}
