/** Runs the scripts of `code` steps on separate threads, so that none blocks the program. */
import { say } from '../../../../shared/contract/base/message.ts'
import { readFileSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import type { PluginCall, RunScript, ScriptResult } from '../../../engine/flow/model/ports.ts'
import { AppError } from '../../../../shared/contract/base/errors.ts'
import { RequestError } from '../../../engine/request/request-error.ts'
import { createThreads } from '../../kit/threads.ts'
import { createWaitedThread, type WaitedPlace } from '../../kit/waited-thread.ts'
import {
  type AbilityCall,
  type AbilityReply,
  SCRIPT_LIMITS,
  type ScriptReply,
  type ScriptRequest,
} from './messages.ts'

export interface Scripts {
  readonly run: RunScript
  /** Runs a function from the `run.js` of a plug-in. */
  runPlugin(source: string, call: PluginCall): Promise<ScriptResult>
  /** Ends running scripts. */
  close(): Promise<void>
}

export function createScripts(): Scripts {
  const threads = createThreads(() => startThread(), MOST_THREADS)
  return {
    run: (script, input, signal) =>
      threads.lend(async (worker) => {
        const {
          isSpent,
          tookMs: _,
          ...result
        } = await ask(worker, { ...script, input, limits: SCRIPT_LIMITS }, signal)
        return { result, isSpent }
      }),
    runPlugin: (source, { kind, name, argument, call, signal }) =>
      threads.lend(async (worker) => {
        const request = { source, runtime: 'javascript', input: argument, plugin: { kind, name } } as const
        const {
          isSpent,
          tookMs: _,
          ...result
        } = await ask(worker, { ...request, limits: SCRIPT_LIMITS }, signal, call)
        return { result, isSpent }
      }),
    close: () => threads.close(),
  }
}

function startThread(place?: WaitedPlace): Worker {
  return new Worker(WORKER, {
    workerData: { wasm: readWasm(), place },
    transferList: place === undefined ? [] : [place.port],
    name: place === undefined ? 'millrace scripts' : 'millrace filters',
    ...FROM_SOURCE,
  })
}

/** Runs filters of plug-ins while a template waits for them. */
export interface FilterThread {
  /**
   * @param argument the value and its arguments, as JSON
   * @param mostMs CPU time
   */
  run(source: string, name: string, argument: string, mostMs: number): Omit<ScriptReply, 'isSpent'> | null
  close(): Promise<void>
}

export function createFilterThread(): FilterThread {
  const thread = createWaitedThread<ScriptRequest, ScriptReply>(startThread)
  return {
    run(source, name, input, mostMs) {
      const limits = { ...SCRIPT_LIMITS, timeMs: mostMs }
      const plugin = { kind: 'filters', name } as const
      const reply = thread.ask({ source, runtime: 'javascript', input, plugin, limits }, LATEST * mostMs)
      if (reply?.isSpent === true) void thread.end()
      return reply
    },
    close: () => thread.end(),
  }
}

function ask(
  worker: Worker,
  request: ScriptRequest,
  signal: AbortSignal,
  call?: PluginCall['call'],
): Promise<ScriptReply> {
  const { promise, resolve, reject } = Promise.withResolvers<ScriptReply>()
  const onExit = () => reject(new Error('The thread of a script ended unexpectedly'))
  const onAbort = () => reject(signal.reason as Error)
  const onLate = () =>
    resolve({
      isSpent: true,
      log: [],
      tookMs: LATEST * request.limits.timeMs,
      outcome: {
        kind: 'stopped',
        limit: 'time',
        said: say('the code exceeded its limit of {{seconds}} s; split the work into smaller steps', {
          seconds: request.limits.timeMs / 1000,
        }),
      },
    })
  // The sandbox measures its time itself, but can't interrupt a single long native call.
  const startTimer = () => setTimeout(onLate, LATEST * request.limits.timeMs).unref()
  let timer = startTimer()
  let calls = 0
  let underWay = 0
  const answer = async ({ id, ability, argument }: AbilityCall): Promise<AbilityReply> => {
    if (call === undefined || ++calls > MOST_CALLS)
      return { id, isDone: false, text: `A plug-in can make ${MOST_CALLS} calls in a run of a step` }
    try {
      return { id, isDone: true, text: await call(ability, argument) }
    } catch (error) {
      if (!(error instanceof AppError || error instanceof RequestError)) throw error
      return { id, isDone: false, text: error.message }
    }
  }
  const serve = async (asked: AbilityCall): Promise<void> => {
    // The clock stops while the script waits for a call, which has its own time limit.
    clearTimeout(timer)
    underWay++
    const reply = await answer(asked)
    underWay--
    if (underWay === 0) timer = startTimer()
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
    worker.postMessage(reply)
  }
  const onMessage = (message: ScriptReply | AbilityCall): void => {
    if ('ability' in message) serve(message).catch(reject)
    else resolve(message)
  }
  worker.on('message', onMessage)
  worker.once('error', reject)
  worker.once('exit', onExit)
  signal.addEventListener('abort', onAbort, { once: true })
  if (signal.aborted) onAbort()
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
  else worker.postMessage(request)
  return promise.finally(() => {
    clearTimeout(timer)
    worker.off('message', onMessage)
    worker.off('error', reject)
    worker.off('exit', onExit)
    signal.removeEventListener('abort', onAbort)
  })
}

/** From source, Node runs the worker directly; the build puts it and QuickJS next to this file. */
const IS_BUILT = !import.meta.url.endsWith('.ts')
const WORKER = new URL(IS_BUILT ? 'script-worker.js' : 'script-worker.ts', import.meta.url)

/** The worker then strips types from sources, and Node warns that this is experimental. */
const FROM_SOURCE = IS_BUILT ? {} : { execArgv: ['--disable-warning=ExperimentalWarning'] }

function readWasm(): Uint8Array | null {
  return IS_BUILT ? readFileSync(new URL('quickjs.wasm', import.meta.url)) : null
}

const MOST_THREADS = 2
const MOST_CALLS = 200
/**
 * The time limit is CPU time. In wall-clock time, a script can take this many times as long, because the machine may
 * be busy.
 */
const LATEST = 4
