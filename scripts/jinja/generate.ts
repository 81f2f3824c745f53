import { CONTEXT } from './context.ts'
import type { Case } from './oracle.ts'
import { Random } from './random.ts'

/** Generates random templates from a grammar of the language, most of which are meaningful. */
export function generateCases(seed: number, count: number): Case[] {
  const random = new Random(seed)
  return Array.from({ length: count }, () => new Generator(random).case())
}

type Kind = 'int' | 'number' | 'text' | 'list' | 'dict' | 'bool' | 'any'
const KINDS: readonly Kind[] = ['int', 'number', 'text', 'list', 'dict', 'bool']

const NAMES: Readonly<Record<Kind, readonly string[]>> = {
  int: ['i', 'n', 'z', 'big', 'd.a', "d['b']", 'l[0]', 'l[-1]', 'p[0].age'],
  number: ['f', 'g', 'i', 'n'],
  text: ['s', 'e', 'w', 'q', 'm', 'num', 'lines', 'ls[1]', 'p[1].name'],
  list: ['l', 'ls', 'el', 'nested', 'mixed', 'p', 'd.c.x', 'nested[1]', 'p[2].tags'],
  dict: ['d', 'ed', 'd.c', 'p[0]'],
  bool: ['t', 'u'],
  any: ['none_', 'missing', 'd.nope', 'l[9]', 'missing.x', 'l', 's', 'd', 'i'],
}

const LITERALS: Readonly<Record<Kind, readonly string[]>> = {
  int: ['0', '1', '2', '3', '10', '-1', '255', '1_000', '0x1f', '10 ** 18'],
  number: ['0.5', '1.0', '2.0', '1e3', '1e-5', '3.14159', '-2.5', '1e17', '0.1', '100.0'],
  text: [
    "''",
    "'a'",
    "'abc'",
    '"x y"',
    "','",
    "' '",
    "'é'",
    "'😀'",
    "'a\\nb'",
    "'%s'",
    "'{}'",
    "'<i>'",
    "'Ab'",
    "'12'",
    "'l'",
    "'o'",
  ],
  list: [
    '[]',
    '[1, 2, 3]',
    "['a', 'b']",
    '[0, none]',
    '(1, 2)',
    '(1,)',
    '()',
    '[[1], [2]]',
    'range(4)',
    "[{'a': 1}, {'a': 2}]",
    '[1.0, 2]',
  ],
  dict: ['{}', "{'a': 1}", "{'k': [1], 'j': none}", '{1: 2, true: 3}', 'dict(a=1, b=2)', "{'z': 1.0}"],
  bool: ['true', 'false', 'True', 'not 1'],
  any: ['none', 'None', 'missing'],
}

const TEXT_METHODS = [
  'upper()', 'lower()', 'title()', 'capitalize()', 'strip()', 'split()', "split(',')", "split('l', 1)", "rsplit(' ', 1)",
  "replace('l', 'L')", "replace('o', '', 1)", "find('o')", "rfind('o')", "count('l')", "startswith('H')", "endswith('d')",
  'isdigit()', 'isalpha()', 'isupper()', 'islower()', 'isspace()', 'istitle()', 'isalnum()', 'swapcase()', "center(9, '*')",
  "ljust(8, '.')", 'rjust(7)', 'zfill(6)', 'splitlines()', 'splitlines(true)', "partition('o')", "rpartition('o')", "join(['x', 'y'])",
  "strip('Hd')", "lstrip('He')", "rstrip('dl')", "format(1, 'b')", 'expandtabs(4)', "removeprefix('He')", "removesuffix('ld')",
  'casefold()', "index('l')", "index('zz')", 'encode()', "find('o', 5)", "count('')", "split('')", "startswith(('x', 'H'))",
  'isidentifier()', 'isprintable()', 'isdecimal()', 'isnumeric()', 'isascii()', "translate({72: 'J'})",
] as const // prettier-ignore

const LIST_METHODS = ['count(1)', 'index(1)', 'index(99)', 'copy()', 'append(1)', 'pop()', 'pop(0)', 'reverse()', 'sort()', 'extend([5])', 'insert(1, 9)', 'remove(1)', 'clear()'] as const // prettier-ignore
const DICT_METHODS = ["get('a')", "get('zz', 5)", 'keys()', 'values()', 'items()', "pop('a', 1)", "setdefault('q', 2)", 'copy()', "update({'n': 1})", 'popitem()'] as const // prettier-ignore
const NUMBER_METHODS = [
  'bit_length()',
  'is_integer()',
  'real',
  'numerator',
  'as_integer_ratio()',
  'conjugate()',
] as const

