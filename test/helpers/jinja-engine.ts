import { namesRead, parseLiteral, renderTemplate } from '../../packages/jinja/src/template/index.ts'

/** The engine in the form that the recorded checks next to the repository load. */
export function render(
  template: string,
  context: Record<string, unknown>,
  { extensions }: { extensions?: readonly string[] } = {},
): string {
  return renderTemplate(template, context, extensions === undefined ? {} : { extensions })
}

/** Compiles without rendering; throws syntax errors. */
export function compile(template: string): void {
  namesRead(template)
}

export { parseLiteral }
