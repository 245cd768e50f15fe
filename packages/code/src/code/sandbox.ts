/** Starts the Worker in which code runs: a new one for each run, without network, environment and bindings. */
import { ToolError } from '../../../../src/index.ts'
import { HARNESS } from './harness.ts'

/** The part of a `worker_loaders` binding that is used. @see https://developers.cloudflare.com/dynamic-workers/api-reference */
export interface WorkerLoader {
  load(code: LoadedCode): { getEntrypoint(): SandboxEntrypoint }
}

export interface LoadedCode {
  readonly compatibilityDate: string
  readonly mainModule: string
  readonly modules: Readonly<Record<string, object>>
  /** Null blocks every request and connection. */
  readonly globalOutbound: null
  readonly limits: { readonly cpuMs: number }
}

interface SandboxEntrypoint {
  run(next: (text: unknown) => Promise<string>): Promise<unknown>
}

/** What the harness knows besides the code. Plain JSON. */
export interface SandboxInput {
  /** Each tool as an identifier and by its name. */
  readonly tools: readonly (readonly [identifier: string, name: string])[]
  readonly maxCalls: number
  /** UTF-16 code units of the returned value as JSON, and of the console output. */
  readonly maxResult: number
  readonly maxLogs: number
  /** Epoch milliseconds: the time that the code sees. */
  readonly now: number
  /** 32 bits. */
  readonly seed: number
}

/** The first date with every flag that the harness needs: code is compiled while its module starts (2025-06-01). */
const COMPATIBILITY_DATE = '2025-09-01'

/** @throws {ToolError} that names the binding and the lines to add */
export function loaderOf(env: unknown, binding: string, tool: string): WorkerLoader {
  const { [binding]: loader } = (env ?? {}) as { readonly [name: string]: unknown }
  const { load } = (loader ?? {}) as { readonly load?: unknown }
  if (typeof load === 'function') return loader as WorkerLoader
  throw new ToolError(
    `Tool ${tool} needs a Worker loader with the binding ${binding}, which this server does not have. Add to wrangler.toml:\n\n[[worker_loaders]]\nbinding = "${binding}"`,
  )
}

/**
 * Runs code until it ends, and returns what the harness says of its end.
 *
 * A new Worker for each run, not one for each text of code: what one run leaves in its globals must not be seen by
 * another. Creating it takes some milliseconds.
 *
 * @param next answers the harness, until the run is over; it rejects afterwards
 * @throws the error of the platform, when it has stopped the Worker
 */
export async function runInSandbox(
  loader: WorkerLoader,
  source: string,
  input: SandboxInput,
  cpuMs: number,
  next: (text: unknown) => Promise<string>,
): Promise<unknown> {
  const worker = loader.load({
    compatibilityDate: COMPATIBILITY_DATE,
    mainModule: 'main.js',
    modules: {
      'main.js': { js: HARNESS },
      'input.json': { json: input },
      'source.txt': { text: source },
    },
    globalOutbound: null,
    limits: { cpuMs },
  })
  const entrypoint = worker.getEntrypoint()
  try {
    return await entrypoint.run(next)
  } finally {
    dispose(entrypoint)
    dispose(worker)
  }
}

function dispose(stub: object): void {
  ;(stub as Partial<Disposable>)[Symbol.dispose]?.()
}
