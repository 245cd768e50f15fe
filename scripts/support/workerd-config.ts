/** A bundle as a configuration of plain workerd, in Cap'n Proto text: the runtime with nothing around it. */
import type { WorkerBundle } from './worker-bundle.ts'

/** The socket's name, by which the port is given and reported. */
export const SOCKET = 'http'

export interface WorkerdConfigOptions {
  readonly bundle: WorkerBundle
  /** Text bindings, instead of those of the same name in the bundle. */
  readonly vars: Readonly<Record<string, string>>
  /** Where Durable Objects keep their databases; an absolute path. */
  readonly stateDirectory: string
  /** Where every outgoing request goes instead of its target; undefined lets nothing out. */
  readonly egress?: string | undefined
}

/**
 * The text of a configuration. Modules are embedded from files of their names beside it. Nothing
 * goes out: the network a Worker's `fetch` reaches allows no address, or is one that plays them all.
 */
export function renderWorkerdConfig({
  bundle,
  vars,
  stateDirectory,
  egress,
}: WorkerdConfigOptions): string {
  const { modules, compatibilityDate, compatibilityFlags, durableObjects } = bundle
  const text = { ...bundle.vars, ...vars }
  return `using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [
    (name = "main", worker = .worker),
    (name = "state", disk = (path = ${quote(stateDirectory)}, writable = true)),
    (name = "nowhere", network = (allow = [])),
${egress === undefined ? '' : EGRESS_SERVICES}  ],
  sockets = [(name = ${quote(SOCKET)}, http = (), service = "main")],
);

const worker :Workerd.Worker = (
  modules = [${list(modules, ({ name }) => `(name = ${quote(name)}, esModule = embed ${quote(name)})`)}],
  compatibilityDate = ${quote(compatibilityDate)},
  compatibilityFlags = [${list(compatibilityFlags, quote)}],
  bindings = [
${lines(Object.entries(text), ([name, value]) => `(name = ${quote(name)}, text = ${quote(value)})`)}
${lines(
  durableObjects,
  ({ binding, className }) =>
    `(name = ${quote(binding)}, durableObjectNamespace = ${quote(className)})`,
)}
  ],
  durableObjectNamespaces = [
${lines(
  durableObjects,
  ({ className, sqlite }) =>
    `(className = ${quote(className)}, uniqueKey = ${quote(`${bundle.name}-${className}`)}, enableSql = ${sqlite})`,
)}
  ],
  durableObjectStorage = (localDisk = "state"),
  globalOutbound = ${quote(egress === undefined ? 'nowhere' : 'egress')},
);
${egress === undefined ? '' : egressWorker(egress)}`
}

const EGRESS_SERVICES = `    (name = "egress", worker = .egress),
    (name = "loopback", network = (allow = ["private"])),
`

/** Sends every request to one address, and says there where it was meant to go. */
function egressWorker(url: string): string {
  const source = `export default {
  fetch(request, env) {
    const headers = new Headers(request.headers)
    headers.set('x-original-url', request.url)
    const { method, body } = request
    return fetch(env.URL, { method, headers, body, redirect: 'manual' })
  },
}`
  return `
const egress :Workerd.Worker = (
  modules = [(name = "egress.js", esModule = ${quote(source)})],
  compatibilityDate = "2026-11-01",
  bindings = [(name = "URL", text = ${quote(url)})],
  globalOutbound = "loopback",
);
`
}

function list<T>(items: readonly T[], render: (item: T) => string): string {
  return items.map(render).join(', ')
}

function lines<T>(items: readonly T[], render: (item: T) => string): string {
  return items.map((item) => `    ${render(item)},`).join('\n')
}

/** A string literal; Cap'n Proto knows no \`\\u\` escapes, so only what must be is escaped. */
function quote(text: string): string {
  const escaped = text
    .replaceAll('\\', '\\\\')
    .replaceAll('"', '\\"')
    .replaceAll('\n', '\\n')
    .replaceAll('\r', '\\r')
  return `"${escaped}"`
}
