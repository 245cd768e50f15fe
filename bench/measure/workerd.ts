/**
 * Serves a bundle in workerd on a core of its own. Not in miniflare, because its own Workers in the same
 * process would be measured too: about 0.2 s of processor time at startup and 24 MB of memory.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Bundle, COMPATIBILITY_DATE } from './bundle.ts'
import { SERVER_CORE } from './processor.ts'

const WORKERD = fileURLToPath(new URL('../node_modules/workerd/bin/workerd', import.meta.url))

export interface Bindings {
  /** Texts by the names of their bindings. */
  readonly texts?: Readonly<Record<string, string>>
  /** The name of a text that is the server's own origin, as it is asked under. */
  readonly origin?: string
  /** Classes of Durable Objects, which the Worker exports, by the names of their bindings. */
  readonly objects?: Readonly<Record<string, string>>
}

export class Workerd {
  readonly port: number
  readonly #child: ChildProcess
  /** Where the objects keep what they store, for as long as the server runs. */
  readonly #storage: string | undefined

  private constructor(port: number, child: ChildProcess, storage: string | undefined) {
    this.port = port
    this.#child = child
    this.#storage = storage
  }

  /** Spawns the server and returns at once; it may not be listening yet. */
  static async spawn(bundle: Bundle, bindings: Bindings = {}): Promise<Workerd> {
    const port = await freePort()
    const storage =
      bindings.objects === undefined ? undefined : mkdtempSync(join(tmpdir(), 'edgeway-bench-'))
    const config = join(bundle.folder, `workerd-${port}.capnp`)
    writeFileSync(config, configText(bundle, port, bindings, storage))
    const child = spawn('taskset', ['-c', String(SERVER_CORE), WORKERD, 'serve', config], {
      stdio: ['ignore', 'inherit', 'inherit'],
    })
    await once(child, 'spawn')
    return new Workerd(port, child, storage)
  }

  /** `taskset` replaces itself by workerd, so this is the server's own. */
  get pid(): number {
    const { pid } = this.#child
    if (pid === undefined) throw new Error('workerd did not start')
    return pid
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/mcp`
  }

  /** @throws {Error} when nothing answers in time */
  async ready(timeoutMs = 10_000): Promise<void> {
    const deadline = Date.now() + timeoutMs
    while (true) {
      try {
        await (await fetch(`http://127.0.0.1:${this.port}/`)).arrayBuffer()
        return
      } catch (cause) {
        if (Date.now() > deadline || this.#child.exitCode !== null) {
          throw new Error('workerd does not answer', { cause })
        }
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
    }
  }

  /** Ends the process and leaves what its objects have stored, until `stop`: the folder of it. */
  async end(): Promise<string> {
    if (this.#storage === undefined) throw new Error('This server has no objects')
    await this.#kill()
    return this.#storage
  }

  async stop(): Promise<void> {
    await this.#kill()
    if (this.#storage !== undefined) rmSync(this.#storage, { recursive: true, force: true })
  }

  async #kill(): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) {
      const exited = once(this.#child, 'exit')
      this.#child.kill('SIGKILL')
      await exited
    }
  }
}

/** A port of the loopback interface that was free a moment ago. */
async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const address = probe.address()
  probe.close()
  await once(probe, 'close')
  if (address === null || typeof address === 'string') throw new Error('No port')
  return address.port
}

/** agents imports `cloudflare:email`, which workerd leaves to its host; nothing here sends any. */
const EMAIL = 'export default { EmailMessage: class {} }'

/** @see https://github.com/cloudflare/workerd/blob/main/src/workerd/server/workerd.capnp */
function configText(
  { folder, entry, compatibilityFlags }: Bundle,
  port: number,
  { texts: given = {}, origin, objects = {} }: Bindings,
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
  const texts = { ...given, ...ownOrigin }
  const flags = compatibilityFlags.map((flag) => `"${flag}"`)
  // A JSON string literal is a Cap'n Proto one as long as it is ASCII.
  const bindings = [
    ...Object.entries(texts).map(([name, text]) => `(name = "${name}", text = ${literal(text)})`),
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
    throw new Error('A text of the configuration must be printable ASCII')
  return JSON.stringify(text)
}