const TEXT_FILTERS = [
  'upper', 'lower', 'title', 'capitalize', 'trim', "replace('l', 'L')", 'length', 'list', 'reverse', 'e', 'forceescape', 'striptags', 'wordcount',
  'truncate(5)', "truncate(7, true, '..', 0)", 'center(11)', 'indent', 'indent(2, true)', 'urlencode', 'int', 'float', "int(3)", 'string', 'safe',
  'first', 'last', 'sort | list', 'unique | list', 'wordwrap(4)', "wordwrap(6, false)", 'tojson', 'pprint', 'urlize', "format('x')", "default('d')",
  "default('d', true)", "join('-')", "map('upper') | list", 'max', 'min', 'count', "batch(2) | list", 'escape', "trim('H')", "xmlattr", 'filesizeformat',
] as const // prettier-ignore
const LIST_FILTERS = [
  'length', 'first', 'last', 'list', 'reverse | list', 'sort', 'sort(reverse=true)', 'unique | list', 'join', "join(', ')", 'sum', 'max', 'min',
  'tojson', 'tojson(2)', "map('string') | list", "map('upper') | list", "map('length') | list", "select('odd') | list", "reject('even') | list",
  "select('string') | list", 'batch(2) | list', "batch(2, 'x') | list", 'slice(2) | list', "slice(2, 'y') | list", "map(attribute='name') | list",
  "selectattr('age', 'gt', 26) | list | length", "rejectattr('tags') | list | length", "groupby('city') | list", "sum(attribute='age')", "sort(attribute='name') | map(attribute='name') | list",
  "sort(attribute='age,name') | map(attribute='name') | list", "unique(attribute='city') | map(attribute='name') | list", "max(attribute='age')", "map(attribute='zz', default='-') | list",
  "map(attribute=0) | list", 'string', 'pprint', "map('default', 1) | list", "select | list", "reject('none') | list", "select('in', [1, 2]) | list", 'count', 'items', "map('int') | sum", 'e', 'urlencode', 'd(0)', 'random is defined',
  "groupby('age', default=3) | map('first') | list", "groupby('city', case_sensitive=true) | length", "select('gt', 1) | list", "map('abs') | list", 'dictsort', "join('/', attribute='name')", "min(attribute='name')",
] as const // prettier-ignore
const DICT_FILTERS = ['length', 'list', 'dictsort', "dictsort(by='value')", 'dictsort(reverse=true)', 'items | list', 'first', 'last', 'join', 'tojson', 'xmlattr', 'urlencode', 'string', 'pprint', 'max', 'min', 'sort', 'reverse | list', "default(1)", "attr('a')", 'tojson(indent=1)', "map('upper') | list", 'unique | list', 'sum', 'e'] as const // prettier-ignore
const NUMBER_FILTERS = ['abs', 'int', 'float', 'round', 'round(1)', "round(2, 'floor')", "round(1, 'ceil')", 'round(-1)', 'string', 'filesizeformat', 'filesizeformat(true)', 'tojson', "format", "default(1)", 'e', 'length', 'list', 'upper', 'center(5)', 'urlencode', 'pprint', 'sum', 'first'] as const // prettier-ignore

const TESTS = [
  'defined', 'undefined', 'none', 'odd', 'even', 'divisibleby 2', 'divisibleby(0)', 'string', 'number', 'integer', 'float', 'boolean', 'true', 'false', 'mapping',
  'sequence', 'iterable', 'callable', 'lower', 'upper', 'escaped', "in [1, 'a']", 'eq 1', "eq('a')", 'ne 1', 'gt 0', 'lt 2', 'ge 1', 'le 0', 'sameas none', "in 'Hello'", 'not none', 'not defined', 'not string', 'filter', 'test',
] as const // prettier-ignore

const FORMATS = ['{}', '{:>8}', '{:<6}|', '{:^7}', '{:05d}', '{:.2f}', '{:+}', '{:,}', '{:x}', '{:e}', '{:g}', '{:%}', '{:10.3}', '{!r}', '{:08.1f}', '{:b}', '{:_}', '{:*^9}', '{:.0f}', '{:#x}', '{:=+8}', '{:o}', '{:G}', '{:,.1f}', '{:n}', '{:c}'] as const // prettier-ignore
const PERCENTS = ['%s', '%d', '%5.1f', '%r', '%05d', '%x', '%e', '%g', '%-6s|', '%+d', '%c', '%%', '%10.3s|', '%.0f', '%i', '%o', '%X', '%#x', '% d', '%5s', '%u', '%.3g', '%G', '%a'] as const // prettier-ignore

