/** Runs a Worker in miniflare's workerd. */
import { once } from 'node:events'
import { get } from 'node:http'
import { createRequire, enableCompileCache } from 'node:module'
import { constants } from 'node:os'
import { join } from 'node:path'
import { bundleWorker } from './bundle.ts'
import type { WorkerBundle } from './bundle-cache.ts'
import { killWithThisProcess, observeSpawn } from './child-processes.ts'
import { PROJECT_DIRECTORY } from './project.ts'
import { type ObjectsVersion, splitDeployment } from './split-deployment.ts'

export interface ServerOptions {
  /** The Worker's `wrangler.toml`. */
  readonly configPath: string
  /** Served instead of the present source. */
  readonly bundle?: WorkerBundle | undefined
  /** Another version, which some of the objects run. */
  readonly objects?: ObjectsVersion | undefined
  /** 0 for any free port. */
  readonly port: number
  /** Persists state between servers; undefined deletes it when the server stops. */
  readonly state?: string | undefined
  /** Replace the variables of the same names in `wrangler.toml`. */
  readonly vars: Readonly<Record<string, string>>
  /** The URL that receives every outgoing request, or what goes out as it is. Undefined rejects them all. */
  readonly egress?: string | DirectEgress | undefined
  readonly onLog: (text: string) => void
}

/** Outgoing requests that are sent as they are; all others are rejected. */
export interface DirectEgress {
  /** The origins, or every origin of this machine. */
  readonly callbackOrigins: readonly string[] | 'loopback'
}

export interface Server {
  /** The MCP endpoint. */
  readonly url: string
  /** The port of the Worker that hosts `objects`, which is another isolate; undefined without it. */
  readonly objectsPort: number | undefined
  /** The process id of workerd. */
  readonly pid: number
  /** Resolves when workerd exits, with its exit code, or 128 and the number of the signal. */
  readonly exited: Promise<number>
  stop(): Promise<void>
}

/**
 * Forwards each request to `env.PROXY`, with its target in `x-original-url`, or sends it as it is to an origin that
 * matches `env.DIRECT`.
 */
const EGRESS_SCRIPT = `export default {
  fetch(request, { PROXY, DIRECT }) {
    const { method, body, signal } = request
    const headers = new Headers(request.headers)
    if (PROXY === undefined) {
      const { origin } = new URL(request.url)
      const isDirect = DIRECT && new RegExp(DIRECT).test(origin)
      if (!isDirect) throw new Error('Outgoing requests need --egress or --callback-origin')
      return fetch(request.url, { method, headers, body, signal, redirect: 'manual' })
    }
    headers.set('x-original-url', request.url)
    return fetch(PROXY, { method, headers, body, redirect: 'manual' })
  },
}`

const LOOPBACK = '^https?://(?:127\\.0\\.0\\.1|localhost|\\[::1\\])(?::\\d+)?$'

function egressBindings(egress: ServerOptions['egress']): Record<string, string> {
  if (egress === undefined) return {}
  if (typeof egress === 'string') return { PROXY: egress }
  const { callbackOrigins } = egress
  if (callbackOrigins === 'loopback') return { DIRECT: LOOPBACK }
  const escaped = callbackOrigins.map((origin) => origin.replaceAll(/[.[\]]/g, '\\$&'))
  return escaped.length === 0 ? {} : { DIRECT: `^(?:${escaped.join('|')})$` }
}

/**
 * Starts a Worker on 127.0.0.1 and resolves once it answers `GET /`.
 *
 * @throws {Error} when workerd does not listen, for example because the port is in use
 */
export async function startServer(options: ServerOptions): Promise<Server> {
  const { port, state, vars, egress, objects, onLog } = options
  const bundle = options.bundle ?? (await bundleWorker(options.configPath))
  const bundles = objects === undefined ? [bundle] : splitDeployment(bundle, objects)
  const { convertV4MiniflareOptions, Miniflare } = loadMiniflare(egress)
  const miniflareOptions = convertV4MiniflareOptions({
    host: '127.0.0.1',
    // `true` downloads a sample of `request.cf`.
    cf: false,
    logRequests: false,
    handleStructuredLogs: ({ message }) => onLog(`${message}\n`),
    ...(state && { resourcePersistencePath: state }),
    workers: [
      ...bundles.map(({ options: workerOptions, script }, index) => ({
        ...workerOptions,
        modules: true as const,
        script,
        bindings: { ...workerOptions.bindings, ...vars },
        outboundService: 'egress',
        // Keeps miniflare from adding the header CF-Worker to outgoing requests.
        stripCfConnectingIp: false,
        // The Worker's own socket. miniflare's entry Worker, which has another port, changes headers
        // and errors.
        unsafeDirectSockets: [{ host: '127.0.0.1', port: index === 0 ? port : 0 }],
      })),
      {
        name: 'egress',
        compatibilityDate: '2026-11-01',
        modules: true,
        script: EGRESS_SCRIPT,
        bindings: egressBindings(egress),
        // Disconnects from a callback when the Worker gives up.
        compatibilityFlags: ['enable_request_signal'],
        stripCfConnectingIp: false,
      },
    ],
  })
  const { result: miniflare, child } = observeSpawn(() => new Miniflare(miniflareOptions))
  void child.then(killWithThisProcess)
  const { origin } = await miniflare.unsafeGetDirectURL().catch((cause: Error) => {
    throw new Error(`workerd did not start on 127.0.0.1:${port}\n${cause.message}`, { cause })
  })
  const second = bundles[1] && (await miniflare.unsafeGetDirectURL(bundles[1].options.name))
  const workerd = await child
  let stopped: Promise<void> | undefined
  const stop = () => {
    stopped ??= miniflare.dispose()
    return stopped
  }
  const exited = new Promise<number>((resolve) => {
    workerd.once('exit', (code, signal) => {
      // At once, because miniflare would start another workerd.
      void stop()
      resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal]))
    })
  })
  await checkReady(origin)
  const objectsPort = second && Number(second.port)
  return { url: `${origin}/mcp`, objectsPort, pid: Number(workerd.pid), exited, stop }
}

/**
 * Loads miniflare, which is one CommonJS file of 6 MB. Compiled code from a cache halves the time, and
 * `import()` would parse the file once more to detect its module format.
 *
 * miniflare reads the certificates of `NODE_EXTRA_CA_CERTS` when it is loaded, and serializes them for
 * every workerd, which takes half of the processor time of a start. Only an egress proxy with https needs
 * them: every other request of a server stays on this machine.
 */
function loadMiniflare(egress: ServerOptions['egress']): typeof import('miniflare') {
  enableCompileCache(join(PROJECT_DIRECTORY, '.wrangler/compile-cache'))
  const { NODE_EXTRA_CA_CERTS: certificates } = process.env
  if (typeof egress !== 'string' || !egress.startsWith('https:'))
    delete process.env.NODE_EXTRA_CA_CERTS
  try {
    return createRequire(import.meta.url)('miniflare')
  } finally {
    if (certificates !== undefined) process.env.NODE_EXTRA_CA_CERTS = certificates
  }
}

/** Requires an answer to `GET /`, which is 404 without a landing page. The `fetch` of Node.js takes longer to load than this takes. */
async function checkReady(origin: string): Promise<void> {
  const [response] = await once(get(origin), 'response')
  response.resume()
  if (response.statusCode !== 200 && response.statusCode !== 404) {
    throw new Error(`The server answers GET / with status ${response.statusCode}`)
  }
}
