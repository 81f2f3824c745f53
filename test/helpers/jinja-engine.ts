import { parseLiteral as readLiteral, renderTemplate } from '../../src/main/engine/template/index.ts'

/** The engine in the form the recorded checks load it in. */
export function render(
  template: string,
  context: Record<string, unknown>,
  { extensions }: { extensions?: readonly string[] } = {},
): string {
  return renderTemplate(template, context, extensions === undefined ? {} : { extensions })
}

export const parseLiteral = readLiteral
