/** Where the cursor of a field stands that gets the focus by itself: in an empty object, otherwise at the end. */
export function placeToType(text: string): number {
  return text === '{}' ? 1 : text.length
}
