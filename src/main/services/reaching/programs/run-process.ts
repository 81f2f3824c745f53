/** Starts a program without a shell, and ends it with everything that it started. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'

export interface ProcessCall {
  readonly path: string
  readonly arguments: readonly string[]
  readonly folder: string
  readonly environment: Readonly<Record<string, string>>
  readonly input: string
  readonly mostBytes: number
  readonly timeoutMs: number
  /** Time between asking the program to end and killing it. */
  readonly graceMs: number
  readonly signal: AbortSignal
}

export interface ProcessEnd {
  /** Null if a signal ended it. */
  readonly code: number | null
  readonly endedBy: string | null
  readonly isLate: boolean
  readonly stdout: Output
  readonly stderr: Output
}

interface Output {
  readonly bytes: Buffer
  readonly isCut: boolean
}

/** @throws the system's error if the program can't be started, or the signal's reason */
export async function runProcess(call: ProcessCall): Promise<ProcessEnd> {
  const { signal, timeoutMs, graceMs, mostBytes } = call
  signal.throwIfAborted()
  const child = spawn(call.path, call.arguments, {
    cwd: call.folder,
    env: call.environment,
    // A separate process group, so that all of it can be ended.
    detached: IS_POSIX,
    shell: false,
    windowsHide: true,
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  await once(child, 'spawn')
  // Errors of the process or its streams can be ignored from now on, because how it ends is enough.
  for (const one of [child, ...child.stdio]) one?.on('error', () => undefined)
  const group = child.pid ?? 0
  const watch = watchOver(group)
  const exited = once(child, 'exit') as Promise<[number | null, string | null]>
  const stdout = collect(child.stdout, mostBytes)
  const stderr = collect(child.stderr, mostBytes)
  child.stdin.end(call.input)

  let isLate = false
  let killing: NodeJS.Timeout | undefined
  const end = () => {
    endGroup(group, 'SIGTERM')
    killing ??= setTimeout(() => endGroup(group, 'SIGKILL'), graceMs)
  }
  const timer = setTimeout(() => {
    isLate = true
    end()
  }, timeoutMs)
  signal.addEventListener('abort', end, { once: true })
  if (signal.aborted) end()
  try {
    const [code, endedBy] = await exited
    // Processes it left behind could keep its output open forever.
    endGroup(group, 'SIGKILL')
    await Promise.race([Promise.all([stdout.done, stderr.done]), after(LEFT_MS)])
    signal.throwIfAborted()
    return { code, endedBy, isLate, stdout: stdout.read(), stderr: stderr.read() }
  } finally {
    clearTimeout(timer)
    clearTimeout(killing)
    signal.removeEventListener('abort', end)
    watch?.kill('SIGKILL')
    for (const stream of child.stdio) stream?.destroy()
  }
}

const IS_POSIX = process.platform !== 'win32'
/** Time to read the output from before the program ended, if something outside its group keeps the output open. */
const LEFT_MS = 1_000

/**
 * Starts a process that ends the group when Millrace ends, even by `kill -9`, because its standard input closes then.
 * It only knows the number of the group.
 */
function watchOver(group: number): ChildProcess | null {
  if (!IS_POSIX) return null
  const watch = spawn('/bin/sh', ['-c', 'read -r _; kill -s KILL -- "-$1"', 'watch', String(group)], {
    env: {},
    // Detached, so that Ctrl+C in the terminal doesn't end it together with Millrace.
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  watch.on('error', () => undefined)
  watch.stdin?.on('error', () => undefined)
  watch.unref()
  return watch
}

function endGroup(group: number, by: 'SIGTERM' | 'SIGKILL'): void {
  if (!IS_POSIX) {
    spawn('taskkill', ['/pid', String(group), '/t', '/f'], { stdio: 'ignore' }).on('error', () => undefined)
    return
  }
  try {
    process.kill(-group, by)
  } catch {
    // No process of the group is left.
  }
}

/** Keeps the first bytes. The rest is read and dropped, so that the program isn't held up. */
function collect(stream: NodeJS.ReadableStream, mostBytes: number) {
  const chunks: Buffer[] = []
  let size = 0
  let isCut = false
  stream.on('data', (chunk: Buffer) => {
    const kept = chunk.subarray(0, mostBytes - size)
    if (kept.length < chunk.length) isCut = true
    if (kept.length > 0) chunks.push(kept)
    size += kept.length
  })
  return {
    done: new Promise<void>((resolve) => {
      stream.once('close', resolve)
    }),
    read: (): Output => ({ bytes: Buffer.concat(chunks), isCut }),
  }
}

function after(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms).unref()
  })
}
