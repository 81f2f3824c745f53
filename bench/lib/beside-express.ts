/**
 * The comparison for webhooks: bare Express under the same load, in turns, so that other work on the machine affects
 * both.
 */
import { join } from 'node:path'
import type { HookAddress } from './create-flow.ts'
import { median } from './figure.ts'
import { load, type LoadResult } from './load.ts'
import type { StartedMillrace } from './millrace.ts'
import { ORDER } from './orders.ts'
import { startProgram, type Program } from './program.ts'

export interface StartedExpress {
  readonly program: Program
  readonly port: number
}

export async function startExpress(folder: string, env: NodeJS.ProcessEnv = {}): Promise<StartedExpress> {
  const script = join(import.meta.dirname, '../rivals/bare-express.mjs')
  const program = await startProgram([script, join(folder, 'express.db')], /^\d+\n/, env)
  return { program, port: Number(program.firstLines) }
}

export interface Turns {
  readonly connections: number
  readonly warmUpMs: number
  readonly durationMs: number
  readonly rounds: number
  /** Resolves when Millrace has finished its work, so that Express isn't slowed down by it. */
  readonly settled?: () => Promise<void>
}

export interface Round {
  readonly ours: Taken
  readonly bare: Taken
}

export interface Taken extends LoadResult {
  /** CPU time for one request, of the main thread and of the whole process. */
  readonly mainThreadUs: number
  readonly processUs: number
}

export async function inTurns(
  millrace: StartedMillrace,
  express: StartedExpress,
  hook: HookAddress,
  { connections, warmUpMs, durationMs, rounds, settled = () => Promise.resolve() }: Turns,
): Promise<Round[]> {
  const ours = { port: millrace.port, ...hook }
  const bare = { port: express.port, path: '/hook', headers: {} }
  const take = async (milliseconds: number): Promise<Round> => {
    const send = { body: ORDER, connections, durationMs: milliseconds }
    const mine = await measured(millrace.program, () => load({ ...ours, ...send }), settled)
    return { ours: mine, bare: await measured(express.program, () => load({ ...bare, ...send })) }
  }
  await take(warmUpMs)
  const results: Round[] = []
  for (let round = 0; round < rounds; round++) results.push(await take(durationMs))
  return results
}

/** Work that follows the responses counts as well. */
async function measured(
  program: Program,
  send: () => Promise<LoadResult>,
  settled: () => Promise<void> = () => Promise.resolve(),
): Promise<Taken> {
  const before = { main: program.mainThreadMs(), all: program.processorMs() }
  const result = await send()
  await settled()
  const us = (since: number, now: number) => ((now - since) * 1_000) / result.answered
  return {
    ...result,
    mainThreadUs: us(before.main, program.mainThreadMs()),
    processUs: us(before.all, program.processorMs()),
  }
}

/** The median of the rounds, for Millrace and for Express. */
export function besides(
  rounds: readonly Round[],
  of: (result: Taken) => number,
): { readonly ours: number; readonly beside: { readonly name: string; readonly value: number } } {
  const value = median(rounds.map(({ bare }) => of(bare)))
  return { ours: median(rounds.map(({ ours }) => of(ours))), beside: { name: 'bare Express', value } }
}
