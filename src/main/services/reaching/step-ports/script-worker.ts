/** Runs scripts in QuickJS, compiled to WebAssembly, so that they can't reach anything else in this process. */
import { englishOf, say, type Said } from '../../../../shared/contract/base/message.ts'
import { randomBytes, randomUUID } from 'node:crypto'
import { parentPort, workerData } from 'node:worker_threads'
import {
  newQuickJSWASMModuleFromVariant,
  newVariant,
  type QuickJSContext,
  type QuickJSHandle,
  type QuickJSWASMModule,
  RELEASE_SYNC,
} from 'quickjs-emscripten'
import { CONSOLE_LEVELS, type ScriptResult } from '../../../engine/flow/model/ports.ts'
import { replyToEach, type WaitedPlace } from '../../kit/waited-thread.ts'
import {
  type AbilityCall,
  type AbilityReply,
  SCRIPT_LIMITS,
  type ScriptReply,
  type ScriptRequest,
} from './messages.ts'
import { PLUGIN_START } from './plugin-start.ts'
import { addRuntime } from './script-runtime.ts'
import { markLongIntegers, SCRIPT_START } from './script-json.ts'

const { wasm, place } = workerData as {
  readonly wasm: Uint8Array<ArrayBuffer> | null
  /** Present if Millrace waits for each reply. */
  readonly place?: WaitedPlace
}

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
 * The memory itself ends at the limit. QuickJS in WebAssembly can't see the size of its blocks, so its own limit stops
 * a single large allocation, but not a million small ones.
 */
function load(memoryBytes: number): Promise<QuickJSWASMModule> {
  memory ??= new WebAssembly.Memory({
    initial: OWN_BYTES / PAGE_BYTES,
    maximum: (OWN_BYTES + memoryBytes) / PAGE_BYTES,
  })
  const binary = wasm === null ? {} : { wasmBinary: wasm.buffer }
  // On a crash, emscripten also writes a technical message to stderr, but users only need the step's error. The types
  // lack most of emscripten's options.
  const emscriptenModule = { printErr: () => undefined } as never
  return newQuickJSWASMModuleFromVariant(
    // The library uses the browser's memory type, which is the same at run time.
    newVariant(RELEASE_SYNC, { wasmMemory: memory as never, emscriptenModule, ...binary }),
  )
}

interface Sandbox {
  readonly vm: QuickJSContext
  /** Prepares JSON and `Math.random` for a script. */
  readonly prepare: QuickJSHandle
  readonly markText: QuickJSHandle
  /** Prepares the abilities of a plug-in; `ask` posts a call to the program. */
  readonly preparePlugin: QuickJSHandle
  readonly ask: QuickJSHandle
  /** The memory before a script runs, for each runtime. */
  readonly images: Map<ScriptRequest['runtime'], MemoryImage>
}

/** The pages of a memory that aren't zero. */
type MemoryImage = readonly { readonly start: number; readonly bytes: Uint8Array }[]

/** The script that is running. */
interface Running {
  readonly begunAt: number
  readonly mostMs: number
  readonly mark: string
  readonly log: ScriptResult['log'][number][]
  isLate: boolean
  /** A function that writes a value as JSON. */
  toText: QuickJSHandle | null
  /** The functions that continue a plug-in. */
  settle: QuickJSHandle | null
}

let sandbox: Promise<Sandbox> | null = null
let running: Running = begin(Infinity)

function begin(mostMs: number): Running {
  return {
    begunAt: ownTimeMs(),
    mostMs,
    mark: `integer ${randomUUID()} `,
    log: [],
    isLate: false,
    toText: null,
    settle: null,
  }
}

/** Replies for the plug-in that is running. */
const replies: AbilityReply[] = []
let onReply: () => void = () => undefined

parentPort?.on('message', (message: ScriptRequest | AbilityReply) => {
  if ('isDone' in message) {
    replies.push(message)
    onReply()
  } else void post(message)
})

async function post(request: ScriptRequest): Promise<void> {
  const reply = await answer(request)
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
  parentPort?.postMessage(reply)
}

