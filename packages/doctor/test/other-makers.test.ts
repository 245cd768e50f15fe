/**
 * Servers of other makers. Each finding was judged by hand: it is what the server does, and what the
 * client that it names is known to stumble over.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join, resolve } from 'node:path'
import { describe, it } from 'vitest'
import { findFreePort } from '../../../scripts/support/free-port.ts'
import { codesOf, disconnected, examineQuickly } from './examine.ts'
import { ofFetch, startHttpServer } from './http-server.ts'
import { mcpLite, sdkV1WithoutSessions, sdkV1WithSessions, sdkV2 } from './makers.ts'

const ROOT = resolve(import.meta.dirname, '../../..')
const EVERYTHING = join(ROOT, 'node_modules/@modelcontextprotocol/server-everything/dist/index.js')

/** The transport of the SDK answers 406 unless Accept names both types, which Claude's check does not. */
const SDK_BREAKS = ['Claude (web)', 'Claude Desktop']

const makers = [
  {
    name: 'the official SDK v1 with sessions',
    create: sdkV1WithSessions,
    // It forgets a closed session, takes one GET stream, and has no CORS.
    codes: [
      'accept-refused',
      'preflight-refused',
      'second-stream-refused',
      'session-lost-not-404',
      'session-required',
    ],
    breaks: SDK_BREAKS,
  },
  {
    name: 'the official SDK v1 without sessions',
    create: sdkV1WithoutSessions,
    codes: ['accept-refused', 'preflight-refused'],
    breaks: SDK_BREAKS,
  },
  {
    name: 'the official SDK v2',
    create: sdkV2,
    codes: ['accept-refused', 'preflight-refused'],
    breaks: SDK_BREAKS,
  },
  {
    name: 'mcp-lite',
    create: mcpLite,
    // GET without a session is a 400 instead of a 405.
    codes: ['preflight-refused', 'stream-refused'],
    breaks: ['Cursor'],
  },
]

describe('the doctor at servers of other makers', () => {
  it.concurrent.for(makers)(
    'reports what is true of $name',
    async (maker, { expect, onTestFinished }) => {
      const { create, codes, breaks } = maker
      const server = await startHttpServer(ofFetch(create()))
      onTestFinished(() => server.stop())
      const report = await examineQuickly(`${server.origin}/mcp`)
      expect([...codesOf(report)].sort()).toEqual(codes)
      expect(disconnected(report)).toEqual(breaks)
    },
  )

  it.concurrent('reports what is true of server-everything', async ({ expect, onTestFinished }) => {
    const port = await findFreePort()
    const child = spawn(process.execPath, [EVERYTHING, 'streamableHttp'], {
      env: { ...process.env, PORT: String(port) },
      stdio: 'ignore',
    })
    onTestFinished(async () => {
      child.kill()
      await once(child, 'exit')
    })
    const url = `http://127.0.0.1:${port}/mcp`
    await expect
      .poll(() =>
        fetch(url).then(
          (response) => response.status,
          () => 0,
        ),
      )
      .toBe(400)
    const report = await examineQuickly(url)
    expect([...codesOf(report)].sort()).toEqual([
      'accept-refused',
      'second-stream-refused',
      'session-lost-not-404',
      'session-required',
      'well-known-not-json',
    ])
    expect(disconnected(report)).toEqual(SDK_BREAKS)
  })
})
