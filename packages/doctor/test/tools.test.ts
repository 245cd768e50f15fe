/** `edgeway doctor --config --tools`: which tools each client can use, and how. */
import { describe, expect, it } from 'vitest'
import type { Tool } from '../../../src/protocol/primitives.ts'
import { type ClientTools, toolsOfClients } from '../src/doctor/tools/tool-uses.ts'
import { toolsText } from '../src/doctor/tools/tools-text.ts'

const tool = (name: string, more: Partial<Tool> = {}): Tool => ({
  name,
  inputSchema: { type: 'object', properties: {} },
  ...more,
})

const LARGE = {
  type: 'object' as const,
  properties: { a: { enum: ['x'.repeat(17_000)] } },
}

const TOOLS = [
  tool('price'),
  tool('report', { execution: { taskSupport: 'optional' } }),
  tool('render', { execution: { taskSupport: 'required' } }),
  tool('large', { inputSchema: LARGE }),
  tool('get_result'),
]

const HELD = { resultTool: 'get_result', holdMs: 45_000 }

function waysOf(clients: readonly ClientTools[], wanted: string) {
  const found = clients.find(({ client }) => client === wanted)
  return Object.fromEntries(
    (found?.tools ?? []).map(({ name, usable, how }) => [name, usable ? how : `✗ ${how}`]),
  )
}

describe('the tools of a definition', () => {
  const clients = toolsOfClients(TOOLS, HELD)

  it('are used by a client without tasks in its request, and by handles', () => {
    expect(waysOf(clients, 'codex')).toEqual({
      price: 'in its request, within 300 s',
      report: 'within 45 s, and then by get_result',
      render:
        "✗ has no tasks, and the tool runs as a task only: with task: 'optional' the client waits for its result",
      large: 'in its request, within 300 s',
      get_result: 'in its request, within 300 s',
    })
  })

  it('are used by a client with tasks as tasks, without get_result', () => {
    expect(waysOf(clients, 'vscode')).toEqual({
      price: 'in its request',
      report: 'as a task',
      render: 'as a task',
      large: 'in its request',
    })
  })

  it('are dropped by a client where their schema is too long for it', () => {
    const { length } = JSON.stringify(LARGE)
    expect(waysOf(clients, 'claude').large).toBe(
      `✗ drops the tool: its inputSchema has ${length} characters, and at most 16384 are kept`,
    )
  })

  it('run in their request where the author has switched get_result off', () => {
    const without = toolsOfClients(TOOLS.slice(0, 2), { holdMs: 45_000 })
    expect(waysOf(without, 'claude').report).toBe('in its request, within 60 s')
  })
})

describe('the text', () => {
  const textOf = (tools: readonly Tool[]) =>
    toolsText(
      { config: 'wrangler.toml', apps: [{ path: '/mcp', clients: toolsOfClients(tools, HELD) }] },
      { colors: false, columns: 100 },
    )

  it('groups the tools of each client, and ends with those that not every client can use', () => {
    const text = textOf(TOOLS)
    expect(text).toContain('Codex\n  ✓ in its request, within 300 s: price, large, get_result\n')
    expect(text).toContain('  ✓ as a task: report, render\n')
    expect(text).toMatch(/Not every client can use render, large\.\n$/)
  })

  it('says that each client can use each tool, names at most twenty, and prints no control characters', () => {
    const many = Array.from({ length: 500 }, (_, n) => tool(`tool-${n}`))
    const text = textOf([tool('a\u001b[31mb'), ...many])
    expect(text).toContain(', tool-18 and 481 more\n')
    expect(text).not.toContain('\u001b')
    expect(text).toMatch(/Each client can use each tool\.\n$/)
  })

  it('says which clients cannot be asked, where the app has asks()', () => {
    const clients = toolsOfClients([tool('order')], { ...HELD, asks: true })
    const unasked = Object.fromEntries(clients.map((one) => [one.client, one.unasked]))
    expect(unasked).toEqual({
      'claude-code': ['ctx.sample'],
      chatgpt: ['ctx.sample', 'ctx.listRoots'],
      claude: ['ctx.elicit', 'ctx.sample', 'ctx.listRoots'],
      codex: ['ctx.sample', 'ctx.listRoots'],
      'gemini-cli': ['ctx.elicit', 'ctx.sample'],
      vscode: [],
    })
    const report = { config: 'wrangler.toml', apps: [{ path: '/mcp', clients }] }
    const text = toolsText(report, { colors: false, columns: 100 })
    expect(text).toContain('  ! ends with an error where the tool calls ctx.elicit, ctx.sample\n')
    expect(text).toMatch(
      /Each client can use each tool\.\nClaude \(web\) and Gemini CLI cannot be asked: .* as an argument too\.\n$/,
    )
    expect(textOf([tool('order')])).not.toContain('cannot be asked')
  })
})
