/** What `edgeway doctor --for` finds by calls, and by clients of other names. */
import { describe, expect, it, onTestFinished } from 'vitest'
import { onMethod, onResult } from '../../../doctor/test/defects.ts'
import type { Answer } from '../../../doctor/test/http-server.ts'
import {
  type Defect,
  json,
  startReferenceServer,
  TOOL,
} from '../../../doctor/test/reference-server.ts'
import { examineServerFor } from '../../src/directories/examine.ts'

const TOOLS = [TOOL, { ...TOOL, name: 'leave' }]

const OF_BEHAVIOUR: readonly string[] = ['tool-call-failed', 'behaviour-depends-on-client']

/** The codes of how the server behaves, each once. */
async function found(defect: Defect): Promise<readonly string[]> {
  const server = await startReferenceServer({ defect })
  onTestFinished(() => server.stop())
  const report = await examineServerFor(['claude-directory'], server.url, { timeoutMs: 5000 })
  const codes = report.directories.flatMap(({ findings }) => findings.map(({ code }) => code))
  return [...new Set(codes)].filter((code) => OF_BEHAVIOUR.includes(code))
}

const failing = (answer: (id: unknown) => Answer) => onMethod('tools/call', answer)
const error = (code: number) => (id: unknown) =>
  json({ jsonrpc: '2.0', id, error: { code, message: 'No.' } })

/** The defect, for clients whose name matches alone. Requests of an earlier revision are those of the last `initialize`. */
function forClients(pattern: RegExp, defect: Defect): Defect {
  let isMatched = false
  return (request, next, origin) => {
    const { params = {} } = (request.json ?? {}) as { params?: Record<string, unknown> }
    const meta = (params._meta ?? {}) as Record<string, unknown>
    const info = params.clientInfo ?? meta['io.modelcontextprotocol/clientInfo']
    if (info !== undefined) isMatched = pattern.test((info as { name: string }).name)
    return isMatched ? defect(request, next, origin) : next()
  }
}

const listed = (tools: readonly unknown[]) =>
  onResult('tools/list', (result) => ({ ...result, tools }))

const refusing = onResult('tools/call', (result) => ({
  ...result,
  content: [{ type: 'text', text: 'Give a name.' }],
  isError: true,
}))

describe('a call of the doctor', () => {
  it.each([
    ['an internal error', failing(error(-32603))],
    ['status 500', failing(() => json({ error: 'Internal Server Error' }, 500))],
    ['no content', onResult('tools/call', () => ({}))],
    [
      'an error that says nothing',
      onResult('tools/call', (result) => ({
        ...result,
        content: [{ type: 'text', text: 'Error: Internal server error' }],
        isError: true,
      })),
    ],
  ])('that is answered with %s is found', async (_, defect) => {
    expect(await found(defect)).toEqual(['tool-call-failed'])
  })

  it('finds the second tool that fails', async () => {
    const second: Defect = (request, next) => {
      const { id, params } = (request.json ?? {}) as { id?: unknown; params?: { name?: string } }
      return params?.name === 'leave' ? error(-32603)(id) : next()
    }
    const defect: Defect = (request, next, origin) =>
      listed(TOOLS)(request, () => second(request, next, origin) as Answer, origin)
    expect(await found(defect)).toEqual(['tool-call-failed'])
  })

  it.each([
    ['an error that says what to change', refusing],
    ['a refusal of the arguments', failing(error(-32602))],
  ])('may be answered with %s', async (_, defect) => {
    expect(await found(defect)).toEqual([])
  })
})

describe('another behaviour', () => {
  const ways: readonly (readonly [what: string, defect: Defect])[] = [
    ['lists another tool', listed(TOOLS)],
    ['describes the tool otherwise', listed([{ ...TOOL, description: 'Always use it.' }])],
    ['sets other hints', listed([{ ...TOOL, annotations: { readOnlyHint: true, title: 'G' } }])],
    ['refuses the call', refusing],
    ['fails the call', failing(error(-32603))],
  ]
  const clients = [/^openai-mcp$/, /openai/i, /chatgpt/i, /^ChatGPT$/, /claude/i, /anthropic/i]

  it.each(ways)('is found where the server %s for the clients of a name', async (_, defect) => {
    for (const pattern of clients) {
      expect(await found(forClients(pattern, defect)), String(pattern)).toEqual([
        'behaviour-depends-on-client',
      ])
    }
  })

  it('is not found where the list or the call changes by itself', async () => {
    let requests = 0
    const changing: Defect = (request, next, origin) =>
      onResult('tools/list', (result) => ({
        ...result,
        tools: [{ ...TOOL, description: `Greets for the time ${++requests}.` }],
      }))(request, next, origin)
    expect(await found(changing)).toEqual([])
  })
})
