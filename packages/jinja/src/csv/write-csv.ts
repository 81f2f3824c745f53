/** Writes rows as CSV according to RFC 4180: fields are quoted if necessary, rows end with CRLF unless told otherwise. */
export function writeCsv(
  rows: readonly (readonly string[])[],
  delimiter = ',',
  lineEnd: '\n' | '\r\n' = '\r\n',
): string {
  return rows.map((row) => `${writeRow(row, delimiter)}${lineEnd}`).join('')
}

/** Empty quotes, so that a row of one empty field isn't an empty line, which readers skip. */
function writeRow(row: readonly string[], delimiter: string): string {
  if (row.length === 1 && row[0] === '') return '""'
  return row.map((field) => writeField(field, delimiter)).join(delimiter)
}

function writeField(field: string, delimiter: string): string {
  if (!field.includes(delimiter) && !/["\r\n]|^\s|\s$/.test(field)) return field
  return `"${field.replaceAll('"', '""')}"`
}