async function answer(request: ScriptRequest): Promise<ScriptReply> {
  sandbox ??= createSandbox(request.limits)
  const result = await runScript(await sandbox, request)
  // After running out of memory or stack, the module may not work any more, so it ends with its thread.
  const isSpent = result.outcome.kind === 'stopped' || takenBytes() > MOST_KEPT_BYTES
  return { ...result, isSpent, tookMs: ownTimeMs() - running.begunAt }
}

/**
 * Each script starts with a copy of the same memory, in which nothing has run yet. Copying it takes a tenth of the time
 * that creating a context and evaluating Luxon would take, and no script can leave anything behind. The handles made
 * here belong to the copy, and those of a script end with its memory, so none is disposed.
 */
async function createSandbox(limits: ScriptRequest['limits']): Promise<Sandbox> {
  const module = await load(limits.memoryBytes)
  const runtime = module.newRuntime()
  runtime.setMemoryLimit(limits.memoryBytes)
  runtime.setMaxStackSize(512 * 1024)
  runtime.setInterruptHandler(() => (running.isLate ||= ownTimeMs() - running.begunAt > running.mostMs))
  const vm = runtime.newContext()
  const markText = vm.newFunction('mark', (given) => {
    const plain = vm.getString(given)
    const marked = markLongIntegers(plain, running.mark)
    return marked === plain ? given.dup() : vm.newString(marked)
  })
  addConsole(vm, limits.logLines)
  const prepare = unwrap(vm, vm.evalCode(SCRIPT_START, 'millrace'))
  const preparePlugin = unwrap(vm, vm.evalCode(PLUGIN_START, 'millrace'))
  const ask = vm.newFunction('ask', (id, ability, argument) => {
    const call: AbilityCall = {
      id: vm.getNumber(id),
      ability: vm.getString(ability),
      argument: vm.getString(argument),
    }
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
    parentPort?.postMessage(call)
  })
  return { vm, prepare, markText, preparePlugin, ask, images: new Map([['javascript', copyMemory()]]) }
}

function unwrap(vm: QuickJSContext, result: ReturnType<QuickJSContext['evalCode']>): QuickJSHandle {
  if (result.error) throw new ScriptError(vm.dump(result.error) as Dumped)
  return result.value
}

/** Copies only pages that aren't zero, because most of them are. */
function copyMemory(): MemoryImage {
  const bytes = bytesOfMemory()
  const starts = Array.from({ length: bytes.length / PAGE_BYTES }, (_, page) => page * PAGE_BYTES)
  return starts.flatMap((start) => {
    const page = bytes.subarray(start, start + PAGE_BYTES)
    return page.equals(ZEROS) ? [] : [{ start, bytes: Buffer.from(page) }]
  })
}

/** @param isWhole false to leave the memory after the copy as it is, because nothing reads it before writing to it */
function restoreMemory(image: MemoryImage, isWhole = false): void {
  const bytes = bytesOfMemory()
  bytes.fill(0, 0, isWhole ? bytes.length : (image.at(-1)?.start ?? 0))
  for (const page of image) bytes.set(page.bytes, page.start)
}

const bytesOfMemory = (): Buffer => Buffer.from(memory?.buffer ?? new ArrayBuffer(0))
const ZEROS = Buffer.alloc(PAGE_BYTES)

function restore({ vm, images }: Sandbox, runtime: ScriptRequest['runtime']): void {
  const image = images.get(runtime)
  if (image !== undefined) return restoreMemory(image)
  restoreMemory(images.get('javascript') ?? [], true)
  addRuntime(vm)
  images.set(runtime, copyMemory())
}

async function runScript(own: Sandbox, request: ScriptRequest): Promise<ScriptResult> {
  const { runtime, limits } = request
  running = begin(limits.timeMs)
  replies.length = 0
  restore(own, runtime)
  const { log } = running
  try {
    return { log, outcome: await run() }
  } catch (error) {
    return { log, outcome: outcomeOf(error, running.isLate, limits) }
  }

  async function run(): Promise<ScriptResult['outcome']> {
    const text = own.vm.getString(await evaluate(own, request))
    if (text.length > limits.outputCharacters) {
      const said = say(
        'the code returned {{count}} characters of JSON; the limit is {{limit}}. Return less',
        {
          count: text.length,
          limit: limits.outputCharacters,
        },
      )
      return { kind: 'stopped', limit: 'output', said }
    }
    return { kind: 'returned', value: text }
  }
}

