/** Writes rows as CSV: fields that need it in quotes, rows ended by CRLF as RFC 4180 has it. */
export function writeCsv(rows: readonly (readonly string[])[], delimiter = ','): string {
  return rows.map((row) => `${row.map((field) => writeField(field, delimiter)).join(delimiter)}\r\n`).join('')
}

function writeField(field: string, delimiter: string): string {
  if (!field.includes(delimiter) && !/["\r\n]|^\s|\s$/.test(field)) return field
  return `"${field.replaceAll('"', '""')}"`
}
