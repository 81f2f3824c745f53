/**
 * A text and how far it has been read: the base of parsers that are written by hand. Where every character counts they
 * read `text` and `at` themselves; as a base class it costs JSON and XML no time.
 */
export class TextCursor {
  protected readonly text: string
  protected at = 0

  constructor(text: string) {
    this.text = text
  }

  /** Whether these characters come next. */
  protected sees(word: string): boolean {
    return this.text.startsWith(word, this.at)
  }

  /** Reads these characters if they come next. */
  protected takes(word: string): boolean {
    if (!this.text.startsWith(word, this.at)) return false
    this.at += word.length
    return true
  }

  /** What a pattern with the flag `y` matches at a position; nothing is read. */
  protected peek(sticky: RegExp, from = this.at): string | undefined {
    sticky.lastIndex = from
    return sticky.exec(this.text)?.[0]
  }

  /** Reads what a pattern with the flag `y` matches. */
  protected match(sticky: RegExp): string | undefined {
    return this.exec(sticky)?.[0]
  }

  /** The same, with its groups. */
  protected exec(sticky: RegExp): RegExpExecArray | null {
    sticky.lastIndex = this.at
    const found = sticky.exec(this.text)
    this.at += found?.[0].length ?? 0
    return found
  }
}