/** Evaluates the source, and returns its result as JSON. */
async function evaluate(
  own: Sandbox,
  { source, input, plugin, pinned }: ScriptRequest,
): Promise<QuickJSHandle> {
  const { vm, prepare, markText } = own
  const { mark } = running
  const seed = vm.newString(JSON.stringify(pinned?.seed ?? [...randomBytes(16)]))
  if (pinned !== undefined) unwrap(vm, vm.evalCode(pinnedDate(pinned.now), 'clock'))
  const tools = unwrap(vm, vm.callFunction(prepare, vm.undefined, vm.newString(mark), markText, seed))
  running.toText = vm.getProp(tools, 'shown')
  const marked = vm.newString(markLongIntegers(input, mark))
  const toJson = vm.getProp(tools, 'toJson')
  const read = vm.getProp(tools, 'read')
  const promise = plugin === undefined ? startScript() : startPlugin(plugin)
  runJobs(vm)
  for (;;) {
    const state = vm.getPromiseState(promise)
    if (state.type === 'rejected') throw new ScriptError(vm.dump(state.error) as Dumped)
    if (state.type === 'fulfilled') return unwrap(vm, vm.callFunction(toJson, vm.undefined, state.value))
    if (running.settle === null || vm.getNumber(vm.getProp(running.settle, 'waiting')) === 0) {
      throw new ScriptError(null, say('the code never finished: a promise was never resolved'))
    }
    const reply = await nextReply()
    const text = vm.newString(reply.isDone ? markLongIntegers(reply.text, mark) : reply.text)
    const settle = vm.getProp(running.settle, reply.isDone ? 'resolve' : 'reject')
    unwrap(vm, vm.callFunction(settle, vm.undefined, vm.newNumber(reply.id), text))
    runJobs(vm)
  }

  function startScript(): QuickJSHandle {
    const main = unwrap(vm, vm.evalCode(`(async function (input) {\n${source}\n})`, 'code'))
    const value = unwrap(vm, vm.callFunction(read, vm.undefined, marked))
    return unwrap(vm, vm.callFunction(main, vm.undefined, value))
  }

  function startPlugin({ kind, name }: NonNullable<ScriptRequest['plugin']>): QuickJSHandle {
    const started = unwrap(vm, vm.callFunction(own.preparePlugin, vm.undefined, own.ask, read, toJson))
    running.settle = started
    const exported = unwrap(vm, vm.evalCode(source, 'run.js', { type: 'module' }))
    const call = vm.getProp(started, 'call')
    return unwrap(
      vm,
      vm.callFunction(call, vm.undefined, exported, vm.newString(kind), vm.newString(name), marked),
    )
  }
}

/** `new Date()` and `Date.now()` return that moment; with arguments, dates work as usual. */
const pinnedDate = (now: number) => `{
  const System = Date
  const Pinned = function Date(...given) {
    if (new.target === undefined) return new System(${now}).toString()
    return Reflect.construct(System, given.length === 0 ? [${now}] : given, new.target === Pinned ? System : new.target)
  }
  Pinned.prototype = System.prototype
  Pinned.prototype.constructor = Pinned
  Pinned.now = () => ${now}
  Pinned.parse = System.parse
  Pinned.UTC = System.UTC
  globalThis.Date = Pinned
}`

function runJobs(vm: QuickJSContext): void {
  const jobs = vm.runtime.executePendingJobs()
  if (jobs.error) throw new ScriptError(vm.dump(jobs.error) as Dumped)
}

async function nextReply(): Promise<AbilityReply> {
  for (;;) {
    const reply = replies.shift()
    if (reply !== undefined) return reply
    await new Promise<void>((resolve) => (onReply = resolve))
  }
}

type Dumped = { name?: string; message?: string; stack?: string } | string | number | null | undefined

class ScriptError extends Error {
  readonly dumped: Dumped
  /** The reason why it failed, if nothing was thrown. */
  readonly said: Said | null

