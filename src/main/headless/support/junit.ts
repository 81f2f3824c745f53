/** Results of tests in the format that CI services read. */
import type { FlowTestResult } from '../../../shared/contract/flow-tests.ts'

export interface TestedFlow {
  readonly name: string
  readonly file: string
  readonly results: readonly (FlowTestResult & { readonly file: string })[]
}

export function writeJunit(flows: readonly TestedFlow[]): string {
  const all = flows.flatMap(({ results }) => results)
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites${counts(all)}>`,
    ...flows.flatMap(({ name, file, results }) => [
      `  <testsuite name=${quote(name)} file=${quote(file)}${counts(results)}>`,
      ...results.flatMap((result) => testCase(name, result)),
      '  </testsuite>',
    ]),
    '</testsuites>',
    '',
  ].join('\n')
}

function testCase(
  flow: string,
  { name, file, passed, duration_ms: ms, failures }: TestedFlow['results'][number],
): string[] {
  const head = `    <testcase name=${quote(name)} classname=${quote(flow)} file=${quote(file)} time="${ms / 1000}"`
  if (passed) return [`${head}/>`]
  return [
    `${head}>`,
    ...failures.map(({ kind, message, differences }) => {
      const lines = differences.map(
        ({ path, expected, got }) => `${path}: ${shown(expected)} → ${shown(got)}`,
      )
      return `      <failure type=${quote(kind)} message=${quote(message)}>${escape(lines.join('\n'))}</failure>`
    }),
    '    </testcase>',
  ]
}

function counts(results: readonly FlowTestResult[]): string {
  const failed = results.filter(({ passed }) => !passed).length
  const ms = results.reduce((sum, { duration_ms }) => sum + duration_ms, 0)
  return ` tests="${results.length}" failures="${failed}" time="${ms / 1000}"`
}

const shown = (value: unknown) => (value === undefined ? '(nothing)' : JSON.stringify(value))
const quote = (text: string) => `"${escape(text).replaceAll('"', '&quot;').replaceAll('\n', '&#10;')}"`

/** XML can't contain most control characters, even escaped. */
function escape(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/[^\P{Cc}\t\n\r]|[\uFFFE\uFFFF]/gu, '\uFFFD')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
}
