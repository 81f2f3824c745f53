/** What a step is said to be that came with an import and has no equal here. */
export function aboutUnknown(type: string): string {
  const of = /^n8n-nodes-|^@n8n\//.test(type) ? `n8n's type "${type}"` : `the type "${type}"`
  return `is of ${of}, which this Millrace does not have: it does nothing but keep what was imported; put another step in its place, or disable or remove it`
}