  constructor(dumped: Dumped, said: Said | null = null) {
    super('The script failed')
    this.dumped = dumped
    this.said = said
  }
}

function outcomeOf(
  error: unknown,
  isLate: boolean,
  limits: ScriptRequest['limits'],
): ScriptResult['outcome'] {
  if (isLate) {
    const said = say('the code exceeded its limit of {{seconds}} s; split the work into smaller steps', {
      seconds: Math.round(limits.timeMs) / 1000,
    })
    return { kind: 'stopped', limit: 'time', said }
  }
  if (!(error instanceof ScriptError)) {
    const said = say(
      "the code exceeded the sandbox's depth: values or calls are nested thousands of levels deep. Reduce the nesting",
    )
    return { kind: 'stopped', limit: 'depth', said }
  }
  const { dumped, said } = error
  if (said !== null) return { kind: 'threw', message: englishOf(said), line: null, said }
  if (isOutOfMemory(dumped, limits)) {
    const said = say('the code exceeded its limit of {{size}} MB of memory; process less data at a time', {
      size: limits.memoryBytes / 1024 / 1024,
    })
    return { kind: 'stopped', limit: 'memory', said }
  }
  if (typeof dumped !== 'object' || dumped === null) {
    return { kind: 'threw', message: String(dumped).slice(0, LONGEST_TEXT), line: null }
  }
  if (dumped.name === undefined && dumped.message === undefined)
    return { kind: 'threw', message: `it threw ${shown(dumped)}`.slice(0, LONGEST_TEXT), line: null }
  const { name = 'Error', message = '', stack = '' } = dumped
  const [, file, line] = /\b(code|run\.js):(\d+)/.exec(stack) ?? []
  return {
    kind: 'threw',
    message: `${name}: ${message}`.slice(0, LONGEST_TEXT),
    // The first line of a script belongs to the wrapping function.
    line: line === undefined ? null : Math.max(1, Number(line) - (file === 'code' ? 1 : 0)),
  }
}

/**
 * When memory runs out, there may be no room for the error itself, so null is thrown instead, or the error can't be
 * read.
 */
function isOutOfMemory(dumped: Dumped, { memoryBytes }: ScriptRequest['limits']): boolean {
  if (dumped === null || dumped === '') return takenBytes() > 0.9 * (OWN_BYTES + memoryBytes)
  return typeof dumped === 'object' && dumped.name === 'InternalError' && dumped.message === 'out of memory'
}

function addConsole(vm: QuickJSContext, most: number): void {
  const console = vm.newObject()
  for (const level of CONSOLE_LEVELS) {
    const write = vm.newFunction(level, (...values) => {
      const { log, toText } = running
      if (log.length > most) return
      const text = values.map((value) => shown(dumpText(vm, toText, value))).join(' ')
      log.push(
        log.length === most
          ? { level: 'warn', text: '… more lines' }
          : { level, text: text.slice(0, LONGEST_LINE) },
      )
    })
    vm.setProp(console, level, write)
  }
  vm.setProp(vm.global, 'console', console)
}

function dumpText(vm: QuickJSContext, toText: QuickJSHandle | null, value: QuickJSHandle): unknown {
  const result = toText && vm.callFunction(toText, vm.undefined, value)
  return vm.dump(result && !result.error ? result.value : value) as unknown
}

function shown(value: unknown): string {
  if (typeof value === 'string') return value
  if (value === undefined || typeof value === 'bigint') return String(value)
  return JSON.stringify(value)
}

/**
 * CPU time of this thread in milliseconds, so that a script isn't stopped for time that others used on a busy machine.
 */
function ownTimeMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}

/** A thread with more memory than this isn't reused for the next script. */
const MOST_KEPT_BYTES = 2 * OWN_BYTES
const LONGEST_TEXT = 2_000
/** Longer than a line as shown, because secrets are redacted before the line is cut. */
const LONGEST_LINE = 10_000

if (place !== undefined) {
  sandbox = createSandbox(SCRIPT_LIMITS)
  await sandbox
  replyToEach(place, answer)
}