class Generator {
  private readonly random: Random
  private locals: string[] = []
  private macros = 0

  constructor(random: Random) {
    this.random = random
  }

  case(): Case {
    const template = this.template()
    return { template: this.random.chance(0.15) ? this.damage(template) : template, context: CONTEXT }
  }

  private template(): string {
    const { random } = this
    if (random.chance(0.6)) return `{{ ${this.expression(this.kind(), 4)} }}`
    const parts = Array.from({ length: 1 + random.below(3) }, () => this.statement(3))
    return parts.join(random.pick(['', ' ', '\n']))
  }

  /** Makes a typing mistake: the result is usually a syntax error, and must be one in both engines. */
  private damage(template: string): string {
    const { random } = this
    const at = random.below(template.length)
    const end = at + 1 + random.below(3)
    return random.pick([
      () => template.slice(0, at) + template.slice(end),
      () =>
        template.slice(0, at) +
        random.pick([
          '{',
          '}',
          '(',
          ')',
          ']',
          '%',
          '|',
          ',',
          '=',
          '-',
          "'",
          ' ',
          'if',
          '{{',
          '}}',
          '%}',
          '~',
          '\n',
          'not ',
          '1',
        ]) +
        template.slice(at),
      () => template.slice(0, end) + template.slice(at),
      () => template.slice(0, at),
    ])()
  }

  private kind(): Kind {
    return this.random.pick(KINDS)
  }

  private expression(kind: Kind, depth: number): string {
    const { random } = this
    if (depth <= 0 || random.chance(0.2)) return this.atom(kind)
    if (random.chance(0.06)) return this.expression(random.pick(KINDS), depth - 1)
    const inner = (wanted: Kind) => this.expression(wanted, depth - 1)
    const common = [
      () => `(${inner(kind)})`,
      () => `(${inner(kind)} if ${inner('bool')} else ${inner(kind)})`,
      () => `(${inner(kind)} or ${inner(kind)})`,
      () => `(${inner(kind)} and ${inner(kind)})`,
      () => `${this.operand(kind, depth)} | default(${inner(kind)})`,
    ]
    if (random.chance(0.2)) return random.pick(common)()
    return this.special(kind, depth, inner)
  }

  private special(kind: Kind, depth: number, inner: (kind: Kind) => string): string {
    const { random } = this
    const operand = (wanted: Kind) => this.operand(wanted, depth)
    switch (kind) {
      case 'int':
      case 'number':
        return random.pick([
          () => `${operand(kind)} ${random.pick(['+', '-', '*', '/', '//', '%'])} ${operand(kind)}`,
          () => `${operand(kind)} ** ${random.pick(['2', '3', '-1', '0.5', '0'])}`,
          () => `-${operand(kind)}`,
          () => `${operand(kind)} | ${random.pick(NUMBER_FILTERS)}`,
          () => `${operand('list')} | length`,
          () => `${operand('list')}[${random.below(4) - 1}]`,
          () => `${operand(kind)}.${random.pick(NUMBER_METHODS)}`,
          () => `${operand('text')} | int`,
          () => `${operand(kind)} | round(${random.below(4) - 1})`,
        ])()
      case 'text':
        return random.pick([
          () => `${operand('text')} ~ ${operand(this.kind())}`,
          () => `${operand('text')} + ${operand('text')}`,
          () => `${operand('text')}.${random.pick(TEXT_METHODS)}`,
          () => `${operand('text')} | ${random.pick(TEXT_FILTERS)}`,
          () => `${operand('text')}${this.slice()}`,
          () => `'${random.pick(FORMATS)}'.format(${inner(random.pick(['int', 'number', 'text'] as const))})`,
          () => `'${random.pick(PERCENTS)}' % ${operand(random.pick(['int', 'number', 'text'] as const))}`,
          () => `${operand(this.kind())} | string`,
          () => `${operand('text')} * ${random.below(4)}`,
          () => `${operand('list')} | join(${this.atom('text')})`,
        ])()
      case 'list':
        return random.pick([
          () => `${operand('list')} | ${random.pick(LIST_FILTERS)}`,
          () => `${operand('list')} + ${operand('list')}`,
          () => `${operand('list')}${this.slice()}`,
          () => `[${inner(this.kind())}, ${inner(this.kind())}]`,
          () => `(${inner(this.kind())}, ${inner(this.kind())})`,
          () => `${operand('list')}.${random.pick(LIST_METHODS)}`,
          () => `${operand('text')}.split(${this.atom('text')})`,
          () => `range(${random.below(6) - 1}, ${random.below(8)}, ${random.pick(['1', '2', '-1'])}) | list`,
          () => `${operand('list')} * ${random.below(3)}`,
          () => `${operand('dict')}.${random.pick(['keys()', 'values()', 'items()'])} | list`,
        ])()
      case 'dict':
        return random.pick([
          () => `${operand('dict')} | ${random.pick(DICT_FILTERS)}`,
          () => `{${inner('text')}: ${inner(this.kind())}}`,
          () => `dict(${operand('dict')}, k=${inner(this.kind())})`,
          () => `${operand('dict')}.${random.pick(DICT_METHODS)}`,
          () => `${operand('dict')}[${inner('text')}]`,
        ])()
      default:
        return random.pick([
          () =>
            `${operand(this.kind())} ${random.pick(['==', '!=', '<', '>', '<=', '>='])} ${operand(this.kind())}`,
          () =>
            `${operand('number')} ${random.pick(['<', '<=', '>', '=='])} ${operand('number')} ${random.pick(['<', '=='])} ${operand('number')}`,
          () =>
            `${operand(this.kind())} ${random.pick(['in', 'not in'])} ${operand(random.pick(['list', 'dict', 'text'] as const))}`,
          () => `${operand(this.kind())} is ${random.pick(TESTS)}`,
          () => `not ${operand(this.kind())}`,
        ])()
    }
  }

