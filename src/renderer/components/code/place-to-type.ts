/** The cursor position in a field that gets the focus automatically: inside an empty object, otherwise at the end. */
export function placeToType(text: string): number {
  return text === '{}' ? 1 : text.length
}
