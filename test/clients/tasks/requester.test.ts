/** The official requester of tasks, on both revisions that have them. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import {
  createTaskSessionFromClient,
  resultFromTaskOutcome,
  type TaskEnabledSession,
} from '@modelcontextprotocol/ext-tasks/client'
import { describe, expect, inject, it } from 'vitest'
import { readMessage } from '../../support/sse-reader.ts'

const INFO = { name: 'requester', version: '1.0.0' }

const ANSWER = async () => ({ action: 'accept' as const, content: { confirm: true } })

const MODERN = '2026-07-28'

const CAPABILITIES = { elicitation: {}, extensions: { 'io.modelcontextprotocol/tasks': {} } }

type Json = Parameters<
  NonNullable<Parameters<typeof createTaskSessionFromClient>[1]['rawDispatch']>
>[0]

let lastId = 0

/** Sends a request of the modern revision, with the headers that repeat it. */
async function dispatch(request: Json) {
  const { method, params } = request as { method: string; params: Record<string, unknown> }
  lastId++
  const response = await fetch(inject('fixtureUrl'), {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': MODERN,
      'mcp-method': method,
      'mcp-name': String(params.name ?? params.taskId),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: lastId, method, params }),
  })
  return readMessage(response)
}

/** Asks for a task where the revision lets a client ask for one. */
const PREFER = { task: { preference: 'prefer' } } as never

interface Connected {
  readonly session: TaskEnabledSession<unknown>
  readonly client: Client
}

async function connect(version: '2026-07-28' | '2025-11-25'): Promise<Connected> {
  const isModern = version === MODERN
  const client = new Client(INFO, {
    capabilities: CAPABILITIES,
    ...(isModern && { versionNegotiation: { mode: { pin: MODERN } } }),
  })
  await client.connect(new StreamableHTTPClientTransport(new URL(inject('fixtureUrl'))))
  const session = createTaskSessionFromClient(client, {
    endpointId: 'fixture',
    onInputRequest: ANSWER as never,
    ...(isModern && {
      rawDispatch: dispatch,
      v2RequestFraming: {
        protocolVersion: MODERN,
        clientInfo: INFO,
        clientCapabilities: CAPABILITIES,
      },
    }),
  } as Parameters<typeof createTaskSessionFromClient>[1])
  return { session, client }
}

const CALLS = [
  [MODERN, 'slow_compute', { seconds: 1, label: 'It' }, 'It took 1 s'],
  [MODERN, 'sleep_step', { name: 'requester', ms: 500 }, 'done'],
  [MODERN, 'confirm_delete', { filename: 'a.txt' }, 'a.txt is deleted.'],
  ['2025-11-25', 'slow_compute', { seconds: 1, label: 'It' }, 'It took 1 s'],
  ['2025-11-25', 'sleep_step', { name: 'requester', ms: 500 }, 'done'],
  // Its questions arrive on the standalone stream: the requester polls tasks/get until the end.
  ['2025-11-25', 'confirm_delete', { filename: 'b.txt' }, 'b.txt is deleted.'],
] as const

describe('the official requester', () => {
  it.for(CALLS)('settles on %s the task of %s', async (call, { onTestFinished }) => {
    const [version, name, args, text] = call
    const { session, client } = await connect(version)
    onTestFinished(() => client.close())
    const execution = await session.callTool(name, args, PREFER)
    expect(execution.kind).toBe('task')
    const { outcome } = await execution.settle()
    const result = resultFromTaskOutcome(outcome) as { content: { text: string }[] }
    expect(result.content[0]?.text).toBe(text)
  })

  it.for([MODERN, '2025-11-25'] as const)('cancels a task on %s', async (version, context) => {
    const { session, client } = await connect(version)
    context.onTestFinished(() => client.close())
    const execution = await session.callTool('slow_compute', { seconds: 60 }, PREFER)
    await execution.cancel()
    expect((await execution.result()).status).toBe('cancelled')
  })
})
