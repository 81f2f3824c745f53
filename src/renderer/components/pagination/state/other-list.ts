import type { PageLine } from './test-progress.ts'

/** Where the program saw a list when the configured path had none: `"$.data" has 25 records`. */
export function otherListIn(
  warnings: PageLine['warnings'],
): { readonly path: string; readonly count: number } | null {
  for (const { code, message } of warnings) {
    if (code !== 'jsonpath_no_match' && code !== 'not_a_list') continue
    const [, path, count] = /; "(\$[^"]+)" has (\d+) records?\./.exec(message) ?? []
    if (path !== undefined) return { path, count: Number(count) }
  }
  return null
}
