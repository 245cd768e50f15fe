/**
 * `npm run kill-demo`: two official clients call a tool of the notebook that asks a person. The process is killed in the
 * middle of both questions and started again on the same state. Then the persons answer. Prints what each side saw,
 * with the seconds since the start of the server. The exit code is 1 if a client or the notebook has another result than without a kill.
 */
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { authorize } from './support/authorize.ts'
import { bundleWorker } from './support/bundle.ts'
import { findFreePort } from './support/free-port.ts'
import { PROJECT_DIRECTORY } from './support/project.ts'
import { startServer } from './support/server.ts'

const { devDependencies } = JSON.parse(
  readFileSync(join(PROJECT_DIRECTORY, 'package.json'), 'utf8'),
) as { readonly devDependencies: Readonly<Record<string, string>> }

const SERVER = 'server'
const SESSION = `SDK ${devDependencies['@modelcontextprotocol/sdk']}, 2025-11-25`
const MODERN = `SDK ${devDependencies['@modelcontextprotocol/client']}, 2026-07-28`

const INFO = { name: 'kill-demo', version: '1.0.0' }
const YES = { action: 'accept' as const, content: { remove: true } }

/** By default the first SDK gives up 2.5 seconds after the kill. On a busy machine the server starts later. */
const RECONNECTION = {
  initialReconnectionDelay: 500,
  maxReconnectionDelay: 2000,
  reconnectionDelayGrowFactor: 1.5,
  maxRetries: 50,
}

// wrangler says which files it reads.
process.env.WRANGLER_LOG = 'error'
const configPath = join(PROJECT_DIRECTORY, 'wrangler.toml')
const bundle = await bundleWorker(configPath)
const port = await findFreePort()
const origin = `http://127.0.0.1:${port}`
const url = new URL('/mcp', origin)
const state = await mkdtemp(join(tmpdir(), 'edgeway-kill-demo-'))

let startedAt = performance.now()

function print(side: string, saw: string): void {
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(2)
  process.stdout.write(`${seconds.padStart(5)} s  ${side.padEnd(SESSION.length)}  ${saw}\n`)
}

/** The person at one client, who answers a question when the demonstration says so. */
class Person {
  readonly asked = Promise.withResolvers<void>()
  readonly #answer = Promise.withResolvers<typeof YES>()
  readonly #client: string
  questions = 0

  constructor(client: string) {
    this.#client = client
  }

  ask(question: string): Promise<typeof YES> {
    this.questions += 1
    print(this.#client, `is asked: ${question}`)
    this.asked.resolve()
    return this.#answer.promise
  }

  answer(): void {
    print(this.#client, 'answers: yes')
    this.#answer.resolve(YES)
  }
}

const startNotebook = () =>
  startServer({
    configPath,
    bundle,
    port,
    state,
    // Signs in without a passphrase, on this computer.
    vars: { EDGEWAY_ORIGIN: 'development' },
    onLog: (text) => print(SERVER, `logs: ${text.trim()}`),
  })

let server = await startNotebook()
startedAt = performance.now()
print(SERVER, `serves the notebook at ${url.pathname}`)
const headers = { authorization: `Bearer ${await authorize({ origin })}` }

const personV1 = new Person(SESSION)
const clientV1 = new ClientV1(INFO, { capabilities: { elicitation: {} } })
clientV1.setRequestHandler(ElicitRequestSchema, ({ params }) => personV1.ask(params.message))
const broken = Promise.withResolvers<void>()
clientV1.onerror = () => broken.resolve()
const resumed = Promise.withResolvers<void>()
const transportV1 = new TransportV1(url, {
  requestInit: { headers },
  reconnectionOptions: RECONNECTION,
  fetch: async (input, init) => {
    const response = await fetch(input, init)
    if (response.ok && new Headers(init?.headers).has('last-event-id')) resumed.resolve()
    return response
  },
})
await clientV1.connect(transportV1 as Transport)

const personV2 = new Person(MODERN)
const clientV2 = new Client(INFO, {
  capabilities: { elicitation: { form: {} } },
  versionNegotiation: { mode: { pin: '2026-07-28' } },
})
clientV2.setRequestHandler('elicitation/create', ({ params }) => personV2.ask(params.message))
await clientV2.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }))

for (const title of ['Groceries', 'Errands']) {
  await clientV2.callTool({ name: 'write_note', arguments: { title, body: 'Milk and bread.' } })
}
print(SERVER, `has ${await count('notebook')} notes, and ${await count('bin')} in the bin`)

print(SESSION, 'calls delete_note')
const callV1 = clientV1.callTool({ name: 'delete_note', arguments: { id: 'groceries' } })
await personV1.asked.promise
print(MODERN, 'calls delete_note')
const callV2 = clientV2.callTool({ name: 'delete_note', arguments: { id: 'errands' } })
await personV2.asked.promise

process.kill(server.pid, 'SIGKILL')
await server.exited
print(SERVER, 'is killed (SIGKILL)')
await server.stop()
await broken.promise
print(SESSION, 'loses the stream of its call')
server = await startNotebook()
print(SERVER, 'is started again on the same state')
await resumed.promise
print(SESSION, 'resumes the stream by itself')

personV1.answer()
const isDoneV1 = report(SESSION, await callV1)
personV2.answer()
const isDoneV2 = report(MODERN, await callV2)
const [notes, deleted] = [await count('notebook'), await count('bin')]
print(SERVER, `has ${notes} notes, and ${deleted} in the bin`)

await Promise.all([clientV1.close(), clientV2.close()])
await server.stop()
await rm(state, { recursive: true, force: true })
const isAskedOnce = personV1.questions === 1 && personV2.questions === 1
const isRight = isDoneV1 && isDoneV2 && isAskedOnce && notes === 0 && deleted === 2
process.exit(isRight ? 0 : 1)

/** How many notes the notebook or its bin has. */
async function count(place: 'notebook' | 'bin'): Promise<number> {
  const result = await clientV2.callTool({ name: 'list_notes', arguments: { place } })
  return (result.structuredContent as { total: number }).total
}

/** Prints the result of a call up to its first semicolon, and returns whether the note was deleted. */
function report(client: string, result: object): boolean {
  const { content, structuredContent } = result as {
    readonly content: readonly { readonly text: string }[]
    readonly structuredContent?: { readonly deleted: boolean }
  }
  print(client, `has the result: ${content[0]?.text.split(';')[0]}`)
  return structuredContent?.deleted === true
}