  private operand(kind: Kind, depth: number): string {
    if (this.random.chance(0.5)) return this.atom(kind)
    return `(${this.expression(kind, depth - 1)})`
  }

  private atom(kind: Kind): string {
    const { random } = this
    if (this.locals.length > 0 && random.chance(0.25)) return random.pick(this.locals)
    if (random.chance(0.05)) return random.pick([...NAMES.any, ...LITERALS.any])
    return random.chance(0.55) ? random.pick(NAMES[kind]) : random.pick(LITERALS[kind])
  }

  private slice(): string {
    const { random } = this
    const bound = () => random.pick(['', '', '0', '1', '2', '-1', '-2', '9'])
    return random.chance(0.3)
      ? `[${bound()}:${bound()}:${random.pick(['1', '2', '-1', '-2'])}]`
      : `[${bound()}:${bound()}]`
  }

  private statement(depth: number): string {
    const { random } = this
    if (depth <= 0) return this.print(1)
    return random.pick([
      () => this.print(2),
      () =>
        random.pick(['text', ' ', '\n', '  a\n', '{# note #}', '{#- x -#}', '{% raw %}{{ a }}{% endraw %}']),
      () => this.ifStatement(depth),
      () => this.forStatement(depth),
      () => this.setStatement(depth),
      () => this.withStatement(depth),
      () => this.macroStatement(depth),
      () => this.filterStatement(depth),
      () => this.callStatement(depth),
      () =>
        `{% autoescape ${random.pick(['true', 'false', 't', 'u'])} %}${this.body(depth)}{{ q ~ '<' }}{{ [q, '<'] | join('&') }}{% endautoescape %}`,
      () => `{% block b${this.macros++} %}${this.body(depth)}{% endblock %}`,
      () => `{% block b${this.macros} %}${this.print(2)}{% endblock %}{{ self.b${this.macros++}() }}`,
      () =>
        `{% for x in nested recursive %}{{ loop.depth }}{% if x is iterable %}{{ loop(x) }}{% else %}${this.print(1)}{% endif %}{% endfor %}`,
      () =>
        `{% set ns = namespace(a=1, b=${this.expression(this.kind(), 1)}) %}{% set ns.a = ${this.expression(this.kind(), 1)} %}{{ ns.a }}{{ ns.b }}{{ ns.c }}`,
      () =>
        `{% do ${random.pick(['l', 'd.c.x', 'el'])}.${random.pick(['append(1)', 'reverse()', 'extend([2])'])} %}{{ l }}{{ d }}`,
    ])()
  }

  private open(tag: string): string {
    return `{%${this.random.pick(['', '', '', '-', '+'])} ${tag} ${this.random.pick(['', '', '', '-'])}%}`
  }

  private body(depth: number, ...names: readonly string[]): string {
    const { locals } = this
    this.locals = [...locals, ...names]
    const parts = Array.from({ length: 1 + this.random.below(2) }, () => this.statement(depth - 1))
    this.locals = locals
    return parts.join(this.random.pick(['', ' ', '\n  ']))
  }

  private print(depth: number): string {
    const { random } = this
    return `{{${random.pick(['', '', '-'])} ${this.expression(this.kind(), depth)} ${random.pick(['', '', '-'])}}}`
  }

