/**
 * Every lint rule that separates the layers is shown to work: a violation is planted, and the real linter must find it.
 */
import { copyFileSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { installTool } from '../../scripts/lib/tools.ts'
import { runCommand } from '../helpers/run-command.ts'

const ROOT = join(import.meta.dirname, '../..')

/** What a file in each layer may import, and what it may not. */
const LAYERS: readonly { from: string; allowed: readonly string[]; breaches: readonly string[] }[] = [
  {
    from: 'src/shared/contract/planted.ts',
    allowed: ['zod', '@millrace/jinja/closest', './tokens.ts'],
    breaches: [
      '@millrace/jinja/data',
      '@millrace/curl',
      '../../main/engine/flow/run/run-flow.ts',
      '../../main/store/index.ts',
      '../../main/services/index.ts',
      '../../main/server/index.ts',
      '../../main/host/application.ts',
      '../../renderer/main.tsx',
      '../../preload/index.ts',
      'node:fs',
      'express',
      'undici',
    ],
  },
  {
    from: 'src/main/engine/planted.ts',
    allowed: [
      'acorn',
      'nunjucks',
      'fast-xml-parser',
      'undici',
      'node:dns',
      '../../shared/contract/tokens.ts',
    ],
    breaches: [
      '../store/index.ts',
      '../services/index.ts',
      '../server/index.ts',
      '../application.ts',
      '../electron/window.ts',
      '../headless/index.ts',
      '../../renderer/main.tsx',
      '../../preload/index.ts',
      'electron',
      'express',
      'better-sqlite3',
      'jsonpath-plus',
    ],
  },
  {
    from: 'src/main/store/planted.ts',
    allowed: ['better-sqlite3', 'node:crypto', '../../shared/contract/tokens.ts'],
    breaches: [
      '../engine/flow/run/run-flow.ts',
      '@millrace/jinja',
      '@millrace/jinja/data',
      '../services/index.ts',
      '../server/index.ts',
      '../application.ts',
      '../electron/window.ts',
      '../headless/index.ts',
      '../../renderer/main.tsx',
      '../../preload/index.ts',
      'electron',
      'express',
      'undici',
      'acorn',
      'nunjucks',
      'jsonpath-plus',
      'fast-xml-parser',
    ],
  },
  {
    from: 'src/main/services/planted.ts',
    allowed: [
      '../store/index.ts',
      '@millrace/jinja/environment',
      '@millrace/jinja/data',
      '../../shared/contract/tokens.ts',
    ],
    breaches: [
      '@millrace/jinja',
      '../server/index.ts',
      '../application.ts',
      '../electron/window.ts',
      '../headless/index.ts',
      '../../renderer/main.tsx',
      '../../preload/index.ts',
      'electron',
      'express',
      'better-sqlite3',
      'acorn',
      'nunjucks',
      'jsonpath-plus',
      'fast-xml-parser',
    ],
  },
  {
    from: 'src/main/server/routes/planted.ts',
    allowed: ['express', '../../services/keeping/access/tokens.ts', '../../../shared/contract/tokens.ts'],
    breaches: [
      '../../store/index.ts',
      '../../engine/flow/run/run-flow.ts',
      '@millrace/jinja/data',
      '../../application.ts',
      '../../electron/window.ts',
      '../../headless/index.ts',
      '../../../renderer/main.tsx',
      '../../../preload/index.ts',
      'electron',
      'better-sqlite3',
      'undici',
      'acorn',
      'nunjucks',
      'jsonpath-plus',
      'fast-xml-parser',
    ],
  },
  {
    from: 'src/main/host/application.ts',
    allowed: ['./server/index.ts', './store/index.ts', './services/index.ts', 'pino'],
    breaches: [
      './electron/window.ts',
      './headless/index.ts',
      '../renderer/main.tsx',
      '../preload/index.ts',
      'electron',
      'express',
      'better-sqlite3',
      'nunjucks',
    ],
  },
  {
    from: 'src/main/headless/planted.ts',
    allowed: ['../application.ts', 'commander'],
    breaches: [
      '../electron/window.ts',
      '../../renderer/main.tsx',
      '../../preload/index.ts',
      'electron',
      'express',
      'better-sqlite3',
      'jsonpath-plus',
    ],
  },
  {
    from: 'src/main/electron/planted.ts',
    allowed: ['electron', '../application.ts'],
    breaches: [
      '../headless/index.ts',
      '../../renderer/main.tsx',
      '../../preload/index.ts',
      'express',
      'better-sqlite3',
      'fast-xml-parser',
    ],
  },
  {
    from: 'src/sandbox/n8n/planted.ts',
    allowed: ['luxon', '../intl.ts'],
    breaches: ['../../main/services/index.ts', '../../shared/contract/tokens.ts', 'node:fs', 'zod', 'undici'],
  },
  {
    from: 'packages/curl/src/planted.ts',
    allowed: ['./request.ts', '@millrace/jinja/said'],
    breaches: [
      '../../../src/shared/contract/tokens.ts',
      '@millrace/jinja',
      '@millrace/jinja/data',
      'node:fs',
      'zod',
    ],
  },
  {
    from: 'packages/import-n8n/src/nodes/planted.ts',
    allowed: ['../source/workflow.ts', '@millrace/jinja', '@millrace/jinja/said', 'acorn'],
    breaches: [
      '../../../../src/main/engine/flow/run/run-flow.ts',
      '../../../../src/sandbox/n8n/index.ts',
      '../../../../src/shared/contract/steps.ts',
      '@millrace/jinja/data',
      'node:fs',
      'zod',
    ],
  },
  {
    from: 'packages/jinja/src/planted.ts',
    allowed: ['./data/index.ts', 'fast-xml-parser', 'node:fs', 'nunjucks', 're2js'],
    breaches: [
      '../../../src/main/engine/flow/run/run-flow.ts',
      '../../../src/shared/contract/limits.ts',
      '@millrace/curl',
      'jsonpath-plus',
      'zod',
    ],
  },
  {
    from: 'src/preload/planted.ts',
    allowed: ['electron', '../shared/contract/tokens.ts'],
    breaches: ['../main/host/application.ts', '../renderer/main.tsx', 'express', 'better-sqlite3', 'undici'],
  },
  {
    from: 'src/renderer/components/planted.tsx',
    allowed: ['react', '../api/client.ts', '../../shared/contract/tokens.ts'],
    breaches: [
      '../features/tokens/store.ts',
      '../../main/services/index.ts',
      '../../preload/index.ts',
      'electron',
      'node:fs',
      'express',
      'better-sqlite3',
      'nunjucks',
      'codemirror',
    ],
  },
  {
    from: 'src/renderer/features/flows/parts/planted.tsx',
    allowed: [
      '../store.ts',
      '../../../components/controls/button.tsx',
      '../../../../shared/contract/flows.ts',
    ],
    breaches: ['../../../../main/services/index.ts', '../../../../preload/index.ts', 'electron', 'node:fs'],
  },
]

/** Rules that apply in every layer: the code, and the rule that must report it. */
const ANYWHERE: readonly { file: string; code: string; rule: string }[] = [
  { file: 'src/main/engine/evaluates.ts', code: "export const x = eval('1')\n", rule: 'no-eval' },
  {
    file: 'src/main/engine/makes-function.ts',
    code: "export const x = new Function('1')\n",
    rule: 'no-new-func',
  },
  {
    file: 'src/renderer/components/dangerous.tsx',
    code: 'export const X = ({ html }: { html: string }) => <p dangerouslySetInnerHTML={{ __html: html }} />\n',
    rule: 'no-danger',
  },
  {
    file: 'src/main/engine/cycle-a.ts',
    code: "import { b } from './cycle-b.ts'\nexport const a = (): number => b()\n",
    rule: 'no-cycle',
  },
  {
    file: 'src/main/engine/cycle-b.ts',
    code: "import { a } from './cycle-a.ts'\nexport const b = (): number => a()\n",
    rule: 'no-cycle',
  },
  {
    file: 'src/main/engine/type-cycle-a.ts',
    code: "import type { B } from './type-cycle-b.ts'\nexport interface A {\n  readonly b: B | null\n}\n",
    rule: 'no-cycle',
  },
  {
    file: 'src/main/engine/type-cycle-b.ts',
    code: "import type { A } from './type-cycle-a.ts'\nexport interface B {\n  readonly a: A | null\n}\n",
    rule: 'no-cycle',
  },
]

interface Report {
  readonly diagnostics: readonly {
    code: string
    filename: string
    labels: readonly { span: { line: number } }[]
  }[]
  readonly number_of_files: number
}

async function lint(cwd: string): Promise<Report> {
  const oxlint = join(installTool('tools/checks'), 'node_modules/.bin/oxlint')
  const { stdout } = await runCommand(oxlint, ['--format', 'json'], { cwd })
  return JSON.parse(stdout) as Report
}

describe('the layers', () => {
  const planted = mkdtempSync(join(tmpdir(), 'millrace-layers-'))
  let report: Report

  beforeAll(async () => {
    copyFileSync(join(ROOT, '.oxlintrc.json'), join(planted, '.oxlintrc.json'))
    for (const { from, allowed, breaches } of LAYERS) {
      plant(from, [...breaches, ...allowed].map((specifier) => `import '${specifier}'`).join('\n'))
    }
    for (const { file, code } of ANYWHERE) plant(file, code)
    report = await lint(planted)
  })
  afterAll(() => rmSync(planted, { recursive: true, force: true }))

  function plant(file: string, code: string): void {
    mkdirSync(dirname(join(planted, file)), { recursive: true })
    writeFileSync(join(planted, file), code)
  }

  /** The import specifiers of a planted file that the layer rule reported. */
  function caughtIn(file: string): string[] {
    const lines = readFileSync(join(planted, file), 'utf8').split('\n')
    return report.diagnostics
      .filter(({ code, filename }) => code.includes('no-restricted-imports') && filename === file)
      .map(({ labels }) => /'(.+)'/.exec(lines[(labels[0]?.span.line ?? 0) - 1] ?? '')?.[1] ?? '?')
  }

  test(`every planted file is read: ${LAYERS.length + ANYWHERE.length} of them`, () => {
    expect(report.number_of_files).toBe(LAYERS.length + ANYWHERE.length)
  })

  test.each(LAYERS)('$from can import what its layer can, and nothing else', ({ from, breaches }) => {
    expect(new Set(caughtIn(from))).toEqual(new Set(breaches))
  })

  test.each(ANYWHERE)('$rule is caught in $file', ({ file, rule }) => {
    const rules = report.diagnostics.filter(({ filename }) => filename === file).map(({ code }) => code)
    expect(rules.join(' ')).toContain(`(${rule})`)
  })

  test('an import across layers is caught in every form of import', async () => {
    const forms = mkdtempSync(join(tmpdir(), 'millrace-forms-'))
    try {
      copyFileSync(join(ROOT, '.oxlintrc.json'), join(forms, '.oxlintrc.json'))
      mkdirSync(join(forms, 'src/main/engine'), { recursive: true })
      const code = [
        "import { a } from '../store/a.ts'",
        "import type { B } from '../store/b.ts'",
        "export * from '../store/c.ts'",
        "export { d } from '../store/d.ts'",
        "export const e = await import('../store/e.ts')",
        'export type F = B',
        'export const g = a',
      ]
      writeFileSync(join(forms, 'src/main/engine/planted.ts'), code.join('\n'))
      const lines = (await lint(forms)).diagnostics
        .filter((diagnostic) => diagnostic.code.includes('no-restricted-imports'))
        .map(({ labels }) => labels[0]?.span.line)
      expect(new Set(lines)).toEqual(new Set([1, 2, 3, 4, 5]))
    } finally {
      rmSync(forms, { recursive: true, force: true })
    }
  })
})

describe('the source tree', () => {
  test('the linter reads every source file and finds no import across layers', async () => {
    const sources = globSync('{bin,src,test,bench,scripts,packages,examples}/**/*.{ts,tsx,js,mjs,cjs}', {
      cwd: ROOT,
    }).length
    const others = globSync(
      ['*.config.ts', 'packaging/*.ts', 'tools/*/lint.ts', 'tools/site/.vitepress/{config,theme/index}.ts'],
      { cwd: ROOT },
    ).length
    const { diagnostics, number_of_files: read } = await lint(ROOT)
    expect({
      read,
      breaches: diagnostics.filter(({ code }) => /restricted-imports|no-cycle/.test(code)),
    }).toEqual({
      read: sources + others,
      breaches: [],
    })
  })
})
