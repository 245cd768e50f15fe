/**
 * Starts a Worker of others with `wrangler dev` and lists its tools. What needs an account or a sign-in is
 * replaced: remote bindings are left out, and `@cloudflare/workers-oauth-provider` by a stub that names one caller.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  Client,
  type ClientOptions,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client'
import { build } from 'esbuild'
import { unstable_readConfig } from 'wrangler'
import { findFreePort } from '../support/free-port.ts'
import { PROJECT_DIRECTORY } from '../support/project.ts'

export interface Tool {
  readonly name: string
  readonly description?: string
  readonly inputSchema?: unknown
}

export interface Started {
  readonly tools: readonly Tool[]
  /** Undefined when the server has started and answered. */
  readonly problem?: string
}

/** What a server needs to start and to answer. */
export interface Run {
  readonly endpoint: string
  readonly vars: Readonly<Record<string, string>>
  /** Headers of each request. */
  readonly headers: Readonly<Record<string, string>>
  /** Rules for modules that another bundler of the project knows. */
  readonly rules: readonly unknown[]
}

const START_TIMEOUT_MS = 120_000
const STUB = '.moved-servers-oauth.mjs'

/** Calls the handler of the API as the provider does for an accepted token. */
const STUB_TEXT = `
import { WorkerEntrypoint } from 'cloudflare:workers'
const PROPS = { userId: 'user', login: 'login', username: 'login', name: 'A', email: 'a@example.com', accessToken: 'token' }
export class OAuthProvider {
  constructor(options) { this.options = options }
  fetch(request, env, ctx) {
    const { apiRoute = [], apiHandler, apiHandlers = {}, defaultHandler } = this.options
    const { pathname } = new URL(request.url)
    const routes = apiHandler === undefined ? Object.entries(apiHandlers) : [apiRoute].flat().map((route) => [route, apiHandler])
    const [, handler] = routes.find(([route]) => pathname.startsWith(route)) ?? []
    const context = { props: PROPS, waitUntil: (promise) => ctx.waitUntil(promise), passThroughOnException() {} }
    env = Object.assign(Object.create(env), { OAUTH_PROVIDER: {} })
    if (handler === undefined) return defaultHandler.fetch(request, env, context)
    if (handler.prototype instanceof WorkerEntrypoint) return new handler(context, env).fetch(request)
    return handler.fetch === undefined ? handler(request, env, context) : handler.fetch(request, env, context)
  }
}
export default OAuthProvider
export const getOAuthApi = () => ({})
`

/** The members of a configuration that start a Worker here. */
const KEPT = [
  ...['name', 'compatibility_date', 'compatibility_flags', 'vars', 'rules', 'define', 'alias'],
  ...['durable_objects', 'migrations', 'kv_namespaces', 'r2_buckets', 'd1_databases', 'queues'],
  ...['main', 'text_blobs', 'data_blobs', 'no_bundle', 'analytics_engine_datasets', 'tsconfig'],
] as const

export async function listTools(
  folder: string,
  configuration: string,
  { endpoint, vars, headers, rules }: Run,
): Promise<Started> {
  const port = await findFreePort()
  const config = harnessConfiguration(folder, configuration, vars, rules)
  const child = spawn(
    process.execPath,
    [
      join(PROJECT_DIRECTORY, 'node_modules/wrangler/bin/wrangler.js'),
      ...[
        'dev',
        '--config',
        config,
        '--port',
        String(port),
        '--ip',
        '127.0.0.1',
        '--show-interactive-dev-session=false',
      ],
    ],
    {
      cwd: dirname(config),
      env: { ...process.env, CI: '1', NO_COLOR: '1', WRANGLER_SEND_METRICS: 'false' },
      detached: true,
    },
  )
  let output = ''
  child.stdout.on('data', (data) => (output += data))
  child.stderr.on('data', (data) => (output += data))
  try {
    await ready(child, port, () => output)
    return { tools: await callServer(`http://127.0.0.1:${port}${endpoint}`, headers) }
  } catch (error) {
    const lines = output.split('\n').filter((line) => /error|Error|✘/.test(line))
    return {
      tools: [],
      problem: `${(error as Error).message} ${lines.slice(0, 4).join(' | ').slice(0, 600)}`,
    }
  } finally {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
  }
}