  private ifStatement(depth: number): string {
    const elif = this.random.chance(0.3)
      ? this.open(`elif ${this.expression('bool', 1)}`) + this.body(depth)
      : ''
    const otherwise = this.random.chance(0.5) ? this.open('else') + this.body(depth) : ''
    return (
      this.open(`if ${this.expression(this.kind(), 2)}`) +
      this.body(depth) +
      elif +
      otherwise +
      this.open('endif')
    )
  }

  private forStatement(depth: number): string {
    const { random } = this
    const name = random.pick(['x', 'y', 'item'])
    const [target, over] = random.chance(0.2)
      ? [
          `k, ${name}`,
          random.pick(['d.items()', 'd | dictsort', '[[1, 2], [3, 4]]', "p | groupby('city')", 'ls']),
        ]
      : [name, this.operand('list', 2)]
    const test = random.chance(0.2) ? ` if ${name}${random.pick(['', ' is odd', ' is string', ' != 1'])}` : ''
    const jump = random.chance(0.15)
      ? `{% if loop.index ${random.pick(['>', '=='])} 2 %}{% ${random.pick(['break', 'continue'])} %}{% endif %}`
      : ''
    const counts = [
      'loop.index',
      'loop.index0',
      'loop.first',
      'loop.last',
      'loop.length',
      'loop.revindex',
      'loop.revindex0',
      "loop.cycle('a', 'b')",
      `loop.changed(${name})`,
      'loop.previtem',
      'loop.nextitem',
      'loop.depth',
    ]
    const state = random.chance(0.5) ? `{{ ${random.pick(counts)} }}` : ''
    const otherwise = random.chance(0.25) ? this.open('else') + this.body(depth) : ''
    return (
      this.open(`for ${target} in ${over}${test}`) +
      jump +
      state +
      this.body(depth, name, ...(target === name ? [] : ['k'])) +
      otherwise +
      this.open('endfor')
    )
  }

  private setStatement(depth: number): string {
    const { random } = this
    const name = random.pick(['v', 'x', 'i', 's'])
    const set = random.chance(0.25)
      ? this.open(`set ${name}${random.pick(['', ' | upper', ' | length'])}`) +
        this.body(depth) +
        this.open('endset')
      : this.open(
          random.chance(0.15)
            ? `set ${name}, w = ${this.operand('list', 2)}`
            : `set ${name} = ${this.expression(this.kind(), 2)}`,
        )
    const namespace = random.chance(0.2)
      ? `{% set ns = namespace(c=0) %}{% for x in l %}{% set ns.c = ns.c + x %}{% endfor %}{{ ns.c }}`
      : ''
    return `${set}{{ ${name} }}${namespace}`
  }

  private withStatement(depth: number): string {
    const name = this.random.pick(['v', 'x'])
    return (
      this.open(`with ${name} = ${this.expression(this.kind(), 2)}`) +
      this.body(depth, name) +
      this.open('endwith')
    )
  }

  private macroStatement(depth: number): string {
    const { random } = this
    const macro = `m${this.macros++}`
    const parameters = random.pick(['', 'a', 'a, b', 'a, b=2', 'a=1', 'a, b=a'])
    const names = parameters
      .split(',')
      .map((part) => part.trim().split('=')[0] ?? '')
      .filter((name) => name !== '')
    const special = random.pick(['', '', '{{ varargs }}', '{{ kwargs }}', '{{ caller is defined }}'])
    const call = `{{ ${macro}(${random.pick(['', '1', '1, 2', '1, 2, 3', 'a=1', 'b=3, a=4', '*l', "**{'a': 1}", 'zz=1'])}) }}`
    return (
      this.open(`macro ${macro}(${parameters})`) +
      this.body(depth, ...names) +
      special +
      this.open('endmacro') +
      call
    )
  }

  private filterStatement(depth: number): string {
    const filter = this.random.pick([
      'upper',
      'trim',
      "replace('a', 'b')",
      'length',
      'title | trim',
      'indent',
      'e',
      'wordcount',
    ])
    return this.open(`filter ${filter}`) + this.body(depth) + this.open('endfilter')
  }

  private callStatement(depth: number): string {
    const macro = `c${this.macros++}`
    const values = this.random.pick(['', '1', "1, 'x'"])
    const parameters = this.random.pick(['', '(a)', '(a, b)', '(a=1)'])
    return `{% macro ${macro}() %}[{{ caller(${values}) }}]{% endmacro %}{% call${parameters} ${macro}() %}${this.body(depth, 'a')}{% endcall %}`
  }
}
