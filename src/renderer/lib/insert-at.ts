/**
 * Puts a path into a template in place of what is selected: in braces of its own, or bare where the cursor stands inside
 * of braces already.
 */
export function insertAt(text: string, from: number, to: number, path: string, bare: boolean) {
  const before = text.slice(0, from)
  const opened = Math.max(before.lastIndexOf('{{'), before.lastIndexOf('{%'))
  const closed = Math.max(before.lastIndexOf('}}'), before.lastIndexOf('%}'))
  const inserted = bare || opened > closed ? path : `{{ ${path} }}`
  return { text: before + inserted + text.slice(to), cursor: from + inserted.length }
}
