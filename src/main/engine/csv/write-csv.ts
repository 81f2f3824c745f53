/** Writes rows as CSV: fields that need it in quotes, rows ended by CRLF as RFC 4180 has it. */
export function writeCsv(rows: readonly (readonly string[])[], delimiter = ','): string {
  return rows.map((row) => `${writeRow(row, delimiter)}\r\n`).join('')
}

/** Empty quotes, so that a row of one empty field is no empty line, which readers skip. */
function writeRow(row: readonly string[], delimiter: string): string {
  if (row.length === 1 && row[0] === '') return '""'
  return row.map((field) => writeField(field, delimiter)).join(delimiter)
}

function writeField(field: string, delimiter: string): string {
  if (!field.includes(delimiter) && !/["\r\n]|^\s|\s$/.test(field)) return field
  return `"${field.replaceAll('"', '""')}"`
}
