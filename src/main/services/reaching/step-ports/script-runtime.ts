/** Loads n8n's runtime into a sandbox, and provides it with languages and time zones. */
import { readFileSync } from 'node:fs'
import * as nodeModule from 'node:module'
import { fileURLToPath } from 'node:url'
import type { QuickJSContext } from 'quickjs-emscripten'
import type { HostAnswer, HostCall } from '../../../../sandbox/intl.ts'

export function addRuntime(vm: QuickJSContext): void {
  if (!IS_BUILT) vm.runtime.setModuleLoader(readModule, resolveModule)
  const runtime = vm.unwrapResult(vm.evalCode(readModule(RUNTIME), RUNTIME, { type: 'module' }))
  const methods = vm.newString(JSON.stringify(METHODS))
  const host = vm.newFunction('host', (call) => vm.newString(answerCall(vm.getString(call))))
  vm.unwrapResult(vm.callFunction(vm.getProp(runtime, 'install'), vm.undefined, host, methods))
  vm.runtime.removeModuleLoader()
}

/**
 * The build bundles the runtime into a single file. From source, the sandbox loads its modules, with their types
 * stripped.
 */
const IS_BUILT = !import.meta.url.endsWith('.ts')
const RUNTIME = new URL(IS_BUILT ? 'n8n-runtime.js' : '../../../../sandbox/n8n/index.ts', import.meta.url)
  .href

function readModule(url: string): string {
  const text = readFileSync(fileURLToPath(url), 'utf8')
  return url.endsWith('.ts') ? nodeModule.stripTypeScriptTypes(text) : text
}

const resolveModule = (base: string, name: string): string =>
  name.startsWith('.') ? new URL(name, base).href : import.meta.resolve(name)

/** The host's classes that scripts can use, with their methods. */
const CLASSES: Readonly<Record<string, readonly [new (...args: never[]) => object, ...methods: string[]]>> = {
  Collator: [Intl.Collator, 'compare', 'resolvedOptions'],
  Date: [Date, 'toLocaleString', 'toLocaleDateString', 'toLocaleTimeString'],
  DateTimeFormat: [
    Intl.DateTimeFormat,
    'format',
    'formatToParts',
    'formatRange',
    'formatRangeToParts',
    'resolvedOptions',
  ],
  ListFormat: [Intl.ListFormat, 'format', 'formatToParts', 'resolvedOptions'],
  Locale: [Intl.Locale, 'getWeekInfo', 'toString'],
  NumberFormat: [Intl.NumberFormat, 'format', 'formatToParts', 'resolvedOptions'],
  PluralRules: [Intl.PluralRules, 'select', 'resolvedOptions'],
  RelativeTimeFormat: [Intl.RelativeTimeFormat, 'format', 'formatToParts', 'resolvedOptions'],
}
const METHODS = Object.fromEntries(Object.entries(CLASSES).map(([name, [, ...methods]]) => [name, methods]))

/** @param text a `HostCall` as JSON; scripts can't reach this function, but choose its arguments */
function answerCall(text: string): string {
  try {
    if (text.length > MOST_CHARACTERS) throw new Error('the value to format is too long')
    const [target, method, values] = JSON.parse(text) as HostCall
    const [name, ...args] = JSON.parse(target) as [string, ...never[]]
    const known = CLASSES[name]
    if (known === undefined) throw new Error(`Intl.${name} is not there in code steps`)
    const [HostClass, ...methods] = known
    const object = objects.get(target) ?? (new HostClass(...args) as HostObject)
    if (objects.size >= MOST_OBJECTS) objects.clear()
    objects.set(target, object)
    const value = method !== null && methods.includes(method) ? object[method]?.(...values) : null
    return JSON.stringify({ value } satisfies HostAnswer)
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    return JSON.stringify({ error: message.slice(0, 500) } satisfies HostAnswer)
  }
}

type HostObject = Readonly<Record<string, ((...values: readonly unknown[]) => unknown) | undefined>>

/** Objects are cached, because creating one takes much longer than calling it. */
const objects = new Map<string, HostObject>()
const MOST_OBJECTS = 100
const MOST_CHARACTERS = 100_000
