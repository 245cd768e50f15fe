/** What `edgeway doctor --for` finds by calls, and by clients of other names. */

import { describe, expect, it } from 'vitest'
import { startReferenceServer } from '../../../doctor/test/reference-server.ts'
import { stoppedAfterAll } from '../../../doctor/test/started.ts'
import {
  both,
  type Defect,
  errorOf,
  onResult,
  paramsOf,
  resultOf,
  rpcError,
  TOOL,
  when,
} from '../../../faults/test/planted/plant.ts'
import { examineServerFor } from '../../src/directories/examine.ts'

const started = stoppedAfterAll()

const TOOLS = [TOOL, { ...TOOL, name: 'leave' }]

const OF_BEHAVIOUR: readonly string[] = ['tool-call-failed', 'behaviour-depends-on-client']

/** The codes of how the server behaves, each once. */
async function found(defect: Defect): Promise<readonly string[]> {
  const server = await started(startReferenceServer({ defect }))
  const report = await examineServerFor(['claude-directory'], server.url, { timeoutMs: 5000 })
  const codes = report.directories.flatMap(({ findings }) => findings.map(({ code }) => code))
  return [...new Set(codes)].filter((code) => OF_BEHAVIOUR.includes(code))
}

const failing = (code: number) => errorOf('tools/call', code, 'No.')

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

const listed = (tools: readonly unknown[]) => resultOf('tools/list', { tools })

const refusing = resultOf('tools/call', {
  content: [{ type: 'text', text: 'Give a name.' }],
  isError: true,
})

describe('a call of the doctor', () => {
  it('that is answered with an error that says nothing is found', async () => {
    const content = [{ type: 'text', text: 'Error: Internal server error' }]
    const defect = resultOf('tools/call', { content, isError: true })
    expect(await found(defect)).toEqual(['tool-call-failed'])
  })

  it('finds the second tool that fails', async () => {
    const second = when((request) => paramsOf(request).name === 'leave', rpcError(1, -32603, 'No.'))
    expect(await found(both(listed(TOOLS), second))).toEqual(['tool-call-failed'])
  })

  it.each([
    ['an error that says what to change', refusing],
    ['a refusal of the arguments', failing(-32602)],
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
    ['fails the call', failing(-32603)],
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
