/**
 * Serves a bundle in workerd on its own core. miniflare is not used, because its own Workers run in
 * the same process and would be measured too: about 0.2 s of processor time at start-up, and 24 MB.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Bindings } from '../lanes/lane.ts'
import { type Bundle, COMPATIBILITY_DATE } from './bundle.ts'
import { SERVER_CORE } from './processor.ts'

const WORKERD = fileURLToPath(new URL('../node_modules/workerd/bin/workerd', import.meta.url))

export class Workerd {
  readonly port: number
  /** Port of the inspector, if there is one. */
  readonly inspectorPort: number | undefined
  readonly #child: ChildProcess
  /** Folder of the objects' storage, deleted by `stop`. */
  readonly #storage: string | undefined
  #isStopping = false

  private constructor(
    port: number,
    inspectorPort: number | undefined,
    child: ChildProcess,
    storage: string | undefined,
  ) {
    this.port = port
    this.inspectorPort = inspectorPort
    this.#child = child
    this.#storage = storage
    child.once('exit', (code, signal) => {
      // Its clients see reset connections only. The system kills a process for want of memory by SIGKILL.
      if (!this.#isStopping) process.stderr.write(`workerd has exited: ${signal ?? code}\n`)
    })
  }

  /**
   * Spawns the server and does not wait until it listens.
   *
   * @param hasInspector costs memory of its own
   */
  static async spawn(
    bundle: Bundle,
    bindings: Bindings = {},
    hasInspector = false,
  ): Promise<Workerd> {
    const port = await freePort()
    const inspectorPort = hasInspector ? await freePort() : undefined
    const inspector =
      inspectorPort === undefined ? [] : [`--inspector-addr=127.0.0.1:${inspectorPort}`]
    const storage =
      bindings.objects === undefined ? undefined : mkdtempSync(join(tmpdir(), 'edgeway-bench-'))
    const config = join(bundle.folder, `workerd-${port}.capnp`)
    writeFileSync(config, configText(bundle, port, bindings, storage))
    const child = spawn(
      'taskset',
      ['-c', String(SERVER_CORE), WORKERD, 'serve', ...inspector, config],
      {
        stdio: ['ignore', 'inherit', 'inherit'],
      },
    )
    await once(child, 'spawn')
    return new Workerd(port, inspectorPort, child, storage)
  }

  /** Process id of workerd, because `taskset` replaces itself by workerd. */
  get pid(): number {
    const { pid } = this.#child
    if (pid === undefined) throw new Error('workerd did not start')
    return pid
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/mcp`
  }

  /** Waits for the first response. @throws {Error} at the time limit, and when workerd exits */
  async ready(timeoutMs = 10_000): Promise<void> {
    const deadline = Date.now() + timeoutMs
    while (true) {
      try {
        await (await fetch(`http://127.0.0.1:${this.port}/`)).arrayBuffer()
        return
      } catch (cause) {
        if (Date.now() > deadline || this.#child.exitCode !== null) {
          throw new Error('workerd does not respond', { cause })
        }
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
    }
  }

  /** Kills the process and returns the folder of the objects' storage, which `stop` deletes. */
  async end(): Promise<string> {
    if (this.#storage === undefined) throw new Error('The server has no Durable Objects')
    await this.#kill()
    return this.#storage
  }

  async stop(): Promise<void> {
    await this.#kill()
    if (this.#storage !== undefined) rmSync(this.#storage, { recursive: true, force: true })
  }

  async #kill(): Promise<void> {
    this.#isStopping = true
    if (this.#child.exitCode === null && this.#child.signalCode === null) {
      const exited = once(this.#child, 'exit')
      this.#child.kill('SIGKILL')
      await exited
    }
  }
}

/** Returns a loopback port that is free now. Another process may take it before workerd does. */
async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const address = probe.address()
  probe.close()
  await once(probe, 'close')
  if (address === null || typeof address === 'string')
    throw new Error('The operating system assigned no port')
  return address.port
}

/** agents imports `cloudflare:email`, which workerd does not implement. No lane sends mail. */
const EMAIL = 'export default { EmailMessage: class {} }'

/** @see https://github.com/cloudflare/workerd/blob/main/src/workerd/server/workerd.capnp */
function configText(
  { folder, entry, compatibilityFlags }: Bundle,
  port: number,
  { texts = {}, origin, objects = {} }: Bindings,
  storage: string | undefined,
): string {
  // The first module is the entry point.
  const others = readdirSync(folder).filter(
    (name) => /\.(?:m?js|wasm)$/.test(name) && name !== entry,
  )
  const modules = [entry, ...others].map((name) => {
    const kind = name.endsWith('.wasm') ? 'wasm' : 'esModule'
    return `(name = "${name}", ${kind} = embed "${name}")`
  })
  const ownOrigin = origin && { [origin]: `http://127.0.0.1:${port}` }
  const flags = compatibilityFlags.map((flag) => `"${flag}"`)
  // A JSON string literal is also a Cap'n Proto string literal as long as it is ASCII.
  const bindings = [
    ...Object.entries({ ...texts, ...ownOrigin }).map(
      ([name, text]) => `(name = "${name}", text = ${literal(text)})`,
    ),
    ...Object.entries(objects).map(
      ([name, className]) => `(name = "${name}", durableObjectNamespace = "${className}")`,
    ),
  ]
  const namespaces = Object.values(objects).map(
    (className) => `(className = "${className}", uniqueKey = "${className}", enableSql = true)`,
  )
  const disk = `(name = "storage", disk = (path = ${literal(storage ?? '')}, writable = true))`
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = (
    modules = [${modules.join(', ')}],
    compatibilityDate = "${COMPATIBILITY_DATE}",
    compatibilityFlags = [${flags.join(', ')}],
    bindings = [${bindings.join(', ')}],
    durableObjectNamespaces = [${namespaces.join(', ')}],
    durableObjectStorage = (${storage === undefined ? 'none = void' : 'localDisk = "storage"'}),
  ))${storage === undefined ? '' : `, ${disk}`}],
  extensions = [(modules = [
    (name = "cloudflare-internal:email", esModule = ${literal(EMAIL)}, internal = true),
  ])],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")],
);
`
}

function literal(text: string): string {
  if (/[^\x20-\x7e]/.test(text))
    throw new Error('A string in the workerd configuration must be printable ASCII')
  return JSON.stringify(text)
}
