/** Which expressions of n8n the sandbox of a code step calculates as n8n does. */

/** JavaScript's own methods: others are n8n's, which the sandbox does not have. */
const OWNERS: readonly object[] = [String, Array, Number, Object, Date, RegExp, Map, Set, Boolean]
  .flatMap((one): object[] => [one, one.prototype as object])
  .concat(Math, JSON)
const METHODS: ReadonlySet<string> = new Set(OWNERS.flatMap((one) => Object.getOwnPropertyNames(one)))

/** Names that need what the sandbox lacks: n8n's times, files, the network, the languages of the world. */
const LACKING =
  /\b(?:DateTime|Duration|Interval|luxon|Intl|Buffer|process|require|import|fetch|URL|URLSearchParams|btoa|atob|crypto|globalThis|window|constructor|__proto__|eval|Function|await|while|for)\b|\.toLocale\w*|\.localeCompare\b/
/** Every `$name` but these. */
const UNKNOWN_DOLLAR = /\$(?!(?:json|input|node|itemIndex)\b|\(|\{)/

/** @param code what stands between `{{` and `}}` */
export function runsAsCode(code: string): boolean {
  const bare = withoutTexts(code)
  if (bare === null || bare.trim() === '' || LACKING.test(bare) || UNKNOWN_DOLLAR.test(bare)) return false
  const own = bare.replaceAll(/(?:\$input|\$\(\))\s*\??\.\s*(?:first|last|all)\s*\(/g, '(')
  return [...own.matchAll(/\.\s*([A-Za-z_$][\w$]*)\s*(?:\?\.)?\s*\(/g)].every(([, name = '']) =>
    METHODS.has(name),
  )
}

/** Nodes that it names; null where a name is calculated. */
export function nodesIn(code: string): readonly string[] | null {
  const named = [...code.matchAll(/\$\(\s*(["'`])(.*?)\1\s*\)|\$node\[\s*(["'`])(.*?)\3\s*\]|\$node\.(\w+)/g)]
  if (named.length !== (code.match(/\$\(|\$node\b/g) ?? []).length) return null
  return named.map(([, , called, , indexed, member]) => called ?? indexed ?? member ?? '')
}

/** Without what stands in quotes; null where it is no single expression whose brackets are closed. */
function withoutTexts(code: string): string | null {
  const open: string[] = []
  let bare = ''
  for (let at = 0; at < code.length; at++) {
    const sign = code[at] ?? ''
    const isInText = open.at(-1) === '`'
    if (isInText && sign === '\\') at++
    else if (isInText && sign === '$' && code[at + 1] === '{') {
      open.push('}')
      at++
      bare += ' '
    } else if (sign === '`') {
      if (isInText) open.pop()
      else open.push('`')
    } else if (isInText) continue
    else if (sign === '"' || sign === "'") {
      const end = endOfText(code, at)
      if (end === -1) return null
      at = end
    } else if (sign === '/' && /[/*]/.test(code[at + 1] ?? '')) return null
    else if (sign === ';' && open.length === 0) return null
    else {
      if (CLOSING[sign] !== undefined) open.push(CLOSING[sign])
      else if (/[)\]}]/.test(sign) && open.pop() !== sign) return null
      bare += sign
    }
  }
  return open.length === 0 ? bare : null
}

const CLOSING: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' }

function endOfText(code: string, from: number): number {
  for (let at = from + 1; at < code.length; at++) {
    if (code[at] === '\\') at++
    else if (code[at] === code[from]) return at
    else if (code[at] === '\n') return -1
  }
  return -1
}
