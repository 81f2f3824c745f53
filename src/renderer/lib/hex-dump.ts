const ROW = 16

/** `00000010  6d 69 6c 6c …  mill…`: sixteen bytes per line, followed by their readable characters. */
export function hexDump(digits: string): string {
  const bytes = digits.match(/../g) ?? []
  const lines = Array.from({ length: Math.ceil(bytes.length / ROW) }, (_, index) => {
    const row = bytes.slice(index * ROW, (index + 1) * ROW)
    const offset = (index * ROW).toString(16).padStart(8, '0')
    return `${offset}  ${row.join(' ').padEnd(ROW * 3 - 1)}  ${row.map(readable).join('')}`
  })
  return lines.join('\n')
}

function readable(byte: string): string {
  const code = Number.parseInt(byte, 16)
  return code >= 0x20 && code < 0x7f ? String.fromCharCode(code) : '·'
}
