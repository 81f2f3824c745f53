import { spawnSync } from 'node:child_process'

/** A template with the context it is rendered in. */
export interface Case {
  readonly template: string
  readonly context: Readonly<Record<string, unknown>>
}

/** The result of the real Jinja2. */
export type Answer = { readonly expected: string } | { readonly error: string; readonly message: string }

/** Renders all cases with python3-jinja2 in one process. */
export function askJinja(cases: readonly Case[]): Answer[] {
  const python = process.env['PYTHON'] ?? '/usr/bin/python3'
  const input = cases.map(({ template, context }) => `${JSON.stringify({ template, context })}\n`).join('')
  const { stdout, status, error } = spawnSync(python, [`${import.meta.dirname}/oracle.py`], {
    input,
    encoding: 'utf8',
    maxBuffer: 1_000_000_000,
    env: { ...process.env, PYTHONHASHSEED: '0' },
  })
  if (error !== undefined || status !== 0) {
    process.stderr.write(
      "This needs Python with Jinja2 3.1 (Debian's python3-jinja2); PYTHON names another interpreter\n",
    )
    process.exit(69)
  }
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Answer)
}
