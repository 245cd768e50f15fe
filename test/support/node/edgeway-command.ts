/**
 * Runs `edgeway` as a terminal does. A program that has ended a run is used for the next one: its modules and those of
 * wrangler are loaded, which is half of the processor time of a run. Tests of the packed package, in `test/tarball`, run
 * programs of their own, which must end by themselves.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

export interface Ended {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** A run, as it is sent to the program. */
export interface Run {
  readonly args: readonly string[]
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
}

const PROGRAM = join(import.meta.dirname, 'edgeway-program.ts')

/** Those that wait for a run. */
const idle: ChildProcess[] = []

/** @param options.env is added to the environment of the tests, without the variables that choose colors */
export async function runEdgeway(
  args: readonly string[],
  {
    cwd = process.cwd(),
    env = {},
  }: { readonly cwd?: string; readonly env?: NodeJS.ProcessEnv } = {},
): Promise<Ended> {
  const program = idle.pop() ?? start()
  setReferenced(program, true)
  const run: Run = {
    // The system passes bytes of UTF-8, which lone surrogates do not have.
    args: args.map((each) => Buffer.from(each).toString()),
    cwd,
    env: { ...withoutColors(process.env), ...env },
  }
  const listening = new AbortController()
  const { signal } = listening
  const ended = Promise.race([
    once(program, 'message', { signal }),
    once(program, 'exit', { signal }),
  ])
  program.send(run)
  const [result] = (await ended) as [Ended | number | null]
  listening.abort()
  if (result === null || typeof result === 'number') {
    throw new Error(`edgeway ${args.join(' ')} ended its program with ${result}`)
  }
  setReferenced(program, false)
  idle.push(program)
  return result
}

function start(): ChildProcess {
  const stdio = ['ignore', 'ignore', 'inherit', 'ipc'] as const
  return fork(PROGRAM, { env: withoutColors(process.env), execArgv: [], stdio: [...stdio] })
}

const withoutColors = ({ NO_COLOR: _, FORCE_COLOR: __, ...env }: NodeJS.ProcessEnv) => env

/** A program that waits does not keep the tests from ending, and ends with them. */
function setReferenced(program: ChildProcess, isReferenced: boolean): void {
  for (const each of [program, program.channel]) each?.[isReferenced ? 'ref' : 'unref']()
}
