import { HighlightStyle, StreamLanguage, syntaxHighlighting } from '@codemirror/language'
import type { StringStream } from '@codemirror/language'
import type { Extension } from '@codemirror/state'
import { tags } from '@lezer/highlight'

interface Mode {
  /** The delimiter that closes the current tag; null in the text around tags. */
  readonly close: string | null
  /** The text around the tags is JSON. */
  readonly json: boolean
  /** The JSON string that contains a tag. */
  readonly quoted: boolean
  /** The last token in a tag: a filter follows `|`, a key follows `.`, the tag's name follows `{%`. */
  readonly after: '' | '.' | '|' | '%'
}

const WORDS =
  /^(?:and|or|not|in|is|if|elif|else|for|recursive|set|with|without|context|ignore|missing|do|endif|endfor|endset|endwith|endmacro|endcall|endfilter|macro|call|filter|raw|endraw|break|continue|block|endblock)$/
const CONSTANTS = /^(?:true|false|none|True|False|None)$/

/** Jinja inside text or JSON; with `bare` the whole text is one expression. */
export function templateLanguage(bare: boolean): Extension {
  const language = StreamLanguage.define<{ mode: Mode; begun: boolean }>({
    name: 'template',
    startState: () => ({
      mode: { close: bare ? '' : null, json: false, quoted: false, after: '' },
      begun: bare,
    }),
    copyState: (state) => ({ ...state }),
    token(stream, state) {
      if (!state.begun) {
        if (stream.eatSpace()) return null
        state.begun = true
        state.mode = { ...state.mode, json: stream.match(/^(?:\[|\{(?![{%#]))/, false) !== null }
      }
      const [mode, style] =
        state.mode.close === null ? outside(stream, state.mode) : inside(stream, state.mode)
      state.mode = mode
      return style
    },
    languageData: { closeBrackets: { brackets: ['(', '[', "'", '"'] } },
  })
  return [language, syntaxHighlighting(HIGHLIGHT)]
}

type Token = readonly [mode: Mode, style: string | null]

function outside(stream: StringStream, mode: Mode): Token {
  const tag = stream.match(/^\{([{%#])[-+]?/) as RegExpMatchArray | null
  if (tag !== null) {
    const close = tag[1] === '{' ? '}}' : `${tag[1]}}`
    return [{ ...mode, close, after: tag[1] === '%' ? '%' : '' }, tag[1] === '#' ? 'comment' : 'brace']
  }
  if (!mode.json) {
    stream.next()
    stream.eatWhile(/[^{]/)
    return [mode, null]
  }
  if (mode.quoted) {
    // linear: at any character only one alternative matches
    if (stream.match(/^(?:[^"\\{]|\\.|\{(?![{%#]))+/)) return [mode, 'string']
    stream.next()
    return [{ ...mode, quoted: false }, 'string']
  }
  if (stream.match('"')) return [{ ...mode, quoted: true }, 'string']
  if (stream.match(/^-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?/)) return [mode, 'number']
  if (stream.match(/^(?:true|false|null)\b/)) return [mode, 'atom']
  stream.next()
  return [mode, null]
}

function inside(stream: StringStream, mode: Mode): Token {
  const close = mode.close ?? ''
  if (close === '#}') {
    if (stream.match(/^-?#\}/)) return [{ ...mode, close: null }, 'comment']
    stream.next()
    stream.eatWhile(/[^#-]/)
    return [mode, 'comment']
  }
  if (stream.eatSpace()) return [mode, null]
  if (close !== '' && stream.match(close === '}}' ? /^[-+]?\}\}/ : /^[-+]?%\}/))
    return [{ ...mode, close: null, after: '' }, 'brace']
  if (stream.match(/^"(?:[^"\\]|\\.)*"?|^'(?:[^'\\]|\\.)*'?/)) return [{ ...mode, after: '' }, 'string']
  if (stream.match(/^\d+(?:\.\d+)?(?:[eE][-+]?\d+)?/)) return [{ ...mode, after: '' }, 'number']
  const word = stream.match(/^[A-Za-z_]\w*/) as RegExpMatchArray | null
  if (word !== null) return [{ ...mode, after: '' }, wordStyle(word[0], mode.after)]
  const sign = stream.next()
  return [{ ...mode, after: sign === '.' || sign === '|' ? sign : '' }, 'operator']
}

function wordStyle(word: string, after: Mode['after']): string {
  if (after === '.') return 'property'
  if (after === '|') return 'variableName.function'
  if (after === '%' || WORDS.test(word)) return 'keyword'
  return CONSTANTS.test(word) ? 'atom' : 'variable'
}

const HIGHLIGHT = HighlightStyle.define([
  { tag: tags.brace, color: 'var(--accent-text)', fontWeight: '500' },
  { tag: tags.variableName, color: 'var(--data-key)' },
  { tag: tags.propertyName, color: 'var(--data-key)' },
  { tag: tags.function(tags.variableName), color: 'var(--data-literal)' },
  { tag: tags.string, color: 'var(--data-string)' },
  { tag: tags.number, color: 'var(--data-number)' },
  { tag: [tags.atom, tags.keyword], color: 'var(--data-literal)' },
  { tag: [tags.comment, tags.operator], color: 'var(--muted)' },
])
