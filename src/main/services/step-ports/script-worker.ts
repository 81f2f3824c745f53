/** Runs scripts in QuickJS, compiled to WebAssembly: nothing of this process can be reached from inside. */
import { randomUUID } from 'node:crypto'
import { parentPort, workerData } from 'node:worker_threads'
import {
  newQuickJSWASMModuleFromVariant,
  newVariant,
  type QuickJSContext,
  type QuickJSHandle,
  type QuickJSWASMModule,
  RELEASE_SYNC,
} from 'quickjs-emscripten'
import type { ScriptResult } from '../../engine/flow/model/ports.ts'
import type { ScriptReply, ScriptRequest } from './messages.ts'
import { markLongIntegers, SCRIPT_JSON } from './script-json.ts'

const { wasm } = workerData as { readonly wasm: Uint8Array<ArrayBuffer> | null }

/** Node provides it, but it isn't in the language's own types. */
declare const WebAssembly: {
  readonly Memory: new (pages: { readonly initial: number; readonly maximum: number }) => Memory
}
interface Memory {
  readonly buffer: ArrayBuffer
}

const PAGE_BYTES = 65_536
/** QuickJS's initial memory. */
const OWN_BYTES = 16 * 1024 * 1024
let memory: Memory | null = null
const takenBytes = () => memory?.buffer.byteLength ?? 0

/**
 * The memory itself ends at the limit. QuickJS in WebAssembly can't see the size of its blocks: its own limit stops a
 * single large allocation, but not a million small ones.
 */
function load(memoryBytes: number): Promise<QuickJSWASMModule> {
  memory ??= new WebAssembly.Memory({
    initial: OWN_BYTES / PAGE_BYTES,
    maximum: (OWN_BYTES + memoryBytes) / PAGE_BYTES,
  })
  const binary = wasm === null ? {} : { wasmBinary: wasm.buffer }
  // On a crash emscripten also writes its own technical message to stderr; the step's error is the one for the user.
  // The types include few of emscripten's options.
  const emscriptenModule = { printErr: () => undefined } as never
  return newQuickJSWASMModuleFromVariant(
    // The library uses the browser's memory type, which is the same at run time.
    newVariant(RELEASE_SYNC, { wasmMemory: memory as never, emscriptenModule, ...binary }),
  )
}

let quickjs: Promise<QuickJSWASMModule> | null = null

parentPort?.on('message', (request: ScriptRequest) => void answer(request))

async function answer(request: ScriptRequest): Promise<void> {
  quickjs ??= load(request.limits.memoryBytes)
  const { free, ...result } = runScript(await quickjs, request)
  // After running out of memory or stack, it can hold memory that can't be freed: it ends with its thread.
  const isSpent = result.outcome.kind === 'stopped' || takenBytes() > MOST_KEPT_BYTES || !free()
  const reply: ScriptReply = { ...result, isSpent }
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
  parentPort?.postMessage(reply)
}

interface RanScript extends ScriptResult {
  /** Frees the script's memory; false if that failed, and the module must not be used again. */
  readonly free: () => boolean
}

function runScript(module: QuickJSWASMModule, { source, input, limits }: ScriptRequest): RanScript {
  const runtime = module.newRuntime()
  runtime.setMemoryLimit(limits.memoryBytes)
  runtime.setMaxStackSize(512 * 1024)
  const begunAt = ownTimeMs()
  let isLate = false
  runtime.setInterruptHandler(() => (isLate ||= ownTimeMs() - begunAt > limits.timeMs))
  const context = runtime.newContext()
  const log: ScriptResult['log'][number][] = []
  const handles: QuickJSHandle[] = []
  const keep = (handle: QuickJSHandle) => {
    handles.push(handle)
    return handle
  }
  const free = () => {
    try {
      for (const disposable of [...handles.toReversed(), context, runtime]) disposable.dispose()
      return true
    } catch {
      return false
    }
  }
  return { log, outcome: outcome(), free }

  function outcome(): ScriptResult['outcome'] {
    try {
      return run()
    } catch (error) {
      return outcomeOf(error, isLate, limits)
    }
  }

  function run(): ScriptResult['outcome'] {
    const value = evaluate(context, source, input, keep)
    const text = context.getString(value)
    if (text.length > limits.outputCharacters) {
      const message = `the code returned ${text.length} characters of JSON; the limit is ${limits.outputCharacters}. Return less`
      return { kind: 'stopped', limit: 'output', message }
    }
    return { kind: 'returned', value: text }
  }

  /** What the source returns, as JSON. */
  function evaluate(
    vm: QuickJSContext,
    text: string,
    inputText: string,
    hold: (handle: QuickJSHandle) => QuickJSHandle,
  ): QuickJSHandle {
    const unwrap = (result: ReturnType<QuickJSContext['evalCode']>) => {
      if (result.error) {
        const dumped = vm.dump(result.error) as Dumped
        result.error.dispose()
        throw new ScriptError(dumped)
      }
      return hold(result.value)
    }
    const mark = `integer ${randomUUID()} `
    const markText = vm.newFunction('mark', (given) => {
      const plain = vm.getString(given)
      const marked = markLongIntegers(plain, mark)
      return marked === plain ? given.dup() : vm.newString(marked)
    })
    const addJson = unwrap(vm.evalCode(SCRIPT_JSON, 'millrace'))
    const json = unwrap(vm.callFunction(addJson, vm.undefined, hold(vm.newString(mark)), hold(markText)))
    const part = (name: string) => hold(vm.getProp(json, name))
    addConsole(vm, log, limits.logLines, part('shown'))
    const main = unwrap(vm.evalCode(`(async function (input) {\n${text}\n})`, 'code'))
    const given = unwrap(
      vm.callFunction(part('read'), vm.undefined, hold(vm.newString(markLongIntegers(inputText, mark)))),
    )
    const promise = unwrap(vm.callFunction(main, vm.undefined, given))
    const jobs = runtime.executePendingJobs()
    if (jobs.error) {
      const dumped = vm.dump(jobs.error) as Dumped
      jobs.error.dispose()
      throw new ScriptError(dumped)
    }
    const state = vm.getPromiseState(promise)
    if (state.type === 'pending') {
      throw new ScriptError({
        name: 'Error',
        message: 'the code never finished: a promise was never resolved',
      })
    }
    if (state.type === 'rejected') {
      const dumped = vm.dump(state.error) as Dumped
      state.error.dispose()
      throw new ScriptError(dumped)
    }
    return unwrap(vm.callFunction(part('toJson'), vm.undefined, hold(state.value)))
  }
}

