/** The clients that `edgeway/testing` plays. */
// features: tasks, sessions
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { clientsWith } from '../../../src/clients/having.ts'
import { clientResultLimit } from '../../../src/clients/limits.ts'
import { showsForms } from '../../../src/features/asks/journal/elicitation.ts'
import { hasCapability } from '../../../src/protocol/capabilities.ts'
import { FullServer } from '../../../test/support/full-server.ts'
import { connectHeld, HOLD_MS } from '../../../test/support/held-server.ts'
import { keepHandler } from '../../../test/support/session-server.ts'
import { MODERN as MODERN_CLIENTS } from '../../client/src/names.ts'
import { PROFILE_NAMES, PROFILES } from '../../client/src/profiles.ts'
import { connect } from '../src/index.ts'

const server = new FullServer({ name: 'profiles', version: '1.0.0' })
server.registerTool('who', {}, ({ client, request }) =>
  JSON.stringify({
    info: client.info,
    capabilities: client.capabilities,
    revision: client.protocolVersion,
    session: request.headers.get('mcp-session-id'),
  }),
)
server.registerTool(
  'text',
  { inputSchema: z.object({ size: z.int(), letter: z.string() }) },
  (args) => args.letter.repeat(args.size),
)
server.registerTool('slow', { inputSchema: z.object({ ms: z.int() }) }, async ({ ms }, ctx) => {
  for (let left = ms; left > 0; left -= 40) {
    await new Promise((resolve) => setTimeout(resolve, 40))
    await ctx.progress(ms - left + 40)
  }
  return ctx.signal.aborted ? 'abandoned' : 'waited'
})

describe.concurrent.for(PROFILE_NAMES)('a client that is played as %s', (as) => {
  const profile = PROFILES[as]

  it('names itself, its revision and its capabilities as that client does', async () => {
    const client = await connectHeld({ as })
    const { text } = await client.callTool(
      'plain',
      keepHandler(({ client: { info, capabilities, protocolVersion } }) =>
        JSON.stringify([info, capabilities, protocolVersion]),
      ),
    )
    // A server knows of a request without its session what the request says.
    const isUnknown = !profile.echoesSessionId
    expect(JSON.parse(text)).toEqual(
      isUnknown
        ? [null, {}, profile.revision]
        : [profile.clientInfo, profile.capabilities, profile.revision],
    )
  })

  it('has the result of a call that takes longer than its request is held', async () => {
    const client = await connectHeld({ as })
    const script = keepHandler(async (ctx) => {
      await ctx.step('half', () => new Promise((resolve) => setTimeout(resolve, HOLD_MS / 2)))
      await ctx.sleep('rest', HOLD_MS)
      return 'report ready'
    })
    let result = await client.callTool('work', script)
    while (result._meta?.['dev.edgeway/handle'] !== undefined) {
      const handle = result._meta['dev.edgeway/handle']
      result = await client.callTool('get_result', { handle })
    }
    expect(result.text).toBe('report ready')
  })
})

describe('the options of a client that is played', () => {
  it('replace what its profile has', async () => {
    const client = await connect(server, {
      as: 'codex',
      revision: '2026-07-28',
      clientInfo: { name: 'own', version: '1' },
      capabilities: {},
    })
    expect(JSON.parse((await client.callTool('who')).text)).toEqual({
      info: { name: 'own', version: '1' },
      capabilities: {},
      revision: '2026-07-28',
      session: null,
    })
  })

  it('refuse a client that is not in the table', async () => {
    await expect(connect(server, { as: 'netscape' as never })).rejects.toThrow(
      'as must be one of claude-code, chatgpt, claude, codex, gemini-cli, vscode, not netscape',
    )
  })
})

describe('the limits of a client that is played', () => {
  it('end a call that takes longer than the client waits', async () => {
    const client = await connect(server, { as: 'codex', callTimeoutMs: 100 })
    const called = client.callTool('slow', { ms: 2000 })
    await expect(called).rejects.toMatchObject({
      code: -32001,
      message: 'The client has waited for 100 ms and has abandoned the call',
    })
    expect((await client.callTool('slow', { ms: 10 })).text).toBe('waited')
  })

  it('begin anew with progress, where the client does so', async () => {
    const client = await connect(server, { as: 'claude-code', callTimeoutMs: 400 })
    expect((await client.callTool('slow', { ms: 800 })).text).toBe('waited')
  })

  it('cut the text of a result', async () => {
    const codex = await connect(server, { as: 'codex' })
    expect((await codex.callTool('text', { size: 40_000, letter: 'x' })).text).toHaveLength(40_000)
    expect((await codex.callTool('text', { size: 50_000, letter: 'x' })).text).toHaveLength(40_000)
    // Four bytes each, and no half of one.
    const cut = (await codex.callTool('text', { size: 30_000, letter: '🙂' })).text
    expect(cut).toBe('🙂'.repeat(10_000))
    const anyone = await connect(server, { as: 'chatgpt' })
    expect((await anyone.callTool('text', { size: 50_000, letter: 'x' })).text).toHaveLength(50_000)
  })
})

describe('the table of profiles', () => {
  it('says of each client which limit of text a Worker knows of it', () => {
    for (const { clientInfo, resultLimit } of Object.values(PROFILES)) {
      expect(resultLimit).toEqual(clientResultLimit(clientInfo.name))
    }
  })

  it('has tasks where the client declares them', () => {
    const withTasks = PROFILE_NAMES.filter((name) => PROFILES[name].tasks !== undefined)
    expect(withTasks).toEqual(['claude-code', 'vscode'])
    for (const name of PROFILE_NAMES) {
      expect(JSON.stringify(PROFILES[name].capabilities).includes('tasks')).toBe(
        withTasks.includes(name),
      )
    }
  })

  it('names clients of 2026-07-28 that begin with server/discover', () => {
    const modern = Object.values(PROFILES).filter(({ revision }) => revision === '2026-07-28')
    expect(modern.every(({ title }) => MODERN_CLIENTS.includes(title))).toBe(true)
  })
})

describe('the clients that an error names for a capability', () => {
  it.for([
    ['io.modelcontextprotocol/tasks', ['extensions', 'io.modelcontextprotocol/tasks']],
    ['tasks', ['tasks']],
    ['elicitation.url', ['elicitation', 'url']],
    ['sampling', ['sampling']],
    ['roots', ['roots']],
  ] as const)('are those that declare it: %s', ([capability, path]) => {
    const declaring = Object.values(PROFILES).filter(({ capabilities }) =>
      hasCapability(capabilities, path),
    )
    const named = Object.values(PROFILES).filter(({ title }) =>
      clientsWith(capability).includes(title),
    )
    expect(named).toEqual(declaring)
  })

  it('are those that show forms', () => {
    const showing = Object.values(PROFILES).filter(({ capabilities }) => showsForms(capabilities))
    const named = Object.values(PROFILES).filter(({ title }) =>
      clientsWith('elicitation.form').includes(title),
    )
    expect(named).toEqual(showing)
  })
})
