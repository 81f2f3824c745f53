/**
 * The template engine: small templates compiled once, a loop with a filter, compiling. Compared with nunjucks in the
 * same process, and Jinja2 on CPython if it is installed (sandboxed, like templates here). Measures CPU time, so that
 * other work on the machine doesn't count.
 */
import { spawnSync } from 'node:child_process'
import nunjucks from 'nunjucks'
import { compileSource } from '../packages/jinja/src/template/render/render.ts'
import { renderTemplate } from '../packages/jinja/src/template/index.ts'
import type { Benchmark, Figure } from './lib/figure.ts'

const CONTEXT = {
  page: 3,
  limit: 100,
  previous_request: { next: 'NTI1Cg==' },
  rows: Array.from({ length: 100 }, (_, index) => ({ name: `name ${index}`, id: index })),
}

const TEMPLATES = {
  formula: '{{ ((page + 1) * 100) + 1 }}',
  dictionary: `{'offset': {{ page * limit }}, 'limit': {{ limit }}, 'cursor': '{{ previous_request.next }}'}`,
  loop: '{% for row in rows %}{{ row.id }}: {{ row.name | upper }}, {% endfor %}',
}
type Name = keyof typeof TEMPLATES

const MEASURE_MS = 150
const ROUNDS = 12

export const benchmark: Benchmark = {
  title: 'Templates, renders a second of CPU time',
  run() {
    const ours = measureAll((source) => () => renderTemplate(source, CONTEXT))
    const nunjucksRates = measureAll((source) => {
      const template = nunjucks.compile(source, new nunjucks.Environment([], { autoescape: false }))
      return () => template.render(CONTEXT)
    })
    return Promise.resolve([
      atLeast('formula', ours.formula, 1_000_000),
      atLeast('dictionary of three values', ours.dictionary, 300_000),
      beside('loop of 100 with a filter', ours.loop, { name: 'nunjucks', value: nunjucksRates.loop }, 2),
      measureCompile(),
      ...besideJinja(ours),
    ])
  },
}

function measureAll(prepare: (source: string) => () => unknown): Record<Name, number> {
  const rates = Object.entries(TEMPLATES).map(([name, source]) => [name, measure(prepare(source))])
  return Object.fromEntries(rates) as Record<Name, number>
}

/** Calls per second in the best of many short rounds: the one least disturbed by the rest of the machine. */
function measure(work: () => unknown): number {
  const rounds = Array.from({ length: ROUNDS }, () => {
    let calls = 0
    const start = cpuMs()
    while (cpuMs() - start < MEASURE_MS) {
      for (let call = 0; call < 50; call++) work()
      calls += 50
    }
    return (calls / (cpuMs() - start)) * 1000
  })
  return Math.max(...rounds)
}

function measureCompile(): Figure {
  let count = 0
  const rate = measure(() => compileSource(`${TEMPLATES.dictionary}${count++ % 1000}`))
  const microseconds = 1_000_000 / rate
  return { what: 'compile', unit: 'µs', ours: microseconds, goal: 'at most 50 µs', isMet: microseconds <= 50 }
}

function besideJinja(ours: Record<Name, number>): Figure[] {
  const rates = jinjaRates()
  if (rates === null) return []
  return (Object.keys(TEMPLATES) as Name[]).map((name) =>
    beside(name, ours[name], { name: 'Jinja2', value: rates[name] }, 4),
  )
}

/** Null if Python with Jinja2 isn't installed. */
function jinjaRates(): Record<Name, number> | null {
  const python = process.env['PYTHON'] ?? '/usr/bin/python3'
  const { stdout, status } = spawnSync(python, [`${import.meta.dirname}/rivals/jinja2_rates.py`], {
    input: JSON.stringify({ templates: TEMPLATES, context: CONTEXT }),
    encoding: 'utf8',
  })
  return status === 0 ? (JSON.parse(stdout) as Record<Name, number>) : null
}

function atLeast(what: string, ours: number, goal: number): Figure {
  return { what, unit: '/s', ours, goal: `at least ${goal.toLocaleString('en')}`, isMet: ours >= goal }
}

function beside(what: string, ours: number, rival: { name: string; value: number }, factor: number): Figure {
  return {
    what,
    unit: '/s',
    ours,
    beside: rival,
    goal: `at least ${factor}×`,
    isMet: ours >= factor * rival.value,
  }
}

function cpuMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}