type Dumped = { name?: string; message?: string; stack?: string } | string | number | null | undefined

class ScriptError extends Error {
  readonly dumped: Dumped

  constructor(dumped: Dumped) {
    super('The script failed')
    this.dumped = dumped
  }
}

function outcomeOf(
  error: unknown,
  isLate: boolean,
  limits: ScriptRequest['limits'],
): ScriptResult['outcome'] {
  if (isLate) {
    const message = `the code ran longer than ${limits.timeMs / 1000} s, its limit; make it do less at a time`
    return { kind: 'stopped', limit: 'time', message }
  }
  if (!(error instanceof ScriptError)) {
    const message =
      "the code exceeded the sandbox's depth: values or calls are nested thousands of levels. Nest less"
    return { kind: 'stopped', limit: 'depth', message }
  }
  const { dumped } = error
  if (isOutOfMemory(dumped, limits)) {
    const text = `the code needed more than ${limits.memoryBytes / 1024 / 1024} MB, its limit; make it work on less at a time`
    return { kind: 'stopped', limit: 'memory', message: text }
  }
  if (typeof dumped !== 'object' || dumped === null) {
    return { kind: 'threw', message: String(dumped).slice(0, LONGEST_TEXT), line: null }
  }
  if (dumped.name === undefined && dumped.message === undefined)
    return { kind: 'threw', message: `it threw ${shown(dumped)}`.slice(0, LONGEST_TEXT), line: null }
  const { name = 'Error', message = '', stack = '' } = dumped
  const line = /\bcode:(\d+)/.exec(stack)?.[1]
  return {
    kind: 'threw',
    message: `${name}: ${message}`.slice(0, LONGEST_TEXT),
    // The first line belongs to the wrapping function.
    line: line === undefined ? null : Math.max(1, Number(line) - 1),
  }
}

/** Out of memory, there may be no room for the error itself: null is thrown instead, or it can't be read. */
function isOutOfMemory(dumped: Dumped, { memoryBytes }: ScriptRequest['limits']): boolean {
  if (dumped === null || dumped === '') return takenBytes() > 0.9 * (OWN_BYTES + memoryBytes)
  return typeof dumped === 'object' && dumped.name === 'InternalError' && dumped.message === 'out of memory'
}

function addConsole(
  context: QuickJSContext,
  log: ScriptResult['log'][number][],
  most: number,
  toText: QuickJSHandle,
): void {
  const console = context.newObject()
  for (const level of ['log', 'info', 'warn', 'error', 'debug'] as const) {
    const write = context.newFunction(level, (...values) => {
      if (log.length > most) return
      const text = values.map((value) => shown(dumpText(context, toText, value))).join(' ')
      log.push(
        log.length === most
          ? { level: 'warn', text: '… more lines' }
          : { level, text: text.slice(0, LONGEST_LINE) },
      )
    })
    context.setProp(console, level, write)
    write.dispose()
  }
  context.setProp(context.global, 'console', console)
  console.dispose()
}

function dumpText(context: QuickJSContext, toText: QuickJSHandle, value: QuickJSHandle): unknown {
  const result = context.callFunction(toText, context.undefined, value)
  if (result.error) {
    result.error.dispose()
    return context.dump(value)
  }
  return result.value.consume((handle) => context.dump(handle) as unknown)
}

function shown(value: unknown): string {
  if (typeof value === 'string') return value
  if (value === undefined || typeof value === 'bigint') return String(value)
  return JSON.stringify(value)
}

/** CPU time of this thread in milliseconds: on a busy machine a script isn't stopped for time that others used. */
function ownTimeMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}

/** A thread with more memory than this isn't reused for the next script. */
const MOST_KEPT_BYTES = 2 * OWN_BYTES
const LONGEST_TEXT = 2_000
/** Longer than what is shown: secrets are redacted before a line is cut. */
const LONGEST_LINE = 10_000
