/** Calls `execute` as clients of every kind do: in the rounds of a request, in a task, and in a session. */
import { env } from 'cloudflare:workers'
import { expect } from 'vitest'
import { TASKS_EXTENSION } from '../../../../../src/protocol/tasks.ts'
import { parseMessages } from '../../../../../test/support/sse-parser.ts'
import { connectApp } from '../../../../../test/support/test-app.ts'
import { accept, connect } from '../../../../testing/src/index.ts'
import { codeApp } from './code-server.ts'

export interface Called {
  // biome-ignore lint/suspicious/noExplicitAny: tests read arbitrary members of the wire form
  readonly result: any
  /** The messages of the asks. */
  readonly asked: readonly string[]
}

/** @param beforeAnswer runs before each answer of the person */
export type CallCode = (source: string, beforeAnswer?: () => Promise<void>) => Promise<Called>

const SURE = { action: 'accept', content: { sure: true } }

const inRevision =
  (revision: '2026-07-28' | '2025-11-25' | '2025-06-18'): CallCode =>
  async (source, beforeAnswer) => {
    const client = await connect(codeApp, {
      env,
      revision,
      capabilities: { elicitation: { form: {} } },
      elicit: async () => {
        await beforeAnswer?.()
        return accept({ sure: true })
      },
    })
    const result = await client.callTool('execute', { code: source })
    return { result, asked: client.asks.map(({ params }) => String(params.message)) }
  }

const inTask: CallCode = async (source, beforeAnswer) => {
  const app = connectApp(codeApp, env)
  const capabilities = { elicitation: { form: {} }, extensions: { [TASKS_EXTENSION]: {} } }
  const meta = { 'io.modelcontextprotocol/clientCapabilities': capabilities }
  const send = async (method: string, params: Record<string, unknown>) => {
    const { body } = await app.modern(method, params, { meta })
    const message = typeof body === 'string' ? parseMessages(body).at(-1) : body
    expect(message.error).toBeUndefined()
    return message.result
  }
  const asked: string[] = []
  const started = await send('tools/call', { name: 'execute', arguments: { code: source } })
  if (started.resultType !== 'task') return { result: started, asked }
  const { taskId } = started
  const answered = new Set<string>()
  for (;;) {
    const state = await send('tasks/get', { taskId })
    if (state.status === 'completed') return { result: state.result, asked }
    if (state.status === 'failed') return { result: state.error, asked }
    const open = Object.entries(state.inputRequests ?? {}).filter(([key]) => !answered.has(key))
    for (const [key, request] of open) {
      answered.add(key)
      asked.push((request as { params: { message: string } }).params.message)
    }
    if (open.length === 0) {
      await new Promise((resolve) => setTimeout(resolve, 20))
      continue
    }
    await beforeAnswer?.()
    const inputResponses = Object.fromEntries(open.map(([key]) => [key, SURE]))
    await send('tasks/update', { taskId, inputResponses })
  }
}

export const WAYS: readonly (readonly [way: string, call: CallCode])[] = [
  ['the rounds of a request (2026-07-28)', inRevision('2026-07-28')],
  ['a task (2026-07-28)', inTask],
  ['a session (2025-11-25)', inRevision('2025-11-25')],
  ['a session (2025-06-18)', inRevision('2025-06-18')],
]
