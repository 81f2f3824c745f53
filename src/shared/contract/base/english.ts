/**
 * An English sentence in a constant, which the page's `t` translates. It isn't a string, so that it can't be shown
 * untranslated.
 */
export interface English {
  readonly english: never
}