function harnessConfiguration(
  folder: string,
  configuration: string,
  vars: Readonly<Record<string, string>>,
  rules: readonly unknown[],
): string {
  const file = join(folder, configuration)
  const config = unstable_readConfig({ config: file }, { hideWarnings: true }) as unknown as Record<
    string,
    unknown
  >
  const kept = Object.fromEntries(
    KEPT.flatMap((name) => (config[name] === undefined ? [] : [[name, config[name]]])),
  )
  const stub = join(dirname(file), STUB)
  writeFileSync(stub, STUB_TEXT)
  const path = join(dirname(file), '.moved-servers.json')
  const alias = { ...(kept.alias as object), '@cloudflare/workers-oauth-provider': stub }
  const all = {
    ...kept,
    rules: [...(kept.rules as unknown[]), ...rules],
    alias,
    vars: { ...(kept.vars as object), ...vars },
  }
  writeFileSync(path, JSON.stringify(all))
  return path
}

async function ready(child: ChildProcess, port: number, output: () => string): Promise<void> {
  const end = Date.now() + START_TIMEOUT_MS
  while (Date.now() < end) {
    if (child.exitCode !== null) throw new Error(`wrangler dev ended with ${child.exitCode}.`)
    if (/\[ERROR\]|Build failed/.test(output())) throw new Error('It does not start.')
    if (output().includes(`:${port}`) && output().includes('Ready on')) return
    await sleep(250)
  }
  throw new Error('It did not start in time.')
}

const CLIENT = { name: 'moved-servers', version: '1.0.0' }
const PARAMS = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: CLIENT }

/** Lists the tools of a program that serves over stdio, which is bundled first. */
export async function listToolsOverStdio(
  folder: string,
  entry: string,
  vars: Readonly<Record<string, string>>,
): Promise<Started> {
  const program = join(folder, 'node_modules/.moved-servers.mjs')
  await build({
    entryPoints: [join(folder, entry)],
    outfile: program,
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    logLevel: 'silent',
  })
  const child = spawn(process.execPath, [program], {
    cwd: folder,
    env: { ...process.env, ...vars },
  })
  const timer = setTimeout(() => child.kill('SIGKILL'), START_TIMEOUT_MS)
  try {
    const send = (message: object) =>
      child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
    send({ id: 1, method: 'initialize', params: PARAMS })
    for await (const line of createInterface({ input: child.stdout })) {
      const { id, result } = JSON.parse(line) as { id?: number; result?: { tools: Tool[] } }
      if (id === 1) {
        send({ method: 'notifications/initialized' })
        send({ id: 2, method: 'tools/list', params: {} })
      }
      if (id === 2) return { tools: result?.tools ?? [] }
    }
    return { tools: [], problem: 'The program ended before it answered.' }
  } finally {
    clearTimeout(timer)
    child.kill('SIGKILL')
  }
}

/** A server of the newest revision alone refuses the handshake of the older ones. */
async function callServer(
  url: string,
  headers: Readonly<Record<string, string>>,
): Promise<readonly Tool[]> {
  try {
    return await listAt(url, headers, {})
  } catch (error) {
    const pinned: ClientOptions = { versionNegotiation: { mode: { pin: '2026-07-28' } } }
    return listAt(url, headers, pinned).catch(() => {
      throw error
    })
  }
}

async function listAt(
  url: string,
  headers: Readonly<Record<string, string>>,
  options: ClientOptions,
): Promise<readonly Tool[]> {
  const client = new Client(CLIENT, options)
  await client.connect(
    new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }),
  )
  const { tools } = await client.listTools()
  await client.close()
  return tools
}
