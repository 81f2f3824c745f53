/**
 * A string and a position in it: the base class of hand-written parsers. In hot loops, parsers read `text` and `at`
 * directly, so the base class doesn't slow down JSON and XML.
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

  /** The match of a sticky pattern at a position. Doesn't move the cursor. */
  protected peek(sticky: RegExp, from = this.at): string | undefined {
    sticky.lastIndex = from
    return sticky.exec(this.text)?.[0]
  }

  /** Reads the match of a sticky pattern. */
  protected match(sticky: RegExp): string | undefined {
    return this.exec(sticky)?.[0]
  }

  /** Like `match`, but returns the groups. */
  protected exec(sticky: RegExp): RegExpExecArray | null {
    sticky.lastIndex = this.at
    const found = sticky.exec(this.text)
    this.at += found?.[0].length ?? 0
    return found
  }
}
