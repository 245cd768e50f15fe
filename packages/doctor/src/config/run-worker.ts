/** Loads a bundled Worker in workerd, by the miniflare of the project's wrangler. */
import { setTimeout as sleep } from 'node:timers/promises'
import { isJsonObject } from '../../../../src/protocol/json.ts'
import { printable } from '../../../text/src/terminal-text.ts'
import type { BuiltModule, BuiltWorker } from './build-worker.ts'
import { deployableDate } from './compatibility-date.ts'
import { INSPECTOR, inspectorSource, type WorkerDescription } from './inspector.ts'
import type { Environment, ProjectWrangler } from './wrangler.ts'

/** A main module may compute without end. */
const LOAD_TIMEOUT_MS = 30_000

type Miniflare = typeof import('miniflare')
type WorkerOptions = Readonly<Record<string, unknown>>

/** The text is the reason why workerd does not start. */
export async function runWorker(
  wrangler: ProjectWrangler,
  { entry, modules, caller }: BuiltWorker,
  environment: Environment,
  flags: readonly string[],
): Promise<WorkerDescription | string> {
  const api = wrangler.require('miniflare') as Partial<Miniflare>
  // Version 5 has other options, and converts those of version 4.
  const convert = (api.convertV4MiniflareOptions ?? ((options) => options)) as (
    options: unknown,
  ) => ConstructorParameters<Miniflare['Miniflare']>[0]
  const errors: string[] = []
  const collect = (text: string) => errors.push(text)
  const options = {
    cf: false,
    logRequests: false,
    log: api.NoOpLog && new api.NoOpLog(),
    handleStructuredLogs: ({ message, level }: { message: string; level: string }) => {
      if (level === 'error') collect(message)
    },
    workers: [
      {
        name: 'inspected',
        ...bindingsOf(wrangler, environment),
        modules: [
          { type: 'ESModule', path: INSPECTOR, contents: inspectorSource(entry, caller) },
          ...modules.map((file) => ({ type: typeOf(file), ...file })),
        ],
        compatibilityDate: dateOf(wrangler, environment),
        compatibilityFlags: flags,
        outboundService: 'offline',
      },
      {
        name: 'offline',
        modules: true,
        script: 'export default { fetch: () => new Response(null, { status: 503 }) }',
      },
    ],
  }
  const miniflare = new (api as Miniflare).Miniflare(convert(options))
  try {
    const late = sleep(LOAD_TIMEOUT_MS, undefined, { ref: false })
    const loading = miniflare.dispatchFetch('http://127.0.0.1/')
    // It rejects when the runtime is ended below.
    loading.catch(() => undefined)
    const response = await Promise.race([loading, late])
    if (response === undefined) return `it is not loaded within ${LOAD_TIMEOUT_MS / 1000} seconds`
    const value: unknown = await response.json()
    if (!isJsonObject(value)) return 'the Worker cannot be described'
    // The script that describes it is part of the same build.
    return value as unknown as WorkerDescription
  } catch (error) {
    return printable(errors.join(' ') || (error as Error).message, 600)
  } finally {
    await miniflare.dispose().catch(() => undefined)
  }
}

/** An installed runtime may be older than the date, which a deployment accepts. */
function dateOf({ require }: ProjectWrangler, { config }: Environment): string {
  const { compatibilityDate: newest } = require('workerd') as { readonly compatibilityDate: string }
  const [oldest = newest] = [deployableDate(config.compatibility_date), newest].sort()
  return oldest
}

/** What the main module may read while it is loaded. Objects and other Workers are of no use there. */
const KINDS = ['bindings', 'kvNamespaces', 'd1Databases', 'r2Buckets', 'wasmBindings']

function bindingsOf({ api }: ProjectWrangler, { config, name }: Environment): WorkerOptions {
  try {
    const { workerOptions } = api.unstable_getMiniflareWorkerOptions(config, name)
    return Object.fromEntries(
      Object.entries(workerOptions).filter(([kind]) => KINDS.includes(kind)),
    )
  } catch {
    // A mistake in the bindings is found by the checks.
    return { bindings: config.vars }
  }
}

function typeOf({ path }: BuiltModule): string {
  if (/\.(?:js|mjs)$/.test(path)) return 'ESModule'
  if (path.endsWith('.cjs')) return 'CommonJS'
  if (path.endsWith('.wasm')) return 'CompiledWasm'
  return /\.(?:txt|html|sql|json)$/.test(path) ? 'Text' : 'Data'
}
